package enhance

import (
	"fmt"

	"github.com/memtree/memtree/internal/guard"
)

// The reasons why a memory is omitted, as formats. Drop.Args are their arguments.
const (
	saysSame    = "it repeats %s"
	noRoom      = "there is no room left for it in %d tokens"
	noCheck     = "it does not say what to check"
	leaksNumber = "it gives away the ground truth of its test (a number)"
	leaksLong   = "it gives away the ground truth of its test (a sentence or long value)"
	leaksValue  = "it gives away the ground truth of its test (a value)"
	settledNow  = "facts of the page itself are given in its place"
	itsText     = "its text "
	gone        = "it went out of use a moment ago"
	heldType    = "memories of its error type do harm, so none is given until the tree has learned"
	heldNotFor  = "a person taught that it is not for this test"
	heldAgainst = "a person said the opposite since, in %s"
	heldProduct = "it is worded for another product"
	heldTest    = "it led runs of this test to the opposite mistake, so it is not given here"
)

// The reasons why a fitting memory is withheld.
var (
	HeldType    = Drop{Reason: heldType, Sentence: heldType} // the breaker is open for its error type
	HeldNotFor  = Drop{Reason: heldNotFor, Sentence: heldNotFor}
	HeldProduct = Drop{Reason: heldProduct, Sentence: heldProduct}
	HeldTest    = Drop{Reason: heldTest, Sentence: heldTest} // see tree.Credit.NotOn
)

// HeldAgainst returns why a lesson worded by a person is omitted beside a newer one that contradicts it.
func HeldAgainst(id, newer string) Drop {
	w := why{heldAgainst, []any{newer}}
	return Drop{ID: id, Reason: w.String(), Sentence: w.sentence, Args: w.args}
}

// NoRoom reports whether the memory was omitted because the budget was used up.
func (d *Drop) NoRoom() bool { return d.Sentence == noRoom }

// Of returns the reason with the memory that it is about.
func (d Drop) Of(id string) Drop {
	d.ID = id
	return d
}

// Sentences returns the formats of all reasons, so that a program can translate them.
func Sentences() []string {
	out := []string{saysSame, noRoom, noCheck, leaksNumber, leaksLong, leaksValue, settledNow, gone, heldType,
		heldTest, heldNotFor, heldProduct, heldAgainst, explained}
	for _, s := range guard.Reasons() {
		out = append(out, itsText+s)
	}
	return out
}

// why is a reason to omit a memory. Its zero value is no reason.
type why struct {
	sentence string
	args     []any
}

func (w why) String() string { return fmt.Sprintf(w.sentence, w.args...) }
