package judgment

import "github.com/memtree/memtree/taxonomy"

// Direction returns which way a judgment went wrong; the caller must know that it is wrong. If a verdict cannot be
// read, the direction is Other, with one exception: a judgment that passes, where the ground truth lists the needed
// actions, is a false pass, because the agent declared the run done without these actions.
func Direction(judgment, truth any) taxonomy.Direction {
	said, is := PolarityOf(judgment), PolarityOf(truth)
	switch {
	case said == Passes && is == Fails:
		return taxonomy.FalsePass
	case said == Fails && is == Passes:
		return taxonomy.FalseFail
	case said == Passes && is == Unread && expectsActions(truth):
		return taxonomy.FalsePass
	default:
		return taxonomy.Other
	}
}

// Excludes reports whether a wrong verdict of this polarity cannot be wrong in direction d: one that passes is no
// FalseFail, one that fails no FalsePass.
func (p Polarity) Excludes(d taxonomy.Direction) bool {
	return p == Passes && d == taxonomy.FalseFail || p == Fails && d == taxonomy.FalsePass
}
