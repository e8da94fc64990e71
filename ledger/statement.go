package ledger

import (
	"fmt"
	"github.com/memtree/memtree/tree"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Limits of a Statement.
const (
	MaxStatement = 1 << 10 // bytes of Statement.Text
	MaxPages     = 8       // most entries in each of Statement.Pages and Statement.Builds
)

// FactKind is the kind of a fact about the product.
type FactKind string

// The kinds of facts about the product.
const (
	Behaviour  FactKind = "behaviour"  // what the product does
	Rule       FactKind = "rule"       // what the product demands or refuses
	Format     FactKind = "format"     // how the product shows values
	Intended   FactKind = "intended"   // what looks like a defect and is intended
	KnownBug   FactKind = "known_bug"  // a known defect
	Pattern    FactKind = "pattern"    // what several runs had in common
	Preference FactKind = "preference" // what the team wants
)

// FactKinds returns all kinds of facts, in the order of their constants.
func FactKinds() []FactKind {
	return []FactKind{Behaviour, Rule, Format, Intended, KnownBug, Pattern, Preference}
}

// Statement is one sentence about the product under test or its environment, and where the sentence holds. A fact is a
// Statement with its ID and everything that the ledger has about that ID.
type Statement struct {
	Text  string     `json:"statement"` // the sentence: one line, Chinese or English
	Kind  FactKind   `json:"kind"`
	Pages []string   `json:"pages,omitempty"` // pages: patterns that tree.Route returns, or names; none: all of Scope
	Scope tree.Scope `json:"scope,omitzero"`  // product, suite and test, without Build; zero: every product
	Agent string     `json:"agent,omitempty"` // name of the agent that the statement is for; "": all

	Builds []string `json:"builds,omitempty"` // builds for which the statement holds; none: all
	Fixed  string   `json:"fixed,omitempty"`  // of a KnownBug: the build in which the bug is fixed; "": none yet
}

// ID returns the id of the fact that s states: a hash of Text, ignoring case, spacing and punctuation, and of Scope and
// Agent. Statements that differ only in other fields are the same fact.
func (s *Statement) ID() string {
	o := &s.Scope
	parts := []string{foldWords(s.Text), o.Product, o.Suite, o.Test, s.Agent}
	if len(o.SuiteTests) > 0 {
		parts = append(append(parts, strconv.Itoa(o.Position)), o.SuiteTests...)
	}
	return FactPrefix + tree.Hash(parts...)
}

// FactPrefix begins the id of every fact about the product. No other id begins with it.
const FactPrefix = "f_"

// OfFacts is the error type of facts about the product, where code counts or stops memories by error type and treats
// facts like memories.
const OfFacts = "product_fact"

func foldWords(s string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(s), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
	}), " ")
}

// KnownOp is what a FactEntry does to a fact.
type KnownOp string

// The operations on facts. If a person decided an operation, FactEntry.Act has the id of the decision, and undoing the
// decision cancels the entry.
const (
	FactStated       KnownOp = "state"      // the fact holds; a repetition is one more confirmation
	FactConfirmed    KnownOp = "confirm"    // the fact still holds
	FactContradicted KnownOp = "contradict" // the fact does not hold
	FactEdited       KnownOp = "edit"       // the statement in Says replaces the fact
	FactForgotten    KnownOp = "forget"     // the fact is out of use
	FactSettled      KnownOp = "settle"     // the fact holds, despite the facts that contradict it so far
	FactNone         KnownOp = "none"       // no fact: a model found none in the note on Case, or the fact was purged
)

// Source is where a FactEntry comes from.
type Source string

// The sources of facts. Runs receive a fact from FromAgent or FromTransfer only after a person or a note confirmed it.
const (
	FromTeam     Source = "person" // a person
	FromNote     Source = "note"   // a person's note on a run, as read by a model
	FromAgent    Source = "agent"  // an agent
	FromTransfer Source = "import" // another tree
)

// FactEntry is one operation on a fact about the product. Its time is Entry.At.
type FactEntry struct {
	Op     KnownOp    `json:"op"`
	Fact   string     `json:"fact"`           // id of the fact; of an edit: of the fact that is replaced
	Says   *Statement `json:"says,omitempty"` // of FactStated and FactEdited: the statement; else nil
	Source Source     `json:"source"`
	By     string     `json:"by,omitempty"`    // name of the person, agent, model or tree
	Act    string     `json:"act,omitempty"`   // id of the person's decision, if there is one
	Case   string     `json:"case,omitempty"`  // of a note: id of the case that the note belongs to
	Test   string     `json:"test,omitempty"`  // of a note: the test of that case
	Quote  string     `json:"quote,omitempty"` // of a note: the sentence that states the fact
	Holds  string     `json:"holds,omitempty"` // of a contradiction by a note: id of the fact that holds instead
	Why    string     `json:"why,omitempty"`   // the reason, a sentence
}

