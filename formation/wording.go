package formation

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/text"
)

// wording puts the rules analyst's findings into sentences of one language. It
// never has the values of the ground truth in hand: only Field and Args of the
// differences.
type wording struct {
	*facts
	kind taxonomy.ErrorType
	zh   bool
}

func (w *wording) say(en, zh string) string { return pick(w.zh, en, zh) }

// actual says what went wrong this time.
func (w *wording) actual() string {
	s := ""
	switch w.judged.Direction {
	case taxonomy.FalsePass:
		s = w.say("It was judged as passed or done although it was not.", "判定为通过或已完成，但实际并非如此。")
	case taxonomy.FalseFail:
		s = w.say("A failure was reported although there was none.", "报告了失败或缺陷，但实际不存在。")
	default:
		s = w.say("What the agent said or did is not what is right.", "智能体的结论或操作与正确结果不一致。")
	}
	if d := words(w.details(), w.lang); d != "" {
		s += w.say(" Difference: ", "差异：") + d + w.say(".", "。")
	}
	if q := w.quote(); q != "" {
		s += w.say(" It rested on: “"+q+"”.", "依据是：“"+q+"”。")
	}
	return s
}

// details are the differences but for the verdict itself, and where that differs
// without what the ground truth has to say about it: an agent that saw no defect
// cannot have described it.
func (w *wording) details() []Difference {
	isVerdict := func(d Difference) bool { return d.Kind == Changed && isVerdictField(d.Field) }
	verdict := slices.ContainsFunc(w.differences, isVerdict)
	return slices.DeleteFunc(slices.Clone(w.differences), func(d Difference) bool {
		return isVerdict(d) || verdict && (d.Kind == Missing || d.Kind == Superfluous)
	})
}

func (w *wording) hasActions() bool { return hasActions(w.differences) }

// quote is the agent's claim, short, as it stands between quotation marks.
func (w *wording) quote() string {
	if w.judged.Direction == taxonomy.Other || w.hasActions() {
		return "" // what it said tells nothing of what it did wrong
	}
	plain := strings.NewReplacer("**", "", "`", "").Replace(w.claim.key) // Markdown
	plain = text.Squeeze(plain)
	for _, lead := range []string{"However, ", "But ", "但是，", "但", "然而，"} {
		plain = strings.TrimPrefix(plain, lead)
	}
	c := unstopped(text.Clip(inner(plain), maxClaim))
	if utf8.RuneCountInString(c) < 6 {
		return ""
	}
	return c
}

// reason says why, in the evaluator's words where there are some.
func (w *wording) reason() string {
	if r := w.evaluator(); r != "" {
		return r
	}
	if w.kind.ID == taxonomy.OtherError {
		return w.say("The record does not show the cause.", "现有记录看不出原因。")
	}
	return w.kind.Description.In(w.lang)
}

// evaluator returns the sentences of the evaluator's reason that say most about
// an error, at most three, in their order.
func (w *wording) evaluator() string {
	r := text.Once(text.Line(firstBytes(w.e.Reason, maxReasoning)))
	sentences := text.Sentences(r)
	if len(sentences) > 3 {
		list := sentences[:1]
		if c := findClaim(strings.Join(sentences[1:], "\n"), taxonomy.FalseFail); c.key != "" {
			list = append(list, c.key)
		}
		sentences = list
	}
	return text.Clip(strings.Join(sentences, " "), maxSentence)
}

// hint says when to check what, and what is right then: the lesson of the case
// first or else the rule of its type, then why it went wrong, then what the scene
// and the type ask for besides.
func (w *wording) hint() string {
	scene, kind := w.scene.Checklist.In(w.lang), w.kind.Checklist.In(w.lang)
	parts := w.lesson()
	if len(parts) == 0 && kind != "" {
		parts, kind = []string{kind}, ""
	}
	if len(parts) == 0 {
		parts = []string{w.say("it is right only if each point that was asked has its own evidence on the page or in the result.", "任务要求的每一点都能在页面或结果中找到依据，才算正确。")}
	}
	parts = append(parts, w.cause()...)
	if scene != "" && share(wordSet(scene), wordSet(w.kind.Checklist.In(w.lang))) < sameChecklist {
		parts = append(parts, scene)
	}
	if kind != "" {
		parts = append(parts, kind)
	}
	return w.condition() + w.sentences(parts)
}

