package formation

import (
	"math"
	"strings"
	"unicode"

	"github.com/memtree/memtree/internal/cue"
	"github.com/memtree/memtree/taxonomy"
)

// classification is the result of a classifier.
type classification struct {
	Type       string  // taxonomy.OtherError when it abstains
	Confidence float64 // of the type with the most evidence, 0 to 0.8: no text is certain
}

// The classifier abstains below the first two. Its confidence is never above the third.
const (
	minConfidence = 0.45
	minMargin     = 0.15
	maxConfidence = 0.80
)

// noteWeight is how much a phrase in a note counts, beside the signals of structure.
const noteWeight = 1.5

// classifier classifies error types by the phrases that a team gave them. It is immutable and safe for concurrent use.
type classifier struct {
	types  []string
	finder *cue.Matcher
}

// newClassifier compiles the cues of error types.
func newClassifier(types []taxonomy.ErrorType) *classifier {
	c := &classifier{}
	var phrases []cue.Phrase
	for _, t := range types {
		if t.ID == taxonomy.OtherError {
			continue
		}
		c.types = append(c.types, t.ID)
		for _, q := range t.Cues {
			phrases = append(phrases, cue.Phrase{Kind: len(c.types) - 1, Text: q.Phrase, Weight: q.Weight})
		}
	}
	c.finder = cue.NewMatcher(cue.Gap, phrases)
	return c
}

// classify weighs the phrases of a note, each once, and signals, the evidence for types by their id. It abstains below
// confidence 0.45, or where the next type is nearer than 0.15.
func (c *classifier) classify(note string, signals map[string]float64) classification {
	scores := make([]float64, len(c.types))
	for i, t := range c.types {
		scores[i] = signals[t]
	}
	type phrase struct {
		kind int
		text string
	}
	found := map[phrase]bool{}
	c.finder.Find(cue.Read(note), func(m cue.Phrase) {
		if p := (phrase{m.Kind, m.Text}); !found[p] {
			found[p] = true
			scores[m.Kind] += m.Weight * noteWeight
		}
	})
	return c.decide(scores)
}

func (c *classifier) decide(scores []float64) classification {
	total, best, next := 0.0, -1, -1
	for i, s := range scores {
		if s <= 0 {
			continue
		}
		switch {
		case best < 0 || s > scores[best]:
			best, next = i, best
		case next < 0 || s > scores[next]:
			next = i
		}
		total += sharp(s)
	}
	if best < 0 {
		return classification{Type: taxonomy.OtherError}
	}
	// The sixth power sharpens the shares: many small hints together should not weigh as much as one clear term. The
	// factor enough lowers the confidence when any type has little evidence.
	s, margin := scores[best], 1.0
	enough := s / (s + 1.5)
	if next >= 0 {
		margin = (sharp(s) - sharp(scores[next])) / total
	}
	cl := classification{Type: c.types[best], Confidence: round(min(sharp(s)/total*enough, maxConfidence))}
	if cl.Confidence < minConfidence || margin < minMargin {
		cl.Type = taxonomy.OtherError
	}
	return cl
}

func sharp(f float64) float64 { return f * f * f * f * f * f }

// round keeps two decimals: more would be noise in stored data.
func round(f float64) float64 { return math.Round(f*100) / 100 }

func isHan(r rune) bool { return unicode.Is(unicode.Han, r) }

func firstBytes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "")
}
