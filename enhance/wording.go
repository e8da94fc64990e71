package enhance

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// Wording turns the fields of a memory into sentences: which checks were missed, on what, and how. No other package
// makes such sentences. A Wording is immutable and safe for concurrent use.
type Wording struct{ tax *taxonomy.Taxonomy }

// NewWording returns a Wording that uses the texts of tax; nil is the built-in taxonomy.
func NewWording(tax *taxonomy.Taxonomy) *Wording {
	if tax == nil {
		tax = taxonomy.Default()
	}
	return &Wording{tax}
}

const (
	maxTitle   = 80  // characters of a title
	maxWorded  = 900 // characters of a paragraph
	mostThings = 3   // things named in one sentence
	mostWhen   = 4   // conditions of a memory
)

// Fill writes the sentences of n from its fields, in n.Lang: title, description, guidance and conditions. It replaces
// sentences that the catalogue or the rules wrote, and keeps those of models and people. It does not change a node
// without fields, such as one of an older format.
func (w *Wording) Fill(n *tree.Node) {
	lessons := n.Says()
	if !hasFacts(n, lessons) {
		return
	}
	w.fillContent(n, lessons, n.Lang)
	for i := range n.Content.Lessons {
		if l := &n.Content.Lessons[i]; l.From == tree.FromCatalogue {
			l.Check = w.lesson(l, n.Direction, n.ErrorType, n.Lang).do
		}
	}
	if d := n.CaseData; d != nil && n.Provenance.Analyst != "model" {
		d.ActualError, d.ErrorReason, d.AvoidanceHint = n.Content.Description, reasonOf(n), n.Content.Guidance
	}
	if d := n.CaseData; d != nil && n.Provenance.Analyst == "model" {
		n.Content.Description = cmp.Or(d.ActualError, n.Content.Description)
	}
}

// In returns a copy of n with its sentences in lang. Unlike Fill it gives a case the lessons of its misses, and writes
// every lesson in lang for which it has a text.
func (w *Wording) In(n *tree.Node, lang string) tree.Node {
	n = n.In(lang)
	c := n.Clone()
	lessons := n.Says()
	if !hasFacts(n, lessons) {
		return c
	}
	w.fillContent(&c, lessons, lang)
	c.Content.Lessons = w.lessonsIn(n, lessons, lang)
	return c
}

// Shown returns n for a person who reads lang. The sentences are in lang if the writer of n supplied them in lang, or
// if all come from the taxonomy; else as written. The description of a case that the rules analysed has what people
// noted on the cause, in any language, or states that they noted nothing. The result may share memory with n.
func (w *Wording) Shown(n *tree.Node, lang string) tree.Node {
	c := w.shown(n, lang)
	if n.CaseData == nil || n.Provenance.Analyst != "rules" || !hasFacts(n, nil) {
		return c
	}
	if said := reasonOf(n); said != "" {
		c.Content.Description = said
	} else if slices.ContainsFunc(n.CaseData.Misses, func(m tree.Miss) bool { return m.Check != "" }) {
		c.Content.Description = taxonomy.Text{EN: "The record does not say how; perhaps: ", ZH: "记录没有说明原因，可能是："}.In(lang) +
			c.Content.Description
	}
	return c
}

func (w *Wording) shown(n *tree.Node, lang string) tree.Node {
	n = n.In(lang)
	written := func(l tree.Lesson) bool { return l.Kind == "" || l.From != tree.FromCatalogue }
	if n.Lang == lang || n.Provenance.Analyst != "rules" || slices.ContainsFunc(n.Says(), written) {
		return *n
	}
	c := w.In(n, lang)
	if n.CaseData != nil {
		c.Content.Lessons = n.Content.Lessons // the lessons of its misses are not its own
		return c
	}
	for i, l := range n.Content.Lessons {
		if l.Mistake == "" { // the description contains it
			c.Content.Lessons[i].Mistake = ""
		}
	}
	return c
}

