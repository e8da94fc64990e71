// Package formation makes memories of mistakes: a judged run that was wrong
// becomes a case. It detects whether and which way the verdict was wrong,
// redacts secrets, analyses the error with a model or by rules, and proposes
// the changes to the tree: a new case, or one more occurrence of a known one.
//
// It proposes and never writes; the caller commits what it returns.
package formation

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/memtree/memtree/cue"
	"github.com/memtree/memtree/judgment"
	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/prompts"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/text"
	"github.com/memtree/memtree/tree"
)

// View is what formation reads of the tree. It must show the changes formed
// before, committed or not, for the result not to depend on batching.
type View interface {
	// Get returns the node with the id, or an error that is tree.ErrNotFound.
	Get(ctx context.Context, id string) (tree.Node, error)
	// Similar returns up to k cases of n's error type, direction and scene that
	// are most similar to n, best first, and then those of n's test and direction,
	// of whatever type.
	Similar(ctx context.Context, n *tree.Node, k int) ([]tree.Node, error)
}

// Counter is a View that can also count, for Formed.Due.
type Counter interface {
	// Count returns how many live cases a partition has.
	Count(ctx context.Context, p Partition) (int, error)
}

// Partition is what experiences are formed within.
type Partition struct {
	ErrorType string
	Direction taxonomy.Direction
}

// CaseThreshold is how many cases make a partition due for evolution.
const CaseThreshold = 3

// Options set up a Former. The zero value is the offline analyst with the
// built-in taxonomy.
type Options struct {
	Taxonomy      *taxonomy.Taxonomy // nil: taxonomy.Default()
	Generator     llm.Generator      // nil: no model, the rules analyst alone
	Prompts       *prompts.Set       // nil: the built-in ones, when there is a Generator
	Origin        tree.Origin        // of the tree that the cases are made in
	CaseThreshold int                // 0: CaseThreshold
	// Redacted promises that every evaluation has been through Redact: as those in
	// the outbox have, since nothing else is written there. The zero value is safe.
	Redacted bool
	// Words puts the facts of a case into sentences. Nil: a case has facts alone.
	Words func(*tree.Node)
}

// Former forms cases. It has no state but its options and is safe for concurrent
// use as far as the Generator is.
type Former struct {
	taxonomy  *taxonomy.Taxonomy
	generator llm.Generator
	prompts   *prompts.Set
	origin    tree.Origin
	threshold int
	redacted  bool
	words     func(*tree.Node)
	compiled  func() compiled // once, at the first wrong verdict
}

// New returns a Former. It fails only where prompts cannot be loaded.
func New(o Options) (*Former, error) {
	f := &Former{taxonomy: o.Taxonomy, generator: o.Generator, prompts: o.Prompts, origin: o.Origin, threshold: o.CaseThreshold, redacted: o.Redacted, words: o.Words}
	if f.taxonomy == nil {
		f.taxonomy = taxonomy.Default()
	}
	if f.threshold <= 0 {
		f.threshold = CaseThreshold
	}
	if f.generator != nil && f.prompts == nil {
		set, err := prompts.Load(nil)
		if err != nil {
			return nil, fmt.Errorf("new former: %w", err)
		}
		f.prompts = set
	}
	f.compiled = sync.OnceValue(func() compiled {
		c := NewClassifier(f.taxonomy)
		return compiled{checks: cue.Of(f.taxonomy)(), said: c, denied: newClaims(c.types, taxonomy.FalseFail), asserted: newClaims(c.types, taxonomy.FalsePass)}
	})
	return f, nil
}

// compiled are the cues of the rules analyst.
type compiled struct {
	checks   *cue.Catalogue
	said     *Classifier // of what is said about an error
	denied   *Classifier // of what a wrong "fail" claims
	asserted *Classifier // of what a wrong "pass" claims
}

func (f *Former) catalogue() *cue.Catalogue { return f.compiled().checks }

// shown returns the check that a kind of difference shows to have been missed.
func (f *Former) shown(kind string) string {
	for _, c := range f.taxonomy.Checks() {
		if slices.Contains(c.Shows, kind) {
			return c.ID
		}
	}
	return ""
}

// Formed is what an evaluation came to. The caller commits Changes together with
// the evaluation's leaving the outbox.
type Formed struct {
	Changes []tree.Change // none for a right or unlabelled verdict, or one known already
	Verdict tree.Verdict
	Outcome *tree.Outcome // when the evaluation names a trial and is labelled
	Due     []Partition   // partitions that reached the case threshold by this; only with a Counter
	Notes   []string      // sentences for people about what did not fit together
	Usage   llm.Usage     // of the model, all tries
	// ModelErr is why the model's answer was not taken, nil when it was or when
	// there is no model. The rules' answer was taken then, which of free texts may
	// be that nothing is decided.
	ModelErr error
}

