package retrieval

import (
	"fmt"
	"maps"
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

// Codes returns all reasons, sorted.
func Codes() []Code { return slices.Sorted(maps.Keys(sentences)) }

// ByPerson reports whether a person's decision is the reason.
func (c Code) ByPerson() bool {
	return slices.Contains([]Code{Refused, Banned, Rejected, Forgotten, Denied}, c)
}

// Sentence returns the reason in English, as a format for the Args of its [Why]. It is "" for
// a code that does not exist. Programs may use the format as the key of a translation.
func (c Code) Sentence() string { return sentences[c] }

var sentences = map[Code]string{
	isTaken:    "taken as number %d: fits %.2f, scores %.2f",
	TooFar:     "fits %.3f; the least for a memory of this level (%s) is %.3f",
	Unfounded:  "the prompt asks for something else, and its words fit %.2f where it needs %.2f; its place is no reason",
	Uncalled:   "a person worded it, and the prompt fits none of its conditions and is like none of its tests",
	Distrusted: "is trusted %.2f, below the floor of %.2f",
	covered:    "is covered by %s %s; of the candidates it stands for: %d",
	kin:        "is of one branch with %s, which came first: a lesson or cases of it, never both",
	sameTest:   "is for tests nobody has seen; the case %s is of the very test",
	farther:    "fits %.2f; beside the case %s, which is nearer, it would need %.2f",
	otherPage:  "is of another page; the case %s is of this very one",
	opposite:   "warns of %s where %s, which came first, warns of %s: never both",
	LevelFull:  "passes, but better ones took all %d places there are for %s",
	full:       "passes, but the %d places in all went to others, which repeat less or are of this very test",
	repetitive: "passes, but adds too little to what was taken, which it is %.2f like",
	Read:       "taken as number %d: a reader picked it for this test ahead of the run",
	Unpicked:   "words are near, but a reader who considered it for this test did not pick it",
	Refused:    "fits, but a person refused all that it would say",
	Banned:     "fits, but left out: banned by %s",
	Rejected:   "fits, but left out: rejected by %s",
	Forgotten:  "fits, but left out: forgotten by %s",
	Denied:     "fits, but a person said of this very test that it is not about that",
}

// Why is the reason for taking a memory or for not taking it.
type Why struct {
	Code Code
	Args []any // arguments of the sentence: int, float64, string (an id), tree.Type, taxonomy.Direction
}

// String returns the reason as an English sentence.
func (w Why) String() string { return fmt.Sprintf(w.Code.Sentence(), w.Args...) }