// pointsIn is In for guidance, of a node with its lessons: it omits fields that repeat the lessons. The copy shares
// memory with n.
func (w *Wording) pointsIn(n *tree.Node, lessons []tree.Lesson, lang string) tree.Node {
	c := *n
	if hasFacts(n, lessons) {
		c.Content.Guidance, c.Content.Lessons = "", w.lessonsIn(n, lessons, lang)
	}
	return c
}

// lessonsIn writes the lessons of a node in lang, each that it can.
func (w *Wording) lessonsIn(n *tree.Node, lessons []tree.Lesson, lang string) []tree.Lesson {
	var out []tree.Lesson
	for _, l := range lessons {
		s := w.lesson(&l, n.Direction, n.ErrorType, lang)
		if _, known := w.tax.Check(l.Kind); n.Type == tree.Case && known {
			s.mistake = "" // it describes the finding of that time, not the present page
		}
		l.Check, l.Instead, l.Mistake = s.do, "", s.mistake
		out = append(out, l)
	}
	return out
}

// foreignTexts returns the texts of a memory with its lessons that must be checked before they are shown: texts of
// people and models, and names of things. Sentences of the taxonomy are the team's own.
func (w *Wording) foreignTexts(n *tree.Node, lessons []tree.Lesson) []string {
	var out []string
	if !hasFacts(n, lessons) {
		out = append(out, n.Content.Guidance)
	}
	ours := hasFacts(n, lessons) && n.Provenance.Analyst == "rules"
	if !ours {
		out = slices.Concat(out, n.Content.AppliesWhen)
	}
	out = slices.Concat(out, n.Content.NotWhen)
	for _, l := range lessons {
		if l.From != tree.FromCatalogue {
			out = append(out, l.Check, l.Instead)
		}
		out = append(out, l.What...)
	}
	return slices.DeleteFunc(out, func(s string) bool { return s == "" })
}

// hasFacts reports whether the content of a memory is in fields from which sentences can be made.
func hasFacts(n *tree.Node, lessons []tree.Lesson) bool {
	if n.CaseData != nil {
		return len(n.CaseData.Misses) > 0
	}
	return slices.ContainsFunc(lessons, func(l tree.Lesson) bool { return l.Kind != "" || l.From != "" })
}

// sentences is the wording of one lesson.
type sentences struct{ title, do, mistake, when string }

// lesson writes one lesson. It uses the sentence of a person or a model if that is in lang, or if the taxonomy has
// none. Otherwise it uses the taxonomy's, with the things inserted.
func (w *Wording) lesson(l *tree.Lesson, d taxonomy.Direction, errorType, lang string) sentences {
	check, _ := w.tax.Check(l.Kind)
	a := check.Advice(d)
	s := sentences{title: a.Title.In(lang), do: a.Do.In(lang), mistake: a.Mistake.In(lang), when: a.When.In(lang)}
	if with := a.With.In(lang); with != "" && len(l.What) > 0 {
		s.do = strings.ReplaceAll(with, taxonomy.What, quoteList(l.What, lang))
	}
	if own := text.Append(l.Check, l.Instead); l.From != tree.FromCatalogue && own != "" &&
		(text.Lang(own) == lang || s.do == "" || l.From == tree.FromPerson) {
		s.do = own
	}
	if l.Mistake != "" && (text.Lang(l.Mistake) == lang || s.mistake == "") {
		s.mistake = l.Mistake
	}
	if s.title == "" && lang != "zh" {
		s.title = taxonomy.OwnName(l.Kind)
	}
	return s
}

// quoteList lists at most mostThings things in quotation marks.
func quoteList(list []string, lang string) string {
	q := make([]string, 0, len(list))
	for _, s := range list[:min(len(list), mostThings)] {
		if isKind(s) {
			q = append(q, s)
			continue
		}
		q = append(q, "“"+strings.NewReplacer("“", "", "”", "", `"`, "").Replace(s)+"”")
	}
	if lang == "zh" {
		return strings.Join(q, "、")
	}
	if len(q) < 2 {
		return strings.Join(q, "")
	}
	return strings.Join(q[:len(q)-1], ", ") + " and " + q[len(q)-1]
}

