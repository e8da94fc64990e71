package memtreetest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/effect"
	"github.com/memtree/memtree/harness"
	"github.com/memtree/memtree/internal/judgment"
	"github.com/memtree/memtree/store"
)

const (
	askWithin    = 2 * time.Second  // how long Run waits for a store that another process writes, before it only reads
	recordWithin = 20 * time.Second // how long it waits for the store to record the judgments
	formWithin   = time.Minute      // how long it waits until the judgments are formed
)

// Run runs an agent on each test as a subtest of that name. run receives the prompt with guidance appended, and no
// ground truth. The subtest logs the guidance.
//
// A subtest fails if the agent returns an error or its judgment is wrong. judge decides that. If judge is nil, the
// judgment is compared with the ground truth; it passes if there is none, or if the two cannot be compared. When all
// subtests have ended, parallel ones too, Run records the judgments in the store dir; "" is the value of
// MEMTREE_STORE. If that is not set, Run uses no memory and records nothing.
func Run(t *testing.T, dir string, tests []harness.Test, run harness.RunTest, judge harness.Judge) {
	t.Helper()
	dir = cmp.Or(dir, os.Getenv(StoreVariable))
	s := &suiteRun{dir: dir, run: run, judge: judge,
		id: "go test " + t.Name() + " " + time.Now().UTC().Format(time.RFC3339Nano)}
	s.open(t)
	t.Cleanup(func() { s.end(t) })
	for i, c := range tests {
		name := cmp.Or(c.ID, fmt.Sprint("test ", i+1))
		t.Run(name, func(t *testing.T) { s.one(t, c) })
	}
}

// suiteRun is the state of one call of Run.
type suiteRun struct {
	dir, id string
	run     harness.RunTest
	judge   harness.Judge
	mem     *memtree.Memory // nil: the agent runs without memory
	writes  bool            // whether mem is writable

	mu     sync.Mutex
	judged []memtree.Evaluation
}

// open opens the store, read-only if another process writes it.
func (s *suiteRun) open(t *testing.T) {
	t.Helper()
	if s.dir == "" {
		t.Logf("memtree: no store is named, so nothing is told or recorded; set %s", StoreVariable)
		return
	}
	var err error
	if s.mem, err = openWithin(s.dir, askWithin); err == nil {
		s.writes = true
		return
	}
	var locked *store.LockedError
	if errors.As(err, &locked) || errors.Is(err, os.ErrPermission) {
		s.mem, err = memtree.Open(context.Background(), s.dir, &memtree.Options{ReadOnly: true, Deadline: patient})
	}
	if err != nil {
		s.mem = nil
		t.Logf("memtree: the tests run without memory: %v", err)
	}
}

// openWithin opens a store for writing. If another process holds it, it retries for at most this time.
func openWithin(dir string, most time.Duration) (*memtree.Memory, error) {
	for end := time.Now().Add(most); ; time.Sleep(50 * time.Millisecond) {
		m, err := memtree.Open(context.Background(), dir, &memtree.Options{Deadline: patient})
		var locked *store.LockedError
		if !errors.As(err, &locked) || time.Now().After(end) {
			return m, err
		}
	}
}

// one runs one test.
func (s *suiteRun) one(t *testing.T, c harness.Test) {
	t.Helper()
	c.RunID = cmp.Or(c.RunID, s.id)
	g := s.guide(t, &c)
	given := c
	given.GroundTruth = nil
	given.Prompt = g.Enhance(c.Prompt)
	r, err := s.run(t.Context(), given)
	if err != nil {
		t.Errorf("the agent failed: %v", err)
		return
	}
	r.Trial = g.Trial
	e := memtree.Evaluation{
		RunID: c.RunID, CaseID: c.ID, Attempt: c.Attempt, At: time.Now().UTC(), Scene: c.Scene, Scope: c.Scope,
		Prompt: c.Prompt, Observation: r.Observation, Judgment: r.Judgment, GroundTruth: c.GroundTruth,
		Agent: c.Agent, Trial: r.Trial,
	}
	s.verdict(t, &c, &r, &e)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.judged = append(s.judged, e)
}

// guide returns the guidance for a test and logs it. It never fails a test.
func (s *suiteRun) guide(t *testing.T, c *harness.Test) (g memtree.Guidance) {
	t.Helper()
	if s.mem == nil {
		return g
	}
	defer func() {
		if r := recover(); r != nil {
			t.Logf("memtree: no guidance: %v", r)
			g = memtree.Guidance{}
		}
	}()
	g, err := s.mem.Guide(t.Context(), memtree.Query{
		Prompt: c.Prompt, Observation: c.Observation, Scene: c.Scene, Scope: c.Scope, Agent: c.Agent, RunID: c.RunID,
	})
	switch {
	case err != nil:
		t.Logf("memtree: no guidance: %v", err)
		return memtree.Guidance{}
	case g.Text != "":
		t.Logf("memtree told this run:\n%s", g.Text)
	case g.Withheld == effect.ByChance:
		t.Log("memtree: chance holds this run out, so that others can be compared with it")
	case g.Withheld == effect.ByBreaker:
		t.Log("memtree: memory did more harm than good, and is not given")
	}
	return g
}

// verdict fails the test if its judgment was wrong, and stores the result in e.
func (s *suiteRun) verdict(t *testing.T, c *harness.Test, r *harness.TestResult, e *memtree.Evaluation) {
	t.Helper()
	if s.judge == nil {
		if c.GroundTruth == nil {
			return
		}
		same, why := judgment.Compare(judgment.Decode(r.Judgment), judgment.Decode(c.GroundTruth))
		if !same && why == "" {
			t.Errorf("the agent judged %s; true is %s", r.Judgment, c.GroundTruth)
		}
		return
	}
	v, err := s.judge(t.Context(), *c, *r)
	if err != nil {
		e.GroundTruth = nil // unknown: the judge failed
		t.Logf("memtree: the run is recorded without a truth: its judge failed: %v", err)
		return
	}
	e.Correct, e.Direction, e.Reason = &v.Correct, v.Direction, v.Reason
	if judgment.Denied(e, "judgment", "ground_truth") != nil {
		e.GroundTruth = nil // the judge's verdict takes precedence
	}
	if judgment.Denied(e, "judgment", "ground_truth") != nil {
		e.Direction = "" // it is derived
	}
	if !v.Correct {
		t.Errorf("the agent judged wrongly: %s. %s", r.Judgment, v.Reason)
	}
}

// end records the judgments. It logs those that cannot be recorded.
func (s *suiteRun) end(t *testing.T) {
	t.Helper()
	if s.mem == nil {
		return
	}
	defer func() {
		if err := s.mem.Close(); err != nil {
			t.Logf("memtree: %v", err)
		}
	}()
	if len(s.judged) == 0 {
		return
	}
	if !s.writes {
		m, err := openWithin(s.dir, recordWithin)
		if err != nil {
			t.Logf("memtree: %d judgments are not recorded: %v", len(s.judged), err)
			return
		}
		_ = s.mem.Close() // opened read-only
		s.mem = m
	}
	for _, e := range s.judged {
		if err := s.mem.Record(context.Background(), e); err != nil {
			t.Logf("memtree: the judgment of %s is not recorded: %v", e.CaseID, err)
		}
	}
	ctx, stop := context.WithTimeout(context.Background(), formWithin)
	defer stop()
	if err := s.mem.Wait(ctx); err != nil {
		t.Logf("memtree: recorded, and not in memory before the next open: %v", err)
	}
}
