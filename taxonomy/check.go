package taxonomy

import "slices"

// Check is one kind of thing to check in a test, such as recomputing a sum, with the advice to agents that missed it.
// An error type describes how an agent misjudges; a check describes what it failed to look at, and so applies to other
// pages too.
type Check struct {
	ID         string      // lower-case letters, digits and _; or the id of a check of a tree's own, see IsOwn
	Wider      string      // id of the check that this one is a kind of, or ""
	ErrorTypes []string    // ids of the error types of cases that missed the check; its lessons belong to the first
	Directions []Direction // directions in which the check can be missed; none: all
	Name       Text
	Missed     Advice // advice after a defect was missed
	Alarm      Advice // advice after a false alarm, usually the opposite of Missed

	Asked    []Cue    // phrases of tasks that call for the check
	Said     []Cue    // phrases of notes and defects that report the check as missed
	Claimed  []Cue    // phrases of a wrong agent's reason that show the check was missed
	Examples []string // sentences as in Sentences.Said that a team added
	Claims   []string // reasons of wrong agents that a team added, see Sentences.Claimed
	Tasks    []string // sentences as in Sentences.Asked that a team added
	Shows    []string // differences of judgment and ground truth that show a miss, such as action_missing
	// kinds of expectations by which an observation of the page can settle the check, see FactKinds
	Facts []string

	builtin bool // its own sentences are in exampleFiles
}

// FactKinds are the kinds of expectations that package fact can compare with a page.
var FactKinds = []string{"control", "input", "product", "set", "text", "there", "value"}

// Advice holds the sentences about a check that become a lesson.
type Advice struct {
	Title   Text // title of the lesson
	Do      Text // one sentence: what to do, and what to look for
	With    Text // the same sentence with {what} in place of the objects of the check
	Mistake Text // one sentence: how the check is missed
	When    Text // what calls for the check: a condition, without “when” or “时”
}

// Empty reports whether a has no Do, and so gives no advice.
func (a Advice) Empty() bool { return a.Do == Text{} }

// Advice returns the advice for an agent that missed c in the direction d: c.Alarm for FalseFail, else c.Missed. For
// FalseFail it is Alarm even if that is empty, because advice against missing a defect would cause more false alarms.
func (c *Check) Advice(d Direction) Advice {
	if d == FalseFail {
		return c.Alarm
	}
	return c.Missed
}

// Speaks reports whether c can be missed in the direction d and has advice for it.
func (c *Check) Speaks(d Direction) bool {
	return (len(c.Directions) == 0 || slices.Contains(c.Directions, d)) && !c.Advice(d).Empty()
}

// ErrorType returns the error type of lessons about c: the first of c.ErrorTypes, or OtherError if there is none.
func (c *Check) ErrorType() string {
	if len(c.ErrorTypes) == 0 {
		return OtherError
	}
	return c.ErrorTypes[0]
}

// Checks returns all checks of the catalogue, in the order in which they are declared. The caller may change the slice,
// but not the slices inside its elements.
func (t *Taxonomy) Checks() []Check { return slices.Clone(t.checks) }

// Check returns the check with the id, and whether the catalogue has it.
func (t *Taxonomy) Check(id string) (Check, bool) {
	i, ok := t.byCheck[id]
	if !ok {
		return Check{}, false
	}
	return t.checks[i], true
}
