package risk

import (
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/memtree/memtree/internal/text"
)

// shape holds properties that a reader notices before reading a verdict: a short run that is reported as failed, a
// failure whose reason names nothing wrong, a reason about something other than the task. Which of these indicate a
// mistake, and for which value, is learned. Counts are stored as log(1 + count); shares are within 0 to 1.
type shape [shapes]float32

// The numbers of a shape.
const (
	reasonLength = iota // words of the reason
	seenLength          // words of the observation
	promptLength        // words of the prompt
	seenLines           // lines of the observation
	seenSteps           // highest number at the start of a line of the observation: the steps of a run
	negations           // share of negations among the reason's words, such as not
	hedges              // share of hedges, such as maybe
	contrasts           // share of contrasts, such as but
	digits              // share of the reason's characters that are digits
	onTask              // share of the reason's different words that are in the prompt
	onSeen              // share that are in the observation
	looking             // share of words of what is to be seen, such as visible
	acting              // share of words of what was done, such as clicked
	bounds              // share of the prompt's words that leave nothing out, such as every
	ownValues           // share of the reason's numbers and quoted texts that are not in the prompt
	leftValues          // share of the prompt's numbers and quoted texts that are not in the reason
	shapes
)

const (
	learned = looking // the numbers before it are learned here; for those after it there is only the prior
	unknown = -1      // a number that features of the first version do not have, which ends before looking
)

// Words of negation, hedging and contrast, in the two languages that text.Tokens supports.
const (
	denying = " not no never without fail failed fails failing failure missing incorrect incorrectly wrong error none " +
		"nothing neither nor 不 没 未 无 非 失败 错误 缺少 "
	hedging = " may might maybe perhaps possibly likely probably seem seems seemed appear appears appeared evidence " +
		"clear clearly unclear explicit explicitly confirm confirmed confirms confirming cannot verify verified assume " +
		"assuming indicate indicates 可能 似乎 好像 看来 也许 或许 应该 大概 确认 明确 证据 推测 "
	turning = " however although though but while despite yet instead only 但 但是 然而 虽然 尽管 不过 却 只 "
	seeing  = " visible displayed displays available present shown shows appears listed exists contains looks " +
		"可见 显示 展示 存在 齐全 完整 清晰 正常 包含 "
	doing = " click clicked clicking press pressed pressing open opened opening type typed typing enter entered reload " +
		"reloaded refresh refreshed after then select selected scroll scrolled download downloaded submit submitted drag " +
		"dragged switch switched 点击 点开 打开 刷新 输入 切换 提交 选 后 再 滚 "
	bounding = " if otherwise unless only all every each except most least closest cheapest 如果 除 所有 每 均 全部 最 "
	maxWords = 4096    // words of a text that are used
	maxText  = 1 << 16 // bytes of a text that are searched for digits and steps
)

func shapeOf(prompt, observation, reason string) shape {
	rw, pw, ow := firstWords(reason), firstWords(prompt), firstWords(observation)
	var s shape
	s[reasonLength], s[promptLength], s[seenLength] = logCount(len(rw)), logCount(len(pw)), logCount(len(ow))
	s[seenLines] = logCount(strings.Count(observation, "\n"))
	s[seenSteps] = logCount(highestStep(observation))
	s[negations], s[hedges], s[contrasts] = shareOf(rw, denying), shareOf(rw, hedging), shareOf(rw, turning)
	s[digits] = digitShare(reason)
	s[onTask], s[onSeen] = overlap(rw, pw), overlap(rw, ow)
	s[looking], s[acting], s[bounds] = shareOf(rw, seeing), shareOf(rw, doing), shareOf(pw, bounding)
	s[ownValues], s[leftValues] = notIn(reason, prompt), notIn(prompt, reason)
	for i := range s { // the rounding of Encode
		s[i] = float32(math.Round(float64(s[i])/shapeUnit)) * shapeUnit
	}
	return s
}

func firstWords(s string) []string {
	w := text.Words(s)
	return w[:min(len(w), maxWords)]
}

func logCount(n int) float32 { return float32(math.Log1p(float64(n))) }

// shareOf returns the share of words that are in the list. Chinese words are pairs of characters, so one character of a
// pair in the list suffices. The 5 in the denominator keeps a text of one word from reaching 1.
func shareOf(words []string, list string) float32 {
	n := 0
	for _, w := range words {
		if strings.Contains(list, " "+w+" ") {
			n++
			continue
		}
		for _, r := range w {
			if unicode.Is(unicode.Han, r) && strings.Contains(list, " "+string(r)+" ") {
				n++
				break
			}
		}
	}
	return float32(n) / float32(len(words)+5)
}

