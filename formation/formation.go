// Package formation turns a judged run that was wrong into a case, in three steps. Detect redacts secrets and finds
// whether the verdict was wrong and which way. Read calls a model to find what was missed in many wrong runs at once.
// Insert reads the misses by rules too, joins both, and proposes a change of the tree: a new case, or one more
// occurrence of a known one.
//
// It never writes to the tree. The caller commits the changes that it returns.
//
// Where to look:
//   - redact.go, secrets.go, secret_tokens.go: secrets, by the words beside them and by their form
//   - detect.go, judge.go, differ.go, actions.go: whether the verdict was wrong
//   - miss.go, defects.go, thing.go, expect.go: what was missed, on what, and what should be true of the page
//   - read.go, question.go, grounding.go: the prompt to a model, and how its answer is checked
//   - analyse.go, rules.go, classify.go: the answers of model and rules, joined
//   - case.go, occurrence.go, lift.go, reread.go: a new case or an occurrence, and old cases read again
package formation

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/memtree/memtree/internal/cue"
	"github.com/memtree/memtree/internal/judgment"
	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// treeView is the part of the tree that formation reads. It must also show changes that were formed before and are not
// committed yet; otherwise the result would depend on how evaluations are batched.
type treeView interface {
	// Get returns the node with the id, or an error that is tree.ErrNotFound.
	Get(ctx context.Context, id string) (tree.Node, error)
	// Similar returns the k cases most similar to n among those of its error type,
	// direction and scene, best first. After them it returns the cases of n's test
	// and direction, of any type.
	Similar(ctx context.Context, n *tree.Node, k int) ([]tree.Node, error)
}

// Options set up a Former. The zero value is the offline analyst with the
// built-in taxonomy.
type Options struct {
	Taxonomy  *taxonomy.Taxonomy // nil: taxonomy.Default()
	Generator llm.Generator      // nil: no model, the rules analyst alone
	Origin    tree.Origin        // of the tree that the cases are made in
	// Redacted promises that every evaluation has been through Redact, like every one in the outbox. If it is false,
	// Form redacts again.
	Redacted bool
	// Words writes the sentences of a case from its facts. If it is nil, a case has only facts.
	Words func(*tree.Node)
}

// Former forms cases. It has no state but its options. It is safe for concurrent use
// if its Generator is.
type Former struct {
	taxonomy  *taxonomy.Taxonomy
	generator llm.Generator
	origin    tree.Origin
	redacted  bool
	words     func(*tree.Node)
	compiled  func() compiled // compiles once, at the first wrong verdict
}

// New returns a Former with options o.
func New(o Options) *Former {
	f := &Former{
		taxonomy: o.Taxonomy, generator: o.Generator, origin: o.Origin,
		redacted: o.Redacted, words: o.Words,
	}
	if f.taxonomy == nil {
		f.taxonomy = taxonomy.Default()
	}
	f.compiled = sync.OnceValue(func() compiled {
		c := compiled{checks: cue.Of(f.taxonomy)()}
		for _, k := range f.taxonomy.TeamChecks() {
			c.ofTeam = append(c.ofTeam, k.ID)
		}
		c.team = newClassifier(f.taxonomy.ErrorTypes())
		return c
	})
	return f
}

// mayRead reports whether the Former has a model that may read data of a product.
func (f *Former) mayRead(product string) bool {
	return f.generator != nil && !f.taxonomy.WithoutModel(product)
}

// compiled are the cues of the rules analyst.
type compiled struct {
	checks *cue.Catalogue
	team   *classifier // likewise, of the phrases that a team gave error types
	ofTeam []string    // ids of the checks that a team added or changed
}

func (f *Former) catalogue() *cue.Catalogue { return f.compiled().checks }

// shown returns the first check whose Shows has a kind of difference, "" if none
// does.
func (f *Former) shown(kind string) string {
	for _, c := range f.taxonomy.Checks() {
		if slices.Contains(c.Shows, kind) {
			return c.ID
		}
	}
	return ""
}

// Formed is the result of forming an evaluation. The caller commits Changes and
// removes the evaluation from the outbox in one batch.
type Formed struct {
	// Changes is empty for a right or unlabelled verdict, an occurrence known already, or a case that a person forgot.
	Changes []tree.Change
	Verdict ledger.Verdict
	Outcome *ledger.Outcome // nil unless the evaluation names a trial and is labelled
	Notes   []string        // sentences for people, such as about a contradiction
	// ModelErr is why the model's answer was not used. Then the rules' answer was used, or a comparison of free texts
	// stayed undecided. It is nil when the answer was used and when no model was called.
	ModelErr error
}

// A DetectedRun is an evaluation on its way to a case: Detect makes it, Read may add the reading of a model, and Insert
// turns it into changes. Insert may be called again, with another view of the tree.
type DetectedRun struct {
	facts *facts
	node  tree.Node // the evidence of a wrong verdict
	notes []string
	err   error         // of the model that judged
	read  *modelReading // nil: no model was called to find what was missed
}

// Wrong reports whether the verdict was wrong, so that Read applies.
func (r *DetectedRun) Wrong() bool { return r.facts.judged.Labelled && !r.facts.judged.Correct }

