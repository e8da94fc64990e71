package tree

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Taught marks a lesson that rests on no case: a person taught it, or an agent proposed it. The lesson is found by its
// conditions, and for the tests in For before any other memory.
type Taught struct {
	By      string   `json:"by,omitempty"`      // person who taught the lesson, or agent that proposed it
	For     []string `json:"for,omitempty"`     // tests for which the lesson is retrieved first: prompts or test ids
	NotFor  []string `json:"notFor,omitempty"`  // tests that never receive the lesson
	Against []string `json:"against,omitempty"` // ids of lessons that contradicted this one when it was taught; sorted
}

// MaxExamples is the maximum length of each of Taught.For and Taught.NotFor.
const MaxExamples = 20

// StandsAlone reports whether the experience or strategy n needs no children in this tree: n was imported without its
// cases, or n was taught.
func (n *Node) StandsAlone() bool { return n.Elsewhere != nil || n.Taught != nil }

// OwnWords reports whether the conditions of lesson n are a person's: n was taught, or a person edited its conditions.
// Retrieval finds such a lesson by its conditions and by Taught.For, and not by the check that was missed.
func (n *Node) OwnWords() bool {
	return n.Type == Experience && (n.Taught != nil || n.Provenance.By == ByPerson && n.Provenance.When)
}

// Example returns the id or prompt of a test in lower case and with single spaces, to compare it with others.
func Example(test string) string {
	return strings.ToLower(strings.Join(strings.FieldsFunc(test, unicode.IsSpace), " "))
}

// SameTest reports whether two ids or prompts are of the same test: they differ at most in case, white space, quotation
// marks and final punctuation. It returns false if a is empty.
func SameTest(a, b string) bool {
	if a == "" {
		return false
	}
	for { // most of many names differ early, so their keys are not made
		r, restA := significant(a)
		s, restB := significant(b)
		if r != s || r == -1 {
			return TestKey(a) == "" && TestKey(b) == ""
		}
		a, b = restA, restB
	}
}

const finalMarks = ".。!！" // which a key does not end with

// significant returns the first character of a name that its key has, and what follows it; -1 if there is none.
func significant(name string) (rune, string) {
	for i, r := range name {
		if r = keyRune(r); r != -1 {
			_, n := utf8.DecodeRuneInString(name[i:])
			return r, name[i+n:]
		}
	}
	return -1, ""
}

// keyRune returns a character as a key has it, -1 for one that it does not have.
func keyRune(r rune) rune {
	if unicode.IsSpace(r) || strings.ContainsRune("“”‘’\"'", r) {
		return -1
	}
	return unicode.ToLower(r)
}

// TestKey returns the form of a test's id or prompt that SameTest compares: lower case, without white space, quotation
// marks and final punctuation.
func TestKey(name string) string { return strings.TrimRight(strings.Map(keyRune, name), finalMarks) }

// names reports whether list contains one of the ids or prompts of a test.
func names(list, tests []string) bool {
	return slices.ContainsFunc(list, func(s string) bool {
		return slices.ContainsFunc(tests, func(t string) bool { return SameTest(t, s) })
	})
}

// IsFor reports whether t.For has one of the ids and prompts of a test (see SameTest). t may be nil.
func (t *Taught) IsFor(test ...string) bool { return t != nil && names(t.For, test) }

// IsNotFor reports whether t.NotFor has one of the ids and prompts of a test (see SameTest). t may be nil.
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