// sameChecklist is the share of words from which on a scene's checklist only
// repeats that of the error type.
const sameChecklist = 0.35

// Lengths of what a hint repeats of its test, in characters: enough to know the
// kind of task by, not the test itself.
const (
	hintTask  = 70
	hintClaim = 100
	hintCause = 180
)

// condition names the task, which the agent will know, and the moment.
func (w *wording) condition() string {
	task := inner(w.task(hintTask))
	scene := ""
	if n := w.scene.Name.In(w.lang); n != "" {
		scene = w.say(" ("+n+")", "（"+n+"）")
	}
	moment := w.say("before giving the result", "给出结果之前")
	switch w.judged.Direction {
	case taxonomy.FalsePass:
		moment = w.say("before reporting it as passed or done", "判定通过或完成之前")
	case taxonomy.FalseFail:
		moment = w.say("before reporting a failure", "报告失败或缺陷之前")
	}
	return w.say("For a task like “"+task+"”"+scene+", "+moment+": ", "遇到类似“"+task+"”的任务"+scene+"，"+moment+"：")
}

// inner makes the quotation marks of a text those of a quotation in a quotation.
func inner(s string) string {
	return strings.NewReplacer("“", "‘", "”", "’", `"`, "'").Replace(s)
}

// stopped ends a text with one mark.
func (w *wording) stopped(s string) string {
	s = strings.TrimRight(s, " ,;:，；：、")
	if r, _ := utf8.DecodeLastRuneInString(s); strings.ContainsRune(".。!！?？…", r) {
		return s
	}
	return s + w.say(".", "。")
}

// sentences joins lessons; the first follows a colon.
func (w *wording) sentences(parts []string) string {
	for i := range parts {
		if r, n := utf8.DecodeRuneInString(parts[i]); i > 0 && n == 1 && !strings.HasPrefix(parts[i], "“") {
			parts[i] = strings.ToUpper(string(r)) + parts[i][1:]
		}
	}
	return strings.Join(parts, w.say(" ", ""))
}

// cause repeats why it went wrong, in the evaluator's words.
func (w *wording) cause() []string {
	r := text.Clip(withoutStep(w.evaluator()), hintCause)
	if r == "" || forces(r) {
		return nil
	}
	return []string{w.say("Cause of the earlier mistake: ", "此前出错的原因：") + w.stopped(r)}
}

// withoutStep takes off a leading "At step 24, ": the next run has other steps.
func withoutStep(s string) string {
	for _, lead := range []string{"at step ", "in step "} {
		if len(s) < len(lead) || !strings.EqualFold(s[:len(lead)], lead) {
			continue
		}
		rest := strings.TrimLeft(s[len(lead):], "0123456789")
		if rest, ok := strings.CutPrefix(rest, ", "); ok && rest != "" {
			return strings.ToUpper(rest[:1]) + rest[1:]
		}
	}
	return s
}

// lesson is what this very case teaches, what is right first.
func (w *wording) lesson() []string {
	if w.hasActions() {
		return w.actionLesson()
	}
	return append(w.fieldLesson(), w.claimLesson()...)
}

func (w *wording) fieldLesson() []string {
	var parts []string
	add := func(en, zh string) { parts = append(parts, w.say(en, zh)) }
	if n := w.fields(Missing); n != "" {
		add("the result is complete only if it also states "+n+" as the task asks.", "结果按任务要求同时给出"+n+"，才算完整。")
	}
	n := w.fields(Changed, Superfluous)
	switch {
	case n == "":
	case w.judged.Direction == taxonomy.FalsePass:
		add("it is right only if "+n+", looked at by itself, is as the task asks.", "单独查看"+n+"，确认符合任务要求，才算正确。")
	case w.judged.Direction == taxonomy.FalseFail:
		add("it is a failure only if a second look at "+n+" contradicts what the task asks for.", "再次查看"+n+"，确实与任务要求相矛盾，才算失败。")
	default:
		add("the value given for "+n+" is right only if the page, the data or a tool result shows it.", n+"的取值能在页面、数据或工具结果中找到依据，才算正确。")
	}
	return parts
}

