package tree

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// Taught marks a lesson that rests on no case: somebody taught it. It is found by its own words and
// conditions, and in any case on the tests it is for.
type Taught struct {
	By      string   `json:"by,omitempty"`      // the name of the person, or of the agent that proposed it
	For     []string `json:"for,omitempty"`     // tests it is for: prompts, or ids of tests
	NotFor  []string `json:"notFor,omitempty"`  // tests it is never given to
	Against []string `json:"against,omitempty"` // ids of lessons that say the opposite, when it was taught; sorted
}

// MaxExamples bounds Taught.For and Taught.NotFor, each a count.
const MaxExamples = 20

// StandsAlone reports whether an abstraction needs no children here: its cases are in another tree,
// or somebody taught it without any.
func (n *Node) StandsAlone() bool { return n.Elsewhere != nil || n.Taught != nil }

// OwnWords reports whether a lesson is in words that a person chose, by teaching or editing it. It is
// found by these words and conditions, not by the check that was missed before.
func (n *Node) OwnWords() bool {
	return n.Type == Experience && (n.Taught != nil || n.Provenance.By == ByPerson)
}

// Example returns a test as examples are compared: without regard to upper case and spacing.
func Example(test string) string {
	return strings.ToLower(strings.Join(strings.FieldsFunc(test, unicode.IsSpace), " "))
}

// names reports whether a list of examples names a test by its id or prompt.
func names(list []string, tests ...string) bool {
	return slices.ContainsFunc(list, func(s string) bool {
		return slices.ContainsFunc(tests, func(t string) bool { return t != "" && Example(s) == Example(t) })
	})
}

// IsFor reports whether a test, by its id or prompt, is among those that the lesson is for.
func (t *Taught) IsFor(id, prompt string) bool { return t != nil && names(t.For, id, prompt) }

// IsNotFor reports whether a test is among those that it is not for.
func (t *Taught) IsNotFor(id, prompt string) bool { return t != nil && names(t.NotFor, id, prompt) }

func (t *Taught) clone() *Taught {
	if t == nil {
		return nil
	}
	c := *t
	c.For, c.NotFor, c.Against = slices.Clone(t.For), slices.Clone(t.NotFor), slices.Clone(t.Against)
	return &c
}

func (c *checker) taught(n *Node) {
	t := n.Taught
	if t == nil {
		return
	}
	c.law(n.Type == Experience, "only an experience is taught", "a %s is", n.Type)
	c.law(len(t.For) <= MaxExamples && len(t.NotFor) <= MaxExamples,
		fmt.Sprintf("it names at most %d tests of each kind", MaxExamples), "there are %d and %d", len(t.For), len(t.NotFor))
	c.text("name", MaxName, t.By)
	c.line("example", t.For...)
	c.line("example", t.NotFor...)
	c.names("contradicted lesson", t.Against)
}
