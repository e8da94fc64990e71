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

// Reasons to withhold a memory that fits.
var (
	HeldType    = Drop{Reason: heldType, Sentence: heldType}       // memories of its error type did harm
	HeldNotFor  = Drop{Reason: heldNotFor, Sentence: heldNotFor}   // a person decided that it does not fit the test
	HeldProduct = Drop{Reason: heldProduct, Sentence: heldProduct} // the memory is about another product
	HeldTest    = Drop{Reason: heldTest, Sentence: heldTest}       // the memory misled runs, see tree.Credit.NotOn
)

// HeldAgainst returns the Drop of a lesson that a person worded, because a newer lesson contradicts it. id and newer
// are their ids.
func HeldAgainst(id, newer string) Drop {
	w := why{heldAgainst, []any{newer}}
	return Drop{ID: id, Reason: w.String(), Sentence: w.sentence, Args: w.args}
}

// NoRoom reports whether the reason is that the budget was used up.
func (d *Drop) NoRoom() bool { return d.Sentence == noRoom }

// Of returns a copy of d whose ID is id: the same reason, for another memory.
func (d Drop) Of(id string) Drop {
	d.ID = id
	return d
}

// Sentences returns the formats of all reasons of a Drop or Omission that this package gives, so that a program can
// translate them.
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