// Check returns a *tree.FieldError for the first invalid field of k, or nil.
func (k *FactEntry) Check() error {
	bad := func(field, problem string, args ...any) error {
		return &tree.FieldError{Field: "known." + field, Problem: fmt.Sprintf(problem, args...)}
	}
	says := k.Op == FactStated || k.Op == FactEdited
	switch {
	case !slices.Contains([]KnownOp{FactStated, FactConfirmed, FactContradicted, FactEdited, FactForgotten,
		FactSettled, FactNone}, k.Op):
		return bad("op", "is %.40q, which is no operation on a fact", k.Op)
	case !slices.Contains([]Source{FromTeam, FromNote, FromAgent, FromTransfer}, k.Source):
		return bad("source", "is %.40q; use person, note, agent or import", k.Source)
	case !IsFact(k.Fact):
		return bad("fact", "is %.40q, which is no id of a fact", k.Fact)
	case k.Holds != "" && (!IsFact(k.Holds) || k.Op != FactContradicted || k.Source != FromNote):
		return bad("holds", "is %.40q; it is the id of a fact, of a contradiction by a note alone", k.Holds)
	case says != (k.Says != nil):
		return bad("says", "belongs to state and edit, and to them alone")
	case k.Op == FactStated && k.Says.ID() != k.Fact:
		return bad("fact", "is %s; what is said has the id %s", k.Fact, k.Says.ID())
	}
	for _, f := range []struct{ field, value string }{
		{"by", k.By}, {"act", k.Act}, {"case", k.Case}, {"test", k.Test},
	} {
		if len(f.value) > tree.MaxName || !plainLine(f.value) {
			return bad(f.field, "is longer than %d bytes, or not one line of UTF-8", tree.MaxName)
		}
	}
	if len(k.Why) > tree.MaxNodeLine || len(k.Quote) > tree.MaxNodeLine || !plainLine(k.Why) || !plainLine(k.Quote) {
		return bad("why", "or its quotation is longer than %d bytes, or not one line of UTF-8", tree.MaxNodeLine)
	}
	if k.Says == nil {
		return nil
	}
	return k.Says.Check()
}

// IsFact reports whether id has the form of a fact's id.
func IsFact(id string) bool {
	return strings.HasPrefix(id, FactPrefix) && len(id) <= 64 && plainLine(id)
}

// Check returns a *tree.FieldError for the first invalid field of s, or nil.
func (s *Statement) Check() error {
	bad := func(field, problem string, args ...any) error {
		return &tree.FieldError{Field: field, Problem: fmt.Sprintf(problem, args...)}
	}
	switch {
	case foldWords(s.Text) == "":
		return bad("statement", "is missing; state in one sentence what holds")
	case len(s.Text) > MaxStatement:
		return bad("statement", "has %d bytes; the most is %d: state it in one sentence", len(s.Text), MaxStatement)
	case !plainLine(s.Text):
		return bad("statement", "is not one line of UTF-8")
	case !slices.Contains(FactKinds(), s.Kind):
		return bad("kind", "is %.40q; use behaviour, rule, format, intended, known_bug, pattern or preference", s.Kind)
	case len(s.Pages) > MaxPages:
		return bad("pages", "are more than %d; leave them out where it holds for many", MaxPages)
	case len(s.Builds) > MaxPages:
		return bad("builds", "are more than %d; leave them out where it holds for many", MaxPages)
	case s.Fixed != "" && s.Kind != KnownBug:
		return bad("fixed", "is of a known bug only, and this is %s", s.Kind)
	case s.Fixed != "" && slices.Contains(s.Builds, s.Fixed):
		return bad("fixed", "is %.80q, a build for which it holds too", s.Fixed)
	case s.Scope.Build != "":
		return bad("scope.build", "is no part of a fact's scope; name builds in builds")
	case len(s.Scope.SuiteTests) > tree.MaxChildren:
		return bad("scope.suite_tests", "names %d tests; the most is %d", len(s.Scope.SuiteTests), tree.MaxChildren)
	case len(s.Scope.SuiteTests) > 0 && s.Scope.PlaceTest() == "":
		return bad("scope.position", "is %d, and the suite has %d tests", s.Scope.Position, len(s.Scope.SuiteTests))
	}
	for _, f := range []struct {
		field string
		names []string
	}{
		{"pages", s.Pages}, {"builds", s.Builds}, {"scope.suite_tests", s.Scope.SuiteTests}, {"fixed", []string{s.Fixed}},
		{"agent", []string{s.Agent}}, {"scope.product", []string{s.Scope.Product}},
		{"scope.suite", []string{s.Scope.Suite}}, {"scope.test", []string{s.Scope.Test}},
	} {
		if slices.ContainsFunc(f.names, func(n string) bool { return len(n) > tree.MaxName || !plainLine(n) }) {
			return bad(f.field, "has a name that is longer than %d bytes, or not one line of UTF-8", tree.MaxName)
		}
	}
	return nil
}

// plainLine reports whether a text is one line of UTF-8 without control characters.
func plainLine(s string) bool {
	return utf8.ValidString(s) && strings.IndexFunc(s, unicode.IsControl) < 0
}

// quoted returns a text that is refused, cut, in quotation marks.
func quoted(s string) string { return fmt.Sprintf("%.40q", s) }
