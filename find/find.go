// Package find defines the query by which people select judged runs and memories: by product, suite, run, day,
// direction, error type, risk and terms. The addresses of the pages, the flags of the command and the routes of the
// service use the same names for its fields.
package find

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/memtree/memtree/internal/judgment"
	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// MaxWords is the largest length of a text field of a Query in bytes.
const MaxWords = 1 << 10

// Query selects the runs or memories that match all of its fields. The zero value selects everything.
type Query struct {
	Product   string             // product under test
	Suite     string             // suite of the test
	Run       string             // id of the run; for a memory: a run that made its mistake
	Since     string             // first day, UTC, such as 2026-01-28, or first time; see ParseTime
	Until     string             // last day or time, as Since; it is included
	Direction taxonomy.Direction // for a memory: its direction; for a run: see Way
	ErrorType string             // for a memory: its error type; for a run: that of an earlier mistake in the same test
	Above     float64            // least risk of a run, 0 to 1; no memory is excluded by it
	Words     string             // words that must all occur, separated by spaces; case does not matter
}

// Names returns the names that the fields of a Query have in addresses and flags, in the order of the fields.
func Names() []string {
	return []string{"product", "suite", "run", "since", "until", "direction", "type", "above", "words"}
}

// Parse returns the Query with the values that get returns. get is called with names from Names and returns "" for a
// field that is not set. The error for an invalid value is a *tree.FieldError with the name of the field.
func Parse(get func(name string) string) (Query, error) {
	field := func(name string) string { return strings.TrimSpace(get(name)) }
	q := Query{Product: field("product"), Suite: field("suite"), Run: field("run"), Since: field("since"),
		Until: field("until"), Direction: taxonomy.Direction(field("direction")), ErrorType: field("type"),
		Words: field("words")}
	if above := field("above"); above != "" {
		p, err := strconv.ParseFloat(above, 64)
		if err != nil {
			p = -1
		}
		q.Above = p
	}
	return q, q.Check()
}

// Check returns a *tree.FieldError for the first invalid field of q, or nil.
func (q *Query) Check() error {
	from, before, err := q.span()
	switch {
	case err != nil:
		return err
	case q.Since != "" && q.Until != "" && !from.Before(before):
		return wrong("until", "is before since; exchange the two days")
	case q.Direction != taxonomy.None && !q.Direction.Valid():
		return wrong("direction", "is "+quote(string(q.Direction))+"; use false_pass, false_fail or other")
	case !(q.Above >= 0 && q.Above <= 1):
		return wrong("above", "is no risk; use a number from 0 to 1, such as 0.3")
	}
	for _, f := range []struct{ name, said string }{
		{"product", q.Product}, {"suite", q.Suite}, {"run", q.Run}, {"type", q.ErrorType}, {"words", q.Words},
	} {
		if len(f.said) > MaxWords {
			return wrong(f.name, fmt.Sprintf("has %d bytes; the most is %d", len(f.said), MaxWords))
		}
	}
	return nil
}

func wrong(field, problem string) error { return &tree.FieldError{Field: field, Problem: problem} }

func quote(s string) string { return strconv.Quote(text.Clip(s, 40)) }

// Values returns the fields of q that are set, by their names in Names. Parse turns them into q again.
func (q *Query) Values() url.Values {
	v := url.Values{}
	above := ""
	if q.Above > 0 {
		above = strconv.FormatFloat(q.Above, 'g', -1, 64)
	}
	said := []string{q.Product, q.Suite, q.Run, q.Since, q.Until, string(q.Direction), q.ErrorType, above, q.Words}
	for i, name := range Names() {
		if said[i] != "" {
			v.Set(name, said[i])
		}
	}
	return v
}

// All reports whether q selects everything because none of its fields is set.
func (q *Query) All() bool { return *q == Query{} }

// HasRun reports whether q selects the run e. It ignores Above and ErrorType, because e has no risk and no error type.
func (q *Query) HasRun(e *tree.Evaluation) bool {
	return (q.Product == "" || q.Product == e.Scope.Product) && (q.Suite == "" || q.Suite == e.Scope.Suite) &&
		(q.Run == "" || q.Run == e.RunID) && q.On(e.At) &&
		(q.Direction == taxonomy.None || q.Direction == Way(e)) &&
		(q.Words == "" || has(q.Words, e.Prompt, e.Key(), e.CaseID, e.RunID, e.Scope.Test, e.Scene.Route, e.Agent.Name,
			judged(e), e.Reason))
}

// Way returns the direction of the mistake if the verdict of e is wrong: FalsePass for a pass, FalseFail for a fail,
// Other for a verdict that cannot be read as either.
func Way(e *tree.Evaluation) taxonomy.Direction {
	switch judgment.PolarityOf(judgment.Decode(e.Judgment)) {
	case judgment.Passes:
		return taxonomy.FalsePass
	case judgment.Fails:
		return taxonomy.FalseFail
	case judgment.Unread:
	}
	return taxonomy.Other
}