func (w *wording) claimLesson() []string {
	q := unstopped(text.Clip(withoutIDs(w.quote()), hintClaim))
	switch {
	case q == "":
		return nil
	case w.judged.Direction == taxonomy.FalsePass:
		return []string{w.say(
			"it is right only if the page or result itself shows every point that was asked; a statement such as “"+q+"” is no evidence.",
			"只有页面或结果本身逐点证实任务要求，才算正确；“"+q+"”这样的说法不是依据。")}
	default:
		return []string{w.say(
			"it is a failure only if what is seen contradicts the task; look again whether “"+q+"” really holds and whether the task asks for it at all.",
			"只有所见内容与任务要求相矛盾，才算失败；再次确认“"+q+"”是否属实、任务是否有此要求。")}
	}
}

// fields names the fields that differ in one of these ways, verdicts apart.
func (w *wording) fields(kinds ...DifferenceKind) string {
	var all []string
	for _, d := range w.details() {
		if d.Field != "" && slices.Contains(kinds, d.Kind) {
			all = append(all, "“"+inline(d.Field)+"”")
		}
	}
	return listed(all, w.zh)
}

// actions names the actions of a kind.
func (w *wording) actions(kind DifferenceKind) (names string, several bool) {
	var all []string
	for _, d := range w.differences {
		if d.Kind == kind {
			all = append(all, inline(d.Field))
		}
	}
	return listed(all, w.zh), slices.ContainsFunc(all, func(n string) bool { return n != all[0] })
}

// actionLesson says which actions to take and how.
func (w *wording) actionLesson() []string {
	var parts []string
	add := func(en, zh string) { parts = append(parts, w.say(en, zh)) }
	if n, several := w.actions(ActionMissing); n != "" {
		was := "was"
		if several {
			was = "were"
		}
		add("it is done only if every request of the task has been carried out by its own call; "+n+" "+was+" left out before.",
			"任务中的每一项请求都有对应的操作，才算完成；此前遗漏了 "+n+"。")
	}
	seen := map[string]bool{}
	for _, d := range w.differences {
		if d.Kind != ActionChanged || seen[d.Field] || len(seen) == 3 {
			continue
		}
		seen[d.Field] = true
		args := listed(argumentsOf(w.differences, d.Field), w.zh)
		if args == "" {
			continue
		}
		add("call "+inline(d.Field)+" only with the "+args+" that the user asked for or a look-up returned.",
			"调用 "+inline(d.Field)+" 时，"+args+" 须与用户要求或查询结果完全一致。")
	}
	if n, several := w.actions(ActionSuperfluous); n != "" {
		it := "it"
		if several {
			it = "them"
		}
		add("call "+n+" only if the task asks for "+it+" and the rules allow it, and no more often.",
			"只有任务要求且规则允许时才执行 "+n+"，次数也不要超出。")
	}
	if n, _ := w.actions(ActionMoved); n != "" {
		add("carry out "+n+" in the order that the task implies.", "按任务要求的先后顺序执行 "+n+"。")
	}
	return parts
}

// mostListed is how many names a sentence can bear.
const mostListed = 4

// listed puts names into a sentence, once each: "a, b and c" or “a、b”.
func listed(names []string, zh bool) string {
	var once []string
	for _, n := range names {
		if !slices.Contains(once, n) {
			once = append(once, n)
		}
	}
	more := len(once) - mostListed
	switch {
	case len(once) == 0:
		return ""
	case more > 0 && zh:
		return strings.Join(once[:mostListed], "、") + "等 " + strconv.Itoa(len(once)) + " 项"
	case more > 0:
		return strings.Join(once[:mostListed], ", ") + " and " + strconv.Itoa(more) + " more"
	case zh:
		return strings.Join(once, "、")
	case len(once) == 1:
		return once[0]
	default:
		return strings.Join(once[:len(once)-1], ", ") + " and " + once[len(once)-1]
	}
}
