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
//   - ban.go: forget, pin and ban; uncorrect.go: the correction of a verdict is taken back
//   - teach.go, edit.go, reject.go: lessons that a person writes, rewords or refuses
//   - facts.go: facts about the product
//   - purge.go, lost.go: what a purge removes, and lessons that lost a case
package curation

import (
	"cmp"
	"context"
	"errors"
	"fmt"
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
	Form func(ctx context.Context, es []tree.Evaluation, changes []tree.Change) ([]FormResult, error)
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

// DecisionResult is the result of a decision.
type DecisionResult struct {
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

// RefusalReason is the reason why a decision was refused.
type RefusalReason string

// The refusals.
const (
	Already  RefusalReason = "already"  // the same decision is in force
	Archived RefusalReason = "archived" // the memory is out of use
	Waiting  RefusalReason = "waiting"  // it is an import that was not promoted
	Nothing  RefusalReason = "nothing"  // there is no decision to undo
	Purged   RefusalReason = "purged"   // the bytes are gone
	Since    RefusalReason = "since"    // a later decision depends on one of its memories
	Alike    RefusalReason = "alike"    // a lesson with the same text exists
	Banned   RefusalReason = "banned"   // a lesson with the same text was banned or rejected
	Theirs   RefusalReason = "theirs"   // another person decided; Options.Over replaces that
	Several  RefusalReason = "several"  // the label covers several evaluations; undo it by its own id
)

// RefusedError is a decision that was refused. Nothing was changed.
type RefusedError struct {
	Said tree.DecisionKind
	ID   string // of the memory or evaluation; "" for none
	Why  RefusalReason
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

// apply applies a plan, or only makes it for a dry run.
func (c *Curation) apply(ctx context.Context, o Options, plan func() (store.Batch, error)) error {
	if o.DryRun {
		_, err := plan()
		return err
	}
	return c.door.Apply(ctx, plan)
}
