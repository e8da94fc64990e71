package formation

import (
	"slices"
	"strings"

	"github.com/memtree/memtree/text"
)

// leadIns begin what is said before a task and a colon, and tells nothing of it.
var leadIns = []string{"judge", "decide", "determine", "human", "user", "task", "question", "请判断", "判断", "任务", "用户", "问题"}

// task is the sentence of the prompt that says what to do, short: without a
// lead-in such as "Judge whether …:", without who is asking, and without ids.
func (w *wording) task(limit int) string {
	p := text.Line(firstBytes(w.e.Prompt, maxReasoning))
	for _, mark := range []string{": ", "："} {
		lead, rest, ok := strings.Cut(p, mark)
		isLead := slices.ContainsFunc(leadIns, func(l string) bool { return strings.HasPrefix(strings.ToLower(lead), l) })
		if ok && isLead && len(lead) < 80 && len(rest) > 20 {
			p = rest
			break
		}
	}
	p = strings.TrimPrefix(withoutIDs(withoutAsker(request(p))), "请")
	for _, q := range []string{`""`, "“”"} { // a prompt that is quoted as a whole
		open, end := q[:len(q)/2], q[len(q)/2:]
		if strings.HasPrefix(p, open) && strings.HasSuffix(p, end) {
			p = strings.Trim(p, q)
		}
	}
	return unstopped(text.Clip(p, limit))
}

// request is the sentence of a prompt that asks for something, or the prompt.
func request(p string) string {
	sentences := text.Sentences(p)
	for _, s := range sentences {
		if containsAny(" "+strings.ToLower(s), " want", " need", " would like", " please", " check", " verify", " make sure", "请", "检查", "验证", "确认") {
			return s
		}
	}
	const shortest = 24 // bytes: less is half a name, such as that of R. G. Smith
	for _, s := range sentences {
		if (strings.HasSuffix(s, "?") || strings.HasSuffix(s, "？")) && len(s) >= shortest {
			return s
		}
	}
	for len(sentences) > 1 && introduces(sentences[0]) {
		sentences = sentences[1:]
	}
	return strings.Join(sentences, " ")
}

// introduces reports whether a sentence only says who asks: "You are Ann Lee."
func introduces(s string) bool {
	return slices.ContainsFunc(askers, func(a string) bool {
		name, ok := strings.CutPrefix(s, a)
		return ok && name != "" && (a != askers[0] || name[0] >= 'A' && name[0] <= 'Z')
	})
}

// askers begin a sentence that says who asks.
var askers = []string{"You are ", "Your name is ", "Your user id is "}

// withoutAsker takes "You are Ann Lee and you want to" off a request.
func withoutAsker(s string) string {
	for _, wish := range []string{"ou want to ", "ou would like to ", "ou need to "} {
		who, rest, ok := strings.Cut(s, wish)
		if ok && len(rest) > 10 && (who == "Y" || slices.ContainsFunc(askers, func(a string) bool { return strings.HasPrefix(who, a) })) {
			return rest
		}
	}
	return s
}

// withoutIDs leaves out words that name one thing and no other: of letters and
// digits, but not 500ml, or of many digits.
func withoutIDs(s string) string {
	list := strings.Split(s, " ")
	for i, x := range list {
		core := strings.Trim(x, ".,;:!?()[]{}\"'“”‘’#，。；：！？（）")
		digits := strings.ContainsAny(core, "0123456789")
		letters := strings.ContainsFunc(core, func(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' })
		plain := !strings.ContainsFunc(core, func(r rune) bool { return r > 0x7f })
		unit := strings.TrimLeft(core, "0123456789.,")
		if plain && digits && len(core) >= 6 && (unit == "" || len(unit) > 3) && (letters || !strings.ContainsAny(core, "-/.:,")) {
			list[i] = strings.Replace(x, core, mask, 1)
		}
	}
	return strings.Join(list, " ")
}

// unstopped takes the marks off a text's end that would stand before those of the
// sentence it is put into.
func unstopped(s string) string { return strings.TrimRight(s, " .,;:。，；：、!！") }
