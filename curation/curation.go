// Package curation executes people's decisions on memories: teach, forget, pin, ban, relabel, edit, about, reject, and
// undo of the latest one.
//
// It plans changes and passes them to a Door, which checks and commits them; nothing here writes. Every decision is an
// action in the ledger, with the state before it. Decisions on a node are also part of the node, so exports and merges
// carry them. Lessons that depend on a changed memory are learned again when the tree evolves next
// (evolution.Evolver.Anew).
//
// Where to look:
//   - plan.go: the changes of a decision and its action; history.go and undo.go: the actions, and reverting
//     one
//   - relabel.go, label.go, many.go: a new truth of a run, and of many runs as one action
//   - teach.go, edit.go, reject.go: lessons that a person writes, rewords or refuses
//   - facts.go: facts about the product
//   - purge.go, lost.go: what a purge removes, and lessons that lost a case
package curation

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/memtree/memtree/evolution/gate"
	"github.com/memtree/memtree/knowledge"
	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// Door holds what curation needs from a memory.
type Door struct {
	Tree store.Reader
	// Apply checks and commits the batch that plan returns. It calls plan again if a node changed in the meantime.
	Apply func(ctx context.Context, plan func() (store.Batch, error)) error
	// Form forms evaluations, without their secrets, on the tree as it would be after changes. Each sees the results of
	// those before it. The result has one element for each evaluation.
	Form func(ctx context.Context, es []tree.Evaluation, changes []tree.Change) ([]Formed, error)
	// Edit returns a lesson with a person's draft applied, and the reasons why the gates refuse it.
	Edit func(ctx context.Context, id string, words gate.Draft, at time.Time) (tree.Node, []string, error)
	// Kept returns a run of the inbox, by the key of its evaluation, and whether it exists.
	Kept func(key string) (tree.Evaluation, bool)
	// Facts calls read with what is known of the product now.
	Facts func(ctx context.Context, read func(*knowledge.Base)) error
	// Secrets removes secrets from a text and returns their number; Gates check taught lessons.
	Secrets func(string) (string, int)
	Gates   *gate.Gates
	Origin  tree.Origin
	Waits   func(*tree.Node) bool // whether a node is an import that was not promoted
	Now     func() time.Time
	// TypeOf returns the error type of a check for cases of a direction, or a *tree.FieldError if the check does not
	// fit.
	TypeOf func(ctx context.Context, check string, d taxonomy.Direction) (string, error)
	// Withdraw makes the draft of a job wait for review again.
	Withdraw func(ctx context.Context, job string) error
	Words    func(n *tree.Node) // rewrites the sentences of a case from its misses
	// Given returns the text of a memory in guidance, for a case before its very test, "" if nothing of it is given, and
	// people's refusals of it.
	Given func(n *tree.Node, lang string) (string, []tree.Refusal)
}

// Curation executes people's decisions on memories. It has no state but its door.
type Curation struct{ door Door }

// New returns the curation of the memory behind a door.
func New(d Door) *Curation { return &Curation{d} }

// Kept returns a run of the inbox, by the key of its evaluation, and whether it exists.
func (c *Curation) Kept(key string) (tree.Evaluation, bool) { return c.door.Kept(key) }

// Given returns the text of a memory in guidance, for a case before its very test, and people's refusals of it. The
// text is "" if nothing of it is given.
func (c *Curation) Given(n *tree.Node, lang string) (string, []tree.Refusal) {
	return c.door.Given(n, lang)
}

// Options apply to every decision. The zero value is valid.
type Options struct {
	By     string // name of the person; "": unnamed
	Why    string // a sentence
	DryRun bool   // plan only, write nothing
	Over   bool   // replace or undo the decision of another person
	Purge  bool   // of a forget: also remove the bytes; cannot be undone
}

