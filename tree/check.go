package tree

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/memtree/memtree/taxonomy"
)

// Limits of a node: bytes of one text of it, or a count.
const (
	MaxNodeText    = 64 << 10 // bytes of a prompt, ground truth, judgment or evaluator's reason in a node
	MaxNodeLine    = 4 << 10  // bytes of any other sentence in a node, such as a title, guidance or condition
	MaxLessons     = 4        // lessons in one node
	MaxConditions  = 8        // entries in each of Content.AppliesWhen and Content.NotWhen
	MaxOccurrences = 256      // occurrences of one case; the oldest beyond that are dropped
	MaxChildren    = 10_000   // children of one node
	maxOrigins     = 1_000    // origins with counters in one node
)

// Check returns all laws that n breaks, joined, each as a *LawError, or nil. It looks at n alone; CheckLinks checks n
// together with its parent and children.
func Check(n *Node) error {
	c := &checker{id: n.ID}
	c.law(n.Type.Level() != 0, "its type is case, experience or strategy", "it is %q", n.Type)
	c.law(n.Level == n.Type.Level(), "its level is that of its type", "a %s has level %d", n.Type, n.Level)
	c.law(n.Type.Level() == 0 || strings.HasPrefix(n.ID, string(n.Type[:1])+"_"),
		"its id begins with the letter of its type", "it is a %s", n.Type)
	c.law(len(n.ID) <= 64 && isWord(n.ID), "its id is up to 64 letters, digits and _", "it is %q", n.ID)
	c.law(IsSlug(n.ErrorType), "its error type is a lower-case name with _", "it is %q", n.ErrorType)
	c.law(n.Direction.Valid(), "its direction is false_pass, false_fail or other", "it is %q", n.Direction)
	c.law(n.Lang == "zh" || n.Lang == "en", "its language is zh or en", "it is %q", n.Lang)
	c.law(n.Revision >= 1, "its revision is 1 or more", "it is %d", n.Revision)
	c.law(isFraction(n.Content.Confidence), "its confidence lies in 0 to 1", "it is %v", n.Content.Confidence)
	c.law(isFraction(n.Metadata.SuccessRate), "its success rate lies in 0 to 1", "it is %v", n.Metadata.SuccessRate)
	c.law(n.Metadata.UsageCount >= 0, "its usage count is not negative", "it is %d", n.Metadata.UsageCount)
	c.credit(n)
	c.status(n)
	c.word(n)
	c.taught(n)
	c.kin(n)
	c.content(n)
	c.strings(n)
	return errors.Join(c.broken...)
}

type checker struct {
	id     string
	broken []error
}

func (c *checker) law(holds bool, law, got string, args ...any) {
	if !holds {
		c.broken = append(c.broken, &LawError{Node: c.id, Law: law, Got: fmt.Sprintf(got, args...)})
	}
}

// most is the law that there are at most so many; law has a place for the limit.
func (c *checker) most(n, limit int, law string) {
	if n > limit {
		c.law(false, fmt.Sprintf(law, limit), "there are %d", n)
	}
}

func (c *checker) status(n *Node) {
	known := []Status{Probation, Active, Quarantined, Retired, Archived}
	c.law(slices.Contains(known, n.Status), "its status is a known one", "it is %q", n.Status)
	c.law(slices.Contains([]Mark{Unmarked, Pinned, Banned}, n.Mark), "its mark is pin, ban or none", "it is %q", n.Mark)
	c.law(n.Status != Archived || n.ArchivedFor != "", "an archived node says why", "no reason is given")
}

// kin checks parent, children and evidence: a case has evidence and no children; an abstraction in use has children
// unless StandsAlone.
func (c *checker) kin(n *Node) {
	c.most(len(n.Children), MaxChildren, "it has at most %d children")
	c.law(slices.IsSorted(n.Children) && len(slices.Compact(slices.Clone(n.Children))) == len(n.Children),
		"its children are sorted and different", "they are not")
	c.law(n.Parent != n.ID && !slices.Contains(n.Children, n.ID), "it is not its own kin", "it is")
	if n.Type != Case {
		c.law(n.CaseData == nil, "only a case has evidence", "a %s has some", n.Type)
		c.law(len(n.Children) > 0 || n.StandsAlone() || !n.Live(), "what is abstract stands on children", "there are none")
		c.elsewhere(n.Elsewhere)
		return
	}
	c.law(n.Elsewhere == nil, "a case has its evidence with it", "it is elsewhere")
	c.law(n.CaseData != nil || n.Buried(), "a case has evidence", "there is none")
	c.law(len(n.Children) == 0, "a case has no children", "there are %d", len(n.Children))
	c.most(len(n.Occurrences), MaxOccurrences, "it keeps at most %d occurrences")
	if n.CaseData != nil {
		want := EvidenceID(n)
		if a := n.CaseData.About; a != nil {
			for _, list := range [][]string{a.Not, a.Is} {
				c.law(len(list) <= MaxMisses, "a person names at most 32 checks of a case", "there are %d", len(list))
				for _, check := range list {
					c.kind(check)
				}
			}
		}
		c.law(n.ID == want, "a case's id is the hash of its evidence", "the evidence hashes to %s", want)
		if err := n.CaseData.TestCase.GroundTruth.Check(); err != nil {
			c.law(false, "its ground truth is JSON", "it %v", err)
		}
	}
}

