package transfer

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/memtree/memtree/internal/private"
	"github.com/memtree/memtree/tree"
)

// Redactor removes secrets. Both methods return the input without secrets, and the number of secrets removed. Applied
// to their own results, they must find none.
type Redactor interface {
	Text(s string) (string, int)
	JSON(r tree.Raw) (tree.Raw, int)
}

// redaction is one node being redacted.
type redaction struct {
	by    Redactor
	page  *private.Redaction
	texts []text
	found int
}

// text is one text of a node with its limit, or a text that is JSON and must stay valid JSON.
type text struct {
	s     *string
	raw   *tree.Raw
	limit int
}

// redactNode returns a copy of a node without secrets, addresses, names and numbers, and the number of removals. by
// finds the secrets, in all texts. Rules find URLs, e-mail addresses and network addresses. Package private finds the
// parts that identify a person. The names of products, suites, tests, scenes, runs and teams become hashes, so that
// equal names stay equal. A case gets the id that follows from the rest of its evidence.
func redactNode(n tree.Node, by Redactor) (tree.Node, int) {
	n = n.Clone()
	r := &redaction{by: by, page: private.NewRedaction()}
	c := &n.Content
	if n.CaseData != nil {
		n.CaseData.Evidence = nil // the output of a tool and a picture of the page may disclose anything
	}
	r.evidence(n.CaseData) // first, since placeholders are numbered from the evidence on
	r.lines(&c.Title, &c.Description, &c.Guidance)
	for i := range c.AppliesWhen {
		r.lines(&c.AppliesWhen[i])
	}
	for i := range c.NotWhen {
		r.lines(&c.NotWhen[i])
	}
	if o := c.Other; o != nil {
		r.lines(&o.Title, &o.Check, &o.Mistake)
		for i := range o.AppliesWhen {
			r.lines(&o.AppliesWhen[i])
		}
	}
	for i := range c.Lessons {
		l := &c.Lessons[i]
		r.lines(&l.Check, &l.Mistake, &l.Instead)
		r.short(l.What)
		r.short(l.Scenes)
	}
	r.taught(n.Taught)
	r.text(&n.Scene.Type, tree.MaxName)
	r.short(c.Scenes)
	r.text(&n.Scene.Route, tree.MaxName)
	r.text(&n.ArchivedFor, tree.MaxNodeLine)
	r.generalise()
	r.machine(&n.Provenance.Model, &n.Provenance.Job, &n.Provenance.Template)
	r.names(&n.Scene.ID, &n.Scope.Product, &n.Scope.Suite, &n.Scope.Test, &n.Scope.Build, &n.Origin.Label)
	for i := range n.Scope.SuiteTests {
		r.names(&n.Scope.SuiteTests[i])
	}
	for i := range n.Occurrences {
		o := &n.Occurrences[i]
		r.names(&o.Evaluation, &o.RunID, &o.CaseID)
	}
	renewIDs(&n)
	if d := n.CaseData; d != nil {
		r.names(&d.TestCase.CaseID, &d.TestCase.SceneID)
		n.ID = tree.EvidenceID(&n)
	}
	return n, r.found
}

// renewIDs sets the ids of lessons that follow from their redacted text, and removes from citations entries that are
// no ids.
func renewIDs(n *tree.Node) {
	c := &n.Content
	for i := range c.Lessons {
		id := tree.LessonID(c.Lessons[i])
		if c.Other != nil && c.Other.Lesson == c.Lessons[i].ID {
			c.Other.Lesson = id
		}
		c.Lessons[i].ID = id
		c.Lessons[i].Cites = ids(c.Lessons[i].Cites)
	}
	slices.SortFunc(c.Lessons, func(a, b tree.Lesson) int { return strings.Compare(a.ID, b.ID) })
	c.Lessons = slices.CompactFunc(c.Lessons, func(a, b tree.Lesson) bool { return a.ID == b.ID })
	n.Provenance.Cites, n.Provenance.Left = ids(n.Provenance.Cites), ids(n.Provenance.Left)
	n.Provenance.Lost = ids(n.Provenance.Lost)
	if o := c.Other; o != nil && !slices.ContainsFunc(c.Lessons, func(l tree.Lesson) bool { return l.ID == o.Lesson }) {
		c.Other = nil
	}
	if len(ids([]string{n.SupersededBy})) == 0 {
		n.SupersededBy = ""
	}
}

// evidence gathers the texts of a case's evidence. A judgment that is a JSON object or array is
// redacted as JSON.
func (r *redaction) evidence(d *tree.CaseData) {
	if d == nil {
		return
	}
	r.text(&d.TestCase.Prompt, tree.MaxNodeText)
	r.texts = append(r.texts, text{raw: &d.TestCase.GroundTruth})
	if v := tree.Raw(d.AgentJudgment); v.Check() == nil && len(v) > 0 && strings.ContainsAny(d.AgentJudgment[:1], "{[") {
		r.texts = append(r.texts, text{s: &d.AgentJudgment, raw: &v})
	} else {
		r.text(&d.AgentJudgment, tree.MaxNodeText)
	}
	r.text(&d.EvaluatorReason, tree.MaxNodeText)
	r.lines(&d.ActualError, &d.ErrorReason, &d.AvoidanceHint)
	for i := range d.Misses {
		m := &d.Misses[i]
		r.lines(&m.How, &m.Cause, &m.Instead, &m.Claimed, &m.Truth)
		r.short(m.What)
		r.short(m.At)
		for k := range m.Expect {
			e := &m.Expect[k]
			r.lines(&e.From)
			for _, s := range []*string{&e.Where.Name, &e.Where.Page, &e.Where.After, &e.Expected, &e.Seen} {
				r.text(s, tree.MaxName)
			}
		}
	}
}

