// Package brief stores which memories a reader would mention before each coming test, and why: picks of memories, each
// with a quotation of the test as the reason. A reader is a language model, or a person or agent with one. It reads
// many tests at once, before they run.
//
// A [Book] holds the known tests, which memories were considered for each of them, and the picks. It is derived data:
// if it is lost, a reader can read again, at its price. Nothing in it becomes part of evidence, exports or hashes of
// nodes.
//
// [Book.Plan] finds the unread tests and memories and divides them into questions; [Book.take] checks an answer, which
// may be hostile, and puts its valid picks into the book.
//
// Its files: brief.go (tests, picks), briefs.go and ask.go (a memory's book and its reading), book.go (the book),
// segment.go, pieces.go, memories.go and unparsed.go (the book saved in pieces, FORMAT.md), file.go (as one file),
// plan.go and material.go (the questions), read.go (a reader), answer.go and advice.go (the check of an answer),
// trust.go (whether a reader is trusted).
package brief

import (
	"strings"
	"time"

	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/tree"
)

// UpcomingTest is a test that will run, or has run and will run again.
type UpcomingTest struct {
	ID      string    `json:"id,omitempty"` // id of the test case
	Prompt  string    `json:"prompt"`       // a Book stores it without secrets
	Product string    `json:"product,omitempty"`
	Suite   string    `json:"suite,omitempty"`
	Place   string    `json:"place,omitempty"` // scene id, or pattern of a route
	Seen    time.Time `json:"seen,omitzero"`   // time of its last run or announcement, to about an hour
}

// TestOf returns the test with this prompt in a scene and scope. Its place is the pattern of the scene's route, else
// the scene's id. It cuts the prompt to tree.MaxNodeText bytes.
func TestOf(prompt string, scene tree.Scene, scope tree.Scope) UpcomingTest {
	place := scene.ID
	if r := tree.Route(scene.Route); r != "" {
		place = r
	}
	return UpcomingTest{ID: scope.Test, Prompt: text.ClipBytes(prompt, tree.MaxNodeText), Product: scope.Product,
		Suite: scope.Suite, Place: place}
}

// Key returns the key of the test in a Book: a hash of its product, its suite, and its prompt with white space folded.
func (t *UpcomingTest) Key() string {
	return "b_" + tree.Hash(t.words(), t.Product, t.Suite)
}

// words identifies the prompt of a test, with white space folded.
func (t *UpcomingTest) words() string { return tree.Hash(strings.Join(strings.Fields(t.Prompt), " ")) }

// Brief holds which memories and facts a reader (a model, or a person in its place) chose to give before one test. It
// has no picks if nothing was read yet (UpTo is 0), if the answer was refused, or if nothing fits.
type Brief struct {
	Key   string `json:"key"`   // key of the test with its original prompt, see UpcomingTest.Key
	Words string `json:"words"` // hash of the original prompt of the test
	UpcomingTest
	// UpTo is the number of the last memory that was considered, see Book; 0 if nothing was read for the test.
	UpTo  uint64     `json:"upTo,omitempty"`
	Picks []Pick     `json:"picks,omitempty"` // best first, at most three memories and three facts
	Read  ReaderInfo `json:"read,omitzero"`   // the last reading
	// Refused means that the answer for this test was rejected, in Book.List also that its reader is not trusted. The
	// test is not sent again until the memories change; until then guidance has what the lexical search finds.
	Refused bool `json:"refused,omitempty"`
	Found   bool `json:"found,omitempty"` // at the last reading of all memories, the lexical search found one
	Named   bool `json:"named,omitempty"` // at the last reading of all memories, the reader picked one
}

// ReaderInfo is who read a test, when, and with which prompt.
type ReaderInfo struct {
	By       string    `json:"by,omitempty"` // name of the model or client
	At       time.Time `json:"at,omitzero"`
	Template string    `json:"template,omitempty"` // name and version of the prompt
}

// Pick is a memory, or a fact about the product, that a reader would mention before a test.
type Pick struct {
	ID      string   `json:"id"`               // id of the memory or fact
	Checks  []string `json:"checks,omitempty"` // checks that the memory was about when it was read, sorted
	Because string   `json:"because"`          // a quotation of the test's prompt
	Say     string   `json:"say,omitempty"`    // the advice in the test's own terms; "" for the memory's own text
}

// isFact reports whether the pick is a fact.
func (p *Pick) isFact() bool { return ledger.IsFact(p.ID) }

// mostPicks is the maximum number of memories that a brief picks, and of facts.
const mostPicks = 3

// Limits of a Book.
const (
	MostTests  = 200_000 // most tests in one Book
	mostPrompt = 20_000  // stored characters of a prompt
)

// nearPrompt is the similarity of two prompts (shingles of three) from which a brief of one test of this id is valid
// for the other.
const nearPrompt = 0.9

// near reports whether two prompts are nearly the same.
func near(a, b string) bool {
	return text.Jaccard(text.Shingles(a, shingle), text.Shingles(b, shingle)) >= nearPrompt
}

const shingle = 3
