package transfer

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/memtree/memtree/tree"
)

// Redactor takes secrets out of what leaves. Both return how many they found,
// and find nothing in what they returned.
type Redactor interface {
	Text(s string) (string, int)
	JSON(r tree.Raw) (tree.Raw, int)
}

// redaction is one node being redacted.
type redaction struct {
	by    Redactor
	found int
}

// redactNode takes secrets, addresses and names out of a node: secrets as by
// finds them, and URLs, e-mail and network addresses, telephone numbers and long
// numbers by rule, wherever a text may hold them; the names of products, suites,
// tests, scenes, runs and teams become hashes, so that what had one name still
// has one. A case gets the id of what is left of its evidence.
func redactNode(n tree.Node, by Redactor) (tree.Node, int) {
	n = n.Clone()
	r := &redaction{by: by}
	c := &n.Content
	r.lines(&c.Title, &c.Description, &c.Guidance)
	for i := range c.AppliesWhen {
		r.lines(&c.AppliesWhen[i])
	}
	for i := range c.NotWhen {
		r.lines(&c.NotWhen[i])
	}
	for i := range c.Lessons {
		l := &c.Lessons[i]
		r.lines(&l.Check, &l.Mistake, &l.Instead)
		for j := range l.What {
			r.text(&l.What[j], tree.MaxName)
		}
		for j := range l.Scenes {
			r.text(&l.Scenes[j], tree.MaxName)
		}
		l.ID = tree.LessonID(*l)
		l.Cites = ids(l.Cites)
	}
	slices.SortFunc(c.Lessons, func(a, b tree.Lesson) int { return strings.Compare(a.ID, b.ID) })
	c.Lessons = slices.CompactFunc(c.Lessons, func(a, b tree.Lesson) bool { return a.ID == b.ID })
	r.names(&n.Scene.ID, &n.Scope.Product, &n.Scope.Suite, &n.Scope.Test, &n.Scope.Build, &n.Origin.Label)
	for i := range n.Scope.SuiteTests {
		r.names(&n.Scope.SuiteTests[i])
	}
	r.text(&n.Scene.Type, tree.MaxName)
	for i := range c.Scenes {
		r.text(&c.Scenes[i], tree.MaxName)
	}
	r.text(&n.Scene.Route, tree.MaxName)
	r.text(&n.ArchivedFor, tree.MaxNodeLine)
	r.text(&n.Provenance.Model, tree.MaxName)
	r.text(&n.Provenance.Job, tree.MaxName)
	r.text(&n.Provenance.Template, tree.MaxName)
	n.Provenance.Cites = ids(n.Provenance.Cites)
	if len(ids([]string{n.SupersededBy})) == 0 {
		n.SupersededBy = ""
	}
	for i := range n.Occurrences {
		o := &n.Occurrences[i]
		r.names(&o.Evaluation, &o.RunID, &o.CaseID)
	}
	if d := n.CaseData; d != nil {
		r.evidence(d)
		n.ID = tree.CaseID(&n)
	}
	return n, r.found
}

func (r *redaction) evidence(d *tree.CaseData) {
	t := &d.TestCase
	r.names(&t.CaseID, &t.SceneID)
	r.text(&t.Prompt, tree.MaxNodeText)
	r.text(&d.EvaluatorReason, tree.MaxNodeText)
	r.lines(&d.ActualError, &d.ErrorReason, &d.AvoidanceHint)
	for i := range d.Misses {
		m := &d.Misses[i]
		r.lines(&m.How, &m.Instead, &m.Claimed, &m.Truth)
		for j := range m.What {
			r.text(&m.What[j], tree.MaxName)
		}
	}
	t.GroundTruth = r.json(t.GroundTruth).Canonical()
	if v := tree.Raw(d.AgentJudgment); v.Check() == nil && len(v) > 0 && strings.ContainsAny(d.AgentJudgment[:1], "{[") {
		d.AgentJudgment = string(r.json(v).Canonical())
	} else {
		r.text(&d.AgentJudgment, tree.MaxNodeText)
	}
}

func (r *redaction) lines(list ...*string) {
	for _, s := range list {
		r.text(s, tree.MaxNodeLine)
	}
}

func (r *redaction) text(s *string, limit int) {
	out, n := r.by.Text(*s)
	for _, rule := range rules() {
		out = rule.find.ReplaceAllStringFunc(out, func(found string) string {
			if strings.HasPrefix(found, "[redacted:") {
				return found
			}
			n++
			return "[redacted:" + rule.kind + "]"
		})
	}
	if r.found += n; n > 0 && len(out) > limit { // a marker may be longer than what it stands for
		for limit > 0 && !utf8.RuneStart(out[limit]) {
			limit--
		}
		out = out[:limit]
	}
	*s = out
}

// json redacts a JSON value: secrets by name and value, the rules in its text.
func (r *redaction) json(v tree.Raw) tree.Raw {
	v, n := r.by.JSON(v)
	r.found += n
	if !anyRule(string(v)) {
		return v
	}
	s := string(v)
	r.text(&s, tree.MaxNodeText)
	if out := tree.Raw(s); out.Check() == nil {
		return out
	}
	return tree.Raw(`"[redacted:value]"`) // a rule cut through its syntax
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

// ids keeps what is an id: nothing else has a place where cases are cited.
func ids(list []string) []string {
	return slices.DeleteFunc(list, func(s string) bool { return !anID().MatchString(s) })
}

var anID = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[ces]_[a-z2-7]{20}$`) })

type rule struct {
	kind string
	find *regexp.Regexp
}

// rules find what points at people and places. Their order matters: an address
// is in a URL.
var rules = sync.OnceValue(func() []rule {
	return []rule{
		{"url", regexp.MustCompile(`(?i)\b[a-z][a-z0-9+.-]{1,15}://[^\s"'<>\\\x60]+|\bwww\.[^\s"'<>\\\x60]+`)},
		{"email", regexp.MustCompile(`(?i)[a-z0-9._%+-]+@[a-z0-9-]+(\.[a-z0-9-]+)+`)},
		{"address", regexp.MustCompile(`\b\d{1,3}(\.\d{1,3}){3}\b|(?i)\b[0-9a-f]{1,4}(:[0-9a-f]{1,4}){7}\b`)},
		{"phone", regexp.MustCompile(`\+\d[\d ()-]{7,16}\d|\b1[3-9]\d{9}\b|\(\d{3}\) ?\d{3}-\d{4}\b|\b\d{3}-\d{3}-\d{4}\b`)},
		{"number", regexp.MustCompile(`\b\d{9,}\b`)},
	}
})

func anyRule(s string) bool {
	return slices.ContainsFunc(rules(), func(x rule) bool { return x.find.MatchString(s) })
}

var hashed = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^n_[a-z2-7]{16}$`) })