// Form turns one evaluation into changes: Detect, Read and Insert.
func (f *Former) Form(ctx context.Context, e tree.Evaluation, v treeView) (Formed, error) {
	r, err := f.Detect(ctx, e)
	if err == nil {
		err = f.Read(ctx, v, []*DetectedRun{r})
	}
	if err != nil {
		return Formed{}, err
	}
	return f.Insert(ctx, v, r)
}

// Detect finds whether the verdict of an accepted evaluation was wrong. It redacts the evaluation first, unless
// Options.Redacted is set. It calls a model only when the judgment is free text, the ground truth is too or is a bare
// verdict, and neither correct nor direction is given; if the model fails, the verdict stays as the function Detect
// found it.
//
// The error is a *tree.FieldError when the evaluation is invalid, so that a retry would not help, or that of ctx.
func (f *Former) Detect(ctx context.Context, e tree.Evaluation) (*DetectedRun, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if !f.redacted {
		e, _ = Redact(e)
	}
	if err := e.Check(); err != nil {
		return nil, fmt.Errorf("form %s: %w", e.Key(), err)
	}
	r := &DetectedRun{facts: f.read(&e)}
	if f.mayRead(e.Scope.Product) && r.facts.judged.prose {
		if r.err = f.judge(ctx, r.facts); ctx.Err() != nil {
			return nil, fmt.Errorf("form %s: %w", e.Key(), ctx.Err())
		}
	}
	if note := r.facts.judged.Note; note != "" {
		r.notes = append(r.notes, note)
	}
	if r.Wrong() {
		f.readWrong(r.facts)
		r.node = f.evidence(r.facts)
	}
	return r, nil
}

// Insert proposes the changes for a run on a view of the tree. The error is that of the view or of ctx.
func (f *Former) Insert(ctx context.Context, v treeView, r *DetectedRun) (Formed, error) {
	x := r.facts
	out := Formed{Verdict: verdict(x.e, x.judged), Notes: r.notes, ModelErr: r.err}
	if !x.judged.Labelled {
		return out, nil
	}
	errorType := ""
	if r.Wrong() {
		var err error
		if errorType, err = f.remember(ctx, r, v, &out); err != nil {
			return Formed{}, fmt.Errorf("form %s: %w", out.Verdict.Evaluation, err)
		}
	}
	if x.e.Trial != "" {
		out.Outcome = &ledger.Outcome{
			Trial: x.e.Trial, Evaluation: out.Verdict.Evaluation, Attempt: x.e.Attempt,
			Correct: x.judged.Correct, ErrorType: errorType, Direction: x.judged.Direction,
		}
	}
	return out, nil
}

// read collects the facts that every verdict has.
func (f *Former) read(e *tree.Evaluation) *facts {
	x := &facts{
		e: e, judgment: judgment.Decode(e.Judgment), truth: judgment.Decode(e.GroundTruth),
		lang: text.Lang(firstBytes(e.Prompt, maxReasoning)),
	}
	x.judged = detect(e, x.judgment, x.truth)
	return x
}

// readWrong adds the facts that only a wrong verdict has.
func (f *Former) readWrong(x *facts) {
	x.differences = differ(x.judgment, x.truth)
	x.claim = findClaim(judgment.Reasoning(x.judgment), x.judged.Direction)
	x.scene, _ = f.taxonomy.SceneType(x.e.Scene.Type)
}

func verdict(e *tree.Evaluation, j Detection) ledger.Verdict {
	scene := e.Scene
	scene.Route = tree.Route(scene.Route)
	v := ledger.Verdict{
		Evaluation: e.Key(), RunID: e.RunID, CaseID: e.CaseID, Attempt: e.Attempt, Scene: scene,
		Product: e.Scope.Product, Agent: e.Agent, Labelled: j.Labelled, Correct: j.Correct, Direction: j.Direction,
	}
	if v.Apart() {
		v.Excuse = e.Excuse
	}
	return v
}

// remember proposes a new case, or one more occurrence of the case that has the same or nearly the same evidence. It
// returns the error type of the case.
func (f *Former) remember(ctx context.Context, r *DetectedRun, v treeView, out *Formed) (string, error) {
	n := r.node.Clone()
	known, err := v.Get(ctx, n.ID)
	switch {
	case err == nil && known.Buried():
		out.Verdict.Node = known.ID // a person had it forgotten, so no occurrence is added
		return known.ErrorType, nil
	case err == nil:
		attach(known, r.facts, false, out)
		return known.ErrorType, nil
	case !errors.Is(err, tree.ErrNotFound):
		return "", fmt.Errorf("look for case %s: %w", n.ID, err)
	}
	a := f.analyse(r.facts, r.read)
	if r.read != nil && r.read.err != nil {
		out.ModelErr = r.read.err
	}
	f.describe(&n, r.facts, &a)
	older, found, err := olderCase(ctx, v, &n)
	if err != nil {
		return "", fmt.Errorf("look for near duplicates of case %s: %w", n.ID, err)
	}
	if found {
		attach(older, r.facts, true, out)
		return older.ErrorType, nil
	}
	out.Verdict.Node = n.ID
	out.Changes = append(out.Changes,
		tree.NewChange(tree.OpAdd, n, 0, "formation", "a wrong verdict that is not remembered yet"))
	return n.ErrorType, nil
}
