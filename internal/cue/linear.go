package cue

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/memtree/memtree/internal/flat"
	"github.com/memtree/memtree/internal/text"
)

// linear estimates from the tokens of a text how likely each kind is. It is a multinomial logistic regression, fitted
// to example sentences by stochastic gradient descent. Each token has a learning rate of its own, which falls as the
// token is seen (AdaGrad: Duchi, Hazan and Singer, JMLR 2011). It is immutable once fitted, and is read where it is
// stored.
type linear struct {
	of    []int       // the indices of the kinds that have sentences, ascending
	words flat.Names  // sorted
	rare  flat.Floats // inverse document frequency of each token
	scale flat.Floats // for each token: the weight of one step of a byte in its row of bytes
	bytes string      // the weights: a row a token, a column a kind, int8 in two's complement
}

// readLinear reads what append wrote.
func readLinear(d *flat.Data) *linear {
	return &linear{of: d.Ints().All(), words: d.Names(), rare: d.Floats(), scale: d.Floats(), bytes: d.Text()}
}

// unpacked is a model while it is fitted.
type unpacked struct {
	of      []int
	words   []string
	rare    []float32
	weights []float32 // a row a token, a column a kind
}

// The parameters of fitting. More rounds or finer weights do not help on suites that were not learned from. A token of
// only one sentence does not generalize.
const (
	rounds     = 6
	rate       = 1.0  // the learning rate of a token before it is seen
	leastSeen  = 2    // the minimum number of sentences with a token
	seed       = 1    // of the order of sentences
	leastFound = 1e-3 // added to a probability, so that its logarithm is never far below the others
	levels     = 127  // values a stored weight can have on each side of 0
)

// fit learns from sentences by kind. A kind without sentences is left out of the model; add gives it the probability of
// chance.
func fit(sentences [][]string) *linear { return readLinear(flat.Open(string(fitted(sentences)))) }

// fitted returns the model of the sentences as it is stored.
func fitted(sentences [][]string) []byte {
	m := &unpacked{}
	var texts [][]string   // the distinct tokens of each sentence
	var kinds []int        // the index in of of each sentence's kind
	in := map[string]int{} // how many sentences have the token
	for at, list := range sentences {
		if len(list) == 0 {
			continue
		}
		for _, s := range list {
			words := distinct(s)
			for i, w := range words {
				words[i] = strings.Clone(w) // a token shares the memory of the whole text
				in[words[i]]++
			}
			texts, kinds = append(texts, words), append(kinds, len(m.of))
		}
		m.of = append(m.of, at)
	}
	for w, n := range in {
		if n >= leastSeen {
			m.words = append(m.words, w)
		}
	}
	slices.Sort(m.words)
	for _, w := range m.words {
		m.rare = append(m.rare, float32(math.Log((float64(len(texts))+1)/(float64(in[w])+0.5))))
	}
	m.descend(texts, kinds)
	return m.pack()
}

// knows reports whether there were sentences of a kind.
func (l *linear) knows(kind int) bool { return slices.Contains(l.of, kind) }

// distinct returns the tokens of s, sorted, each once.
func distinct(s string) []string {
	words := text.Tokens(s)
	slices.Sort(words)
	return slices.Compact(words)
}

// feature is a known token of a text.
type feature struct {
	at    int     // its index in words
	share float32 // its part of the text, see features
}

// features weighs the known tokens of a text. A rare token weighs more. The weights of a text form a vector of length
// 1, so the length of a text does not change its weight.
func (l *linear) features(words []string) []feature {
	out := make([]feature, 0, len(words))
	for _, w := range words {
		if i, ok := l.words.Find(w); ok {
			out = append(out, feature{i, l.rare.At(i)})
		}
	}
	return normal(out)
}

// normal divides the shares of features by the length of their vector, in place.
func normal(out []feature) []feature {
	sum := 0.0
	for _, f := range out {
		sum += float64(f.share * f.share)
	}
	for i := range out {
		out[i].share /= float32(math.Sqrt(sum))
	}
	return out
}

