package cue

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"

	"github.com/memtree/memtree/internal/text"
)

// linear estimates from the tokens of a text how likely each kind is. It is a multinomial logistic regression, fitted
// to example sentences by stochastic gradient descent. Each token has a learning rate of its own, which falls as the
// token is seen (AdaGrad: Duchi, Hazan and Singer, JMLR 2011). It is immutable once fitted. The fields are exported
// for gob.
type linear struct {
	Of    []int     // the indices of the kinds that have sentences, ascending
	Words []string  // sorted
	Rare  []float32 // inverse document frequency of each token
	Scale []float32 // for each token: the weight of one step of a byte in its row of Bytes
	Bytes []byte    // the weights: a row a token, a column a kind, int8 in two's complement

	once  sync.Once
	place map[string]int32 // the index of a token in Words; see indexed
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

// fit learns from sentences by kind. A kind without sentences is left out of Of; add gives it the probability of
// chance.
func fit(sentences [][]string) *linear {
	l := &linear{}
	var texts [][]string   // the distinct tokens of each sentence
	var kinds []int        // the index in Of of each sentence's kind
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
			texts, kinds = append(texts, words), append(kinds, len(l.Of))
		}
		l.Of = append(l.Of, at)
	}
	for w, n := range in {
		if n >= leastSeen {
			l.Words = append(l.Words, w)
		}
	}
	slices.Sort(l.Words)
	for _, w := range l.Words {
		l.Rare = append(l.Rare, float32(math.Log((float64(len(texts))+1)/(float64(in[w])+0.5))))
	}
	l.indexed()
	l.descend(texts, kinds)
	return l
}

// indexed returns l with place, which is not stored.
func (l *linear) indexed() *linear {
	l.once.Do(func() {
		l.place = make(map[string]int32, len(l.Words))
		for i, w := range l.Words {
			l.place[w] = int32(i) //nolint:gosec // some ten thousand words
		}
	})
	return l
}

// knows reports whether there were sentences of a kind.
func (l *linear) knows(kind int) bool { return slices.Contains(l.Of, kind) }

// distinct returns the tokens of s, sorted, each once.
func distinct(s string) []string {
	words := text.Tokens(s)
	slices.Sort(words)
	return slices.Compact(words)
}

// feature is a known token of a text.
type feature struct {
	at    int     // its index in Words
	share float32 // its part of the text, see features
}

// features weighs the known tokens of a text. A rare token weighs more. The weights of a text form a vector of length
// 1, so the length of a text does not change its weight.
func (l *linear) features(words []string) []feature {
	out := make([]feature, 0, len(words))
	sum := 0.0
	for _, w := range words {
		if i, ok := l.place[w]; ok {
			out = append(out, feature{int(i), l.Rare[i]})
			sum += float64(l.Rare[i] * l.Rare[i])
		}
	}
	for i := range out {
		out[i].share /= float32(math.Sqrt(sum))
	}
	return out
}

// descend fits the weights by gradient descent on the cross entropy. An explicit conversion rounds a product before it
// is added: no compiler may then fuse the two (FMA), so that every machine computes the same weights.
func (l *linear) descend(texts [][]string, kinds []int) {
	n := len(l.Of)
	weights := make([]float32, n*len(l.Words)) // a row a token, a column a kind
	seen := make([]float32, len(l.Words))      // sum of squared gradients of each token
	list := make([][]feature, len(texts))
	for i, words := range texts {
		list[i] = l.features(words)
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
	l.pack(weights)
}

// pack stores each weight in a byte, relative to the largest of its token.
func (l *linear) pack(weights []float32) {
	n := len(l.Of)
	l.Scale, l.Bytes = make([]float32, len(l.Words)), make([]byte, len(weights))
	for at := range l.Words {
		row, most := weights[at*n:(at+1)*n], float32(0)
		for _, w := range row {
			most = max(most, max(w, -w))
		}
		l.Scale[at] = most / levels
		for k, w := range row {
			if most > 0 {
				l.Bytes[at*n+k] = byte(int8(math.Round(float64(w / most * levels)))) //nolint:gosec // within levels
			}
		}
	}
}

// add adds the logarithm of how likely the text is of each kind, times by, to scores. A kind without sentences gets
// the logarithm of 1/len(scores), the probability of chance. An empty text adds nothing.
func (l *linear) add(scores []float64, s string, by float64) {
	if s == "" || len(l.Of) == 0 {
		return
	}
	n := len(l.Of)
	p := make([]float64, n)
	for _, f := range l.features(distinct(s)) {
		row, step := l.Bytes[f.at*n:(f.at+1)*n], l.Scale[f.at]*f.share
		for k, w := range row {
			p[k] += float64(step * float32(int8(w))) //nolint:gosec // two's complement
		}
	}
	addLog(scores, l.Of, p, by)
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
