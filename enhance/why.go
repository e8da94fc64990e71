package enhance

import (
	"fmt"

	"github.com/memtree/memtree/internal/guard"
)

// The reasons why a memory is left out, as formats. Drop.Args go into them.
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

// The reasons why memory holds a memory back that fits.
var (
	HeldType    = Drop{Reason: heldType, Sentence: heldType} // the breaker is open for its error type
	HeldNotFor  = Drop{Reason: heldNotFor, Sentence: heldNotFor}
	HeldProduct = Drop{Reason: heldProduct, Sentence: heldProduct}
	HeldTest    = Drop{Reason: heldTest, Sentence: heldTest} // see tree.Credit.NotOn
)

// HeldAgainst is why a lesson in a person's words is left out beside a newer one that says the opposite.
func HeldAgainst(id, newer string) Drop {
	w := why{heldAgainst, []any{newer}}
	return Drop{ID: id, Reason: w.String(), Sentence: w.sentence, Args: w.args}
}

// NoRoom reports whether the text was full.
func (d *Drop) NoRoom() bool { return d.Sentence == noRoom }

// Of returns the reason with the memory that it is about.
func (d Drop) Of(id string) Drop {
	d.ID = id
	return d
}

// Sentences returns the formats of all reasons, so that a program can translate them.
func Sentences() []string {
	out := []string{saysSame, noRoom, noCheck, leaksNumber, leaksLong, leaksValue, settledNow, gone, heldType,
		heldTest, heldNotFor, heldProduct, heldAgainst}
	for _, s := range guard.Reasons() {
		out = append(out, itsText+s)
	}
	return out
}

// why is a reason to leave a memory out. Its zero value means that there is none.
type why struct {
	sentence string
	args     []any
}

func (w why) String() string { return fmt.Sprintf(w.sentence, w.args...) }
