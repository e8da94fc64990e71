package evolution

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/memtree/memtree/text"
	"github.com/memtree/memtree/tree"
)

// What the gates ask for.
const (
	leastCites     = 2
	leastCoverage  = 0.60 // of the cases shown, cited by some lesson
	leastGrounding = 0.30 // of a lesson's telling words, in the cases it cites
	leastFound     = 0.60 // of the cases, for which the draft would be found
	foundWithin    = 3    // places
	contradicts    = 0.50 // likeness of words with a memory of the other direction
	triedOut       = 12   // cases a draft is tried out on
)

// gate returns why a draft is refused, a sentence a model can act on, or "".
type gate struct {
	name string
	ask  func(*Evolver, *job, *draft) string
}

// gates are asked in this order, of a model's drafts and the rules' alike.
func gates() []gate {
	return []gate{
		{"limits", limits},
		{"language", language},
		{"members", knownMembers},
		{"coverage", coverage},
		{"grounding", grounding},
		{"literals", literals},
		{"truth", truth},
		{"forcing", forcing},
		{"safety", safety},
		{"contradiction", contradiction},
	}
}

// judge returns every reason to refuse a draft, each beginning with the name of
// its gate. The retrieval is asked last and only where nothing else speaks
// against the draft.
func (e *Evolver) judge(ctx context.Context, j *job, d *draft) ([]string, error) {
	var why []string
	for _, g := range gates() {
		if s := g.ask(e, j, d); s != "" {
			why = append(why, g.name+": "+s)
		}
	}
	if len(why) > 0 {
		return why, nil
	}
	s, err := e.retrievable(ctx, j, d)
	if err != nil {
		return nil, fmt.Errorf("try out a draft: %w", err)
	}
	if s != "" {
		why = append(why, "retrieval: "+s)
	}
	return why, nil
}

// refused joins reasons as llm.Ask wants them.
func refused(why []string) error {
	var all []error
	for _, s := range why {
		all = append(all, errors.New(s))
	}
	return errors.Join(all...)
}

// limits: between one and four lessons, each with something to check, a condition
// and no essay. What is merely long has been cut before.
func limits(_ *Evolver, _ *job, d *draft) string {
	if n := len(d.Lessons); n == 0 || n > tree.MaxLessons {
		return fmt.Sprintf("there are %d lessons; give 1 to %d", n, tree.MaxLessons)
	}
	if utf8.RuneCountInString(d.Title) < 4 {
		return "there is no title"
	}
	for i, l := range d.Lessons {
		if len(text.Tokens(l.Check)) < 3 {
			return fmt.Sprintf("lesson %d does not say what to check", i+1)
		}
		if slices.ContainsFunc(d.Lessons[:i], func(o tree.Lesson) bool { return o.ID == l.ID }) {
			return fmt.Sprintf("lesson %d says the same as another", i+1)
		}
	}
	if len(d.AppliesWhen) == 0 {
		return "it does not say when it applies"
	}
	if len(d.AppliesWhen) > tree.MaxConditions || len(d.NotWhen) > tree.MaxConditions {
		return fmt.Sprintf("there are too many conditions; give at most %d", tree.MaxConditions)
	}
	return ""
}

// language: the lessons are in the language of the cases.
func language(_ *Evolver, j *job, d *draft) string {
	for i, l := range d.Lessons {
		if text.Lang(l.Check) != j.lang || l.Instead != "" && text.Lang(l.Instead) != j.lang {
			if j.lang == "zh" {
				return fmt.Sprintf("第 %d 条没有用中文书写", i+1)
			}
			return fmt.Sprintf("lesson %d is not in English", i+1)
		}
	}
	return ""
}

// knownMembers: every lesson cites at least two of the cases, and no others.
func knownMembers(_ *Evolver, j *job, d *draft) string {
	known := map[string]bool{}
	for _, n := range j.members {
		known[n.ID] = true
	}
	for i, l := range d.Lessons {
		for _, id := range l.Cites {
			if !known[id] {
				return fmt.Sprintf("lesson %d cites %q, which is none of the cases", i+1, text.Clip(id, 30))
			}
		}
		if len(l.Cites) < leastCites {
			return fmt.Sprintf("lesson %d cites %d cases; a lesson rests on at least %d", i+1, len(l.Cites), leastCites)
		}
	}
	return ""
}

// coverage: what is said is about most of the cases.
func coverage(_ *Evolver, j *job, d *draft) string {
	if share := covered(j.shown, d.Lessons); share < leastCoverage {
		return fmt.Sprintf("the lessons cite %.0f %% of the cases; at least %.0f %% must be covered", 100*share, 100*leastCoverage)
	}
	return ""
}

