// Package harness runs tests with a memory around them: [Harness.Wrap] puts guidance into the prompt of a test, runs
// it, has the result judged and recorded in the background, and corrects verdicts that are likely to be wrong.
//
// Memory never breaks a run. After an error or a panic of memory the run continues without guidance, and each thing
// that memory does for a run takes no longer than Options.Deadline. Everything else happens in two workers,
// [Harness.Judge] (run.go) and [Harness.Ablate] (ablate.go), once the caller has its result.
//
// What a harness needs of a memory are the methods of [memory]; users of package memtree need memtree.Wrap only.
package harness

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/memtree/memtree/effect"
	"github.com/memtree/memtree/enhance"
	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/risk"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// memory is what a harness needs of an open memory. Its methods are safe for concurrent use.
type memory interface {
	// Guide returns the guidance for a run of a test. A nil holdout is the memory's own.
	Guide(ctx context.Context, t *Test, h *effect.Holdout) (Advice, error)

	// GuideWith returns the text of the guidance for a test that contains some memories only. It draws nothing and
	// records nothing. One that cannot be injected any more is an error.
	GuideWith(ctx context.Context, t *Test, ids []string) (string, error)

	// Risk returns how likely the judgment of an evaluation is to be wrong.
	Risk(ctx context.Context, e tree.Evaluation) (risk.Risk, error)

	// Look has a reader look a second time at the judgment of an evaluation, unless it did before.
	Look(ctx context.Context, e tree.Evaluation) error

	// Quoted returns what the second look at an evaluation quotes against its judgment, and the demand of the task that
	// it is about.
	Quoted(e tree.Evaluation) (point, quote string)

	// Stopped reports whether the remedy of o is known to break more verdicts than it repairs.
	Stopped(ctx context.Context, o CorrectOptions) (bool, error)

	// TakenBack reports whether a person took the correction of an evaluation back.
	TakenBack(ctx context.Context, key string) (bool, error)

	// Record accepts a judged run. When it returns nil the run is durable.
	Record(ctx context.Context, e tree.Evaluation) error

	// Write queues an entry for the ledger, and waits a moment for room. When it returns nil the entry is written
	// before the memory is closed.
	Write(ctx context.Context, e ledger.Entry) error
}

// Advice is what a run receives from a memory.
type Advice struct {
	Text  string     // the text for the prompt; "" for none
	Trial string     // id of the trial in the ledger
	Arm   ledger.Arm // the arm of the run: whether it received the memories found, others or none
	IDs   []string   // ids of the memories in Text, by rank
}

// Test is one test case to run.
type Test struct {
	ID          string     // id of the test case
	RunID       string     // id of this run of the test; "": Wrap makes one
	Attempt     int        // from 1; 0: unknown
	Prompt      string     // the task for the agent
	Context     string     // background knowledge, for agents that receive it separately from the prompt
	Observation string     // the page before the run, if known: an ARIA snapshot or its text
	Scene       tree.Scene // page or step of the product
	Scope       tree.Scope // product, suite and test
	GroundTruth tree.Raw   // what is true; the agent never receives it
	Agent       tree.Agent // the agent that runs it
}

// TestResult is the result of a test. The function that runs the test sets Judgment and Observation; Wrap sets the
// rest.
type TestResult struct {
	Judgment    tree.Raw           // any JSON
	Observation string             // what the agent could see when it judged
	Trial       string             // id of the trial whose guidance was used
	Risk        *risk.Risk         // how likely the judgment is to be wrong; nil: not computed, or not in time
	Correction  *ledger.Correction // what was done about a judgment that is likely to be wrong; nil: nothing
	First       *TestResult        // the agent's own result, if a correction replaced it
}

// RunTest runs one test. Wrap takes such a function and returns one.
type RunTest func(ctx context.Context, t Test) (TestResult, error)

// Judge decides whether result r of test t was right, in place of a comparison with the ground truth. If it returns an
// error, the run is recorded without a label. Memory.Wait and Memory.Evolve wait for judges, so a judge must call
// neither.
type Judge func(ctx context.Context, t Test, r TestResult) (JudgeVerdict, error)

