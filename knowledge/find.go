package knowledge

import (
	"cmp"
	"hash/maphash"
	"maps"
	"math"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/tree"
)

// most is how many facts a run is given, and a step.
const most = 3

// Query describes a run, or one step of it, for which Find looks for facts.
type Query struct {
	Text  string // text of the step, or the prompt of the run
	Scene tree.Scene
	Scope tree.Scope
	Names []string // further ids of the test, besides Scope.Test
	Agent string
	Now   time.Time // time for which trust is computed
	Read  *Reading  // what a model chose ahead; nil: no model has read the test
}

// Reading holds the facts that a model chose for a test ahead of its run.
type Reading struct {
	Picked []FactPick           // the chosen facts, the best first
	Unread func(id string) bool // reports whether the model did not see the fact, because the fact is newer
}

// FactPick is a fact that a model chose for a test.
type FactPick struct {
	ID      string
	Because string // quotation of the test that is the reason
}

// How is the reason why Find considered a fact.
type How string

// The reasons, the surest first.
const (
	ByTest  How = "test"  // the fact was learned at this test, or applies to it alone
	ByRead  How = "read"  // a model chose the fact for this test
	ByPage  How = "page"  // the fact is about the page of the query
	ByWords How = "words" // the text of the query shares terms with the fact
)

// FoundFact is a fact that Find considered for a run.
type FoundFact struct {
	Fact
	How   How        `json:"how"`
	Share float64    `json:"share"`          // share of the fact's terms, by weight, in the query, 0 to 1; ByRead: 1/rank
	Left  omitReason `json:"left,omitempty"` // why the run does not receive the fact; "" if it does
	// Because quotes the part of the test for which a model chose the fact.
	Because string `json:"because,omitempty"`
}

// omitReason is why a run does not receive a fact that Find considered, "" if it does.
type omitReason string

// The reasons of an omission. The subject of each sentence is the fact.
const (
	LeftDisputed omitReason = "it is disputed: a person has to decide" // people, other facts or runs contradict the fact
	leftDoubted  omitReason = "its trust is too low"
	leftBuild    omitReason = "it holds for other builds"
	LeftFixed    omitReason = "the bug is fixed" // the fact is about a bug that is fixed
	leftTest     omitReason = "runs of this test missed defects with it, three in a row"
	leftRoom     omitReason = "there is room for three facts"
	leftWords    omitReason = "the question mentions too little of it"
	leftRead     omitReason = "the reader of this test did not pick it"
)

// Reasons returns all sentences that memtree itself writes into FoundFact.Left and Fact.Why, so that a program can
// translate them.
func Reasons() []string {
	out := []string{saysOtherwise, missedInARow, contradicted, hadForgotten}
	for _, l := range []omitReason{LeftDisputed, leftDoubted, leftBuild, LeftFixed, leftTest, leftRoom, leftWords,
		leftRead} {
		out = append(out, string(l))
	}
	return out
}

// A fact without pages is found by its terms where the question has so much of their weight, and so many of them.
const (
	leastShare = 0.24
	leastWords = 2
	nearShare  = 0.15 // from here on it came near
)

// commonest is in how many facts a term may be: one of more facts distinguishes none of them.
const commonest = 512

// index finds the facts of one product, or those of every product, by page, test and term. Slots are never reused.
type index struct {
	words map[uint64][]int32
	pages map[string][]int32
	names map[string][]string // names of pages, by their first token
	tests map[string][]int32
	slots []*factRecord // nil: forgotten
}

func newIndex() *index {
	return &index{
		words: map[uint64][]int32{}, pages: map[string][]int32{}, names: map[string][]string{}, tests: map[string][]int32{},
	}
}

func (x *index) add(r *factRecord) {
	r.slot, r.in = int32(len(x.slots)), x //nolint:gosec // bounded by MostFacts
	x.slots = append(x.slots, r)
	r.words = wordsOf(r.Text)
	for _, w := range r.words {
		x.words[w] = append(x.words[w], r.slot)
	}
	for _, p := range r.Pages {
		x.page(p, r.slot)
	}
	for _, t := range r.Tests {
		x.test(t, r.slot)
	}
	x.test(r.Scope.Test, r.slot)
}

func (x *index) test(t string, slot int32) {
	if key := tree.TestKey(t); key != "" {
		x.tests[key] = append(x.tests[key], slot)
	}
}

func (x *index) page(p string, slot int32) {
	key := pageKey(p)
	if _, known := x.pages[key]; !known && !strings.HasPrefix(key, "/") {
		if first := text.Tokens(p); len(first) > 0 {
			x.names[strings.Clone(first[0])] = append(x.names[strings.Clone(first[0])], p)
		}
	}
	x.pages[key] = append(x.pages[key], slot)
}