// Result is the result of a decision.
type Result struct {
	Action   ledger.Action   `json:"act"`
	Undone   *ledger.Action  `json:"undone,omitempty"` // of an undo: the reverted action
	Changes  []tree.Change   `json:"changes"`
	Verdict  *ledger.Verdict `json:"verdict,omitempty"`  // of a relabel: the new verdict
	Against  []tree.Node     `json:"against,omitempty"`  // of a taught lesson: lessons in use that contradict it
	Mirrored []tree.Node     `json:"mirrored,omitempty"` // of a taught lesson: equal lessons for the other direction
	Redacted int             `json:"redacted,omitempty"` // of a taught lesson: number of secrets removed from it
	Fact     *knowledge.Fact `json:"fact,omitempty"`     // of a decision on a fact: its present state
	Stood    []tree.Node     `json:"stood"`              // lessons in use that depend on it and are learned again
}

// Refusal is the reason why a decision was refused.
type Refusal string

// The refusals.
const (
	Already  Refusal = "already"  // the same decision is in force
	Archived Refusal = "archived" // the memory is out of use
	Waiting  Refusal = "waiting"  // it is an import that was not promoted
	Nothing  Refusal = "nothing"  // there is no decision to undo
	Purged   Refusal = "purged"   // the bytes are gone
	Since    Refusal = "since"    // a later decision depends on one of its memories
	Alike    Refusal = "alike"    // a lesson with the same text exists
	Banned   Refusal = "banned"   // a lesson with the same text was banned or rejected
	Theirs   Refusal = "theirs"   // another person decided; Options.Over replaces that
	Several  Refusal = "several"  // the label covers several evaluations; undo it by its own id
)

// RefusedError is a decision that was refused. Nothing was changed.
type RefusedError struct {
	Said tree.DecisionKind
	ID   string // of the memory or evaluation; "" for none
	Why  Refusal
	Now  string // status and reason of the memory, or the conflicting action
	By   string // author and time of the conflicting decision; "": unnamed
	At   time.Time
	// Theirs is the kind of the conflicting decision, and Labels the verdicts of a label.
	Theirs tree.DecisionKind
	Labels []ledger.Verdict
}

func (e *RefusedError) Error() string {
	switch e.Why {
	case Already:
		return fmt.Sprintf("%s %s: that has been said; nothing changed", e.Said, e.ID)
	case Archived:
		return fmt.Sprintf("%s %s: it is out of use (%s)", e.Said, e.ID, e.Now)
	case Waiting:
		return fmt.Sprintf("%s %s: it waits in quarantine; promote it first", e.Said, e.ID)
	case Purged:
		return fmt.Sprintf("%s %s: it was purged, and its bytes are gone", e.Said, e.ID)
	case Since:
		return fmt.Sprintf("%s %s: %s decided since (%s); take that back first", e.Said, e.ID, e.who(), e.Now)
	case Theirs:
		return fmt.Sprintf("%s %s: %s decided otherwise (%s) at %s; nothing changed; say over to decide all the same", e.Said,
			e.ID, e.who(), e.Now, e.At.UTC().Format(time.RFC3339))
	case Several:
		return fmt.Sprintf("%s %s: it is one of %d verdicts of the label %s; undo that one to take all of them back", e.Said,
			e.ID, len(e.Labels), e.Now)
	case Alike:
		return fmt.Sprintf("%s: %s says the same (%q); edit that one", e.Said, e.ID, e.Now)
	case Banned:
		return fmt.Sprintf("%s: %s said the same (%q), and %s banned it; undo that first, or say over", e.Said, e.ID, e.Now,
			e.who())
	case Nothing:
	}
	return fmt.Sprintf("%s: no word stands that could be taken back", e.Said)
}

func (e *RefusedError) who() string { return cmp.Or(e.By, "a person") }

// theirs returns the error for a decision that another person's decision p prevents.
func theirs(said tree.DecisionKind, id string, p *Past) error {
	return &RefusedError{Said: said, ID: id, Why: Theirs, Now: p.named(), By: p.By, At: p.At, Theirs: p.Kind,
		Labels: p.Labels}
}

// Forget archives a memory. What was learned from it is learned again at the next evolution. A forgotten case does not
// return when the same evidence is recorded or imported again; a forgotten lesson is not learned again from the same
// cases.
func (c *Curation) Forget(ctx context.Context, id string, o Options) (Result, error) {
	return c.say(ctx, tree.DecisionForget, id, o)
}

