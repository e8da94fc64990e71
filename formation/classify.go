package formation

import (
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/memtree/memtree/taxonomy"
)

// Said is a text that may tell the type of an error, and how much it counts.
type Said struct {
	Text   string
	Weight float64 // 1 for what describes the error itself
}

// Class is the type a Classifier gives an error.
type Class struct {
	Type       string  // taxonomy.OtherError when it abstains
	Best       string  // the type with the most evidence, also when it abstains; "" for none
	Confidence float64 // of Best, 0 to 0.8: no words are certain
	Margin     float64 // between Best and the next, 0 to 1
	Cues       []string
}

// The rule of abstention, and the cap of what rules may be sure of.
const (
	minConfidence = 0.45
	minMargin     = 0.15
	maxConfidence = 0.80
)

// Classifier tells error types by the cues of a taxonomy. It is immutable and
// safe for concurrent use.
type Classifier struct {
	types []string
	gap   int              // tokens that may stand in a gap
	words map[string][]cue // by first token
	runes map[rune][]cue   // Chinese, by first character
}

// cue is a compiled taxonomy.Cue.
type cue struct {
	phrase string
	parts  [][]string // runs of tokens (or one text each, for Chinese), between the gaps
	kind   int        // place in types
	weight float64
}

// NewClassifier compiles the cues of tax.
func NewClassifier(tax *taxonomy.Taxonomy) *Classifier {
	c := &Classifier{gap: gapTokens, words: map[string][]cue{}, runes: map[rune][]cue{}}
	for _, t := range tax.ErrorTypes() {
		if t.ID == taxonomy.OtherError {
			continue
		}
		c.types = append(c.types, t.ID)
		for _, q := range t.Cues {
			c.add(cue{phrase: q.Phrase, kind: len(c.types) - 1, weight: q.Weight})
		}
	}
	return c
}

func (c *Classifier) add(q cue) {
	q.parts = compile(q.phrase)
	switch {
	case len(q.parts) == 0:
	case strings.ContainsFunc(q.phrase, isHan):
		first, _ := utf8.DecodeRuneInString(q.parts[0][0])
		c.runes[first] = append(c.runes[first], q)
	default:
		first := q.parts[0][0]
		c.words[first] = append(c.words[first], q)
	}
}

// compile splits a phrase at its gaps, into tokens or, in Chinese, texts.
func compile(phrase string) [][]string {
	chinese := strings.ContainsFunc(phrase, isHan)
	var parts [][]string
	for part := range strings.SplitSeq(strings.ToLower(phrase), "…") {
		var run []string
		switch {
		case chinese:
			run = []string{strings.TrimSpace(part)}
		case plainWords(part):
			run = strings.Fields(part)
			for i := range run {
				run[i] = stem(run[i])
			}
		default:
			run = stems(part)
		}
		if len(run) > 0 && run[0] != "" {
			parts = append(parts, run)
		}
	}
	return parts
}

// plainWords reports whether a phrase needs no tokenizer: most do not, and there
// are a thousand of them.
func plainWords(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r != ' ' && (r < 'a' || r > 'z') })
}

func isHan(r rune) bool { return unicode.Is(unicode.Han, r) }

// Limits of matching: tokens or characters that may stand in a gap.
const (
	gapTokens = 5
	gapClaim  = 10 // between a denial and what it denies
	gapRunes  = 10
	maxSaid   = 4000 // bytes of one text that are read
)

// Classify tells the type of the error that the texts speak of. Of cues that
// overlap in one type the longer ones add to the shorter; a cue counts once,
// where it counts most. It abstains below confidence 0.45 or margin 0.15.
func (c *Classifier) Classify(texts ...Said) Class {
	return c.decide(c.score(texts), nil)
}

// evidence is what speaks for each type, in the order of Classifier.types.
type evidence struct {
	scores []float64
	cues   []found
}

type found struct {
	cue
	counts float64
}

func (c *Classifier) score(texts []Said) evidence {
	ev := evidence{scores: make([]float64, len(c.types))}
	for _, t := range texts {
		if t.Weight <= 0 || t.Text == "" {
			continue
		}
		c.scan(read(t.Text), t.Weight, &ev)
	}
	ev.sum()
	return ev
}

func (ev *evidence) sum() {
	clear(ev.scores)
	for _, f := range ev.cues {
		ev.scores[f.kind] += f.counts
	}
}

