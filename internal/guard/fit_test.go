package guard

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/memtree/memtree/internal/flat"
)

// sentence is one that forces a verdict, or does not.
type sentence struct {
	text   string
	forces bool
}

// How the model is fitted.
const (
	rounds    = 8
	rate      = 0.5
	decay     = 1e-3 // of a weight, each time its feature is seen
	leastSeen = 3    // sentences that must have a feature
	seed      = 1    // of the order of sentences
)

// fitter holds what gradient descent changes.
type fitter struct {
	features       [][]string // of each sentence
	rare           map[string]float64
	weights, seen  map[string]float64 // seen is the sum of squared gradients
	bias, seenBias float64
}

// learn fits a model to sentences. It returns the form of readLinear.
func learn(all []sentence) []byte {
	in := map[string]int{}
	f := &fitter{rare: map[string]float64{}, weights: map[string]float64{}, seen: map[string]float64{}, seenBias: 1e-9}
	for _, e := range all {
		list := featuresOf(e.text)
		for _, x := range list {
			in[x]++
		}
		f.features = append(f.features, list)
	}
	maps.DeleteFunc(in, func(_ string, n int) bool { return n < leastSeen })
	for x, n := range in {
		f.rare[x] = rarity(n, len(all))
	}
	for i, list := range f.features {
		f.features[i] = slices.DeleteFunc(list, func(x string) bool { return in[x] == 0 })
	}
	order := rand.New(rand.NewPCG(seed, seed)) //nolint:gosec // it need not be secret, it must be the same
	for range rounds {
		for _, i := range order.Perm(len(all)) {
			f.step(f.features[i], all[i].forces)
		}
	}
	return f.pack(in, len(all))
}

// step goes down the gradient of one sentence. An explicit conversion rounds a product before it is added:
// no compiler may then fuse the two (FMA), so that every machine comes to the same weights.
func (f *fitter) step(features []string, forces bool) {
	z, norm := 0.0, 0.0
	for _, x := range features {
		z += float64(f.weights[x] * f.rare[x])
		norm += float64(f.rare[x] * f.rare[x])
	}
	norm = math.Sqrt(max(norm, 1e-9))
	slope := 1 / (1 + math.Exp(-(f.bias + z/norm)))
	if forces {
		slope--
	}
	f.seenBias += float64(slope * slope)
	f.bias -= float64(rate * slope / math.Sqrt(f.seenBias))
	for _, x := range features {
		g := float64(slope*f.rare[x]/norm) + float64(decay*f.weights[x])
		f.seen[x] += float64(g * g)
		f.weights[x] -= float64(rate * g / math.Sqrt(f.seen[x]+1e-9))
	}
}

func (f *fitter) pack(in map[string]int, sentences int) []byte {
	most := 0.0
	for _, w := range f.weights {
		most = max(most, math.Abs(w))
	}
	features := slices.Sorted(maps.Keys(in))
	var seen []int
	var weights []byte
	for _, x := range features {
		seen = append(seen, in[x])
		weights = append(weights, byte(int8(math.Round(f.weights[x]/most*levels)))) //nolint:gosec // within levels
	}
	b := flat.AppendInts(flat.AppendNames(flat.AppendInt(nil, sentences), features), seen)
	return flat.AppendDoubles(flat.AppendText(b, weights), most, f.bias)
}
