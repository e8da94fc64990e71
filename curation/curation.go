// Package curation executes people's decisions on memories: teach, forget, pin, ban, relabel, edit, about, accept,
// reject, and undo of the latest one; and their decisions on facts about the product.
//
// It plans changes and passes them to a Door, which checks and commits them; nothing here writes. Every decision is an
// action in the ledger, with the state before it. A decision on a node is also part of the node, so that exports and
// merges carry it. When the tree evolves next, lessons that depend on a changed memory are learned again
// (evolution.Evolver.Anew).
//
// Where to look:
//   - plan.go: the changes of a decision and its action; history.go and undo.go: the actions, and reverting
//     one
//   - relabel.go, relabel_plan.go: a new truth of a run; label.go: labels of many runs as one action
//   - forget_pin_ban.go; about.go: checks of a case; uncorrect.go: the correction of a verdict is taken back
//   - teach.go, teach_offer.go, edit.go, accept.go, reject.go: lessons that a person writes, edits, accepts or refuses
//   - banned.go: new text that repeats what was banned
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

// Door is the access of a Curation to one tree. All fields are required.
type Door struct {
	Tree store.Reader // reads the nodes and the ledger
	// Apply checks and commits the batch that plan returns. It calls plan again if a node changed in the meantime.
	Apply func(ctx context.Context, plan func() (store.Batch, error)) error
	// Form removes the secrets of evaluations and returns what becomes of each, in order, on the tree as it would be
	// after changes. Each evaluation also builds on the results of those before it.
	Form func(ctx context.Context, es []tree.Evaluation, changes []tree.Change) ([]FormResult, error)
	// Edit returns the lesson with this id and the text of a person, and the reasons why the gates refuse the text.
	Edit func(ctx context.Context, id string, words gate.Draft, at time.Time) (tree.Node, []string, error)
	// Kept returns the stored run of an unlabelled evaluation with this key, and whether there is one.
	Kept func(key string) (tree.Evaluation, bool)
	// Facts calls read with the present facts about the product.
	Facts func(ctx context.Context, read func(*knowledge.Base)) error
	// Secrets removes secrets from a text and returns their number. Gates checks taught lessons.
	Secrets func(string) (string, int)
	Gates   *gate.Gates
	Origin  tree.Origin           // the tree, as the origin of taught lessons
	Waits   func(*tree.Node) bool // whether a node is an import that waits in quarantine
	Now     func() time.Time      // returns the present time
	// TypeOf returns the error type of a check for cases of direction d, or a *tree.FieldError if the check does not fit.
	TypeOf func(ctx context.Context, check string, d taxonomy.Direction) (string, error)
	// Withdraw makes the accepted draft of a job wait for review again.
	Withdraw func(ctx context.Context, job string) error
	Words    func(n *tree.Node)                        // writes the sentences of a case from its misses
	In       func(n *tree.Node, lang string) tree.Node // returns n with its sentences in lang, where there are such
	// Given returns the text about n that guidance for a run of n's own test contains, "" for none, and people's refusals
	// of n.
	Given func(n *tree.Node, lang string) (string, []tree.Refusal)
}

// Curation executes people's decisions on the memories of one tree. It has no state but its Door.
type Curation struct{ door Door }

// New returns the Curation of the memory behind d.
func New(d Door) *Curation { return &Curation{d} }

// Kept returns the stored run of an unlabelled evaluation with this key, and whether there is one.
func (c *Curation) Kept(key string) (tree.Evaluation, bool) { return c.door.Kept(key) }

// Given returns the text about memory n that guidance contains, in the language lang, and people's refusals of n. For a
// case it is the guidance for a run of the case's own test. The text is "" if guidance contains nothing about n.
func (c *Curation) Given(n *tree.Node, lang string) (string, []tree.Refusal) {
	return c.door.Given(n, lang)
}

// Options apply to every decision. The zero value is valid.
type Options struct {
	By     string // name of the person; "" if unknown
	Why    string // the reason, a sentence
	DryRun bool   // return the result and write nothing
	Over   bool   // replace or undo the decision of another person
	Purge  bool   // of a forget: remove the bytes too; cannot be undone
}

// DecisionResult is what a decision changed.
type DecisionResult struct {
	Action   ledger.Action   `json:"act"`                // the decision as the ledger records it
	Undone   *ledger.Action  `json:"undone,omitempty"`   // of an undo: the reverted action
	Changes  []tree.Change   `json:"changes"`            // changes of nodes
	Verdict  *ledger.Verdict `json:"verdict,omitempty"`  // of a relabel: the new verdict
	Against  []tree.Node     `json:"against,omitempty"`  // of a taught lesson: lessons in use that contradict it
	Mirrored []tree.Node     `json:"mirrored,omitempty"` // of a taught lesson: equal lessons for the other direction
	Redacted int             `json:"redacted,omitempty"` // of a taught lesson or fact: number of secrets removed from it
	Fact     *knowledge.Fact `json:"fact,omitempty"`     // of a decision on a fact: the fact after it; nil after a dry run
	Stood    []tree.Node     `json:"stood"`              // lessons in use that depend on the memory and are learned again
}

// RefusalReason is why a decision was refused.
type RefusalReason string

// The reasons to refuse a decision.
const (
	Already  RefusalReason = "already"  // the decision would change nothing, such as the same one again
	Archived RefusalReason = "archived" // the memory is out of use
	Waiting  RefusalReason = "waiting"  // the memory is an import that waits in quarantine
	Nothing  RefusalReason = "nothing"  // there is no decision to undo
	Purged   RefusalReason = "purged"   // the text of the memory is gone
	Since    RefusalReason = "since"    // a later decision concerns a memory that the undo would restore
	Alike    RefusalReason = "alike"    // a lesson in use has the same text
	Banned   RefusalReason = "banned"   // a lesson with the same text was banned or rejected
	Theirs   RefusalReason = "theirs"   // another person decided otherwise; Options.Over replaces that
	Several  RefusalReason = "several"  // the label covers several evaluations; undo the label by its own id

	Uncontested RefusalReason = "uncontested" // nothing contradicts the fact, so there is nothing to settle
)

// RefusedError is the error for a decision that was refused. Nothing was changed.
type RefusedError struct {
	Said tree.DecisionKind // the refused decision
	ID   string            // id of the memory or evaluation; "" for none
	Why  RefusalReason
	Now  string    // for a message: status of the memory, the conflicting action, or the text of the equal lesson
	By   string    // who made the conflicting decision; "" if unknown
	At   time.Time // time of the conflicting decision
	// Theirs is the kind of the conflicting decision, and Labels are the verdicts that it set if it is a label.
	Theirs tree.DecisionKind
	Labels []ledger.Verdict
}

func (e *RefusedError) Error() string {
	switch e.Why {
	case Already:
		return fmt.Sprintf("%s %s: that has been said; nothing changed", e.Said, e.ID)
	case Uncontested:
		return fmt.Sprintf("%s %s: nothing contradicts it, so there is nothing to settle; confirm it", e.Said, e.ID)
	case Archived:
		return fmt.Sprintf("%s %s: it is out of use (%s)", e.Said, e.ID, e.Now)
	case Waiting:
		return fmt.Sprintf("%s %s: it waits in quarantine; promote it first", e.Said, e.ID)
	case Purged:
		if e.Said == tree.DecisionTeach {
			return fmt.Sprintf("%s: %s said that and was purged; phrase it differently", e.Said, e.ID)
		}
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
		return fmt.Sprintf("%s: %s said the same (%q), and %s banned it; undo that first", e.Said, e.ID, e.Now,
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
