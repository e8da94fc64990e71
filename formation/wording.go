package formation

import (
	"slices"
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
	if q := w.quote(); q != "" {
		s += w.say(" It rested on: ", "依据是：") + q
	}
	return s
}

// differ says the differences that the direction has not said already.
func (w *wording) differ() string {
	return words(w.details(), w.lang)
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

// quote is the agent's claim, short, in quotation marks.
func (w *wording) quote() string {
	if w.judged.Direction == taxonomy.Other || w.hasActions() {
		return "" // what it said tells nothing of what it did wrong
	}
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
	r := once(strings.Join(strings.Fields(text.Clean(firstBytes(w.e.Reason, maxReasoning))), " "))
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

// once returns half of a text that says the same twice, as joined fields do.
func once(s string) string {
	if h := len(s) / 2; len(s)%2 == 1 && s[h] == ' ' && s[:h] == s[h+1:] {
		return s[:h]
	}
	return s
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

// task is the sentence of the prompt that says what to do, short: without a
// lead-in such as "Judge whether …:", and not the one that says who is asking.
func (w *wording) task() string {
	p := strings.Join(strings.Fields(text.Clean(firstBytes(w.e.Prompt, maxReasoning))), " ")
	for _, mark := range []string{": ", "："} {
		if lead, rest, ok := strings.Cut(p, mark); ok && len(lead) < 80 && len(rest) > 20 {
			p = rest
			break
		}
	}
	sentences := text.Sentences(p)
	for _, s := range sentences {
		if containsAny(" "+strings.ToLower(s), " want", " need", " would like", " please", " check", " verify", " make sure", "请", "检查", "验证", "确认") {
			p = s
			break
		}
	}
	return strings.TrimRight(text.Clip(strings.Trim(p, "\"“”"), 90), ".。")
}

// check is the lesson of this very case.
func (w *wording) check() string {
	if w.hasActions() {
		return w.sentences(append(w.actionLesson(), w.found()...))
	}
	parts := append(w.fieldLesson(), w.claimLesson()...)
	parts = append(parts, w.found()...)
	if len(parts) == 0 {
		parts = []string{w.say("go through what was asked point by point and find the evidence for each.", "按任务要求逐点检查，并为每一点找到依据。")}
	}
	return w.sentences(parts)
}

// sentences joins lessons; the first follows a colon.
func (w *wording) sentences(parts []string) string {
	for i := range parts {
		if r, n := utf8.DecodeRuneInString(parts[i]); i > 0 && n == 1 {
			parts[i] = strings.ToUpper(string(r)) + parts[i][1:]
		}
	}
	return strings.Join(parts, w.say(" ", ""))
}

// found repeats what the evaluator found, as what to look out for.
func (w *wording) found() []string {
	r := text.Clip(w.evaluator(), 200)
	if r == "" || forces(r) {
		return nil
	}
	r = strings.TrimRight(r, ".。")
	return []string{w.say("make sure it is not again as was found here: “"+r+"”.", "确认没有再次出现当时发现的问题：“"+r+"”。")}
}

func (w *wording) fieldLesson() []string {
	var parts []string
	if n := w.fields(Missing); n != "" {
		parts = append(parts, w.say("see that the result states "+n+", completely and as asked for.", "确认结果按要求完整给出"+n+"。"))
	}
	if n := w.fields(Changed, Superfluous); n != "" {
		parts = append(parts, w.say("compare "+n+" with the source, one by one.", "逐项核对"+n+"与来源是否一致。"))
	}
	return parts
}

func (w *wording) claimLesson() []string {
	q := w.quote()
	switch {
	case q == "":
		return nil
	case w.judged.Direction == taxonomy.FalsePass:
		return []string{w.say(
			"do not rest on a claim such as "+q+"; it is right only if the page or result itself shows it for every point that was asked.",
			"不要仅凭"+q+"下结论；只有页面或结果本身逐点证实，才算正确。")}
	default:
		return []string{w.say(
			"look again whether "+q+" really holds and whether the task asks for it; what is only not shown is not yet wrong.",
			"再次确认"+q+"是否属实、任务是否有此要求；仅仅没有展示并不等于错误。")}
	}
}

// fields names the fields that differ in one of these ways, verdicts apart.
func (w *wording) fields(kinds ...DifferenceKind) string {
	var all []string
	for _, d := range w.details() {
		if d.Field != "" && slices.Contains(kinds, d.Kind) {
			all = append(all, inline(d.Field))
		}
	}
	return counted(all)
}

// actionLesson says which kind of action to check and how.
func (w *wording) actionLesson() []string {
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
	return parts
}