func covered(cases []*tree.Node, lessons []tree.Lesson) float64 {
	cited := map[string]bool{}
	for _, l := range lessons {
		for _, id := range l.Cites {
			cited[id] = true
		}
	}
	n := 0
	for _, c := range cases {
		if cited[c.ID] {
			n++
		}
	}
	return float64(n) / float64(max(1, len(cases)))
}

// grounding: a lesson speaks of what its cases speak of, and at least one of them
// of more than judging in general. Of many cases a sample is read; what a strategy
// says of its experiences they have from their own cases.
func grounding(e *Evolver, j *job, d *draft) string {
	said := map[string]map[string]bool{}
	for _, n := range append(evenly(j.members, maxRest), j.shown...) {
		if said[n.ID] == nil {
			said[n.ID] = tokenSet(evidence(n))
		}
	}
	lessons := map[string]bool{}
	for _, n := range j.parts {
		for _, s := range textsOf(n) {
			maps.Copy(lessons, tokenSet(s))
		}
	}
	kind, _ := e.o.Taxonomy.ErrorType(j.partition.ErrorType)
	checklist := tokenSet(strings.Join([]string{kind.Checklist.EN, kind.Checklist.ZH, kind.Brief.EN, kind.Brief.ZH}, "\n"))
	specific := false
	for i, l := range d.Lessons {
		if e.boiler.strip(l.Check) == "" && e.boiler.strip(l.Instead) == "" {
			continue // the taxonomy's own words
		}
		all, held := 0, 0
		for w := range tokenSet(l.Check + " " + l.Instead) {
			if general()[w] || framed()[w] || checklist[w] {
				continue
			}
			all++
			if lessons[w] || slices.ContainsFunc(l.Cites, func(id string) bool { return said[id][w] }) {
				held++
			}
		}
		if all > 0 && float64(held) < leastGrounding*float64(all) {
			return fmt.Sprintf("of the telling words of lesson %d, %d of %d stand in the cases it cites; say it in the words of the cases", i+1, held, all)
		}
		specific = specific || held > 0
	}
	if !specific {
		return "the lessons say nothing that is particular to these cases"
	}
	return ""
}

// textsOf are what a lesson says, its title among it.
func textsOf(n *tree.Node) []string {
	out := []string{n.Content.Title}
	for _, l := range n.Content.Lessons {
		out = append(out, l.Check, l.Instead)
	}
	return out
}

func tokenSet(s string) map[string]bool {
	out := map[string]bool{}
	for _, w := range text.Tokens(s) {
		out[w] = true
	}
	return out
}

// evidence is all a case says.
func evidence(n *tree.Node) string {
	d := n.CaseData
	return strings.Join([]string{
		d.TestCase.Prompt, d.ActualError, d.ErrorReason, d.AvoidanceHint, d.EvaluatorReason, text.Clip(d.AgentJudgment, 4000), n.Scene.Type, n.Scene.Route,
	}, "\n")
}

var literal = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)https?://\S+|\bwww\.\S+|\S+@\S+\.\w+|[#$€£¥]?[\w.:/-]*\d[\w.:/%-]*`)
})

// literals: no id, address or number that belongs to one test.
func literals(_ *Evolver, j *job, d *draft) string {
	for _, s := range d.texts() {
		for _, v := range literal().FindAllString(s, -1) {
			v = strings.Trim(v, ".,;:，。；：")
			if v != "" && testsWith(j.members, v) < leastTests {
				return fmt.Sprintf("%q belongs to one test; name things in general", text.Clip(v, 40))
			}
		}
	}
	return ""
}

func testsWith(cases []*tree.Node, v string) int {
	v = strings.ToLower(v)
	seen := map[string]bool{}
	for _, n := range cases {
		if strings.Contains(strings.ToLower(evidence(n)), v) {
			seen[testOf(n)] = true
		}
	}
	return len(seen)
}

// truth: nothing that is the result of one test. What the prompts of two tests
// say anyway gives nothing away.
func truth(_ *Evolver, j *job, d *draft) string {
	all := strings.ToLower(strings.Join(d.texts(), "\n"))
	for _, n := range j.members {
		for _, v := range values(n.CaseData.TestCase.GroundTruth) {
			if !strings.Contains(all, v) || general()[v] {
				continue
			}
			in := map[string]bool{}
			for _, o := range j.members {
				if strings.Contains(strings.ToLower(o.CaseData.TestCase.Prompt), v) || slices.Contains(values(o.CaseData.TestCase.GroundTruth), v) {
					in[testOf(o)] = true
				}
			}
			if len(in) < leastTests {
				return "it says what is true in one test (" + strconv.Itoa(utf8.RuneCountInString(v)) + " characters of its ground truth); leave that out"
			}
		}
	}
	return ""
}

