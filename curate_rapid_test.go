package memtree_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/curation"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/transfer"
	"github.com/memtree/memtree/tree"
)

// taken is a model of what a person took back: the tree has to be one that never saw it.
type taken struct {
	t        *rapid.T
	m        *memtree.Memory
	dir      string
	runs     []tree.Evaluation              // recorded, in order
	imported []tree.Node                    // cases that came from elsewhere
	caseID   map[string]string              // by evaluation
	right    map[string]bool                // evaluations that were right after all
	out      map[string]int                 // cases that are forgotten, banned, or whose mistake was no mistake
	undo     []func()                       // takes the decisions in force back, the last one last
	marks    map[string][]tree.DecisionKind // the decisions in force on each case
	subjects []string
	serial   int
	evolved  int
}

// waitRun is a run that reported a failure because it did not wait.
func waitRun(id, subject string, day int) tree.Evaluation {
	e := sumRun(id, subject, day)
	e.CaseID, e.Prompt = subject+"-message", "Check that a wrong "+subject+" shows an error message at once"
	e.Judgment, e.GroundTruth = tree.Raw(`{"verdict":"fail"}`), tree.Raw(`{"verdict":"pass"}`)
	e.Reason = "The " + subject + " message was still loading when the agent judged: " +
		"it did not wait for the page to finish"
	return e
}

func opened(t *rapid.T, dir string) *memtree.Memory {
	m, err := memtree.Open(t.Context(), dir, &memtree.Options{
		Deadline: 10 * time.Second, Now: func() time.Time {
			return time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
		},
	})
	require.NoError(t, err)
	return m
}

func (s *taken) record() {
	subject := rapid.SampledFrom(s.subjects).Draw(s.t, "subject")
	s.serial++
	e := sumRun(fmt.Sprintf("r%d", s.serial), subject, s.serial%27+1)
	if rapid.Bool().Draw(s.t, "wait") {
		e = waitRun(e.ID, subject, s.serial%27+1)
	}
	require.NoError(s.t, s.m.Record(s.t.Context(), e))
	require.NoError(s.t, s.m.Wait(s.t.Context()))
	s.runs = append(s.runs, e)
	for entry, err := range s.m.Tree().Ledger(s.t.Context(), 0) {
		require.NoError(s.t, err)
		if v := entry.Verdict; v != nil && v.Evaluation == e.ID {
			s.caseID[e.ID] = v.Node
		}
	}
}

// take imports a case that another tree has.
func (s *taken) take() {
	other := opened(s.t, filepath.Join(s.dir, fmt.Sprint("other", s.serial)))
	defer func() { require.NoError(s.t, other.Close()) }()
	subject := rapid.SampledFrom(s.subjects).Draw(s.t, "subject")
	s.serial++
	e := sumRun(fmt.Sprintf("i%d", s.serial), subject, s.serial%27+1)
	require.NoError(s.t, other.Record(s.t.Context(), e))
	require.NoError(s.t, other.Wait(s.t.Context()))
	for n, err := range other.Tree().Scan(s.t.Context(), store.Filter{}) {
		require.NoError(s.t, err)
		n.Origin = tree.Origin{}
		_, err := s.m.Transfer().Import(s.t.Context(), all([]tree.Node{n}), &transfer.ImportOptions{Trust: true})
		require.NoError(s.t, err)
		s.imported = append(s.imported, n)
	}
}

// known returns the cases that there are, sorted.
func (s *taken) known() (ids []string) {
	for n, err := range s.m.Tree().Scan(s.t.Context(), store.Filter{Level: 1}) {
		require.NoError(s.t, err)
		ids = append(ids, n.ID)
	}
	return ids
}

