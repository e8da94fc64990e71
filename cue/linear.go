package cue

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/memtree/memtree/text"
)

// linear tells how likely a text is of each kind by its words: multinomial logistic
// regression, fitted to example sentences by stochastic gradient descent with a
// rate for each word that falls as the word is seen (AdaGrad: Duchi, Hazan and
// Singer, JMLR 2011). It is immutable once fitted. The fields are public for gob.
type linear struct {
	Of    []int     // the places of the kinds that have sentences, ascending
	Words []string  // sorted
	Rare  []float32 // inverse document frequency of each word
	Scale []float32 // of the weights of each word
	Bytes []byte    // the weights: words × kinds, two's complement

	place map[string]int32
}

// How it is fitted. More rounds or finer weights change nothing on suites that were
// not learned from; words seen in one sentence only say nothing of others.
const (
	rounds     = 6
	rate       = 1.0
	leastSeen  = 2 // sentences a word is in
	seed       = 1 // of the order of sentences
	leastFound = 1e-3
	levels     = 127 // of a weight, on each side
)

// fit learns from sentences of several kinds; a kind without any is not told of.
func fit(sentences [][]string) *linear {
	l := &linear{}
	var texts [][]string // distinct words
	var kinds []int
	in := map[string]int{}
	for at, list := range sentences {
		if len(list) == 0 {
			continue
		}
		for _, s := range list {
			words := distinct(s)
			for _, w := range words {
				in[w]++
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
	l.index()
	l.descend(texts, kinds)
	return l
}

// index makes the table of words.
func (l *linear) index() {
	l.place = make(map[string]int32, len(l.Words))
	for i, w := range l.Words {
		l.place[w] = int32(i) //nolint:gosec // some ten thousand words
	}
}

func distinct(s string) []string {
	words := text.Tokens(s)
	slices.Sort(words)
	words = slices.Compact(words)
	for i, w := range words {
		words[i] = strings.Clone(w)
	}
	return words
}

// feature is a word of a text: its place, and its share of the text.
type feature struct {
	at    int
	share float32
}

// features weighs the words of a text that are known: rare ones more, all
// together as much as those of any other text.
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

// descend fits the weights. Products are rounded before they are added, so that
// every machine comes to the same.
func (l *linear) descend(texts [][]string, kinds []int) {
	n := len(l.Of)
	weights, seen := make([]float32, n*len(l.Words)), make([]float32, len(l.Words))
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
			p[kinds[i]]--
			sum := 0.0
			for _, x := range p {
				sum += float64(x * x)
			}
			for _, f := range list[i] {
				seen[f.at] += float32(sum) * f.share * f.share
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

// pack keeps each weight in a byte.
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

// add adds, weighed, how likely a text is of each kind, as logarithms of
// probabilities. A kind without sentences gets what a kind would get by chance.
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
	softmax(p)
	chance := math.Log(1/float64(len(scores)) + leastFound)
	told := 0
	for i := range scores {
		x := chance
		if told < n && l.Of[told] == i {
			x = math.Log(p[told] + leastFound)
			told++
		}
		scores[i] += float64(by * x)
	}
}

// softmax turns logits into probabilities.
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
