package taxonomy

import "slices"

// Check is a kind of check to make in a test. An error type describes how an agent misjudges. A check describes what
// the agent did not check, or checked wrongly; it applies to other pages too.
type Check struct {
	ID         string      // lower-case letters, digits and _; or the id of a check of a tree's own, see IsOwn
	Wider      string      // the id of the check that this one is a kind of, or ""
	ErrorTypes []string    // ids: how it is misjudged; its lessons belong to the first
	Directions []Direction // in which it can be missed; none means all
	Name       Text
	Missed     Advice // after a defect was missed
	Alarm      Advice // after a false alarm, which usually needs the opposite advice

	Asked                   []Cue    // phrases of tasks that call for it
	Said                    []Cue    // phrases of notes and defects that report it as missed
	Claimed                 []Cue    // phrases of a wrong agent's reason that show it was missed
	Examples, Claims, Tasks []string // sentences of each of these three kinds that a team added; see Sentences
	Shows                   []string // differences of judgment and ground truth that show it, such as action_missing
	Facts                   []string // of FactKinds: kinds of fact by which an observation of the page can settle it

	builtin bool // its own sentences are in exampleFiles
}

// FactKinds are the kinds of fact that package fact can compare with a page.
var FactKinds = []string{"control", "input", "product", "set", "text", "there", "value"}

// Advice holds the sentences about a check.
type Advice struct {
	Title   Text // of a lesson about the check
	Do      Text // one sentence: what to do, and what to look for
	With    Text // the same sentence with {what} in place of the objects of the check
	Mistake Text // one sentence: how the check is missed
	When    Text // what calls for the check: a condition, without “when” or “时”
}

// Empty reports whether the advice has no Do.
func (a Advice) Empty() bool { return a.Do == Text{} }

// Advice returns the advice after a misjudgement of direction d. For FalseFail this is Alarm even when Alarm is empty:
// the advice against missing a defect would cause more false alarms.
func (c *Check) Advice(d Direction) Advice {
	if d == FalseFail {
		return c.Alarm
	}
	return c.Missed
}

// Speaks reports whether the check can be missed in direction d.
func (c *Check) Speaks(d Direction) bool {
	return (len(c.Directions) == 0 || slices.Contains(c.Directions, d)) && !c.Advice(d).Empty()
}

// ErrorType returns the error type that its lessons belong to.
func (c *Check) ErrorType() string {
	if len(c.ErrorTypes) == 0 {
		return OtherError
	}
	return c.ErrorTypes[0]
}

// Checks returns the catalogue in the order it is declared. The caller may change
// the slice, but not the slices inside its elements.
func (t *Taxonomy) Checks() []Check { return slices.Clone(t.checks) }

// Check returns the check with the id, and false if it does not exist.
func (t *Taxonomy) Check(id string) (Check, bool) {
	i, ok := t.byCheck[id]
	if !ok {
		return Check{}, false
	}
	return t.checks[i], true
}