// JudgeVerdict is what a Judge decided about a result.
type JudgeVerdict struct {
	Correct   bool               // the result was right
	Direction taxonomy.Direction // which way the result was wrong; optional
	Reason    string             // what was missed, in a sentence; optional
}

// WrapOptions configures Wrap. Nil and the zero value work.
type WrapOptions struct {
	Placement enhance.Placement // where guidance is: after the prompt, before it, or in Test.Context
	Judge     Judge             // nil: compare judgment and ground truth
	Correct   CorrectOptions    // what to do about a judgment that is likely to be wrong
	Ablate    AblateOptions     // whether to find out which memory made a run fail
	Holdout   *effect.Holdout   // the share of runs without memory; nil: that of the memory
}

// Options connects a Harness with a memory. All fields but ReadOnly are required.
type Options struct {
	Memory   memory
	Deadline time.Duration    // most time for each step of the memory that delays a run, such as computing its risk
	Now      func() time.Time // returns the present time
	Logger   *slog.Logger     // receives what failed without affecting a run
	Closed   <-chan struct{}  // closes when the memory begins to close
	ReadOnly bool             // record nothing
}

// Harness wraps functions that run tests, and holds their runs until they are recorded. It is safe for concurrent use.
type Harness struct {
	o         Options
	runs      chan finishedRun // runs to judge and record
	held      pendingRuns      // the runs in runs, and the one being judged
	ablations ablations
	failed    struct{ guidance, runs, entries atomic.Int64 }
}

// New returns a Harness of the memory that o connects. Start Harness.Judge and Harness.Ablate in goroutines.
func New(o Options) *Harness {
	h := &Harness{o: o, runs: make(chan finishedRun, 1024)}
	h.ablations.wait = make(chan failedRun, 64)
	return h
}

// Failures returns how often something failed without affecting a run: panics while making guidance, runs that were
// not recorded, and entries that are missing in the ledger.
func (h *Harness) Failures() (guidance, runs, entries int64) {
	return h.failed.guidance.Load(), h.failed.runs.Load(), h.failed.entries.Load()
}

// Wrap returns a function that runs tests with the memory: it puts guidance into the prompt, calls run, and has the
// result judged and recorded in the background. It corrects a verdict that is likely to be wrong as opts.Correct
// configures it, which may call run again. run receives no ground truth. opts may be nil. After the memory has closed,
// the function works without guidance, and its runs are not recorded.
func (h *Harness) Wrap(run RunTest, opts *WrapOptions) RunTest {
	var o WrapOptions
	if opts != nil {
		o = *opts
	}
	var err error
	o.Ablate = o.Ablate.limits()
	if o.Correct, err = o.Correct.Check(); err != nil {
		h.o.Logger.Error("verdicts are only flagged", "error", err)
		o.Correct, _ = CorrectOptions{}.Check()
	}
	return func(ctx context.Context, t Test) (TestResult, error) {
		if t.RunID == "" {
			t.RunID = h.newRun()
		}
		w := wrapped{Harness: h, run: run, opts: &o, c: t, guidance: h.guideSafely(ctx, &t, o.Holdout)}
		r, err := w.runOnce(ctx, w.guidance.Text)
		if err != nil || ctx.Err() != nil {
			return r, err
		}
		return w.correct(ctx, r), nil
	}
}

// Wait waits until every run so far is recorded or lost. It returns early with the error of ctx, or with
// store.ErrClosed if the memory closes.
func (h *Harness) Wait(ctx context.Context) error { return h.await(ctx, &h.held) }

// WaitAblated waits until the ablations of all failures so far have ended. It returns early with the error of ctx, or
// with store.ErrClosed if the memory closes.
func (h *Harness) WaitAblated(ctx context.Context) error { return h.await(ctx, &h.ablations.held) }

func (h *Harness) await(ctx context.Context, of *pendingRuns) error {
	for _, done := range of.runsNow() {
		select {
		case <-done:
		case <-h.o.Closed:
			return store.ErrClosed
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}