// Pin protects a memory: learning, measured effects and pruning neither take it out of use nor change its text.
func (c *Curation) Pin(ctx context.Context, id string, o Options) (Result, error) {
	return c.say(ctx, tree.DecisionPin, id, o)
}

// Ban excludes a memory from every prompt. Nothing is learned from a banned case. A banned lesson is not learned again
// from any cases, nor is a strategy learned in place of a banned one.
func (c *Curation) Ban(ctx context.Context, id string, o Options) (Result, error) {
	return c.say(ctx, tree.DecisionBan, id, o)
}

// say plans a decision on one node and applies it.
func (c *Curation) say(ctx context.Context, said tree.DecisionKind, id string, o Options) (Result, error) {
	var d Result
	err := c.apply(ctx, o, func() (store.Batch, error) {
		n, err := c.door.Tree.Get(ctx, id)
		if err != nil {
			return store.Batch{}, err
		}
		if err := c.refuses(said, &n); err != nil && !(o.Purge && (n.Decision == nil || !n.Decision.Purged)) {
			return store.Batch{}, err // a forgotten memory can still be purged
		}
		if w := n.Decision; !o.Over && w != nil && (n.Mark == tree.Pinned || n.Mark == tree.Banned) && w.By != o.By {
			return store.Batch{}, theirs(said, id, &Past{Action: ledger.Action{Kind: w.Kind, Node: id, By: w.By}, At: w.At})
		}
		acts, err := c.acts(ctx)
		if err != nil {
			return store.Batch{}, err
		}
		p := c.begin(said, id, o, len(acts), n.Decision)
		if o.Purge && said == tree.DecisionForget {
			if err := c.purge(ctx, p, n); err != nil {
				return store.Batch{}, err
			}
			d, err = c.finish(ctx, p, true)
			return p.batch, err
		}
		p.word(n)
		if said != tree.DecisionPin {
			err = c.disown(ctx, p, &n)
		}
		if err == nil {
			d, err = c.finish(ctx, p, said != tree.DecisionPin)
		}
		return p.batch, err
	})
	if err != nil {
		return Result{}, wrap(said, id, err)
	}
	return d, nil
}

// wrap adds the kind and id of a decision to an error that does not contain them.
func wrap(said tree.DecisionKind, id string, err error) error {
	if _, ok := errors.AsType[*RefusedError](err); ok {
		return err
	}
	if _, ok := errors.AsType[*GateError](err); ok {
		return err
	}
	return fmt.Errorf("%s: %w", strings.TrimSpace(string(said)+" "+id), err)
}

// owned returns an error if another person made the latest decision of the given kinds on a memory.
func owned(past []Past, said tree.DecisionKind, id string, o Options, kinds ...tree.DecisionKind) error {
	for i := range past {
		p := &past[i]
		if p.Gone || p.Node != id || !slices.Contains(kinds, p.Kind) {
			continue
		}
		if p.By != o.By && !o.Over {
			return theirs(said, id, p)
		}
		return nil
	}
	return nil
}

// apply applies a plan, or only makes it for a dry run.
func (c *Curation) apply(ctx context.Context, o Options, plan func() (store.Batch, error)) error {
	if o.DryRun {
		_, err := plan()
		return err
	}
	return c.door.Apply(ctx, plan)
}

// refuses returns why a decision cannot be made on a node, nil if it can.
func (c *Curation) refuses(said tree.DecisionKind, n *tree.Node) error {
	no := func(why Refusal, now string) error { return &RefusedError{Said: said, ID: n.ID, Why: why, Now: now} }
	switch {
	case n.Decision != nil && n.Decision.Purged:
		return no(Purged, "")
	case n.Decision.Is(said):
		return no(Already, "")
	case n.Forgotten():
		return no(Archived, n.ArchivedFor)
	case said != tree.DecisionPin:
		return nil
	case c.door.Waits(n):
		return no(Waiting, "")
	case n.Status == tree.Archived || n.Status == tree.Retired:
		return no(Archived, strings.TrimSuffix(string(n.Status)+": "+n.ArchivedFor, ": "))
	}
	return nil
}