// say makes a decision on some case.
func (s *taken) say(said tree.DecisionKind) {
	ids := s.known()
	if len(ids) == 0 {
		return
	}
	id := rapid.SampledFrom(ids).Draw(s.t, "case")
	c := s.m.Curation()
	say := map[tree.DecisionKind]func() (curation.DecisionResult, error){
		tree.DecisionForget: func() (curation.DecisionResult, error) {
			return c.Forget(s.t.Context(), id,
				curation.Options{})
		},
		tree.DecisionPin: func() (curation.DecisionResult, error) { return c.Pin(s.t.Context(), id, curation.Options{}) },
		tree.DecisionBan: func() (curation.DecisionResult, error) { return c.Ban(s.t.Context(), id, curation.Options{}) },
	}[said]
	if _, err := say(); err != nil {
		require.ErrorAs(s.t, err, new(*curation.RefusedError))
		return
	}
	before := s.marks[id]
	was := s.out[id]
	s.marks[id] = append(slices.Clone(before), said)
	s.out[id] = 0
	if said != tree.DecisionPin {
		s.out[id] = 1
	}
	s.undo = append(s.undo, func() { s.marks[id], s.out[id] = before, was })
}

// relabel labels some wrong run as right.
func (s *taken) relabel() {
	if len(s.runs) == 0 {
		return
	}
	e := s.runs[rapid.IntRange(0, len(s.runs)-1).Draw(s.t, "run")]
	if s.right[e.ID] || len(s.marks[s.caseID[e.ID]]) > 0 || s.out[s.caseID[e.ID]] > 0 {
		return
	}
	_, err := s.m.Curation().Relabel(s.t.Context(), e.ID, curation.Truth{GroundTruth: e.Judgment}, curation.Options{})
	require.NoError(s.t, err)
	id := s.caseID[e.ID]
	others := slices.ContainsFunc(s.runs, func(o tree.Evaluation) bool {
		return o.ID != e.ID && s.caseID[o.ID] == id && !s.right[o.ID]
	}) || slices.ContainsFunc(s.imported, func(n tree.Node) bool { return n.ID == id })
	s.right[e.ID] = true
	if !others {
		s.out[id] = 1
	}
	s.undo = append(s.undo, func() { s.right[e.ID], s.out[id] = false, 0 })
}

func (s *taken) back() {
	_, err := s.m.Curation().Undo(s.t.Context(), "", curation.Options{})
	if len(s.undo) == 0 {
		require.ErrorAs(s.t, err, new(*curation.RefusedError))
		return
	}
	require.NoError(s.t, err)
	s.undo[len(s.undo)-1]()
	s.undo = s.undo[:len(s.undo)-1]
}

func (s *taken) evolve() {
	_, err := s.m.Evolve(s.t.Context(), nil)
	require.NoError(s.t, err)
	for n, err := range s.m.Tree().Scan(s.t.Context(), store.Filter{}) {
		require.NoError(s.t, err)
		if !n.Live() || n.Type == tree.Case {
			continue
		}
		for id, gone := range s.out {
			require.False(s.t, gone > 0 && slices.Contains(slices.Concat(n.Children, n.Provenance.Cites), id),
				"%s stands on %s, which was taken back", n.ID, id)
		}
	}
}

// anew has every lesson learned again: a decision on a case, and taking it back, has those learned again that are
// about what it missed. The number of cases of a lesson is set when it is learned.
func (s *taken) anew() {
	for n, err := range s.m.Tree().Scan(s.t.Context(), store.Filter{Level: 1}) {
		require.NoError(s.t, err)
		if !n.Live() || n.Mark == tree.Banned {
			continue
		}
		_, err := s.m.Curation().Forget(s.t.Context(), n.ID, curation.Options{})
		require.NoError(s.t, err)
		_, err = s.m.Curation().Undo(s.t.Context(), "", curation.Options{})
		require.NoError(s.t, err)
	}
	s.evolve()
}

// never returns a tree that never saw what was taken back.
func (s *taken) never() string {
	m := opened(s.t, filepath.Join(s.dir, fmt.Sprint("never", s.evolved)))
	s.evolved++
	defer func() { require.NoError(s.t, m.Close()) }()
	for _, e := range s.runs {
		if !s.right[e.ID] && s.out[s.caseID[e.ID]] == 0 {
			require.NoError(s.t, m.Record(s.t.Context(), e))
		}
	}
	require.NoError(s.t, m.Wait(s.t.Context()))
	for _, n := range s.imported {
		if s.out[n.ID] == 0 {
			_, err := m.Transfer().Import(s.t.Context(), all([]tree.Node{n}), &transfer.ImportOptions{Trust: true})
			require.NoError(s.t, err)
		}
	}
	_, err := m.Evolve(s.t.Context(), nil)
	require.NoError(s.t, err)
	return active(s.t, m)
}

