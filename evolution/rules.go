package evolution

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/text"
	"github.com/memtree/memtree/tree"
)

// byRules writes without a model: what the group's causes and tasks have in
// common that others of the type lack, the most central case as the example,
// the hint that was given most often, and the checklists of type and scene.
// It returns drafts, the better first, and none where the cases have nothing of
// their own in common.
func (e *Evolver) byRules(j *job) []draft {
	w := newWriter(e, j)
	if j.kind == tree.Strategy {
		return w.strategy()
	}
	var drafts []draft
	if hint := w.repeatedHint(); hint != "" {
		drafts = append(drafts, w.experience(hint))
	}
	if countWords(w.causes)+countWords(w.tasks) >= leastWords {
		drafts = append(drafts, w.experience(""))
	}
	return drafts
}

const (
	leastTaskWords = 2 // one word alone says too little about a task
	leastWords     = 2 // and about a group: “history” or “met” is no lesson
)

// writer holds what one draft is worded from.
type writer struct {
	*job
	e       *Evolver
	zh      bool
	kind    taxonomy.ErrorType
	scenes  []taxonomy.SceneType // that cover half of the cases
	causes  []string             // contrast words of why
	tasks   []string             // and of what was asked
	example string               // the cause of the most central case, one sentence
	ids     []string
}

func newWriter(e *Evolver, j *job) *writer {
	w := &writer{job: j, e: e, zh: j.lang == "zh"}
	w.kind, _ = e.o.Taxonomy.ErrorType(j.partition.ErrorType)
	for _, n := range j.members {
		w.ids = append(w.ids, n.ID)
	}
	medoid := j.shown[0]
	prompt := func(n *tree.Node) string {
		said := speaker().ReplaceAllString(n.CaseData.TestCase.Prompt, "")
		return name().ReplaceAllString(text.Clip(said, maxPrompt), "$1 ")
	}
	w.causes = newContrast(evenly(j.members, 2*maxRest), j.rest, e.boiler.cause, j.read).words(5, general(), e.boiler.cause(medoid))
	if w.tasks = newContrast(evenly(j.members, 2*maxRest), j.rest, prompt, j.read).words(4, general(), prompt(medoid)); len(w.tasks) < leastTaskWords && !w.zh {
		w.tasks = nil
	}
	w.example = e.example(j)
	w.scenes = e.commonScenes(j.members)
	return w
}

// countWords counts an identifier as the words it is made of.
func countWords(list []string) (n int) {
	for _, s := range list {
		if identifier().MatchString(s) {
			n += len(text.Words(s))
		} else {
			n += len(strings.Fields(s))
		}
	}
	return n
}

// example is the first sentence of the most central case's cause that names
// nothing of one test alone, without its full stop.
func (e *Evolver) example(j *job) string {
	for _, n := range j.shown {
		for _, s := range text.Sentences(e.boiler.cause(n)) {
			s = step().ReplaceAllString(strings.Trim(s, "“”\"'"), "")
			d := draft{Title: s}
			if !tellsWhy(s) || strings.ContainsAny(s, "…{}*\\") || literals(e, j, &d) != "" || truth(e, j, &d) != "" || forcing(e, j, &d) != "" {
				continue
			}
			first, size := utf8.DecodeRuneInString(s)
			if word, _, _ := strings.Cut(s, " "); !strings.Contains(word, "_") {
				s = string(unicode.ToUpper(first)) + s[size:]
			}
			s = strings.TrimRight(text.Clip(s, maxMistake-4), ".:。：“”\"")
			if strings.Count(s, "“") > strings.Count(s, "”") {
				s += "”"
			}
			return s
		}
	}
	return ""
}

// tellsWhy reports whether a sentence is one, not a code or a name.
func tellsWhy(s string) bool { return han(s) || len(strings.Fields(s)) > 2 }

