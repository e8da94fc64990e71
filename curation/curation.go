// Package curation takes a person's word on memories: teach, forget, pin, ban, relabel, edit,
// and undo of what was said last.
//
// It plans changes and hands them to a door, which checks and commits them; nothing here writes.
// Every word is an act in the ledger, with what was there before, and stands in its node as a
// tree.Decision, so that it travels. What was learned from a memory is learned anew the next time
// the tree evolves (evolution.Evolver.Anew).
//
// Where to look:
//   - plan.go: the changes of a decision and its act; history.go and undo.go: the acts, and taking one
//     back
//   - relabel.go, label.go, many.go: another truth of a run, and of many runs as one act
//   - teach.go, edit.go, reject.go: lessons that a person writes, rewords or refuses
//   - purge.go, lost.go: what leaves with a memory, and lessons that lost a case
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
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// Door is what curation needs of a memory.
type Door struct {
	Tree tree.Reader
	// Apply checks and commits what plan returns. It calls plan again when a node changed
	// meanwhile.
	Apply func(ctx context.Context, plan func() (tree.Batch, error)) error
	// Form forms evaluations on the tree as changes would leave it, without their secrets, each on what came of those
	// before it. It returns as many.
	Form func(ctx context.Context, es []tree.Evaluation, changes []tree.Change) ([]Formed, error)
	// Edit returns a lesson with the words of a person, and why the gates refuse them.
	Edit func(ctx context.Context, id string, words gate.Draft, at time.Time) (tree.Node, []string, error)
	// Kept returns a run that no case keeps, by the key of its evaluation, false if nobody keeps it.
	Kept func(key string) (tree.Evaluation, bool)
	// Secrets removes the secrets from a text, and counts them; Gates hold what is taught.
	Secrets func(string) (string, int)
	Gates   *gate.Gates
	Origin  tree.Origin
	Waits   func(*tree.Node) bool // whether a node is an import that nobody has promoted
	Now     func() time.Time
	// TypeOf returns the error type of a check that can be about cases of a direction; else a *tree.FieldError.
	TypeOf func(ctx context.Context, check string, d taxonomy.Direction) (string, error)
	Words  func(n *tree.Node) // writes the sentences of a case anew
}

// Curation is a person's word on memories. It has no state but its door.
type Curation struct{ door Door }

// New returns the curation of the memory behind a door.
func New(d Door) *Curation { return &Curation{d} }

// Kept returns a run that no case keeps, by the key of its evaluation, false if nobody keeps it.
func (c *Curation) Kept(key string) (tree.Evaluation, bool) { return c.door.Kept(key) }

// Options say who speaks. The zero value works.
type Options struct {
	By     string // the name of the person; "": a person
	Why    string // a sentence
	DryRun bool   // plan, write nothing
	Over   bool   // decide although another person decided otherwise, or take back their decision
	Purge  bool   // of a forget: remove the bytes too, which cannot be taken back
}

// Result is what a word changed, and what follows.
type Result struct {
	Action   tree.Action   `json:"act"`
	Undone   *tree.Action  `json:"undone,omitempty"` // of an undo: what it took back
	Changes  []tree.Change `json:"changes"`
	Verdict  *tree.Verdict `json:"verdict,omitempty"`  // of a relabel: what is known now
	Against  []tree.Node   `json:"against,omitempty"`  // of a lesson that was taught: those in use that say the opposite
	Mirrored []tree.Node   `json:"mirrored,omitempty"` // likewise: those that say the same for the other direction
	Redacted int           `json:"redacted,omitempty"` // and how many secrets were taken out of it
	Stood    []tree.Node   `json:"stood"`              // lessons in use that stand on it: learned anew by the next evolve
}

// Refusal says why a word was not taken.
type Refusal string

