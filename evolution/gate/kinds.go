package gate

import (
	"sync"

	"math"
	"slices"

	"github.com/memtree/memtree/cue"
	"github.com/memtree/memtree/taxonomy"
)

// kinds tells which check of the catalogue a text is about: by the words that it shares
// with the advice of the check, and by the phrases of the check.
type kinds struct {
	checks  []taxonomy.Check
	phrases *cue.Matcher
	advice  map[string][]bag              // words of the advice by language and direction, a bag for each check
	rare    map[string]map[string]float64 // by the same key: inverse document frequency of each word
}

// kindsOf returns a function that reads the checks of tax on its first call, which takes longer than
// all else in an evolve of a small tree. All callers share those of the built-in taxonomy.
func kindsOf(tax *taxonomy.Taxonomy) func() *kinds {
	if tax == taxonomy.Default() {
		return builtinKinds
	}
	return sync.OnceValue(func() *kinds { return newKinds(tax) })
}

var builtinKinds = sync.OnceValue(func() *kinds { return newKinds(taxonomy.Default()) })

func newKinds(tax *taxonomy.Taxonomy) *kinds {
	k := &kinds{
		checks: tax.Checks(), phrases: cue.NewMatcher(cue.Gap),
		advice: map[string][]bag{}, rare: map[string]map[string]float64{},
	}
	for i, c := range k.checks {
		for _, list := range [][]taxonomy.Cue{c.Said, c.Asked} {
			for _, q := range list {
				k.phrases.Add(i, q.Phrase, q.Phrase, q.Weight)
			}
		}
	}
	for _, lang := range []string{"en", "zh"} {
		for _, d := range []taxonomy.Direction{taxonomy.FalsePass, taxonomy.FalseFail} {
			k.add(lang, d)
		}
	}
	return k
}

func (k *kinds) add(lang string, d taxonomy.Direction) {
	in := map[string]int{}
	var bags []bag
	for _, c := range k.checks {
		a := c.Advice(d)
		b := telling(c.Name.In(lang) + "\n" + a.Title.In(lang) + "\n" + a.Do.In(lang) + "\n" +
			a.With.In(lang) + "\n" + a.Mistake.In(lang) + "\n" + a.When.In(lang))
		if a.Empty() {
			b = bag{}
		}
		for w := range b {
			in[w]++
		}
		bags = append(bags, b)
	}
	rare := map[string]float64{}
	for w, n := range in {
		rare[w] = math.Log(1 + float64(len(k.checks))/float64(n))
	}
	key := lang + string(d)
	k.advice[key], k.rare[key] = bags, rare
}

// scores returns how near a text is to each check: likeness times the cosine of its
// words and those of the advice (weighed by idf), and the weights of the phrases in it.
func (k *kinds) scores(s, lang string, d taxonomy.Direction) []float64 {
	key := lang + string(d)
	out := make([]float64, len(k.checks))
	bags, rare := k.advice[key], k.rare[key]
	words := telling(s)
	own := 0.0
	for _, w := range ordered(words) {
		own += rare[w] * rare[w]
	}
	for i := range bags {
		dot, norm := 0.0, 0.0
		for _, w := range ordered(bags[i]) {
			norm += rare[w] * rare[w]
			if words[w] {
				dot += rare[w] * rare[w]
			}
		}
		if dot > 0 {
			out[i] = likeness * dot / math.Sqrt(norm*own)
		}
	}
	seen := map[string]bool{}
	k.phrases.Find(cue.Read(s), func(m cue.Match) {
		if key := k.checks[m.Kind].ID + "\n" + m.Phrase; !seen[key] {
			seen[key] = true
			out[m.Kind] += m.Weight
		}
	})
	return out
}

const likeness = 6.0 // the weight of equal words; phrases weigh 1 to 4

// ordered returns the words of a bag, sorted, so that sums of floats are always added
// in the same order.
func ordered(b bag) []string {
	out := make([]string, 0, len(b))
	for w := range b {
		out = append(out, w)
	}
	slices.Sort(out)
	return out
}
