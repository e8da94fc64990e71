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
var (
	fusedScale = scale{middle: 0.95, width: 0.12} // words and meaning, 0 to about 2
	wordScale  = scale{middle: 0.50, width: 0.08} // words alone, 0 to about 1
)

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