// The refusals.
const (
	Already  Refusal = "already"  // it has been said
	Archived Refusal = "archived" // the memory is out of use
	Waiting  Refusal = "waiting"  // it is an import that nobody has promoted
	Nothing  Refusal = "nothing"  // no word stands that could be taken back
	Purged   Refusal = "purged"   // the bytes are gone
	Since    Refusal = "since"    // a later word stands on one of its memories
	Alike    Refusal = "alike"    // the lesson with the id says the same
	Banned   Refusal = "banned"   // the lesson with the id says the same, and a person banned or rejected it
	Theirs   Refusal = "theirs"   // another person decided; Options.Over decides all the same
	Several  Refusal = "several"  // the label is of more evaluations than the one that was named; undo it by its own id
)

// RefusedError is a word that was not taken. Nothing was changed.
type RefusedError struct {
	Said tree.DecisionKind
	ID   string // of the memory or evaluation; "" where it is about none
	Why  Refusal
	Now  string // status and reason of the memory, or the act that is in the way
	By   string // who made the decision that is in the way, and when; "": nobody who gave a name
	At   time.Time
	// Theirs is what they decided, and Labels as what, where they labelled verdicts.
	Theirs tree.DecisionKind
	Labels []tree.Verdict
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

// theirs returns why a decision is left as it is: another person made it.
func theirs(said tree.DecisionKind, id string, p *Past) error {
	return &RefusedError{Said: said, ID: id, Why: Theirs, Now: p.named(), By: p.By, At: p.At, Theirs: p.Kind,
		Labels: p.Labels}
}

// Forget archives a memory. What was learned from it is learned anew the next time the tree
// evolves. A forgotten case does not come back when the same evidence is recorded or imported
// again; a forgotten lesson is not learned again from the same cases.
func (c *Curation) Forget(ctx context.Context, id string, o Options) (Result, error) {
	return c.say(ctx, tree.DecisionForget, id, o)
}

// Pin keeps a memory: nothing that is learned, counted or pruned takes it out of use or
// changes its words.
func (c *Curation) Pin(ctx context.Context, id string, o Options) (Result, error) {
	return c.say(ctx, tree.DecisionPin, id, o)
}

// Ban keeps a memory from every prompt. Nothing is learned from a banned case; a banned lesson
// is not learned again, nor a strategy in the place of a banned one, from whatever cases.
func (c *Curation) Ban(ctx context.Context, id string, o Options) (Result, error) {
	return c.say(ctx, tree.DecisionBan, id, o)
}

// say plans a word on one node and has it applied.
func (c *Curation) say(ctx context.Context, said tree.DecisionKind, id string, o Options) (Result, error) {
	var d Result
	err := c.apply(ctx, o, func() (tree.Batch, error) {
		n, err := c.door.Tree.Get(ctx, id)
		if err != nil {
			return tree.Batch{}, err
		}
		if err := c.refuses(said, &n); err != nil && !(o.Purge && (n.Decision == nil || !n.Decision.Purged)) {
			return tree.Batch{}, err // what is forgotten can still be purged
		}
		if w := n.Decision; !o.Over && w != nil && (n.Mark == tree.Pinned || n.Mark == tree.Banned) && w.By != o.By {
			return tree.Batch{}, theirs(said, id, &Past{Action: tree.Action{Kind: w.Kind, Node: id, By: w.By}, At: w.At})
		}
		acts, err := c.acts(ctx)
		if err != nil {
			return tree.Batch{}, err
		}
		p := c.begin(said, id, o, len(acts), n.Decision)
		if o.Purge && said == tree.DecisionForget {
			if err := c.purge(ctx, p, n); err != nil {
				return tree.Batch{}, err
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

// wrap says what failed, unless the error does.
func wrap(said tree.DecisionKind, id string, err error) error {
	if _, ok := errors.AsType[*RefusedError](err); ok {
		return err
	}
	if _, ok := errors.AsType[*GateError](err); ok {
		return err
	}
	return fmt.Errorf("%s: %w", strings.TrimSpace(string(said)+" "+id), err)
}

// owned returns why a memory stays as it is: the latest of some kinds of decisions on it is another person's.
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

// apply applies a plan, or only makes it.
func (c *Curation) apply(ctx context.Context, o Options, plan func() (tree.Batch, error)) error {
	if o.DryRun {
		_, err := plan()
		return err
	}
	return c.door.Apply(ctx, plan)
}

// refuses returns why a word cannot be said of a node.
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