// fillContent writes the fields common to nodes of all levels.
func (w *Wording) fillContent(n *tree.Node, lessons []tree.Lesson, lang string) {
	c := &n.Content
	var dos, mistakes, titles []string
	for _, l := range byTests(lessons) {
		s := w.lesson(&l, n.Direction, n.ErrorType, lang)
		dos, mistakes = append(dos, s.do), append(mistakes, s.mistake)
		if s.title != "" && !slices.Contains(titles, s.title) {
			titles = append(titles, s.title)
		}
	}
	c.Guidance = paragraph(dos)
	own := hasOwn(n)
	if !own || c.Title == "" {
		c.Title = w.title(n, lessons, titles, lang)
	}
	if !own || c.Description == "" {
		c.Description = w.description(n, lessons, mistakes, lang)
	}
	c.AppliesWhen = w.conditions(n, lessons, lang)
}

// hasOwn reports whether a model or a person wrote a lesson: its title, description and conditions stay.
func hasOwn(n *tree.Node) bool { return n.Type != tree.Case && n.Provenance.Analyst != "rules" }

// conditions returns when a node with its lessons applies.
func (w *Wording) conditions(n *tree.Node, lessons []tree.Lesson, lang string) []string {
	if !hasFacts(n, lessons) || hasOwn(n) && len(n.Content.AppliesWhen) > 0 {
		return n.Content.AppliesWhen
	}
	var when []string
	for _, l := range byTests(lessons) {
		s := w.lesson(&l, n.Direction, n.ErrorType, lang).when
		if s != "" && !slices.Contains(when, s) && len(when) < mostWhen {
			when = append(when, s)
		}
	}
	return when
}

// byTests returns lessons in the order of a text: those missed in most tests first.
func byTests(list []tree.Lesson) []tree.Lesson {
	out := slices.Clone(list)
	slices.SortStableFunc(out, func(a, b tree.Lesson) int {
		return cmp.Or(cmp.Compare(b.Tests, a.Tests), cmp.Compare(b.Times, a.Times))
	})
	return out
}

// paragraph joins sentences, each once and whole, and omits those without room.
func paragraph(list []string) string {
	all := ""
	for _, s := range list {
		if s == "" || strings.Contains(all, s) {
			continue
		}
		if longer := text.Append(all, s); utf8.RuneCountInString(longer) <= maxWorded {
			all = longer
		}
	}
	return all
}

// title returns a short name for people: the check, and for a case the things too.
func (w *Wording) title(n *tree.Node, lessons []tree.Lesson, titles []string, lang string) string {
	if n.Type == tree.Strategy {
		return w.strategyTitle(n, titles, lang)
	}
	if len(titles) == 0 {
		return clipTitle(w.untyped(n, lang))
	}
	if n.Type == tree.Case && len(lessons[0].What) > 0 {
		return clipTitle(titles[0] + taxonomy.Text{EN: ": ", ZH: "："}.In(lang) + quoteList(lessons[0].What, lang))
	}
	return clipTitle(titles[0])
}

// strategyTitle returns the error type and as many titles of lessons as have room, then the
// number of the others.
func (w *Wording) strategyTitle(n *tree.Node, titles []string, lang string) string {
	kind, _ := w.tax.ErrorType(n.ErrorType)
	// What a model wrote can be of another cause than the title of its check.
	written := func(l tree.Lesson) bool { return l.From == tree.FromModel }
	if of := len(n.Content.Lessons); slices.ContainsFunc(n.Content.Lessons, written) {
		return taxonomy.Text{EN: kind.Name.EN + ": " + countOf(of, "lesson"),
			ZH: kind.Name.ZH + fmt.Sprintf("：%d 条经验", of)}.In(lang)
	}
	for k := len(titles); k > 0; k-- {
		t := taxonomy.Text{
			EN: kind.Name.EN + ": " + strings.Join(titles[:k], "; "),
			ZH: kind.Name.ZH + "：" + strings.Join(titles[:k], "；"),
		}
		if left := len(titles) - k; left > 0 {
			t.EN, t.ZH = t.EN+fmt.Sprintf("; %d more", left), t.ZH+fmt.Sprintf(" 等 %d 项", len(titles))
		}
		if s := t.In(lang); utf8.RuneCountInString(s) <= maxTitle {
			return s
		}
	}
	return kind.Name.In(lang)
}

