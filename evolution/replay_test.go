package evolution_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/enhance"
	"github.com/memtree/memtree/formation"
	"github.com/memtree/memtree/internal/golden"
	"github.com/memtree/memtree/replay"
	jsonstore "github.com/memtree/memtree/store/json"
	"github.com/memtree/memtree/tree"
)

// stream is a set in order of time, or the test is skipped.
func stream(t *testing.T, name string) []tree.Evaluation {
	t.Helper()
	dir := os.Getenv("MEMTREE_SHARED")
	if dir == "" {
		dir = filepath.Join("..", "..", "shared")
	}
	b, err := os.ReadFile(filepath.Join(dir, "data", "evaluations", name))
	if err != nil {
		t.Skip("the shared data is not here; set MEMTREE_SHARED to the folder that has data/ in it")
	}
	var out []tree.Evaluation
	for line := range strings.Lines(string(b)) {
		var e tree.Evaluation
		require.NoError(t, json.Unmarshal([]byte(line), &e))
		out = append(out, e)
	}
	return out
}

// subject is memtree that evolves after every so many runs, or never.
type subject struct {
	name        string
	every       int
	mem         *memtree.Memory
	now         time.Time
	runs        int
	guided      int
	tokens      int // of the guidance, all runs together
	experiences int // guided runs that were given one
	scores      []float64
}

func newSubject(t *testing.T, name string, every int) *subject {
	t.Helper()
	st, err := jsonstore.Open(t.Context(), afero.NewMemMapFs(), "replay", jsonstore.Options{})
	require.NoError(t, err)
	s := &subject{name: name, every: every}
	s.mem, err = memtree.Open(t.Context(), "", &memtree.Options{Store: st, Deadline: time.Minute, Now: func() time.Time { return s.now }})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.mem.Close()) })
	return s
}

func (s *subject) Name() string { return s.name }

func (s *subject) Ask(ctx context.Context, e *tree.Evaluation) (replay.Answer, error) {
	if e.At.After(s.now) {
		s.now = e.At
	}
	x, err := s.mem.Explain(ctx, memtree.Query{Prompt: e.Prompt, Scene: e.Scene, Scope: e.Scope, Agent: e.Agent, RunID: e.RunID})
	if err != nil {
		return replay.Answer{}, err
	}
	a := replay.Answer{Guided: !x.Abstained}
	if x.Nearest != nil {
		a.Score = x.Nearest.Score
	}
	abstract := false
	for _, it := range x.Items {
		a.Score = max(a.Score, it.Score)
		n, err := s.mem.Node(ctx, it.ID)
		if err != nil {
			return replay.Answer{}, err
		}
		abstract = abstract || n.Type != tree.Case
		a.Items = append(a.Items, replay.Item{Direction: n.Direction, Scene: n.Scene})
	}
	if a.Guided {
		s.guided++
		s.tokens += enhance.Tokens(x.Text)
	}
	if abstract {
		s.experiences++
	}
	s.scores = append(s.scores, a.Score)
	return a, nil
}

func (s *subject) Learn(ctx context.Context, e *tree.Evaluation, _ replay.Verdict) error {
	if err := s.mem.Record(ctx, *e); err != nil {
		return err
	}
	s.runs++
	if s.every > 0 && s.runs%s.every == 0 {
		if _, err := s.mem.Evolve(ctx, nil); err != nil {
			return err
		}
	}
	return s.mem.Wait(ctx)
}

// difference is how much the AUC of b's scores is above that of a's, with the
// interval that holds 95 % of 2,000 bootstrap samples of the runs.
func difference(part []tree.Evaluation, judge func(*tree.Evaluation) replay.Verdict, a, b []float64) string {
	type run struct {
		wrong bool
		a, b  float64
	}
	runs := make([]run, len(part))
	for i := range part {
		runs[i] = run{!judge(&part[i]).Correct, a[i], b[i]}
	}
	r := rand.New(rand.NewPCG(1, 1))
	draw := func(pick func(i int) int) (float64, bool) {
		var of [2][2][]float64 // scores of a and b, of wrong and right runs
		for i := range runs {
			x, kind := runs[pick(i)], 1
			if x.wrong {
				kind = 0
			}
			of[0][kind], of[1][kind] = append(of[0][kind], x.a), append(of[1][kind], x.b)
		}
		before, _, ok := replay.AUC(of[0][0], of[0][1])
		after, _, _ := replay.AUC(of[1][0], of[1][1])
		return after - before, ok
	}
	var all []float64
	for len(all) < 2000 {
		if d, ok := draw(func(int) int { return r.IntN(len(runs)) }); ok {
			all = append(all, d)
		}
	}
	slices.Sort(all)
	d, _ := draw(func(i int) int { return i })
	return fmt.Sprintf("%+.3f [%+.3f, %+.3f]", d, all[50], all[1949])
}

// TestQualityOfReplay compares guidance from cases alone with that of a tree
// which evolves, on real streams, at each quarter of them.
func TestQualityOfReplay(t *testing.T) {
	judge := func(e *tree.Evaluation) replay.Verdict {
		v := formation.Detect(e)
		return replay.Verdict{Labelled: v.Labelled, Correct: v.Correct, Direction: v.Direction}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "By rules, evolve every 50 runs. warned: share of wrong verdicts warned of in the same direction;\n"+
		"tokens: of the guidance, its fixed frame of about 60 included; lessons: guided runs that were given one.\n"+
		"difference: of the AUC from that of cases alone, paired by run, with 95 %% of 2,000 bootstrap samples.\n")
	for _, name := range []string{"webjudge", "tau"} {
		all := stream(t, name+".jsonl")
		fmt.Fprintf(&b, "\n%-12s %4s %6s %7s %7s %7s %8s  %s\n", name, "runs", "AUC", "guided", "warned", "tokens", "lessons", "difference")
		for q := 1; q <= 4; q++ {
			part := all[:len(all)*q/4]
			alone, learns := newSubject(t, "cases alone", 0), newSubject(t, "evolving", 50)
			rep, err := replay.Run(t.Context(), part, replay.Options{Judge: judge, Seed: 1}, alone, learns)
			require.NoError(t, err)
			for i, s := range []*subject{alone, learns} {
				r := rep.Rows[i]
				fmt.Fprintf(&b, "%-12s %4d %6.3f %7d %7.3f %7.1f %8d", s.name, rep.N, *r.AUC, s.guided,
					r.Warned.Exact+r.Warned.Similar, float64(s.tokens)/float64(max(1, s.guided)), s.experiences)
				if s == learns {
					b.WriteString("  " + difference(part, judge, alone.scores, learns.scores))
				}
				b.WriteString("\n")
			}
		}
	}
	golden.Equal(t, "testdata/quality.replay.golden", b.String())
}
