package formation

import (
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
	if d := w.differ(); d != "" {
		s += w.say(" Difference: ", "差异：") + d + w.say(".", "。")
	}
	if q := w.quote(); q != "" && !w.hasActions() {
		s += w.say(" It rested on: ", "依据是：") + q
	}
	return s
}

// differ says the differences that the direction has not said already.
func (w *wording) differ() string {
	var list []Difference
	for _, d := range w.differences {
		if d.Kind != Changed || !isVerdictField(d.Field) {
			list = append(list, d)
		}
	}
	return words(list, w.lang)
}

func (w *wording) hasActions() bool {
	for _, d := range w.differences {
		if strings.HasPrefix(string(d.Kind), "action") {
			return true
		}
	}
	return false
}

// quote is the agent's claim, short, in quotation marks.
func (w *wording) quote() string {
	c := text.Clip(strings.Join(strings.Fields(w.claim.key), " "), maxClaim)
	if utf8.RuneCountInString(c) < 6 {
		return ""
	}
	return w.say("“"+c+"”", "“"+c+"”")
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
	sentences := text.Sentences(text.Clean(firstBytes(w.e.Reason, maxReasoning)))
	if len(sentences) > 3 {
		c := findClaim(strings.Join(sentences, "\n"), taxonomy.FalseFail)
		if c.key != "" {
			sentences = []string{sentences[0], c.key}
		}
		if len(sentences) == 2 && sentences[0] == sentences[1] {
			sentences = sentences[:1]
		}
	}
	return text.Clip(strings.Join(strings.Fields(strings.Join(sentences[:min(len(sentences), 3)], " ")), " "), 500)
}

// hint says when to check what, and what is right then: the case's lesson first,
// the general rule of its type after it.
func (w *wording) hint() string {
	s := w.condition() + w.check()
	if c := w.scene.Checklist.In(w.lang); c != "" {
		s += w.say(" ", "") + c
	}
	if c := w.kind.Checklist.In(w.lang); c != "" {
		s += w.say(" ", "") + c
	}
	return s
}

// condition names the task, which the agent will know, and the moment.
func (w *wording) condition() string {
	task := w.task()
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

// task is the sentence of the prompt that says what to do, short.
func (w *wording) task() string {
	p := strings.Join(strings.Fields(text.Clean(firstBytes(w.e.Prompt, maxReasoning))), " ")
	return strings.TrimSuffix(text.Clip(strings.Trim(p, "\"“”"), 90), ".")
}

// check is the lesson of this very case.
func (w *wording) check() string {
	if w.hasActions() {
		return w.actionLesson()
	}
	var parts []string
	if d := w.fields(); d != "" {
		parts = append(parts, w.say("compare "+d+" with the source, one by one.", "逐项核对"+d+"与来源是否一致。"))
	}
	q := w.quote()
	switch {
	case q == "":
	case w.judged.Direction == taxonomy.FalsePass:
		parts = append(parts, w.say(
			"do not rest on a claim such as "+q+"; it is right only if the page or result itself shows it for every point that was asked.",
			"不要仅凭"+q+"下结论；只有页面或结果本身逐点证实，才算正确。"))
	case w.judged.Direction == taxonomy.FalseFail:
		parts = append(parts, w.say(
			"look again whether "+q+" really holds and whether the task asks for it; what is only not shown is not yet wrong.",
			"再次确认"+q+"是否属实、任务是否有此要求；仅仅没有展示并不等于错误。"))
	default:
		parts = append(parts, w.say(
			"check a claim such as "+q+" against what was asked and what was seen.",
			"将"+q+"与任务要求和实际所见逐一核对。"))
	}
	if len(parts) == 0 {
		return w.say("go through what was asked point by point and find the evidence for each.", "按任务要求逐点检查，并为每一点找到依据。")
	}
	return strings.Join(parts, w.say(" ", ""))
}

// fields names the fields that differ, verdicts apart.
func (w *wording) fields() string {
	var all []string
	for _, d := range w.differences {
		if d.Field != "" && !isVerdictField(d.Field) {
			all = append(all, inline(d.Field))
		}
	}
	return counted(all)
}

// actionLesson says which kind of action to check and how.
func (w *wording) actionLesson() string {
	var parts []string
	add := func(en, zh string) { parts = append(parts, w.say(en, zh)) }
	if n := names(w.differences, ActionMissing); n != "" {
		add("go through every request of the task and make sure each has been carried out by its own action; check above all "+n+", which was left out.",
			"逐条核对任务中的请求，确认每一项都有对应的操作；尤其检查曾被遗漏的 "+n+"。")
	}
	seen := map[string]bool{}
	for _, d := range w.differences {
		if d.Kind != ActionChanged || seen[d.Field] || len(seen) == 3 {
			continue
		}
		seen[d.Field] = true
		args := strings.Join(argumentsOf(w.differences, d.Field), ", ")
		if args == "" {
			continue
		}
		add("when calling "+inline(d.Field)+", check "+args+" against what the user asked for and what the look-ups returned; it is right if every value comes from there.",
			"调用 "+inline(d.Field)+" 时，将 "+args+" 与用户要求及查询结果核对；每个值都有出处才算正确。")
	}
	if n := names(w.differences, ActionSuperfluous); n != "" {
		add("call "+n+" only if the task asks for it and the rules allow it, and no more often than that.",
			"只有任务要求且规则允许时才执行 "+n+"，次数也不要超出。")
	}
	if n := names(w.differences, ActionMoved); n != "" {
		add("keep the order that the task implies for "+n+".", n+" 要按任务要求的先后顺序执行。")
	}
	return strings.Join(parts, w.say(" ", ""))
}
