package taxonomy

import "slices"

// Check is a kind of thing that has to be looked at when something is tested.
// Error types say how one misjudges; checks say what was not looked at, or
// looked at wrongly, and carry over from page to page.
type Check struct {
	ID         string      // lower case, digits and _
	Wider      string      // the id of a check that this one is a kind of, or none
	ErrorTypes []string    // how it is misjudged; the first is where its lessons go
	Directions []Direction // it is missed in; none: in all
	Name       Text
	Missed     Advice // after a defect was missed
	Alarm      Advice // after a false alarm, which as a rule needs the opposite advice

	Asked                   []Cue    // words of tasks that call for it
	Said                    []Cue    // words of notes and defects that say it was missed
	Claimed                 []Cue    // words of a wrong agent's reason that betray it
	Examples, Claims, Tasks []string // whole sentences of each of these three kinds
	Shows                   []string // differences of judgment and ground truth that show it, such as action_missing
	Facts                   []string // the kinds of fact, of FactKinds, by which an observation of the page can settle it
}

// FactKinds are the kinds of fact that package fact can hold against a page.
var FactKinds = []string{"control", "input", "product", "set", "text", "there", "value"}

// Advice is what to say about a check.
type Advice struct {
	Title   Text // of a lesson about it
	Do      Text // one sentence: an action, and what to see of it
	With    Text // the same with {what} for the things to do it with
	Mistake Text // how it is missed, one sentence
	When    Text // what calls for it: a condition, without “when” or “时”
}

// Empty reports whether nothing is said.
func (a Advice) Empty() bool { return a.Do == Text{} }

// Advice returns what to say after a misjudgement of direction d. Where a check
// has no advice of its own for false alarms there is none: the advice against
// missing a defect would cause more of them.
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

// ErrorType returns the error type that its lessons go to.
func (c *Check) ErrorType() string {
	if len(c.ErrorTypes) == 0 {
		return OtherError
	}
	return c.ErrorTypes[0]
}

// Checks returns the catalogue in the order it is declared. The caller may
// change the slice, not what its fields share.
func (t *Taxonomy) Checks() []Check { return slices.Clone(t.checks) }

// Check returns the check with the id.
func (t *Taxonomy) Check(id string) (Check, bool) {
	i, ok := t.byCheck[id]
	if !ok {
		return Check{}, false
	}
	return t.checks[i], true
}