// pageKey spells a page: a route as a pattern, a name in lower case.
func pageKey(p string) string {
	if strings.HasPrefix(p, "/") || strings.Contains(p, "://") || strings.HasPrefix(p, "#/") {
		return tree.Route(p)
	}
	return strings.ToLower(text.Line(p))
}

var seed = maphash.MakeSeed() // words are hashed anew in each process, and never saved

// wordsOf returns the terms that distinguish a text, as hashes, sorted, each once. A single Chinese
// character is none.
func wordsOf(s string) []uint64 {
	var out []uint64
	for _, t := range text.Tokens(s) {
		if r, n := utf8.DecodeRuneInString(t); n == len(t) && (unicode.Is(unicode.Han, r) || n == 1 && !unicode.IsDigit(r)) {
			continue
		}
		out = append(out, maphash.String(seed, t))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// weight is that of a term that is in so many of n facts.
func weight(n, in int) float64 { return math.Log(1 + float64(n)/float64(in)) }

// factCandidate is a fact that comes near a question.
type factCandidate struct {
	*factRecord
	how     How
	share   float64
	because string
}

// mostNear is how many of the facts that came near are named.
const mostNear = 20

// Find returns in given the facts that the run receives, at most 3, the best first. In near it returns at most 20
// others that it considered, with the reason why the run does not receive them.
func (b *Base) Find(q *Query) (given, near []FoundFact) {
	if len(b.facts) == 0 {
		return nil, nil
	}
	asked := wordsOf(q.Text)
	all := b.indexes[""].candidates(q, asked, nil)
	if q.Scope.Product != "" {
		all = b.indexes[q.Scope.Product].candidates(q, asked, all)
	}
	if q.Read != nil {
		all = b.picks(q, slices.DeleteFunc(all, func(c factCandidate) bool { return q.Read.picked(c.ID) }))
	}
	slices.SortFunc(all, func(a, b factCandidate) int {
		return cmp.Or(order(a.how)-order(b.how), cmp.Compare(b.share, a.share), cmp.Compare(a.ID, b.ID))
	})
	for i := range all {
		if len(given) == most && len(near) >= mostNear {
			break
		}
		c := &all[i]
		if !c.holdsFor(q) || c.Next != "" || c.Forgotten != "" ||
			c.how == ByWords && c.share < leastShare && len(near) >= mostNear {
			continue
		}
		f := FoundFact{Fact: b.fact(c.factRecord, q.Now), How: c.how, Share: c.share, Because: c.because}
		if f.Left = c.left(&f, q); f.Left == "" && c.unpicked(q) {
			f.Left = leftRead
		}
		switch {
		case f.State == Archived:
		case f.Left == "" && len(given) < most:
			given = append(given, f)
		case len(near) < mostNear:
			f.Left = cmp.Or(f.Left, leftRoom)
			near = append(near, f)
		}
	}
	return given, near
}

func order(h How) int { return slices.Index([]How{ByTest, ByRead, ByPage, ByWords}, h) }

func (r *Reading) picked(id string) bool {
	return slices.ContainsFunc(r.Picked, func(p FactPick) bool { return p.ID == id })
}

// picks appends the facts that the reader of the test picked to all.
func (b *Base) picks(q *Query, all []factCandidate) []factCandidate {
	for i, p := range q.Read.Picked {
		if r := b.facts[p.ID]; r != nil && r.in != nil {
			all = append(all, factCandidate{r, ByRead, 1 / float64(1+i), p.Because})
		}
	}
	return all
}

// unpicked reports whether the reader of the test has passed over a fact. A person's statement on its page is given
// nevertheless.
func (c *factCandidate) unpicked(q *Query) bool {
	return q.Read != nil && (c.how == ByWords || c.how == ByPage && !c.stated()) && !q.Read.Unread(c.ID)
}

// candidates appends the facts that come near a question to all. A nil index has none.
func (x *index) candidates(q *Query, asked []uint64, all []factCandidate) []factCandidate {
	if x == nil {
		return all
	}
	hows := map[int32]How{}
	for _, key := range x.pagesOf(q) {
		for _, s := range x.pages[key] {
			hows[s] = ByPage
		}
	}
	for _, name := range slices.Concat(q.Names, []string{q.Scope.Test}) {
		for _, s := range x.tests[tree.TestKey(name)] {
			hows[s] = ByTest
		}
	}
	for s, how := range hows { // Find sorts them
		if r := x.slots[s]; r != nil {
			share, n := x.share(r, asked)
			if how == ByTest || n > 0 || r.stated() {
				all = append(all, factCandidate{r, how, share, ""})
			}
		}
	}
	for _, s := range x.near(asked) {
		if r := x.slots[s]; r != nil && len(r.Pages) == 0 && hows[s] == "" {
			if share, n := x.share(r, asked); n >= leastWords && share >= nearShare {
				all = append(all, factCandidate{r, ByWords, share, ""})
			}
		}
	}
	return all
}

// stated reports whether a person stated it: then it is given on its page whatever is asked there.
func (r *factRecord) stated() bool { yes, _ := r.votes(); return yes > 0 }

// near returns the slots that share at least leastWords terms with a question, of terms that are not too common.
func (x *index) near(asked []uint64) (out []int32) {
	times := make([]uint8, len(x.slots))
	for _, w := range asked {
		if list := x.words[w]; len(list) <= commonest {
			for _, s := range list {
				if times[s]++; times[s] == leastWords {
					out = append(out, s)
				}
				times[s] = min(times[s], leastWords+1)
			}
		}
	}
	return out
}

// share returns which share of the weight of a record's terms is asked about, and how many of them.
func (x *index) share(r *factRecord, asked []uint64) (share float64, n int) {
	has, all := 0.0, 0.0
	for _, w := range r.words {
		v := weight(len(x.slots), len(x.words[w]))
		all += v
		if _, found := slices.BinarySearch(asked, w); found {
			has += v
			n++
		}
	}
	return has / max(all, 1e-9), n
}

// pagesOf returns the keys of the pages that a question is about: its route, its scene, and those that it names.
func (x *index) pagesOf(q *Query) []string {
	var out []string
	if q.Scene.Route != "" {
		out = append(out, tree.Route(q.Scene.Route))
	}
	if q.Scene.ID != "" {
		out = append(out, pageKey(q.Scene.ID))
	}
	for _, t := range text.Tokens(q.Text) {
		for _, name := range x.names[t] {
			if text.Mentions(q.Text, name) {
				out = append(out, pageKey(name))
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// holdsFor reports whether the scope of a record has a run in it.
func (r *factRecord) holdsFor(q *Query) bool {
	in := func(mine, theirs string) bool { return mine == "" || mine == theirs }
	s := &r.Scope
	return in(s.Product, q.Scope.Product) && in(s.Suite, q.Scope.Suite) && in(s.Test, q.Scope.Test) &&
		in(r.Agent, q.Agent) && (len(s.SuiteTests) == 0 || len(q.Scope.SuiteTests) > 0 && s.SamePlace(&q.Scope))
}

// left returns why a fact whose scope fits is not given.
func (r *factRecord) left(f *FoundFact, q *Query) omitReason {
	build := q.Scope.Build
	switch {
	case f.How == ByWords && f.Share < leastShare:
		return leftWords
	case f.State == Disputed:
		return LeftDisputed
	case r.Fixed != "" && (build == "" || !slices.Contains(r.Builds, build)):
		return LeftFixed
	case build != "" && len(r.Builds) > 0 && !slices.Contains(r.Builds, build):
		return leftBuild
	case f.Trust < Floor:
		return leftDoubted
	case r.RowOf[q.Scope.Test] >= inARow:
		return leftTest
	}
	return ""
}

// Match is a fact that Search found.
type Match struct {
	Fact
	Score float64 // share of the query's terms, by weight, that the fact has, 0 to 1
}

// Search returns the facts in use that share terms with the text asked, the best first. most is the largest number that
// it returns. It skips facts for which keep returns false. now is the time for which trust is computed.
func (b *Base) Search(asked string, now time.Time, most int, keep func(*Fact) bool) []Match {
	terms := wordsOf(asked)
	all := 0.0
	in := map[uint64]int{} // facts that have a term
	for _, x := range b.indexes {
		for _, w := range terms {
			in[w] += len(x.words[w])
		}
	}
	for _, w := range terms {
		all += weight(len(b.facts), max(1, in[w]))
	}
	scores := map[*factRecord]float64{}
	for _, x := range b.indexes {
		for _, w := range terms {
			for _, s := range x.words[w] {
				if r := x.slots[s]; r != nil && r.inUse() {
					scores[r] += weight(len(b.facts), in[w]) / max(all, 1e-9)
				}
			}
		}
	}
	ranked := slices.SortedFunc(maps.Keys(scores), func(a, b *factRecord) int {
		return cmp.Or(cmp.Compare(scores[b], scores[a]), cmp.Compare(a.ID, b.ID))
	})
	var out []Match
	for _, r := range ranked {
		if len(out) == most {
			break
		}
		if f := b.fact(r, now); keep(&f) {
			out = append(out, Match{f, scores[r]})
		}
	}
	return out
}