// values are the telling texts of a ground truth, lower case: four characters or
// more, two in Chinese, names of actions and fields left out.
func values(truth tree.Raw) []string {
	var v any
	if truth.Null() || truth.Check() != nil || json.Unmarshal(truth, &v) != nil {
		return nil
	}
	var out []string
	var walk func(v any, field string)
	walk = func(v any, field string) {
		switch v := v.(type) {
		case string:
			s := strings.ToLower(strings.TrimSpace(v))
			least := 4
			if han(s) {
				least = 2
			}
			named := slices.Contains([]string{"name", "action", "tool", "function", "type"}, field)
			if !named && utf8.RuneCountInString(s) >= least && !plainVerdict(s) {
				out = append(out, s)
			}
		case []any:
			for _, x := range v {
				walk(x, "")
			}
		case map[string]any:
			for k, x := range v {
				walk(x, k)
			}
		}
	}
	walk(v, "")
	slices.Sort(out)
	return slices.Compact(out)
}

// plainVerdict reports whether a value is a verdict or a grade and tells nothing.
func plainVerdict(s string) bool {
	return !strings.ContainsFunc(s, unicode.IsDigit) && len(strings.Fields(s)) == 1 &&
		strings.Contains(" pass passed fail failed failure success successful true false none null correct incorrect wrong right high medium low critical major minor normal error warning info unknown other 通过 失败 成功 正确 错误 正常 异常 缺陷 严重 一般 轻微 其他 ", " "+s+" ")
}

var forced = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(?:always|never|automatically|unconditionally|must|just|simply)\s+(?:be\s+)?(?:judge|mark|report|answer|declare|conclude)?\s*(?:it\s+)?(?:as\s+)?(?:a\s+)?(?:pass(?:ed)?|fail(?:ed|ure)?|success|defects?)\b|(?:一律|总是|永远|必须|直接)(?:都)?(?:判定?|视|标记)?(?:为)?(?:通过|失败|合格|有缺陷|无缺陷)`)
})

// forcing: a lesson says what to look at, never what to answer.
func forcing(_ *Evolver, _ *job, d *draft) string {
	for _, s := range d.texts() {
		if at := forced().FindString(s); at != "" {
			return fmt.Sprintf("%q decides the verdict; say what to check instead", at)
		}
	}
	return ""
}

// safety: nothing that speaks to the agent as its master.
func safety(e *Evolver, _ *job, d *draft) string {
	if e.o.Unsafe == nil {
		return ""
	}
	if reason, unsafe := e.o.Unsafe(strings.Join(d.texts(), "\n")); unsafe {
		return "its text " + reason
	}
	return ""
}

// contradiction: where a live memory says the same words against the other
// direction, a person has to look.
func contradiction(e *Evolver, j *job, d *draft) string {
	own := telltale(e, &tree.Content{Lessons: d.Lessons, AppliesWhen: d.AppliesWhen})
	for _, o := range j.opposite {
		their := telltale(e, &o.Content)
		both := 0
		for w := range own {
			if their[w] {
				both++
			}
		}
		if n := min(len(own), len(their)); n >= 4 && float64(both) >= contradicts*float64(n) && j.kind == o.Type {
			return "it speaks of the same as " + o.ID + ", which warns of the other direction; held for review"
		}
	}
	return ""
}

// telltale are the words of a content that are neither plain speech nor the
// taxonomy's.
func telltale(e *Evolver, c *tree.Content) map[string]bool {
	parts := slices.Clone(c.AppliesWhen)
	for _, l := range c.Lessons {
		parts = append(parts, e.boiler.strip(l.Check), e.boiler.strip(l.Instead))
	}
	out := tokenSet(strings.Join(parts, "\n"))
	for w := range out {
		if general()[w] {
			delete(out, w)
		}
	}
	return out
}

// retrievable: with one of its cases gone, the draft would still be found for
// that case's prompt and scene. An experience nobody finds replaces nothing.
func (e *Evolver) retrievable(ctx context.Context, j *job, d *draft) (string, error) {
	if e.o.Finder == nil || j.kind != tree.Experience {
		return "", nil
	}
	candidate := e.node(j, d, tree.Provenance{By: "evolution"})
	points := make([]*tree.Node, 0, triedOut)
	step := max(1, len(j.members)/triedOut)
	for i := 0; i < len(j.members) && len(points) < triedOut; i += step {
		points = append(points, j.members[i])
	}
	found := 0
	for _, held := range points {
		rank, err := e.o.Finder.Rank(ctx, &candidate, held)
		if err != nil {
			return "", err
		}
		if rank > 0 && rank <= foundWithin {
			found++
		}
	}
	if float64(found) < leastFound*float64(len(points)) {
		return fmt.Sprintf("it would be found for %d of %d of its cases were they new; say in appliesWhen what their tasks have in common", found, len(points)), nil
	}
	return "", nil
}
