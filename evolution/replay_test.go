package evolution_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/effect"
	"github.com/memtree/memtree/enhance"
	"github.com/memtree/memtree/formation"
	"github.com/memtree/memtree/internal/golden"
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
}

func newSubject(t *testing.T, name string, every int) *subject {
	t.Helper()
	st, err := jsonstore.Open(t.Context(), afero.NewMemMapFs(), "replay", jsonstore.Options{})
	require.NoError(t, err)
	s := &subject{name: name, every: every}
	s.mem, err = memtree.Open(t.Context(), "",
		&memtree.Options{Store: st, Deadline: time.Minute, Now: func() time.Time { return s.now }})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.mem.Close()) })
	return s
}

func (s *subject) Name() string { return s.name }

func (s *subject) Ask(ctx context.Context, e *tree.Evaluation) (effect.ReplayAnswer, error) {
	if e.At.After(s.now) {
		s.now = e.At
	}
	x, err := s.mem.Explain(ctx, memtree.Query{Prompt: e.Prompt, Scene: e.Scene, Scope: e.Scope, Agent: e.Agent,
		RunID: e.RunID})
	if err != nil {
		return effect.ReplayAnswer{}, err
	}
	a := effect.ReplayAnswer{Guided: !x.Abstained}
	if x.Nearest != nil {
		a.Score = x.Nearest.Score
	}
	abstract := false
	for _, it := range x.Items {
		a.Score = max(a.Score, it.Score)
		n, err := s.mem.Tree().Get(ctx, it.ID)
		if err != nil {
			return effect.ReplayAnswer{}, err
		}
		abstract = abstract || n.Type != tree.Case
		a.Items = append(a.Items, effect.ReplayWarning{Direction: n.Direction})
	}
	if a.Guided {
		s.guided++
		s.tokens += enhance.Tokens(x.Text)
	}
	if abstract {
		s.experiences++
	}
	return a, nil
}

func (s *subject) Learn(ctx context.Context, e *tree.Evaluation, _ effect.RunLabel) error {
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

// TestQualityOfReplay compares guidance from cases alone with that of a tree
// which evolves, on real streams, at each quarter of them.
func TestQualityOfReplay(t *testing.T) {
	judge := func(e *tree.Evaluation) effect.RunLabel {
		v := formation.Detect(e)
		return effect.RunLabel{Labelled: v.Labelled, Correct: v.Correct, Direction: v.Direction}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "By rules, evolve every 50 runs. warned: share of wrong verdicts warned of in the same direction;\n"+
		"tokens: of the guidance, its fixed frame of about 60 included; lessons: guided runs that were given one.\n"+
		"difference: of the AUC from that of cases alone, paired by run, with 95 %% of 1,000 bootstrap samples of tests.\n")
	for _, name := range []string{"webjudge", "tau"} {
		all := stream(t, name+".jsonl")
		fmt.Fprintf(&b, "\n%-12s %4s %6s %7s %7s %7s %8s  %s\n", name, "runs", "AUC", "guided", "warned", "tokens", "lessons",
			"difference")
		for q := 1; q <= 4; q++ {
			part := all[:len(all)*q/4]
			alone, learns := newSubject(t, "cases alone", 0), newSubject(t, "evolving", 50)
			rep, err := effect.Replay(t.Context(), part, effect.ReplayOptions{Judge: judge, Seed: 1}, alone, learns)
			require.NoError(t, err)
			for i, s := range []*subject{alone, learns} {
				r := rep.Rows[2*i] // each has its control behind it
				fmt.Fprintf(&b, "%-12s %4d %6.3f %7d %7.3f %7.1f %8d", s.name, rep.N, *r.AUC, s.guided,
					*r.Warned.P, float64(s.tokens)/float64(max(1, s.guided)), s.experiences)
				if d := r.Difference; d != nil {
					fmt.Fprintf(&b, "  %+.3f [%+.3f, %+.3f]", *d.AUC, d.Interval.Low, d.Interval.High)
				}
				b.WriteString("\n")
			}
		}
	}
	golden.Equal(t, "testdata/quality.replay.golden", b.String())
}
