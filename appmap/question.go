package appmap

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/memtree/memtree/internal/aria"
	"github.com/memtree/memtree/internal/embed/use"
	"github.com/memtree/memtree/internal/text"
)

// vocabulary is how terms of a map are compared.
type vocabulary struct {
	means *meanings
	seen  map[string]float64  // in how many names a term is
	names map[string][]string // with a term; nil for a map with few names
	all   float64
}

// vocabulary returns the terms of a product, computed once after each change.
func (p *product) vocabulary() *vocabulary {
	if v := p.words.Load(); v != nil {
		return v
	}
	v := &vocabulary{means: &p.means, seen: map[string]float64{}}
	many := 0
	for _, g := range p.Pages {
		many += len(g.Elements)
	}
	if many > mostNamed {
		v.names = map[string][]string{}
	}
	for _, g := range p.Pages {
		for key := range g.Elements {
			v.count(key.Name)
		}
	}
	for _, names := range v.names {
		slices.Sort(names) // elements come from a map
	}
	p.words.Store(v)
	return v
}

func (v *vocabulary) count(name string) {
	if name == "" {
		return
	}
	v.all++
	for _, t := range slices.Compact(slices.Sorted(slices.Values(text.Tokens(name)))) {
		v.seen[strings.Clone(t)]++
		if v.names != nil {
			v.names[strings.Clone(t)] = append(v.names[t], name)
		}
	}
}

// weight is the inverse document frequency of a term.
func (v *vocabulary) weight(term string) float64 { return math.Log(1 + (v.all+1)/(v.seen[term]+.5)) }

// meanings are the vectors of the names of a product, each computed once. It is safe for concurrent use.
type meanings struct {
	mu sync.Mutex
	of map[string][]float32
}

// mostMeanings bounds the cached vectors.
const mostMeanings = 2 * mostNamed

// vector returns the vector of a name.
func (m *meanings) vector(s string) []float32 {
	m.mu.Lock()
	defer m.mu.Unlock()
	if v, ok := m.of[s]; ok {
		return v
	}
	if m.of == nil || len(m.of) >= mostMeanings {
		m.of = map[string][]float32{}
	}
	v := encode(s)
	m.of[strings.Clone(s)] = v
	return v
}

// encode returns the vector of a text, nil without an encoder: then words alone count.
func encode(s string) []float32 {
	e, err := use.Default()
	if err != nil {
		return nil
	}
	return e.Vector(s)
}

// asked is a question in the terms of a vocabulary.
type asked struct {
	v     *vocabulary
	terms map[string]bool
	like  []float32
	parts [][]float32     // of the windows of the question
	among map[string]bool // the names that are compared; nil: all
	page  float64         // how alike the page is, see on
	memo  map[string]float64
	kinds map[string]bool // see mentions
}

func (v *vocabulary) ask(s string) *asked {
	a := &asked{v: v, terms: text.TokenSet(s), like: encode(s), memo: map[string]float64{}, kinds: map[string]bool{}}
	if v.names != nil {
		a.among = v.having(a.terms)
	}
	return a
}

// inParts has the question compared by its windows too.
func (a *asked) inParts(s string) *asked {
	for _, w := range windows(s) {
		a.parts = append(a.parts, encode(w))
	}
	return a
}

// having returns the names that have a term of a question, those with its rarest terms first, at most mostCompared.
func (v *vocabulary) having(terms map[string]bool) map[string]bool {
	out := map[string]bool{}
	rare := slices.SortedFunc(maps.Keys(terms), func(x, y string) int {
		return cmp.Or(len(v.names[x])-len(v.names[y]), cmp.Compare(x, y))
	})
	for _, t := range rare {
		for _, name := range v.names[t] {
			if len(out) == mostCompared {
				return out
			}
			out[name] = true
		}
	}
	return out
}

// Limits on a question: its windows, and the elements of a map whose names are all compared with it. On a larger map
// only names that have a term of the question are, so that an answer does not take seconds; meaning alone finds none.
const (
	mostWindows  = 64
	mostNamed    = 4000
	mostCompared = 1000
)

// windows returns the short parts of a text, of two to four Chinese characters or of one to three terms: a long
// question is about one element in a few of its terms.
func windows(s string) (out []string) {
	for _, chunk := range strings.FieldsFunc(s, func(r rune) bool { return unicode.IsPunct(r) }) {
		var units []string
		word := ""
		flush := func() {
			if word != "" {
				units = append(units, word)
			}
			word = ""
		}
		han := false
		for _, r := range chunk {
			switch {
			case unicode.Is(unicode.Han, r):
				flush()
				units, han = append(units, string(r)), true
			case unicode.IsSpace(r):
				flush()
			default:
				word += string(r)
			}
		}
		flush()
		least, most, sep := 1, 3, " "
		if han {
			least, most, sep = 2, 4, ""
		}
		for n := least; n <= most; n++ {
			for i := 0; i+n <= len(units) && len(out) < mostWindows; i++ {
				out = append(out, strings.Join(units[i:i+n], sep))
			}
		}
	}
	return out
}

// on returns the question with how alike a page is to it.
func (a *asked) on(route, title string) *asked {
	b := *a
	s := strings.NewReplacer("/", " ", "-", " ", "_", " ", variable, "").Replace(route) + " " + title
	if b.page = a.shared(s); a.among == nil {
		b.page = a.alike(s)
	}
	return &b
}

// alike returns from 0 to 1 how alike a text is to the question: what shared returns, or the similarity of their
// vectors where that is more.
func (a *asked) alike(s string) float64 {
	if s = strings.TrimSpace(s); s == "" {
		return 0
	}
	if known, ok := a.memo[s]; ok {
		return known
	}
	name := a.v.means.vector(s)
	cos := float64(dot(a.like, name))
	for _, p := range a.parts {
		cos = max(cos, ofPart*float64(dot(p, name)))
	}
	out := max(a.shared(s), (cos-unlike)/(1-unlike))
	a.memo[s] = out
	return out
}

// shared returns the share of the weight of a text's terms that the question has.
func (a *asked) shared(s string) float64 {
	all, hit := 0.0, 0.0
	for t := range text.TokenSet(s) {
		w := a.v.weight(t)
		if all += w; a.terms[t] {
			hit += w
		}
	}
	if all == 0 {
		return 0
	}
	return hit / all
}

func dot(a, b []float32) (sum float32) {
	for i := range min(len(a), len(b)) {
		sum += a[i] * b[i]
	}
	return sum
}

// score returns from 0 to 1 how well an element, or an action on it, fits the question. others returns what people call
// an element, and whether a reader has named it.
func (a *asked) score(others func(role, name string) ([]string, bool), of elementKey, do, selector string) float64 {
	name := cmp.Or(of.Name, wordsOfSelector(selector))
	kind := 0.0
	if a.mentions(roles[of.Role]) {
		kind = 1
	} else if do != "" && a.mentions(doings[do]) {
		kind = 0.7
	}
	named := 0.0
	if a.among == nil || a.among[name] {
		named = a.alike(name)
	}
	if icon := icons[strings.TrimSpace(name)]; icon != "" {
		named = max(named, a.alike(icon))
	}
	list, read := others(of.Role, of.Name)
	for _, other := range list {
		named = max(named, a.alike(other))
	}
	if read && named < leastNamed {
		return 0
	}
	if of.Place != "" {
		named = max(named, .8*named+.2*a.alike(of.Place))
	}
	score := ofName*named + ofKind*kind + ofPage*a.page
	if kind == 0 && of.Role != "" && !aria.Is(of.Role, aria.Operable) {
		score *= ofStill
	}
	return math.Round(score*1000) / 1000
}
