package formation

import (
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/memtree/memtree/internal/cue"
	"github.com/memtree/memtree/taxonomy"
)

// weightedText is a text that may indicate the type of an error, with its weight.
type weightedText struct {
	Text   string
	Weight float64 // 1 for a description of the error itself
}

// classification is the result of a classifier.
type classification struct {
	Type       string   // taxonomy.OtherError when it abstains
	Best       string   // the type with the most evidence, also when it abstains; "" if no cue was found
	Confidence float64  // of Best, 0 to 0.8: no text is certain
	Margin     float64  // between Best and the next, 0 to 1
	Cues       []string // phrases that are evidence for Best, sorted
}

// The classifier abstains below the first two. Its confidence is never above the third.
const (
	minConfidence = 0.45
	minMargin     = 0.15
	maxConfidence = 0.80
)

// classifier classifies error types by the cues of a taxonomy. It is immutable and safe for concurrent use.
type classifier struct {
	types  []string
	finder *cue.Matcher
}

// newClassifier compiles the cues of error types.
func newClassifier(types []taxonomy.ErrorType) *classifier {
	c := &classifier{finder: cue.NewMatcher(cue.Gap)}
	for _, t := range types {
		if t.ID == taxonomy.OtherError {
			continue
		}
		c.types = append(c.types, t.ID)
		for _, q := range t.Cues {
			c.finder.Add(len(c.types)-1, q.Phrase, q.Phrase, q.Weight)
		}
	}
	return c
}

func isHan(r rune) bool { return unicode.Is(unicode.Han, r) }

// classify returns the type of the error that the texts describe. A cue is weighed once, in the text with the highest
// weight. Cues that overlap are all weighed. It abstains below confidence 0.45 or margin 0.15.
func (c *classifier) classify(texts ...weightedText) classification {
	return c.decide(c.score(texts), nil)
}

// typeScores is the evidence for each type.
type typeScores struct {
	scores []float64 // in the order of classifier.types; sum computes them from cues
	cues   []foundCue
}

type foundCue struct {
	kind   int // index of the type in classifier.types
	phrase string
	counts float64 // weight of the cue times that of the text
}

func (c *classifier) score(texts []weightedText) typeScores {
	ev := typeScores{scores: make([]float64, len(c.types))}
	for _, t := range texts {
		if t.Weight <= 0 || t.Text == "" {
			continue
		}
		c.scan(cue.Read(t.Text), t.Weight, &ev)
	}
	ev.sum()
	return ev
}

func (ev *typeScores) sum() {
	clear(ev.scores)
	for _, f := range ev.cues {
		ev.scores[f.kind] += f.counts
	}
}

func firstBytes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "")
}

func (c *classifier) scan(t cue.Stemmed, weight float64, ev *typeScores) {
	c.finder.Find(t, func(m cue.Match) { ev.add(m, weight) })
}

func (ev *typeScores) add(m cue.Match, weight float64) {
	counts := m.Weight * weight
	for i := range ev.cues {
		if ev.cues[i].kind == m.Kind && ev.cues[i].phrase == m.Phrase {
			ev.cues[i].counts = max(ev.cues[i].counts, counts)
			return
		}
	}
	ev.cues = append(ev.cues, foundCue{m.Kind, m.Phrase, counts})
}

// decide turns scores into a classification. signals adds to the scores of types by their
// id.
func (c *classifier) decide(ev typeScores, signals map[string]float64) classification {
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
		return classification{Type: taxonomy.OtherError}
	}
	// The sixth power sharpens the shares: many small hints together should not weigh as much as one clear term. The
	// factor enough lowers the confidence when any type has little evidence.
	s := scores[best]
	enough := s / (s + 1.5)
	cl := classification{Type: c.types[best], Best: c.types[best], Confidence: sharp(s) / total * enough, Margin: 1}
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

// round keeps two decimals: more would be noise in stored data.
func round(f float64) float64 { return math.Round(f*100) / 100 }