func (c *checker) elsewhere(e *Elsewhere) {
	if e == nil {
		return
	}
	c.law(e.Cases > 0 && e.Tests >= 0 && e.Runs >= 0, "evidence elsewhere is counted",
		"there are %d cases, %d tests, %d runs", e.Cases, e.Tests, e.Runs)
	c.most(len(e.IDs), MaxChildren, "it names at most %d cases elsewhere")
	for _, id := range e.IDs {
		c.law(len(id) <= 64 && isWord(id), "its cases elsewhere are named by ids", "one is %s", quote(id))
	}
}

func (c *checker) content(n *Node) {
	t := &n.Content
	analysed := n.CaseData != nil && len(n.CaseData.Misses) > 0 // such a case may lack guidance of its own
	c.law(analysed || n.Buried() || t.Guidance != "" || len(t.Lessons) > 0,
		"it says what to check", "guidance and lessons are empty")
	c.most(len(t.Lessons), MaxLessons, "it has at most %d lessons")
	c.law(len(t.AppliesWhen) <= MaxConditions && len(t.NotWhen) <= MaxConditions,
		fmt.Sprintf("it names at most %d conditions", MaxConditions), "there are %d and %d", len(t.AppliesWhen),
		len(t.NotWhen))
	for _, l := range t.Lessons {
		c.law(l.Check != "" || l.Kind != "", "a lesson says what to check", "lesson %s does not", l.ID)
		c.kind(l.Kind)
		c.things(l.What)
		c.things(l.Scenes)
		c.law(l.Tests >= 0 && l.Times >= 0, "what a lesson rests on is counted", "there are %d tests and %d runs", l.Tests,
			l.Times)
		c.text("name", MaxName, l.From)
		c.law(l.ID == LessonID(l), "a lesson's id is the hash of its words", "lesson %s is not", l.ID)
		c.line("lesson", l.Check, l.Mistake, l.Instead)
		c.names("cited case", l.Cites)
	}
	c.line("content", t.Title, t.Description, t.Guidance)
	c.line("condition", t.AppliesWhen...)
	c.line("condition", t.NotWhen...)
	if o := t.Other; o != nil {
		c.law(n.Type == Experience, "only an experience is told in two languages", "a %s is", n.Type)
		c.most(len(o.AppliesWhen), MaxConditions, "it names at most %d conditions")
		c.text("name", MaxName, o.Lesson)
		c.line("other language", o.Texts()...)
	}
	c.most(len(t.Scenes), MaxConditions, "it names at most %d scene types")
	c.text("scene type", MaxName, t.Scenes...)
	if n.CaseData != nil {
		c.misses(n.CaseData.Misses)
	}
}

func (c *checker) misses(list []Miss) {
	c.most(len(list), MaxMisses, "a case has at most %d misses")
	for i := range list {
		m := &list[i]
		c.kind(m.Check)
		c.law(IsSlug(m.ErrorType), "the error type of a miss is a lower-case name with _", "it is %q", m.ErrorType)
		c.law(isFraction(m.Sure), "how sure a miss is lies in 0 to 1", "it is %v", m.Sure)
		c.law(slices.Contains([]string{FromPerson, FromModel, FromRules}, m.From),
			"a miss is in the words of a person, a model or the rules", "it is %q", m.From)
		c.things(m.What)
		c.line("miss", m.How, m.Cause, m.Instead, m.Claimed, m.Truth)
		c.most(len(m.At), MaxThings, "a miss names at most %d fields")
		c.text("field", MaxName, m.At...)
		c.expectations(m.Expect)
	}
}

func (c *checker) expectations(list []Expectation) {
	c.most(len(list), MaxExpectations, "a miss has at most %d expectations")
	for i := range list {
		if err := list[i].Check(); err != nil {
			c.law(false, "an expectation is well formed", "%v", err)
		}
	}
}

func (c *checker) kind(check string) {
	c.law(check == "" || IsSlug(check) || taxonomy.IsOwn(check),
		"a check is named by lower-case letters, digits and _, after own/ if it is of the tree's own", "it is %q", check)
}

func (c *checker) things(list []string) {
	c.most(len(list), MaxThings, "at most %d things are named")
	c.text("thing", MaxName, list...)
}

func (c *checker) line(what string, texts ...string) {
	c.text(what, MaxNodeLine, texts...)
}

func (c *checker) text(what string, limit int, texts ...string) {
	for _, t := range texts {
		if err := CheckText(what, t, limit); err != nil {
			c.law(false, "its texts are within their limits", "%v", err)
		}
	}
}