// step is how people who annotate a run begin: at which step.
var step = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)^(?:at|in) step \d+,?\s*`) })

// name is a capital letter within a sentence: people and places belong to one
// test, not to a kind of task.
var name = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`([\p{Ll},])(?: \p{Lu}[\p{L}'’-]*)+`) })

// speaker is who says a line of a conversation that was given as the prompt.
var speaker = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?im)^\s*(?:human|user|assistant|agent|system|ai|用户|助手|系统)\s*[:：]\s*`)
})

func (w *writer) say(en, zh string) string {
	if w.zh {
		return zh
	}
	return en
}

// quoted lists words: “filter”, “sort” and “range”.
func (w *writer) quoted(list []string, last string) string {
	q := make([]string, len(list))
	for i, s := range list {
		q[i] = "“" + s + "”"
	}
	if len(q) < 2 {
		return strings.Join(q, "")
	}
	between := w.say(", ", "、")
	return strings.Join(q[:len(q)-1], between) + last + q[len(q)-1]
}

// experience is about a hint, or without one about the words of the group.
func (w *writer) experience(hint string) draft {
	about := w.causes
	if len(about) == 0 {
		about = w.tasks
	}
	d := draft{
		Title:       w.kind.Name.In(w.lang) + w.say(": ", "：") + strings.Join(about, w.say(", ", "、")),
		Description: w.summary(about),
		AppliesWhen: w.applies(),
		NotWhen:     w.not(),
	}
	first := tree.Lesson{Check: hint, Mistake: w.mistake(), Cites: w.ids}
	if hint == "" {
		first.Check, first.Instead = w.lesson(about)
	}
	d.Lessons = append(d.Lessons, first)
	if c := w.kind.Checklist.In(w.lang); c != "" && hint != "" && c != hint {
		d.Lessons = append(d.Lessons, tree.Lesson{Check: c, Cites: w.ids})
	}
	for _, s := range w.scenes[:min(1, len(w.scenes))] {
		if c := s.Checklist.In(w.lang); c != "" {
			d.Lessons = append(d.Lessons, tree.Lesson{Check: c, Cites: w.ids})
		}
	}
	return d
}

// frame is a lesson of the rules around the words of a group and the brief
// checklist of its type: where to check, and what is right.
type frame struct{ where, instead taxonomy.Text }

var frames = map[taxonomy.Direction]frame{
	taxonomy.FalsePass: {
		taxonomy.Text{EN: "Before passing what concerns %s: ", ZH: "涉及%s时，判定通过之前："},
		taxonomy.Text{EN: "That an action was carried out is not yet its result.", ZH: "执行了操作不等于得到了结果。"},
	},
	taxonomy.FalseFail: {
		taxonomy.Text{EN: "Before failing what concerns %s: ", ZH: "涉及%s时，判定失败之前："},
		taxonomy.Text{EN: "What is only not shown is not yet wrong.", ZH: "仅仅没有展示并不等于错误。"},
	},
	taxonomy.Other: {
		taxonomy.Text{EN: "Where it concerns %s: ", ZH: "涉及%s时："},
		taxonomy.Text{EN: "It is right only if all that was asked for is there.", ZH: "要求的每一部分都已完成才算正确。"},
	},
}

func frameOf(d taxonomy.Direction) frame {
	if f, ok := frames[d]; ok {
		return f
	}
	return frames[taxonomy.Other]
}

// framed are the words and Chinese bigrams of the frames: they say nothing about
// any one group.
var framed = sync.OnceValue(func() map[string]bool {
	out := map[string]bool{}
	for _, f := range frames {
		for _, t := range []taxonomy.Text{f.where, f.instead} {
			for _, s := range []string{t.EN, t.ZH} {
				for part := range strings.SplitSeq(s, "%s") {
					maps.Copy(out, tokenSet(part))
				}
			}
		}
	}
	return out
})

// lesson says what to check and what is right where the words of the group turn
// up: briefly, for what is said beside it is of the group.
func (w *writer) lesson(about []string) (check, instead string) {
	f := frameOf(w.partition.Direction)
	list := w.quoted(about[:min(3, len(about))], w.say(" or ", "或"))
	return strings.Replace(f.where.In(w.lang), "%s", list, 1) + within(w.kind.InBrief(w.lang)), f.instead.In(w.lang)
}

// within makes a sentence the rest of another.
func within(s string) string {
	first, size := utf8.DecodeRuneInString(s)
	return string(unicode.ToLower(first)) + s[size:]
}

func (w *writer) mistake() string {
	if w.example == "" {
		return ""
	}
	return w.say("“"+w.example+"”", "“"+w.example+"”")
}

// summary says what went wrong, in the words of the most central case.
func (w *writer) summary(about []string) string {
	switch {
	case strings.HasSuffix(w.example, "…"):
		return w.example
	case w.example != "":
		return w.example + w.say(".", "。")
	}
	return w.say("Several judgements went wrong over "+w.quoted(about, " and ")+".", "多次误判与"+w.quoted(about, "和")+"有关。")
}

// applies says where the group was seen: its scenes, and what its tasks name, or
// else its causes. A lesson without a condition would be read as meant for all.
func (w *writer) applies() []string {
	var out []string
	var names []string
	for _, s := range w.scenes {
		names = append(names, s.Name.In(w.lang))
	}
	if len(names) > 0 {
		out = append(out, w.say("the page is: "+strings.Join(names, ", "), "页面类型为"+strings.Join(names, "、")))
	}
	if len(w.tasks) > 0 {
		out = append(out, w.say("the task is about "+strings.Join(w.tasks, ", "), "任务涉及"+strings.Join(w.tasks, "、")))
	}
	if len(out) > 0 || len(w.causes) == 0 {
		return out
	}
	// Tasks of any kind: what calls for the lesson is what the verdict rests on.
	return []string{w.say("the verdict turns on "+strings.Join(w.causes, ", "), "结论取决于"+strings.Join(w.causes, "、"))}
}

// not says when the lesson would do harm: what cures one direction causes the
// other when over-applied.
func (w *writer) not() []string {
	switch w.partition.Direction {
	case taxonomy.FalsePass:
		return []string{w.say("all that was asked is shown", "任务要求的内容都已显示")}
	case taxonomy.FalseFail:
		return []string{w.say("the page contradicts the task", "页面与任务要求相矛盾")}
	}
	return []string{w.say("nothing that was asked depends on it", "任务要求与此无关")}
}

// repeatedHint is the sentence that was given as a hint for most cases, at least
// two tests, and is not of the taxonomy: a person's or a model's.
func (w *writer) repeatedHint() string {
	seen := map[string]map[string]bool{}
	spelled := map[string]string{}
	for _, n := range w.members {
		for _, s := range text.Sentences(n.CaseData.AvoidanceHint) {
			if n.Provenance.Analyst == "rules" {
				s = ofAnyTask(s)
			}
			if w.e.boiler[s] || w.e.boiler[afterMoment(s)] || len(text.Tokens(s)) < 4 {
				continue
			}
			k := strings.ToLower(strings.Join(text.Tokens(s), " "))
			if seen[k] == nil {
				seen[k] = map[string]bool{}
			}
			seen[k][testOf(n)] = true
			if old, ok := spelled[k]; !ok || s < old {
				spelled[k] = s
			}
		}
	}
	best := ""
	for k, in := range seen {
		if len(in) >= leastTests && 2*len(in) >= tests(w.members) && w.tells(spelled[k], len(in)) &&
			(best == "" || len(in) > len(seen[best]) || len(in) == len(seen[best]) && k < best) {
			best = k
		}
	}
	return spelled[best]
}

// afterMoment returns what a hint says after the moment it is for: "Before
// reporting it as passed or done: …".
func afterMoment(s string) string {
	if at := strings.IndexAny(s, ":："); at >= 0 {
		_, size := utf8.DecodeRuneInString(s[at:])
		return strings.TrimSpace(s[at+size:])
	}
	return s
}

// tells reports whether a hint given for so many tests of the group is seldom
// given for other cases of the type: what is said of all tells nothing of these.
func (w *writer) tells(hint string, in int) bool {
	_, size := utf8.DecodeRuneInString(hint) // its first letter may have been made a capital
	others := 0
	for _, n := range w.rest {
		if strings.Contains(n.CaseData.AvoidanceHint, hint[size:]) {
			others++
		}
	}
	return len(w.rest) == 0 || logOdds(in, tests(w.members))-logOdds(others, len(w.rest)) >= leastOdds
}

// ofOneTask is how the rules analyst begins a hint: with the task of its case.
var ofOneTask = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:For a task like “[^”]*”(?: \([^)]*\))?, |遇到类似“[^”]*”的任务(?:（[^）]*）)?，)`)
})