func digitShare(s string) float32 {
	s = s[:min(len(s), maxText)]
	n := 0
	for i := range len(s) {
		if isDigit(s[i]) {
			n++
		}
	}
	return float32(n) / float32(len(s)+20)
}

func overlap(a, b []string) float32 {
	in := make(map[string]bool, len(b))
	for _, w := range b {
		in[w] = true
	}
	seen := make(map[string]bool, len(a))
	n := 0
	for _, w := range a {
		if !seen[w] {
			seen[w] = true
			if in[w] {
				n++
			}
		}
	}
	return float32(n) / float32(len(seen)+5)
}

// highestStep returns the highest number below 1000 that begins a line and is followed by a full stop or a closing
// bracket.
func highestStep(s string) int {
	most := 0
	for line := range strings.Lines(s[:min(len(s), maxText)]) {
		n, i := 0, 0
		line = strings.TrimLeft(line, " \t")
		for ; i < len(line) && i < 4 && line[i] >= '0' && line[i] <= '9'; i++ {
			n = 10*n + int(line[i]-'0')
		}
		if i > 0 && n < 1000 && strings.HasPrefix(strings.TrimLeft(line[i:], " "), ".") || i > 0 && n < 1000 &&
			strings.HasPrefix(line[i:], ")") {
			most = max(most, n)
		}
	}
	return most
}

// notIn returns the share of the numbers and quoted texts of a that are not in b.
func notIn(a, b string) float32 {
	all := valuesOf(a[:min(len(a), maxText)])
	in := strings.ToLower(b[:min(len(b), maxText)])
	n := 0
	for _, v := range all {
		if !strings.Contains(in, v) {
			n++
		}
	}
	return float32(n) / float32(len(all)+1)
}

// Lengths of a quoted text that counts as a value, in bytes, and the most values of a text.
const (
	leastValue, longestValue = 2, 120
	mostValues               = 64
)

// valuesOf returns the different numbers and quoted texts of s, in lower case.
func valuesOf(s string) (out []string) {
	s = strings.ToLower(s)
	add := func(v string) {
		if len(out) < mostValues && !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r >= '0' && r <= '9':
			n := i
			for n < len(s) && (isDigit(s[n]) || strings.IndexByte(".,:", s[n]) >= 0 && n+1 < len(s) && isDigit(s[n+1])) {
				n++
			}
			add(s[i:n])
			i = n
			continue
		case strings.ContainsRune("\"“‘「", r):
			end := strings.IndexAny(s[i+size:], "\"”’」")
			if end >= leastValue && end <= longestValue {
				add(s[i+size : i+size+end])
			}
		}
		i += size
	}
	return out
}

func isDigit(b byte) bool { return b >= '0' && b <= '9' }

// Standard deviations of the prior of the weights, for numbers of standard deviation 1.
const (
	shapeWidth    = 0.2
	constantWidth = 0.5
	extreme       = 2.5 // standard deviations to which a number is clamped
)

// newShape returns a regression on shapes that starts at the rate base.
func newShape(base float64) logistic {
	mean, width := make([]float64, learned+1), make([]float64, learned+1)
	for i := range width {
		width[i] = shapeWidth
	}
	mean[learned], width[learned] = logit(base), constantWidth
	return newLogistic(mean, width)
}

// standardise returns the numbers of s with mean 0 and standard deviation 1, and a constant 1 after them. With fewer
// than 6 verdicts the numbers are 0.
func (m *learner) standardise(s *shape) []float64 {
	x := make([]float64, learned+1)
	x[learned] = 1
	if m.n < 6 {
		return x
	}
	for i, f := range s[:learned] {
		x[i] = max(-extreme, min(extreme, (float64(f)-m.mean[i])/math.Sqrt(m.m2[i]/float64(m.n)+1e-6)))
	}
	return x
}

// learnShape updates means and variances (B. P. Welford, Technometrics 4, 1962).
func (m *learner) learnShape(s *shape) {
	for i, f := range s[:learned] {
		d := float64(f) - m.mean[i]
		m.mean[i] += d / float64(m.n+1)
		m.m2[i] += d * (float64(f) - m.mean[i])
	}
}