// reading is a text made ready to be looked through by several classifiers.
type reading struct {
	text  string
	stems []string
}

func read(s string) reading {
	s = firstBytes(s, maxSaid)
	return reading{s, stems(s)}
}

func firstBytes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "")
}

func (c *Classifier) scan(r reading, weight float64, ev *evidence) {
	s, tokens := r.text, r.stems
	for i, t := range tokens {
		for _, q := range c.words[t] {
			if matchTokens(tokens[i:], q.parts, c.gap) {
				ev.add(q, weight)
			}
		}
	}
	lower, chinese := s, false
	for i, r := range s {
		if r < 0x2e80 || !isHan(r) {
			continue
		}
		if !chinese {
			chinese = true
			lower = strings.ToLower(s)
			if len(lower) != len(s) {
				return // lower case of another length: places no longer agree
			}
		}
		for _, q := range c.runes[r] {
			if matchRunes(lower[i:], q.parts) {
				ev.add(q, weight)
			}
		}
	}
}

func (ev *evidence) add(q cue, weight float64) {
	counts := q.weight * weight
	for i := range ev.cues {
		if ev.cues[i].kind == q.kind && ev.cues[i].phrase == q.phrase {
			ev.cues[i].counts = max(ev.cues[i].counts, counts)
			return
		}
	}
	ev.cues = append(ev.cues, found{q, counts})
}

// matchTokens reports whether the parts stand at the start of tokens, in order,
// with small gaps between them. Within a part one other token may stand between
// two: an identifier is followed by its whole.
func matchTokens(tokens []string, parts [][]string, gap int) bool {
	at := 0
	for i, part := range parts {
		reach := 0
		if i > 0 {
			reach = gap
		}
		start := -1
		for j := at; j <= at+reach && j < len(tokens); j++ {
			if n := matchRun(tokens[j:], part); n > 0 {
				start = j + n
				break
			}
		}
		if start < 0 {
			return false
		}
		at = start
	}
	return true
}

func matchRun(tokens, part []string) int {
	at := 0
	for i, p := range part {
		switch {
		case at < len(tokens) && tokens[at] == p:
			at++
		case i > 0 && at+1 < len(tokens) && tokens[at+1] == p:
			at += 2
		default:
			return 0
		}
	}
	return at
}

func matchRunes(s string, parts [][]string) bool {
	for i, part := range parts {
		if i == 0 {
			if !strings.HasPrefix(s, part[0]) {
				return false
			}
			s = s[len(part[0]):]
			continue
		}
		at := strings.Index(s, part[0])
		if at < 0 || utf8.RuneCountInString(s[:at]) > gapRunes {
			return false
		}
		s = s[at+len(part[0]):]
	}
	return true
}

// decide turns evidence, with a bonus for each type that structured signals
// speak for, into a class.
func (c *Classifier) decide(ev evidence, signals map[string]float64) Class {
	total, best, next := 0.0, -1, -1
	scores := slices.Clone(ev.scores)
	for i, t := range c.types {
		scores[i] += signals[t]
		if scores[i] <= 0 {
			continue
		}
		switch {
		case best < 0 || scores[i] > scores[best]:
			best, next = i, best
		case next < 0 || scores[i] > scores[next]:
			next = i
		}
		total += sharp(scores[i])
	}
	if best < 0 {
		return Class{Type: taxonomy.OtherError}
	}
	// The sixth power sharpens the shares, as a sum of many small hints is not worth one
	// plain word; little evidence overall is little confidence.
	s := scores[best]
	enough := s / (s + 1.5)
	cl := Class{Type: c.types[best], Best: c.types[best], Confidence: sharp(s) / total * enough, Margin: 1}
	if next >= 0 {
		cl.Margin = (sharp(s) - sharp(scores[next])) / total
	}
	cl.Confidence = round(min(cl.Confidence, maxConfidence))
	cl.Margin = round(cl.Margin)
	for _, f := range ev.cues {
		if f.kind == best {
			cl.Cues = append(cl.Cues, f.phrase)
		}
	}
	slices.Sort(cl.Cues)
	if cl.Confidence < minConfidence || cl.Margin < minMargin {
		cl.Type = taxonomy.OtherError
	}
	return cl
}

func sharp(f float64) float64 { return f * f * f * f * f * f }

// round keeps two decimals: more would be noise in what is stored.
func round(f float64) float64 { return math.Round(f*100) / 100 }
