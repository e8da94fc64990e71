package retrieval

import "math"

// The weight of a channel is the most that it can add to rel. So the same prompt on another
// page fits less (0.8) than the very place (1.0).
const (
	exactWeight    = 1.0
	semanticWeight = 0.8
	sceneWeight    = 0.6
)

// logisticScale turns a raw semantic score into evidence between 0 and 1 by a logistic curve. The
// evidence is 0.5 at middle and 0.73 one width above it.
type logisticScale struct{ middle, width float64 }

// Raw scores can be compared between queries and trees: the lexical score is divided by the score of a document that
// has all tokens of the query, and the other half is a cosine. So one pair of fixed points serves every tree.
//
// The points are called noise and paraphrase, see scaleThrough. They were chosen from the best raw scores of two kinds
// of prompts: prompts of one development set searched in the memories of another, which have no answer there, and
// prompts with a known partner. Paraphrase lies above nearly all prompts without an answer. Noise separates less well:
// short prompts searched in a tree of long reports mostly score above it. Of the prompts with a partner, three in four
// lie above paraphrase on some sets, and one in four or fewer on others; we preferred to abstain.
// quality/testdata/abstention.golden has the rates. They are measured on the sets that the points were chosen on, so
// other data may well do worse.
//
// The evidence at both points follows from the threshold of a case, 0.62. A raw score of noise (0.0625) reaches it
// together with a scene of the same type, one of paraphrase (0.775) alone.
var (
	fusedScale = scaleThrough(0.80, 1.20) // root of the lexical score and cosine, 0 to about 2
	wordScale  = scaleThrough(0.28, 0.62) // lexical score alone, 0 to about 1
)

// scaleThrough returns the logistic curve with evidence 0.0625 at the raw score noise and
// 0.775 at paraphrase.
func scaleThrough(noise, paraphrase float64) logisticScale {
	logit := func(v float64) float64 { return math.Log(v / (1 - v)) }
	w := (paraphrase - noise) / (logit(0.775) - logit(0.0625))
	return logisticScale{middle: paraphrase - w*logit(0.775), width: w}
}

func (s logisticScale) at(raw float64) float64 {
	return 1 / (1 + math.Exp(-(raw-s.middle)/s.width))
}

// needed is the inverse of at: it returns the least raw score with evidence v. For v ≥ 1,
// which no score reaches, it returns a number above all scores.
func (s logisticScale) needed(v float64) float64 {
	switch {
	case v <= 0:
		return math.Inf(-1)
	case v >= 1:
		return 1e9
	}
	return s.middle + s.width*math.Log(v/(1-v))
}
