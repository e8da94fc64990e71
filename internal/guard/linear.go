package guard

import (
	"math"
	"slices"
	"strings"

	"github.com/memtree/memtree/internal/text"
)

// linear estimates whether a sentence forces a verdict. It is a logistic regression over the words of the sentence,
// fitted by stochastic gradient descent. Each feature has a learning rate of its own, which falls as the feature is
// seen (AdaGrad: Duchi, Hazan and Singer, JMLR 2011). It is immutable once fitted.
type linear struct {
	model    *stored
	features []string // sorted
	bias     float64
}

// weight holds the numbers of a feature. A rare feature weighs more.
type weight struct {
	rare float64 // inverse document frequency
	by   float64 // of its share of the sentence
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
		i, ok := slices.BinarySearch(l.features, f)
		if !ok {
			continue
		}
		w := l.model.weight(i)
		sum += float64(w.by * w.rare)
		norm += float64(w.rare * w.rare)
	}
	return l.bias + sum/math.Sqrt(max(norm, 1e-9))
}