func (c *checker) names(what string, list []string) {
	c.most(len(list), MaxChildren, "it names at most %d of a "+what)
	c.text(what, MaxName, list...)
}

func (c *checker) strings(n *Node) {
	c.text("name", MaxName, n.Scene.ID, n.Scene.Type, n.Scene.Route, n.Scope.Product, n.Scope.Suite, n.Scope.Test,
		n.Origin.ID, n.Origin.Label, n.Parent, n.SupersededBy, n.LastChange,
		n.Provenance.By, n.Provenance.Analyst, n.Provenance.Model, n.Provenance.Template, n.Provenance.Job)
	c.names("cited node", n.Provenance.Cites)
	c.names("node left out", n.Provenance.Left)
	c.names("case lost", n.Provenance.Lost)
	c.line("reason", n.ArchivedFor)
	for _, o := range n.Occurrences {
		c.text("occurrence", MaxName, o.Evaluation, o.RunID, o.CaseID)
	}
	c.most(len(n.Counters), maxOrigins, "it is counted in at most %d origins")
	for _, origin := range slices.Sorted(maps.Keys(n.Counters)) {
		k := n.Counters[origin]
		c.text("origin", MaxName, origin)
		c.law(k.Used >= 0 && k.Correct >= 0, "its counters are not negative", "they are %d and %d", k.Used, k.Correct)
	}
	c.text("name", MaxName, n.Scope.SuiteTests...)
	c.text("name", MaxName, n.Scope.Build)
	if d := n.CaseData; d != nil {
		c.text("name", MaxName, d.TestCase.CaseID, d.TestCase.SceneID)
		c.text("evidence", MaxNodeText, d.TestCase.Prompt, string(d.TestCase.GroundTruth), d.AgentJudgment, d.EvaluatorReason)
		c.line("analysis", d.ActualError, d.ErrorReason, d.AvoidanceHint)
		if err := d.Evidence.check(); err != nil {
			c.law(false, "the evidence of its run is within its limits", "%v", err)
		}
	}
}

// CheckLinks returns all laws about n and its parent and children that n breaks, joined, each as a *LawError, or nil:
//
//   - The parent exists, is one level above n, and has n as a child.
//   - Each child exists, is one level below n, and has n's direction. It has n's error
//     type or a miss of that type, unless n.Provenance.Lost contains it.
//
// get returns a node by its id, and ErrNotFound if there is none. CheckLinks returns any other error of get.
func CheckLinks(ctx context.Context, n *Node, get func(context.Context, string) (Node, error)) error {
	c := &checker{id: n.ID}
	if n.Parent != "" {
		if err := c.link(ctx, get, n.Parent, func(p *Node) {
			c.law(p.Level == n.Level+1, "its parent is one level above", "%s is at level %d", p.ID, p.Level)
			c.law(slices.Contains(p.Children, n.ID), "its parent names it as a child", "%s does not", p.ID)
		}); err != nil {
			return err
		}
	}
	for _, id := range n.Children {
		if err := c.link(ctx, get, id, func(k *Node) {
			c.law(k.Level == n.Level-1, "its children are one level below", "%s is at level %d", k.ID, k.Level)
			c.law(k.Concerns(n.ErrorType) || slices.Contains(n.Provenance.Lost, k.ID),
				"its children have its error type, or a miss of it", "%s is %s", k.ID, k.ErrorType)
			c.law(k.Direction == n.Direction, "its children have its direction", "%s is %s", k.ID, k.Direction)
		}); err != nil {
			return err
		}
	}
	return errors.Join(c.broken...)
}

// Concerns reports whether n has this error type, or is a case with a miss of this error type.
func (n *Node) Concerns(errorType string) bool {
	return n.ErrorType == errorType || n.CaseData != nil &&
		slices.ContainsFunc(n.CaseData.Misses, func(m Miss) bool { return m.ErrorType == errorType })
}

func (c *checker) link(ctx context.Context, get func(context.Context, string) (Node, error), id string,
	laws func(*Node)) error {
	k, err := get(ctx, id)
	if errors.Is(err, ErrNotFound) {
		c.law(false, "the nodes it names exist", "%s does not", id)
		return nil
	}
	if err != nil {
		return fmt.Errorf("read %s: %w", id, err)
	}
	laws(&k)
	return nil
}

func isFraction(f float64) bool { return f >= 0 && f <= 1 && !math.IsNaN(f) }

func quote(s string) string {
	if len(s) > 40 {
		s = strings.ToValidUTF8(s[:40], "") + "…"
	}
	return fmt.Sprintf("%q", s)
}

// isWord reports whether s is not empty and consists of ASCII letters, digits and _.
func isWord(s string) bool {
	for _, r := range []byte(s) {
		if r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') {
			return false
		}
	}
	return s != ""
}

// IsSlug reports whether s can be the name of an error type: 1 to 64 lower-case ASCII letters, digits and _. So it can
// also be the name of a folder in a store.
func IsSlug(s string) bool {
	return isWord(s) && len(s) <= 64 && s == strings.ToLower(s)
}