// taught gathers the examples of a taught lesson. It removes the name of the teacher, and hashes an example without a
// space, which may be the id of a test and so a name.
func (r *redaction) taught(t *tree.Taught) {
	if t == nil {
		return
	}
	if t.By != "" {
		t.By, r.found = "", r.found+1
	}
	for _, list := range [][]string{t.For, t.NotFor} {
		for i := range list {
			if strings.ContainsAny(list[i], " \u3000，。") {
				r.lines(&list[i])
			} else {
				r.names(&list[i])
			}
		}
	}
	t.Against = ids(t.Against)
}

func (r *redaction) text(s *string, limit int) { r.texts = append(r.texts, text{s: s, limit: limit}) }

func (r *redaction) lines(list ...*string) {
	for _, s := range list {
		r.text(s, tree.MaxNodeLine)
	}
}

func (r *redaction) short(list []string) {
	for i := range list {
		r.text(&list[i], tree.MaxName)
	}
}

// generalise redacts the gathered texts. The first pass removes what can be found in one text alone and collects the
// persons in all of them. The second removes the persons.
func (r *redaction) generalise() {
	for _, t := range r.texts {
		if t.raw == nil {
			r.secrets(t.s, t.limit)
			r.page.Read(*t.s)
			continue
		}
		v, n := r.by.JSON(t.raw.Canonical())
		r.found += n
		v = r.json(v, byRule)
		r.page.ReadJSON(v)
		*t.raw = v
	}
	for _, t := range r.texts {
		if t.raw == nil {
			out, n := r.page.Write(*t.s)
			r.found += n
			*t.s = clipped(out, t.limit, n)
			continue
		}
		v, n := r.page.WriteJSON(*t.raw)
		r.found += n
		if *t.raw = soundJSON(v).Canonical(); t.s != nil {
			*t.s = string(*t.raw)
		}
	}
}

// machine redacts the names of models and templates. They are not in the texts of the memory, so they get placeholders
// of their own.
func (r *redaction) machine(list ...*string) {
	for _, s := range list {
		r.secrets(s, tree.MaxName)
		out, n := private.NewRedaction().Write(*s)
		r.found += n
		*s = clipped(out, tree.MaxName, n)
	}
}

// secrets removes from one text what can be found in it alone: secrets and network addresses.
func (r *redaction) secrets(s *string, limit int) {
	out, n := r.by.Text(*s)
	out, more := byRule("", out)
	r.found += n + more
	*s = clipped(out, limit, n+more)
}

// clipped cuts a text that grew over its limit: a marker may be longer than the text it replaces.
func clipped(s string, limit, found int) string {
	if found == 0 {
		return s
	}
	return clip(s, limit)
}

// json applies f to all strings of a JSON value, and adds the number of finds.
func (r *redaction) json(v tree.Raw, f func(field, s string) (string, int)) tree.Raw {
	out, n := v.Replace(func(x tree.Scalar) (string, int) { return f(x.Field, x.Text) })
	r.found += n
	return soundJSON(out)
}

// soundJSON returns v if it is lawful JSON of a node, and a placeholder otherwise.
func soundJSON(v tree.Raw) tree.Raw {
	if v.Check() != nil || len(v) > tree.MaxNodeText {
		return tree.Raw(`"[redacted:value]"`)
	}
	return v
}

// names replaces names by hashes of them.
func (r *redaction) names(list ...*string) {
	for _, s := range list {
		if *s != "" && !hashed().MatchString(*s) {
			*s = "n_" + tree.Hash(*s)[:16]
			r.found++
		}
	}
}

// ids returns the ids in list and drops everything else, which may be a name.
func ids(list []string) []string {
	return slices.DeleteFunc(list, func(s string) bool { return !anID().MatchString(s) })
}

var anID = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[ces]_[a-z2-7]{20}$`) })

type redactRule struct {
	kind string
	hint string // a literal that every match contains
	find *regexp.Regexp
}

// rules find network addresses. Their order matters, since a URL contains an address.
var rules = sync.OnceValue(func() []redactRule {
	return []redactRule{
		{"url", "://", regexp.MustCompile(`(?i)\b[a-z][a-z0-9+.-]{1,15}://[^\s"'<>\\\x60]+`)},
		{"url", "www.", regexp.MustCompile(`(?i)\bwww\.[^\s"'<>\\\x60]+`)},
		{"email", "@", regexp.MustCompile(`[\p{Latin}0-9._%+-]+@[\p{Latin}0-9-]+(\.[\p{Latin}0-9-]+)+`)},
		{"address", ".", regexp.MustCompile(`\b\d{1,3}(\.\d{1,3}){3}\b`)},
		{"address", ":", regexp.MustCompile(`(?i)\b[0-9a-f]{1,4}(:[0-9a-f]{1,4}){7}\b`)},
	}
})

// byRule applies the rules to a text.
func byRule(_, s string) (string, int) {
	n := 0
	for _, rule := range rules() {
		if !strings.Contains(s, rule.hint) && (rule.hint != "www." || !strings.Contains(strings.ToLower(s), rule.hint)) {
			continue
		}
		s = rule.find.ReplaceAllStringFunc(s, func(found string) string {
			if strings.HasPrefix(found, "[redacted:") {
				return found
			}
			n++
			return "[redacted:" + rule.kind + "]"
		})
	}
	return s, n
}

var hashed = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^n_[a-z2-7]{16}$`) })
