package retrieval

import "math"

// The weights of the channels are ceilings: a perfect match of the prompt is
// worth 0.8 of the exact place.
const (
	exactWeight    = 1.0
	semanticWeight = 0.8
	sceneWeight    = 0.6
)

// scale turns a raw semantic score into evidence between 0 and 1, by a logistic
// curve: half at middle, and 0.73 one width above it.
type scale struct{ middle, width float64 }

// The raw score is made to be comparable between queries and trees: words are
// divided by what a document with all of them would get, and a cosine is one.
// So two fixed points serve every tree. They were read off the best raw scores
// of prompts of one development set that ask the memories of another, which has
// no answer, and of prompts with a known partner. The second lies above nearly
// all of the former; the first is not as clean: short questions that ask a tree
// of long reports pass it more often than not. Partners above the second are
// three in four on some sets and one in four or fewer on others: abstaining was
// put first. quality/testdata/abstention.golden has the rates, on the very sets
// the points were chosen on, so other data may well do worse.
//
// At the first point the threshold of a case would let a match of the scene type
// pass (evidence 0.0625), at the second the prompt alone (evidence 0.775).
var (
	fusedScale = through(0.60, 1.05) // words and meaning, 0 to about 2
	wordScale  = through(0.28, 0.62) // words alone, 0 to about 1
)

func through(noise, paraphrase float64) scale {
	logit := func(v float64) float64 { return math.Log(v / (1 - v)) }
	w := (paraphrase - noise) / (logit(0.775) - logit(0.0625))
	return scale{middle: paraphrase - w*logit(0.775), width: w}
}

func (s scale) at(raw float64) float64 {
	return 1 / (1 + math.Exp(-(raw-s.middle)/s.width))
}

// needed returns the least raw score with evidence v.
func (s scale) needed(v float64) float64 {
	switch {
	case v <= 0:
		return math.Inf(-1)
	case v >= 1:
		return 1e9
	}
	return s.middle + s.width*math.Log(v/(1-v))
}