// descend fits the weights by gradient descent on the cross entropy. An explicit conversion rounds a product before it
// is added: no compiler may then fuse the two (FMA), so that every machine computes the same weights.
func (m *unpacked) descend(texts [][]string, kinds []int) {
	n := len(m.of)
	weights := make([]float32, n*len(m.words))
	seen := make([]float32, len(m.words)) // sum of squared gradients of each token
	list := make([][]feature, len(texts))
	for i, words := range texts {
		for _, w := range words {
			if at, ok := slices.BinarySearch(m.words, w); ok {
				list[i] = append(list[i], feature{at, m.rare[at]})
			}
		}
		normal(list[i])
	}
	p := make([]float64, n)
	order := rand.New(rand.NewPCG(seed, seed)) //nolint:gosec // it need not be secret, it must be the same
	for range rounds {
		for _, i := range order.Perm(len(list)) {
			clear(p)
			for _, f := range list[i] {
				for k, w := range weights[f.at*n : (f.at+1)*n] {
					p[k] += float64(w * f.share)
				}
			}
			softmax(p)
			p[kinds[i]]-- // p is now the gradient of the loss by the score of each kind
			sum := 0.0
			for _, x := range p {
				sum += float64(x * x)
			}
			for _, f := range list[i] {
				seen[f.at] += float32(float32(sum) * f.share * f.share) // rounded, so that no machine adds in one step
				step := rate * f.share / float32(math.Sqrt(float64(seen[f.at])))
				row := weights[f.at*n : (f.at+1)*n]
				for k, x := range p {
					row[k] -= float32(step * float32(x))
				}
			}
		}
	}
	m.weights = weights
}

// pack stores each weight in a byte, relative to the largest of its token.
func (m *unpacked) pack() []byte {
	n := len(m.of)
	scale, bytes := make([]float32, len(m.words)), make([]byte, len(m.weights))
	for at := range m.words {
		row, most := m.weights[at*n:(at+1)*n], float32(0)
		for _, w := range row {
			most = max(most, max(w, -w))
		}
		scale[at] = most / levels
		for k, w := range row {
			if most > 0 {
				bytes[at*n+k] = byte(int8(math.Round(float64(w / most * levels)))) //nolint:gosec // within levels
			}
		}
	}
	b := flat.AppendNames(flat.AppendInts(nil, m.of), m.words)
	return flat.AppendText(flat.AppendFloats(flat.AppendFloats(b, m.rare), scale), bytes)
}

// add adds the logarithm of how likely the text is of each kind, times by, to scores. A kind without sentences gets
// the logarithm of 1/len(scores), the probability of chance. An empty text adds nothing.
func (l *linear) add(scores []float64, s string, by float64) {
	if s == "" || len(l.of) == 0 {
		return
	}
	n := len(l.of)
	p := make([]float64, n)
	for _, f := range l.features(distinct(s)) {
		row, step := l.bytes[f.at*n:(f.at+1)*n], l.scale.At(f.at)*f.share
		for k := range p {
			p[k] += float64(step * float32(int8(row[k]))) //nolint:gosec // two's complement
		}
	}
	addLog(scores, l.of, p, by)
}

// addLog adds the logarithms of the probabilities of kinds, times by, to scores. p has the scores of the kinds in of,
// ascending; they become probabilities. A kind that is not in of gets the logarithm of the probability of chance.
func addLog(scores []float64, of []int, p []float64, by float64) {
	softmax(p)
	chance := math.Log(1/float64(len(scores)) + leastFound)
	next := 0 // index in of of the next kind with sentences
	for i := range scores {
		x := chance
		if next < len(of) && of[next] == i {
			x = math.Log(p[next] + leastFound)
			next++
		}
		scores[i] += float64(by * x)
	}
}

// softmax turns logits into probabilities, in place. z must not be empty.
func softmax(z []float64) {
	most, sum := slices.Max(z), 0.0
	for i, x := range z {
		z[i] = math.Exp(x - most)
		sum += z[i]
	}
	for i := range z {
		z[i] /= sum
	}
}