// ofOneRun is evidence quoted at length.
var ofOneRun = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`: .*“[^”]{21,}”|：.*“[^”]{12,}”`) })

// ofAnyTask returns what a sentence of the rules analyst says of more than its own
// case: no task, and nothing where it is about the cause alone.
func ofAnyTask(s string) string {
	if strings.HasPrefix(s, "Cause of the earlier mistake") || strings.HasPrefix(s, "此前出错的原因") || ofOneRun().MatchString(s) {
		return ""
	}
	rest := ofOneTask().ReplaceAllString(s, "")
	if rest == s {
		return s
	}
	first, size := utf8.DecodeRuneInString(rest)
	return string(unicode.ToUpper(first)) + rest[size:]
}

// commonScenes returns the scene types that cover at least half of the cases, the
// most frequent first.
func (e *Evolver) commonScenes(cases []*tree.Node) []taxonomy.SceneType {
	count := map[string]int{}
	for _, n := range cases {
		if n.Scene.Type != "" {
			count[n.Scene.Type]++
		}
	}
	var out []taxonomy.SceneType
	for id, n := range count {
		if s, ok := e.o.Taxonomy.SceneType(id); ok && 2*n >= len(cases) && n >= 2 {
			out = append(out, s)
		}
	}
	slices.SortFunc(out, func(a, b taxonomy.SceneType) int {
		return cmp.Or(cmp.Compare(count[b.ID], count[a.ID]), cmp.Compare(a.ID, b.ID))
	})
	return out
}