// untyped returns a title for a case without a known check: its direction and the first line
// of its prompt.
func (w *Wording) untyped(n *tree.Node, lang string) string {
	name := n.Direction.Name().In(lang)
	if n.CaseData == nil {
		return name
	}
	task, _, _ := strings.Cut(strings.TrimSpace(text.Clean(n.CaseData.TestCase.Prompt)), "\n")
	return name + taxonomy.Text{EN: ": ", ZH: "："}.In(lang) + text.Line(task)
}

// clipTitle cuts a title to maxTitle characters.
func clipTitle(s string) string { return text.Clip(s, maxTitle) }

// description describes the mistake, for people. A strategy's is the tally of its lessons.
func (w *Wording) description(n *tree.Node, lessons []tree.Lesson, mistakes []string, lang string) string {
	if n.Type == tree.Strategy {
		return w.tally(n, lessons, lang)
	}
	if s := paragraph(mistakes); s != "" || n.Taught != nil { // a taught lesson need not be about a mistake
		return s
	}
	switch n.Direction {
	case taxonomy.FalsePass:
		return taxonomy.Text{EN: "A defect was missed; the record does not say how.", ZH: "漏掉了缺陷；记录没有说明原因。"}.In(lang)
	case taxonomy.FalseFail:
		return taxonomy.Text{EN: "A defect was reported that is not there; the record does not say why.",
			ZH: "报告了并不存在的缺陷；记录没有说明原因。"}.In(lang)
	}
	return taxonomy.Text{EN: "The answer was not the right one; the record does not say why.",
		ZH: "结论不正确；记录没有说明原因。"}.In(lang)
}

// tally lists what was missed most, how often, and on which scene types. These are the numbers that the list of checks
// does not have.
func (w *Wording) tally(n *tree.Node, lessons []tree.Lesson, lang string) string {
	var parts []string
	for _, l := range byTests(lessons) {
		s := cmp.Or(w.lesson(&l, n.Direction, n.ErrorType, lang).title, quoteList([]string{l.Check}, lang))
		var facts []string
		if l.Tests > 0 {
			facts = append(facts, taxonomy.Text{EN: countOf(l.Tests, "test"), ZH: fmt.Sprintf("%d 个用例", l.Tests)}.In(lang))
		}
		if len(l.Scenes) > 0 {
			facts = append(facts, w.places(l.Scenes, lang))
		}
		if len(facts) > 0 {
			s += taxonomy.Text{EN: " (", ZH: "（"}.In(lang) + strings.Join(facts, taxonomy.Text{EN: ", ", ZH: "，"}.In(lang)) +
				taxonomy.Text{EN: ")", ZH: "）"}.In(lang)
		}
		parts = append(parts, s)
	}
	first := taxonomy.Text{EN: "Most frequent first: ", ZH: "从多到少："}
	if !slices.ContainsFunc(lessons, func(l tree.Lesson) bool { return l.Tests != lessons[0].Tests }) {
		first = taxonomy.Text{EN: "Equally frequent: ", ZH: "同样常见："}
	}
	if lang == "zh" {
		return first.ZH + strings.Join(parts, "；") + "。"
	}
	return first.EN + strings.Join(parts, "; ") + "."
}

// countOf returns a number with its noun, in English.
func countOf(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// places names the scene types of most of the misses.
func (w *Wording) places(types []string, lang string) string {
	names := make([]string, len(types))
	for i, t := range types {
		names[i] = t
		if s, ok := w.tax.SceneType(t); ok {
			names[i] = s.Name.In(lang)
		}
	}
	if lang == "zh" {
		return "多在" + strings.Join(names, "、")
	}
	return "mostly on scenes of type " + strings.Join(names, " and ")
}

// reasonOf returns the notes of people on how a case went wrong, "" for none: its error type and its check may be
// guessed, so their descriptions are no cause.
func reasonOf(n *tree.Node) string {
	for _, m := range n.CaseData.Misses {
		if m.How != "" {
			return asWritten(m.How, n.CaseData.EvaluatorReason)
		}
	}
	return ""
}
