package retrieval

import (
	"fmt"
	"slices"
)

// Code names a reason for taking a memory or for not taking it. Programs may store codes: a
// code never changes its meaning.
type Code string

// The reasons. The sentence of each is in [Code.Sentence].
const (
	isTaken    Code = "taken"
	TooFar     Code = "too_far"
	Unfounded  Code = "unfounded"
	Uncalled   Code = "uncalled"
	Distrusted Code = "distrusted"
	covered    Code = "covered"
	kin        Code = "kin"
	sameTest   Code = "very_test"
	farther    Code = "farther"
	otherPage  Code = "other_page"
	opposite   Code = "opposite"
	LevelFull  Code = "level_full"
	full       Code = "full"
	repetitive Code = "repetitive"
	Read       Code = "read"
	Unpicked   Code = "unpicked"
	Refused    Code = "refused"
	Banned     Code = "banned"
	Rejected   Code = "rejected"
	Forgotten  Code = "forgotten"
	Denied     Code = "denied"
)

// Codes returns all reasons.
func Codes() []Code {
	return []Code{isTaken, TooFar, Unfounded, Uncalled, Distrusted, covered, kin, sameTest, farther, otherPage, opposite,
		LevelFull, full, repetitive, Read, Unpicked, Refused, Banned, Rejected, Forgotten, Denied}
}

// ByPerson reports whether a person's decision is the reason.
func (c Code) ByPerson() bool {
	return slices.Contains([]Code{Refused, Banned, Rejected, Forgotten, Denied}, c)
}

// Sentence returns the reason in English, as a format for the Args of its [Why]. It is "" for
// a code that does not exist. Programs may use the format as the key of a translation.
func (c Code) Sentence() string {
	switch c {
	case isTaken:
		return "taken as number %d: fits %.2f, scores %.2f"
	case TooFar:
		return "fits %.3f; the least for a memory of this level (%s) is %.3f"
	case Unfounded:
		return "the prompt asks for something else, and its words fit %.2f where it needs %.2f; its place is no reason"
	case Uncalled:
		return "a person worded it, and the prompt fits none of its conditions and is like none of its tests"
	case Distrusted:
		return "is trusted %.2f, below the floor of %.2f"
	case covered:
		return "is covered by %s %s; of the candidates it stands for: %d"
	case kin:
		return "is of one branch with %s, which came first: a lesson or cases of it, never both"
	case sameTest:
		return "is for tests nobody has seen; the case %s is of the very test"
	case farther:
		return "fits %.2f; beside the case %s, which is nearer, it would need %.2f"
	case otherPage:
		return "is of another page; the case %s is of this very one"
	case opposite:
		return "warns of %s where %s, which came first, warns of %s: never both"
	case LevelFull:
		return "passes, but better ones took all %d places there are for %s"
	case full:
		return "passes, but the %d places in all went to others, which repeat less or are of this very test"
	case repetitive:
		return "passes, but adds too little to what was taken, which it is %.2f like"
	case Read:
		return "taken as number %d: a reader picked it for this test ahead of the run"
	case Unpicked:
		return "words are near, but a reader who considered it for this test did not pick it"
	case Refused:
		return "fits, but a person refused all that it would say"
	case Banned:
		return "fits, but left out: banned by %s"
	case Rejected:
		return "fits, but left out: rejected by %s"
	case Forgotten:
		return "fits, but left out: forgotten by %s"
	case Denied:
		return "fits, but a person said of this very test that it is not about that"
	}
	return ""
}

// Why is the reason for taking a memory or for not taking it.
type Why struct {
	Code Code
	Args []any // arguments of the sentence: int, float64, string (an id), tree.Type, taxonomy.Direction
}

// String returns the reason as an English sentence.
func (w Why) String() string { return fmt.Sprintf(w.Code.Sentence(), w.Args...) }
