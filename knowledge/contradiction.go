package knowledge

import (
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/memtree/memtree/ledger"
)

// back has a record found, since a person or a note backs it, and notes which others contradict it.
func (b *Base) back(r *factRecord) {
	r.Backed = true
	b.enter(r)
	shape := shapeOf(&r.Statement)
	for _, id := range b.alike[shape] {
		if o := b.facts[id]; overlap(&o.Statement, &r.Statement) && len(o.Against) < mostAgainst {
			o.Against, o.Settled = insert(o.Against, r.ID), false
			r.Against = insert(r.Against, o.ID)
		}
		if len(r.Against) == mostAgainst {
			break
		}
	}
	b.alike[shape] = append(b.alike[shape], r.ID)
}

// doubt holds a fact against the one that a note states in its place. A person decides between them; until then what a
// person stated or confirmed is given, and otherwise neither.
func (b *Base) doubt(r, instead *factRecord) {
	if instead == nil || instead == r || len(r.Against) >= mostAgainst || len(instead.Against) >= mostAgainst {
		return
	}
	r.Against, instead.Against = insert(r.Against, instead.ID), insert(instead.Against, r.ID)
	yes, _ := r.votes()
	r.Settled, instead.Settled = yes > 0, false
}

// settle decides for a fact, against people and other facts.
func (b *Base) settle(r *factRecord, k *ledger.FactEntry, at time.Time) {
	r.People, r.Settled, r.Forgotten, r.Next = nil, true, "", ""
	r.vote(k.By, true, at, k.Why)
	for _, id := range r.Against {
		if o := b.facts[id]; o != nil && o.Next == "" {
			o.Next = r.ID
		}
	}
}

// Against returns the ids of the facts in use that contradict s: their texts differ from that of s only in numbers, and
// some run could be in the scope of both. It finds no other contradictions.
func (b *Base) Against(s *ledger.Statement) (out []string) {
	for _, id := range b.alike[shapeOf(s)] {
		if o := b.facts[id]; id != s.ID() && o.inUse() && overlap(&o.Statement, s) {
			out = append(out, id)
		}
	}
	return out
}

// shapeOf returns the letters of a statement, and # for each number; the id of the fact where it has none. A digit that
// is part of a name, as in viewer1, is no number.
func shapeOf(s *ledger.Statement) string {
	var b strings.Builder
	numbers, before := false, ' '
	for _, r := range strings.ToLower(s.Text) {
		switch {
		case unicode.IsDigit(r) && (before == '#' || !unicode.IsLetter(before) && !unicode.IsDigit(before) ||
			unicode.Is(unicode.Han, before)):
			if before != '#' {
				b.WriteByte('#')
			}
			numbers, before = true, '#'
			continue
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			b.WriteRune(r)
		}
		before = r
	}
	if !numbers {
		return s.ID()
	}
	return b.String()
}

// overlap reports whether two statements may hold for one run.
func overlap(a, b *ledger.Statement) bool {
	meet := func(x, y string) bool { return x == "" || y == "" || x == y }
	pages := len(a.Pages) == 0 || len(b.Pages) == 0 ||
		slices.ContainsFunc(a.Pages, func(p string) bool { return slices.Contains(b.Pages, p) })
	builds := len(a.Builds) == 0 || len(b.Builds) == 0 ||
		slices.ContainsFunc(a.Builds, func(p string) bool { return slices.Contains(b.Builds, p) })
	places := len(a.Scope.SuiteTests) == 0 || len(b.Scope.SuiteTests) == 0 || a.Scope.SamePlace(&b.Scope)
	return pages && builds && places && meet(a.Scope.Product, b.Scope.Product) && meet(a.Scope.Suite, b.Scope.Suite) &&
		meet(a.Scope.Test, b.Scope.Test) && meet(a.Agent, b.Agent)
}
