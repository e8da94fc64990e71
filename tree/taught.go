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

// OwnWords reports whether a person chose when a lesson is given, by teaching it or by editing its conditions. It
// is found by these, not by the check that was missed before. One of which a person edited other words alone is
// found as before.
func (n *Node) OwnWords() bool {
	return n.Type == Experience && (n.Taught != nil || n.Provenance.By == ByPerson && n.Provenance.When)
}

// Example returns a test as examples are compared: without regard to upper case and spacing.
func Example(test string) string {
	return strings.ToLower(strings.Join(strings.FieldsFunc(test, unicode.IsSpace), " "))
}

// SameTest reports whether two ids or prompts name one test: they differ in upper case, spacing, quotation marks
// or the mark at their end at most. "" names none.
func SameTest(a, b string) bool { return a != "" && TestKey(a) == TestKey(b) }

// TestKey returns what the names of one test have in common, see SameTest.
func TestKey(name string) string {
	drop := func(r rune) rune {
		if unicode.IsSpace(r) || strings.ContainsRune("“”‘’\"'", r) {
			return -1
		}
		return unicode.ToLower(r)
	}
	return strings.TrimRight(strings.Map(drop, name), ".。!！")
}

// names reports whether a list of examples names a test by one of its ids or prompts.
func names(list, tests []string) bool {
	return slices.ContainsFunc(list, func(s string) bool {
		return slices.ContainsFunc(tests, func(t string) bool { return SameTest(t, s) })
	})
}

// IsFor reports whether a test, by its ids and prompts, is among those that the lesson is for.
func (t *Taught) IsFor(test ...string) bool { return t != nil && names(t.For, test) }

// IsNotFor reports whether a test is among those that it is not for.
func (t *Taught) IsNotFor(test ...string) bool { return t != nil && names(t.NotFor, test) }

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
