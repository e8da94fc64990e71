package risk

import (
	"math"
	"strings"
	"unicode"

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
	shapes
)

// Words of negation, hedging and contrast, in the two languages that text.Tokens supports.
const (
	denying = " not no never without fail failed fails failing failure missing incorrect incorrectly wrong error none " +
		"nothing neither nor 不 没 未 无 非 失败 错误 缺少 "
	hedging = " may might maybe perhaps possibly likely probably seem seems seemed appear appears appeared evidence " +
		"clear clearly unclear explicit explicitly confirm confirmed confirms confirming cannot verify verified assume " +
		"assuming indicate indicates 可能 似乎 好像 看来 也许 或许 应该 大概 确认 明确 证据 推测 "
	turning  = " however although though but while despite yet instead only 但 但是 然而 虽然 尽管 不过 却 只 "
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
		if s[i] >= '0' && s[i] <= '9' {
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

// Standard deviations of the prior of the weights, for numbers of standard deviation 1.
const (
	shapeWidth    = 0.2
	constantWidth = 0.5
	extreme       = 2.5 // standard deviations to which a number is clamped
)

// newShape returns a regression on shapes that starts at the rate base.
func newShape(base float64) logistic {
	mean, width := make([]float64, shapes+1), make([]float64, shapes+1)
	for i := range width {
		width[i] = shapeWidth
	}
	mean[shapes], width[shapes] = logit(base), constantWidth
	return newLogistic(mean, width)
}

// standardise returns the numbers of s with mean 0 and standard deviation 1, and a constant 1 after them. With fewer
// than 6 verdicts the numbers are 0.
func (m *learner) standardise(s shape) []float64 {
	x := make([]float64, shapes+1)
	x[shapes] = 1
	if m.n < 6 {
		return x
	}
	for i, f := range s {
		x[i] = max(-extreme, min(extreme, (float64(f)-m.mean[i])/math.Sqrt(m.m2[i]/float64(m.n)+1e-6)))
	}
	return x
}

// learnShape updates means and variances (B. P. Welford, Technometrics 4, 1962).
func (m *learner) learnShape(s shape) {
	for i, f := range s {
		d := float64(f) - m.mean[i]
		m.mean[i] += d / float64(m.n+1)
		m.m2[i] += d * (float64(f) - m.mean[i])
	}
}