// Filter returns the part of q that a store can apply: error type and direction.
func (q *Query) Filter() store.Filter {
	return store.Filter{ErrorType: q.ErrorType, Direction: q.Direction}
}

// ByStanding returns a filter for a store and a condition that together select what f does, where f.Status is a status
// as [tree.Node.Standing] returns it. A store compares the status that a banned memory had before.
func ByStanding(f store.Filter) (store.Filter, func(*tree.Node) bool) {
	status := f.Status
	if status == tree.BuriedFor {
		f.Status = ""
	}
	return f, func(n *tree.Node) bool { return status == "" || n.Standing() == status }
}

// HasNode reports whether q selects the memory n. Since and Until apply to n's last update, Run to the occurrences of a
// case. Product also selects memories without a product. HasNode ignores Above.
func (q *Query) HasNode(n *tree.Node) bool {
	return q.Filter().Match(n) && (q.Product == "" || n.Scope.Product == "" || q.Product == n.Scope.Product) &&
		(q.Suite == "" || q.Suite == n.Scope.Suite) && q.ofRun(n) && q.On(n.Metadata.UpdatedAt) &&
		(q.Words == "" || has(q.Words, said(n)...))
}

func (q *Query) ofRun(n *tree.Node) bool {
	if q.Run == "" {
		return true
	}
	for i := range n.Occurrences {
		if n.Occurrences[i].RunID == q.Run {
			return true
		}
	}
	return false
}

// ParseTime returns the time that s names: a day such as 2026-01-28, which begins at midnight UTC, or a time of RFC
// 3339. day is whether s is a day. The error is a *tree.FieldError of field.
func ParseTime(field, s string) (at time.Time, day bool, err error) {
	if at, err = time.Parse(time.DateOnly, s); err == nil {
		return at, true, nil
	}
	if at, err = time.Parse(time.RFC3339, s); err == nil {
		return at.UTC(), false, nil
	}
	return time.Time{}, false, wrong(field, "is "+quote(s)+"; use a day such as 2026-01-28, or a time such as "+
		"2026-01-28T08:00:00Z")
}

// span returns the first time that Since and Until select, and the time before which the last one is. Without Since or
// Until it is zero.
func (q *Query) span() (from, before time.Time, err error) {
	if q.Since != "" {
		if from, _, err = ParseTime("since", q.Since); err != nil {
			return from, before, err
		}
	}
	if q.Until != "" {
		day := false
		if before, day, err = ParseTime("until", q.Until); err != nil {
			return from, before, err
		}
		if before = before.Add(1); day {
			before = before.Add(24*time.Hour - 1)
		}
	}
	return from, before, nil
}

// On reports whether Since and Until select a time. If one of them is invalid, they select none.
func (q *Query) On(at time.Time) bool {
	if q.Since == "" && q.Until == "" {
		return true
	}
	from, before, err := q.span()
	return err == nil && (q.Since == "" || !at.Before(from)) && (q.Until == "" || at.Before(before))
}

// said returns the searchable texts of a memory, including its id, route and task.
func said(n *tree.Node) []string {
	c := &n.Content
	all := []string{n.ID, c.Title, c.Description, c.Guidance, n.Scene.ID, n.Scene.Route}
	for i := range c.Lessons {
		all = append(all, c.Lessons[i].Check, c.Lessons[i].Instead, c.Lessons[i].Mistake)
		all = append(all, c.Lessons[i].What...)
	}
	if d := n.CaseData; d != nil {
		all = append(all, d.TestCase.CaseID, d.TestCase.Prompt, d.EvaluatorReason, d.ErrorReason)
	}
	return all
}

// has reports whether every word occurs in one of the texts, ignoring case.
func has(words string, texts ...string) bool {
	for w := range strings.FieldsSeq(strings.ToLower(words)) {
		if !slices.ContainsFunc(texts, func(s string) bool { return contains(s, w) }) {
			return false
		}
	}
	return true
}

// contains reports whether a lower-case word occurs in a text, ignoring case. For an ASCII word it copies no text,
// because a search reads many texts.
func contains(s, word string) bool {
	if !ascii(word) {
		return strings.Contains(strings.ToLower(s), word)
	}
	for i := 0; i+len(word) <= len(s); i++ {
		k := 0
		for k < len(word) && small(s[i+k]) == word[k] {
			k++
		}
		if k == len(word) {
			return true
		}
	}
	return false
}

func ascii(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r >= utf8.RuneSelf })
}

func small(b byte) byte {
	if 'A' <= b && b <= 'Z' {
		return b + 'a' - 'A'
	}
	return b
}

// judged returns the searchable text of a judgment.
func judged(e *tree.Evaluation) string {
	if strings.Contains(string(e.Judgment), `\`) {
		return e.Judgment.Text()
	}
	return string(e.Judgment)
}