// strategy puts under the checklist of the type what its experiences are about,
// those with most cases first: in one lesson what rules named, in one each what a
// hint or a model says.
func (w *writer) strategy() []draft {
	parts := slices.Clone(w.parts)
	slices.SortFunc(parts, func(a, b *tree.Node) int {
		return cmp.Or(cmp.Compare(len(b.Children), len(a.Children)), cmp.Compare(a.ID, b.ID))
	})
	name := w.kind.Name.In(w.lang) + w.say(" ("+w.partition.Direction.Name().EN+")", "（"+w.partition.Direction.Name().ZH+"）")
	d := draft{Title: name, Description: w.kind.Description.In(w.lang), NotWhen: w.not()}
	if c := w.kind.Checklist.In(w.lang); c != "" {
		d.Lessons = append(d.Lessons, tree.Lesson{Check: c, Cites: w.ids})
	}
	var named, cites []string
	var said []tree.Lesson
	for _, p := range parts {
		if len(p.Content.Lessons) == 0 {
			continue
		}
		d.AppliesWhen = append(d.AppliesWhen, p.Content.AppliesWhen...)
		if words := w.named(p); len(words) > 0 {
			named, cites = append(named, words...), append(cites, p.Children...)
			continue
		}
		l := p.Content.Lessons[0]
		said = append(said, tree.Lesson{Check: l.Check, Instead: l.Instead, Cites: slices.Clone(p.Children)})
	}
	if named = distinctWords(named); len(named) > 0 {
		list := w.quoted(named[:min(mostNamed, len(named))], w.say(" and ", "和"))
		d.Lessons = append(d.Lessons, tree.Lesson{
			Check: w.say("Above all look at what concerns "+list+".", "尤其要看涉及"+list+"的部分。"), Instead: frameOf(w.partition.Direction).instead.In(w.lang), Cites: cites,
		})
	}
	d.Lessons = append(d.Lessons, said[:min(len(said), tree.MaxLessons-len(d.Lessons))]...)
	d.AppliesWhen = d.AppliesWhen[:min(4, len(d.AppliesWhen))]
	if len(d.Lessons) < 2 {
		return nil
	}
	return []draft{d}
}

// mostNamed is how many words a strategy names of its experiences.
const mostNamed = 8

// named returns the first words that rules found an experience to be about, none
// where another wrote it or a hint leads it.
func (w *writer) named(e *tree.Node) []string {
	lead, _, _ := strings.Cut(frameOf(w.partition.Direction).where.In(w.lang), "%s")
	if e.Provenance.Analyst != "rules" || !strings.HasPrefix(e.Content.Lessons[0].Check, lead) {
		return nil
	}
	_, list, _ := strings.Cut(e.Content.Title, w.say(": ", "："))
	words := strings.Split(strings.TrimRight(list, "…"), w.say(", ", "、"))
	return words[:min(2, len(words))]
}

func distinctWords(list []string) []string {
	var out []string
	for _, s := range list {
		if s != "" && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}
