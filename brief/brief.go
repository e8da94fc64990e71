// Package brief holds what a reader would mention before each coming test: picks of memories, each with a quotation of
// the test as the reason. A reader is a language model, or a person or agent with one; it reads ahead of the runs,
// many tests at once.
//
// A [Book] holds the known tests, which memories were read for each of them, and the picks. It is derived data: it can
// be dropped, and is then read again at the price of the reading. Nothing in it becomes part of evidence, exports or
// hashes of nodes.
//
// [Book.Plan] finds the unread tests and memories and divides them into questions; [Book.take] checks an answer, which
// is hostile input, and puts its valid picks into the book.
//
// Its files: brief.go (tests, picks), book.go (the book), segment.go, pieces.go, memories.go and unparsed.go (the book
// saved in pieces, FORMAT.md), file.go (as one file), plan.go and memory.go (the questions), read.go (a reader),
// answer.go and say.go (the check of an answer), trust.go (whether a reader is trusted).
package brief

import (
	"strings"
	"time"

	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/tree"
)

// UpcomingTest is a test that will be run.
type UpcomingTest struct {
	ID      string    `json:"id,omitempty"` // case_id
	Prompt  string    `json:"prompt"`       // in a book without secrets
	Product string    `json:"product,omitempty"`
	Suite   string    `json:"suite,omitempty"`
	Place   string    `json:"place,omitempty"` // scene id or route
	Seen    time.Time `json:"seen,omitzero"`   // when it was last named or run
}

// TestOf returns the test of a prompt in a scene and a scope. It turns a route into a pattern.
func TestOf(prompt string, scene tree.Scene, scope tree.Scope) UpcomingTest {
	place := scene.ID
	if r := tree.Route(scene.Route); r != "" {
		place = r
	}
	return UpcomingTest{ID: scope.Test, Prompt: prompt, Product: scope.Product, Suite: scope.Suite, Place: place}
}

// Key identifies a test by its prompt with white space folded, product and suite.
func (t *UpcomingTest) Key() string {
	return "b_" + tree.Hash(t.words(), t.Product, t.Suite)
}

// words identifies the prompt of a test, with white space folded.
func (t *UpcomingTest) words() string { return tree.Hash(strings.Join(strings.Fields(t.Prompt), " ")) }

// Brief is the result of reading the memories for one test. It may have no picks, because no memory fits.
type Brief struct {
	Key   string `json:"key"`   // of the test with its original prompt, see UpcomingTest.Key
	Words string `json:"words"` // of its prompt alone
	UpcomingTest
	// UpTo is the number of the last memory that was considered, see Book. 0: nothing was read.
	UpTo  uint64     `json:"upTo,omitempty"`
	Picks []Pick     `json:"picks,omitempty"` // the best first; at most mostPicks
	Read  ReaderInfo `json:"read,omitzero"`   // the last reading
	// Refused reports that the last answer for this test could not be used. It is not sent again until the memories
	// have changed; the lexical search finds its memories meanwhile.
	Refused bool `json:"refused,omitempty"`
	Found   bool `json:"found,omitempty"` // the search found a memory for the test when all memories were read for it
	Named   bool `json:"named,omitempty"` // the reader picked one then
}

// ReaderInfo is who read, when, and with which prompt.
type ReaderInfo struct {
	By       string    `json:"by,omitempty"` // the model or client
	At       time.Time `json:"at,omitzero"`
	Template string    `json:"template,omitempty"` // name and version of the prompt
}

// Pick is a memory, or a fact, that a colleague would mention before a test.
type Pick struct {
	ID      string   `json:"id"`
	Checks  []string `json:"checks,omitempty"` // of the memory when it was read, sorted
	Because string   `json:"because"`          // a quotation of the test
	Say     string   `json:"say,omitempty"`    // the advice in the test's own terms; "" for the memory's own
}

// isFact reports whether the pick is a fact.
func (p *Pick) isFact() bool { return ledger.IsFact(p.ID) }

// mostPicks is the maximum number of memories that a brief picks, and of facts.
const mostPicks = 3

// Limits of a book. A test beyond them is refused.
const (
	MostTests  = 200_000
	mostPrompt = 20_000 // stored characters of a prompt
)

// nearPrompt is the similarity of two prompts (shingles of three) from which a brief of one test of this id is valid
// for the other.
const nearPrompt = 0.9

// near reports whether two prompts are nearly the same.
func near(a, b string) bool {
	return text.Jaccard(text.Shingles(a, shingle), text.Shingles(b, shingle)) >= nearPrompt
}

const shingle = 3