// Form turns an accepted evaluation into changes. It redacts the evaluation
// first, unless Options.Redacted says that this has been done.
//
// A model is asked twice at most: whether the verdict is right, only where
// judgment and ground truth are both in words and neither correct nor direction
// is given, and then why it is wrong.
//
// The error is a *tree.FieldError for an evaluation that no retry will make
// usable, an *llm.Error with Retryable() for a model that may answer later (ask
// again, or call FormByRules), that of the View, or ctx's.
func (f *Former) Form(ctx context.Context, e tree.Evaluation, v View) (Formed, error) {
	return f.form(ctx, e, v, f.generator != nil)
}

// FormByRules is Form without the model: for when it failed too often. Where a
// model is configured the case is marked to be analysed again.
func (f *Former) FormByRules(ctx context.Context, e tree.Evaluation, v View) (Formed, error) {
	return f.form(ctx, e, v, false)
}

func (f *Former) form(ctx context.Context, e tree.Evaluation, v View, ask bool) (Formed, error) {
	if err := ctx.Err(); err != nil {
		return Formed{}, err
	}
	if !f.redacted {
		e, _ = Redact(e)
	}
	if err := e.Check(); err != nil {
		return Formed{}, fmt.Errorf("form %s: %w", e.Key(), err)
	}
	x, out := f.read(&e), Formed{}
	if ask && x.judged.prose {
		if err := f.judge(ctx, x, &out); err != nil {
			return Formed{}, fmt.Errorf("form %s: %w", e.Key(), err)
		}
	}
	out.Verdict = verdict(&e, x.judged)
	if x.judged.Note != "" {
		out.Notes = append(out.Notes, x.judged.Note)
	}
	if !x.judged.Labelled {
		return out, nil
	}
	errorType := ""
	if !x.judged.Correct {
		f.look(x)
		var err error
		if errorType, err = f.remember(ctx, x, v, ask, &out); err != nil {
			return Formed{}, fmt.Errorf("form %s: %w", out.Verdict.Evaluation, err)
		}
	}
	if e.Trial != "" {
		out.Outcome = &tree.Outcome{
			Trial: e.Trial, Evaluation: out.Verdict.Evaluation, Attempt: e.Attempt,
			Correct: x.judged.Correct, ErrorType: errorType, Direction: x.judged.Direction,
		}
	}
	return out, nil
}

// read collects the facts of an evaluation.
func (f *Former) read(e *tree.Evaluation) *facts {
	x := &facts{e: e, judgment: judgment.Decode(e.Judgment), truth: judgment.Decode(e.GroundTruth), lang: text.Lang(firstBytes(e.Prompt, maxReasoning))}
	x.judged = detect(e, x.judgment, x.truth)
	return x
}

// look adds the facts of a wrong verdict.
func (f *Former) look(x *facts) {
	x.differences = differ(x.judgment, x.truth)
	x.claim = findClaim(judgment.Reasoning(x.judgment), x.judged.Direction)
	x.scene, _ = f.taxonomy.SceneType(x.e.Scene.Type)
}

func verdict(e *tree.Evaluation, j Judged) tree.Verdict {
	scene := e.Scene
	scene.Route = tree.Route(scene.Route)
	return tree.Verdict{
		Evaluation: e.Key(), RunID: e.RunID, CaseID: e.CaseID, Attempt: e.Attempt, Scene: scene,
		Product: e.Scope.Product, Agent: e.Agent, Labelled: j.Labelled, Correct: j.Correct, Direction: j.Direction,
	}
}

// remember makes the case, or finds the one there is, and returns its error type.
func (f *Former) remember(ctx context.Context, x *facts, v View, ask bool, out *Formed) (string, error) {
	n := f.evidence(x)
	known, err := v.Get(ctx, n.ID)
	switch {
	case err == nil:
		attach(known, x, false, out)
		return known.ErrorType, nil
	case !errors.Is(err, tree.ErrNotFound):
		return "", fmt.Errorf("look for case %s: %w", n.ID, err)
	}
	a, err := f.analyse(ctx, x, ask, out)
	if err != nil {
		return "", err
	}
	f.describe(&n, x, &a)
	older, found, err := recurrence(ctx, v, &n)
	if err != nil {
		return "", fmt.Errorf("look for near duplicates of case %s: %w", n.ID, err)
	}
	if found {
		attach(older, x, true, out)
		return older.ErrorType, nil
	}
	out.Verdict.Node = n.ID
	out.Changes = append(out.Changes, tree.NewChange(tree.OpAdd, n, 0, "formation", "a wrong verdict that is not remembered yet"))
	return n.ErrorType, f.due(ctx, v, &n, out)
}

// due notes the partition when this case is the one that completes it.
func (f *Former) due(ctx context.Context, v View, n *tree.Node, out *Formed) error {
	c, ok := v.(Counter)
	if !ok || n.ErrorType == taxonomy.OtherError {
		return nil
	}
	p := Partition{ErrorType: n.ErrorType, Direction: n.Direction}
	had, err := c.Count(ctx, p)
	if err != nil {
		return fmt.Errorf("count cases of %s: %w", n.ErrorType, err)
	}
	if had+1 == f.threshold {
		out.Due = append(out.Due, p)
	}
	return nil
}
