package guard

import (
	"math"
	"slices"
	"strings"

	"github.com/memtree/memtree/internal/flat"
	"github.com/memtree/memtree/internal/text"
)

// linear estimates whether a sentence forces a verdict. It is a logistic regression over the words of the sentence,
// fitted by stochastic gradient descent. Each feature has a learning rate of its own, which falls as the feature is
// seen (AdaGrad: Duchi, Hazan and Singer, JMLR 2011). It is immutable once fitted, and is read where it is stored.
type linear struct {
	sentences int // that it was fitted to
	features  flat.Names
	seen      flat.Ints // how many sentences have each feature
	weights   string    // of each feature, int8 in two's complement, in parts of most
	most      float64
	bias      float64
}

// rare returns the inverse document frequency of a feature: a rare one weighs more.
func (l *linear) rare(i int) float64 { return rarity(l.seen.At(i), l.sentences) }

// by returns what a feature weighs by its share of the sentence.
func (l *linear) by(i int) float64 {
	return float64(int8(l.weights[i])) / levels * l.most //nolint:gosec // two's complement
}

// cut is the logarithm of the odds above which a sentence forces a verdict. TestQualityOfGuard fits it to the
// sentences of all writers but one, and measures that one.
const cut = -1.5

// sure is the logarithm of even odds.
const sure = 0.0

// longest is the maximum number of tags, and of words, of a sentence that are read.
const longest = 600

// verdictual are the tags of words about a verdict; two of them in one sentence are a feature.
const verdictual = "PQpBXJAOKoUFGLVYWDIfukNCnRHeESs"

// featuresOf returns the distinct features of a sentence, sorted: its tags (tags.go), pairs of tags that are adjacent
// or in one sentence, its stems, and pairs of adjacent stems.
func featuresOf(s string) []string {
	t := tagsOf(s)
	if len(t) > longest {
		t = t[:longest]
	}
	lang := "en"
	if strings.ContainsFunc(s, isHan) {
		lang = "zh"
	}
	var out []string
	for _, q := range []string{"^" + t + "$", "^" + strings.ReplaceAll(t, string(other), "") + "$"} {
		for i := range len(q) {
			out = append(out, "#"+q[i:i+1], "#"+q[i:i+1]+lang)
			if i+1 < len(q) {
				out = append(out, "#"+q[i:i+2])
			}
		}
	}
	for i := range len(verdictual) {
		for k := range i {
			if strings.IndexByte(t, verdictual[i]) >= 0 && strings.IndexByte(t, verdictual[k]) >= 0 {
				out = append(out, "&"+verdictual[k:k+1]+verdictual[i:i+1])
			}
		}
	}
	before := "^"
	for i, w := range text.Words(s) {
		if i == longest {
			break
		}
		for _, stem := range stems(w) {
			out = append(out, stem, before+" "+stem)
			before = stem
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// stems returns the tokens of a word, or the word itself if it is a stop word.
func stems(w string) []string {
	if all := text.Tokens(w); len(all) > 0 {
		return all
	}
	return []string{w}
}

// odds returns the logarithm of the odds that a sentence forces a verdict. It returns -Inf for a sentence without a
// verdictual tag. A sentence is a vector of length 1, so its length does not change its weight.
func (l *linear) odds(s string) float64 {
	if !strings.ContainsAny(tagsOf(s), verdictual) {
		return math.Inf(-1)
	}
	sum, norm := 0.0, 0.0
	for _, f := range featuresOf(s) {
		i, ok := l.features.Find(f)
		if !ok {
			continue
		}
		rare := l.rare(i)
		sum += float64(l.by(i) * rare)
		norm += float64(rare * rare)
	}
	return l.bias + sum/math.Sqrt(max(norm, 1e-9))
}