// active returns the memories in use, as an export has them, without times, revisions, origins and marks: the history
// of a node, and a person's decisions.
func active(t *rapid.T, m *memtree.Memory) string {
	var out strings.Builder
	for n, err := range m.Tree().Scan(t.Context(), store.Filter{}) {
		require.NoError(t, err)
		if !n.Live() {
			continue
		}
		n.Revision, n.LastChange, n.Origin, n.Decision, n.Mark = 0, "", tree.Origin{}, nil, ""
		n.Metadata, n.Provenance.At = tree.Metadata{}, time.Time{}
		out.WriteString(tree.Spelled(&n) + "\n")
	}
	return out.String()
}

// TestTakenBackWasNeverSeen: after any sequence of recording, importing, evolving and a person's decisions, the tree
// in use is byte for byte one that never saw what was taken back; and of a purged memory no byte is in the folder. It
// draws 25 sequences; `make words` draws 10,000.
func TestTakenBackWasNeverSeen(t *testing.T) {
	sequences(t, "25")
	base, drawn := t.TempDir(), 0
	rapid.Check(t, func(t *rapid.T) {
		drawn++
		dir := filepath.Join(base, fmt.Sprint(drawn))
		defer func() { require.NoError(t, os.RemoveAll(dir)) }()
		s := &taken{
			t: t, dir: dir, m: opened(t, filepath.Join(dir, "store")), caseID: map[string]string{}, right: map[string]bool{},
			out: map[string]int{}, marks: map[string][]tree.DecisionKind{},
			subjects: []string{"zucchini", "yggdrasil", "xylophone", "quagmire", "kumquat"},
		}
		defer func() { require.NoError(t, s.m.Close()) }()
		for range rapid.IntRange(4, 16).Draw(t, "steps") {
			switch rapid.IntRange(0, 11).Draw(t, "step") {
			case 0, 1, 2, 3:
				s.record()
			case 4:
				s.take()
			case 5:
				s.say(tree.DecisionForget)
			case 6:
				s.say(tree.DecisionPin)
			case 7:
				s.say(tree.DecisionBan)
			case 8:
				s.relabel()
			case 9:
				s.back()
			default:
				s.evolve()
			}
		}
		s.evolve()
		s.anew()
		require.Equal(t, s.never(), active(t, s.m))
		s.purge()
	})
}

// sequences sets how many sequences a test draws: n, or 10,000 where all are to be drawn.
func sequences(t *testing.T, n string) {
	t.Helper()
	if all := os.Getenv("MEMTREE_WORDS"); all != "" {
		n = "10000"
	}
	was := flag.Lookup("rapid.checks").Value.String()
	if was == "100" { // the default of rapid, so it was not set otherwise
		require.NoError(t, flag.Set("rapid.checks", n))
		t.Cleanup(func() { require.NoError(t, flag.Set("rapid.checks", was)) })
	}
}

// purge purges a case, if its text is in no other memory or run.
func (s *taken) purge() {
	for n, err := range s.m.Tree().Scan(s.t.Context(), store.Filter{Level: 1}) {
		require.NoError(s.t, err)
		if n.CaseData == nil {
			continue
		}
		word := strings.TrimPrefix(strings.TrimSuffix(n.Scene.Route, "/"), "/")
		alone := n.Decision == nil && len(s.imported) == 0 && !slices.ContainsFunc(s.runs, func(e tree.Evaluation) bool {
			return strings.Contains(e.Prompt, word) && (s.caseID[e.ID] != n.ID || s.right[e.ID])
		})
		if !alone {
			continue
		}
		_, err := s.m.Curation().Forget(s.t.Context(), n.ID, curation.Options{Purge: true})
		require.NoError(s.t, err)
		s.out[n.ID] = 1
		store := filepath.Join(s.dir, "store")
		require.NoError(s.t, filepath.WalkDir(store, func(path string, e os.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			b, err := os.ReadFile(path)
			require.False(s.t, strings.Contains(string(b), word), "%s holds %s", path, word)
			return err
		}))
		s.evolve()
		s.anew()
		require.Equal(s.t, s.never(), active(s.t, s.m))
		return
	}
}
