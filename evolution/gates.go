package evolution

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
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

// because words a reason in the language of the cases, which is the model's too.
func (j *job) because(en, zh string, args ...any) string {
	if j.lang == "zh" {
		return fmt.Sprintf(zh, args...)
	}
	return fmt.Sprintf(en, args...)
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
func limits(_ *Evolver, j *job, d *draft) string {
	if n := len(d.Lessons); n == 0 || n > tree.MaxLessons {
		return j.because("there are %d lessons; give 1 to %d", "共有 %d 条教训；应为 1 到 %d 条", n, tree.MaxLessons)
	}
	if utf8.RuneCountInString(d.Title) < 4 {
		return j.because("there is no title", "没有标题")
	}
	for i, l := range d.Lessons {
		if len(text.Tokens(l.Check)) < 3 {
			return j.because("lesson %d does not say what to check", "第 %d 条没有说明要检查什么", i+1)
		}
		if slices.ContainsFunc(d.Lessons[:i], func(o tree.Lesson) bool { return o.ID == l.ID }) {
			return j.because("lesson %d says the same as another", "第 %d 条与另一条重复", i+1)
		}
	}
	if len(d.AppliesWhen) == 0 {
		return j.because("it does not say when it applies", "没有说明何时适用")
	}
	if len(d.AppliesWhen) > tree.MaxConditions || len(d.NotWhen) > tree.MaxConditions {
		return j.because("there are too many conditions; give at most %d", "条件太多；最多 %d 条", tree.MaxConditions)
	}
	return ""
}

// language: the lessons are in the language of the cases.
func language(_ *Evolver, j *job, d *draft) string {
	for i, l := range d.Lessons {
		if text.Lang(l.Check) != j.lang || l.Instead != "" && text.Lang(l.Instead) != j.lang {
			return j.because("lesson %d is not in English", "第 %d 条没有用中文书写", i+1)
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
				return j.because("lesson %d cites %q, which is none of the cases", "第 %d 条引用了 %q，它不在所给案例之中", i+1, text.Clip(id, 30))
			}
		}
		if len(l.Cites) < leastCites {
			return j.because("lesson %d cites %d cases; a lesson rests on at least %d", "第 %d 条引用了 %d 个案例；至少要有 %d 个", i+1, len(l.Cites), leastCites)
		}
	}
	return ""
}

// coverage: what is said is about most of the cases.
func coverage(_ *Evolver, j *job, d *draft) string {
	if share := covered(j.shown, d.Lessons); share < leastCoverage {
		return j.because("the lessons cite %.0f %% of the cases; at least %.0f %% must be covered", "各条教训引用了 %.0f %% 的案例；至少要覆盖 %.0f %%", 100*share, 100*leastCoverage)
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

var forced = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(?:always|never|automatically|unconditionally|must|just|simply)\s+(?:be\s+)?(?:judge|mark|report|answer|declare|conclude)?\s*(?:it\s+)?(?:as\s+)?(?:a\s+)?(?:pass(?:ed)?|fail(?:ed|ure)?|success|defects?)\b|(?:一律|总是|永远|必须|直接)(?:都)?(?:判定?|视|标记)?(?:为)?(?:通过|失败|合格|有缺陷|无缺陷)`)
})

// forcing: a lesson says what to look at, never what to answer.
func forcing(_ *Evolver, j *job, d *draft) string {
	for _, s := range d.texts() {
		if at := forced().FindString(s); at != "" {
			return j.because("%q decides the verdict; say what to check instead", "%q 替智能体下了结论；请改为说明要检查什么", at)
		}
	}
	return ""
}

// safety: nothing that speaks to the agent as its master.
func safety(e *Evolver, j *job, d *draft) string {
	if e.o.Unsafe == nil {
		return ""
	}
	if reason, unsafe := e.o.Unsafe(strings.Join(d.texts(), "\n")); unsafe {
		return j.because("its text %s", "文字不安全：%s", reason)
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
			return j.because("it speaks of the same as %s, which warns of the other direction; held for review", "与 %s 说的是同一件事，而后者提醒的方向相反；留待人工审核", o.ID)
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
		return j.because("it would be found for %d of %d of its cases were they new; say in appliesWhen what their tasks have in common",
			"假如其案例是新的，只有 %d 个（共 %d 个）会找到它；请在 appliesWhen 中写出这些任务的共同点", found, len(points)), nil
	}
	return "", nil
}
