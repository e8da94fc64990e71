package retrieval

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/memtree/memtree/tree"
)

// ranking turns candidates into an answer.
type ranking struct {
	*search
	limits  Limits
	now     time.Time
	explain bool
	all     []*ranked
	byID    map[string]*ranked
}

// ranked is a candidate with what becomes of it.
type ranked struct {
	candidate
	nodeTraits
	activation float64 // rel of the child that lifted it, 0 for none
	lifted     float64 // the factor on it
	again      float64 // how surely it is of the very test
	trust      float64 // factor of confidence and that
	fresh      float64 // factor of age
	days       float64
	close      float64 // factor among exact matches
	score      float64
	likeness   float64 // to what was taken before it
	cover      *ranked // the abstraction that stands for it, if any
	covers     int     // candidates it stands for
	standing   float64 // the score it is chosen by: its own, or that of the best it stands for
	passes     bool
	taken      bool
	why        Why
}

// Factors of activation: what a child's rel is worth for its parent.
const (
	liftExperience = 0.9
	liftStrategy   = 0.8
	diversity      = 0.7 // λ of maximal marginal relevance (Carbonell and Goldstein, SIGIR 1998)
	halfLife       = 90.0
)

func (r *ranking) answer() (Result, error) {
	res := Result{Hits: []Hit{}, Abstained: true, Asked: r.checks}
	if err := r.gather(); err != nil {
		return Result{}, err
	}
	if err := r.activate(tree.Case, liftExperience); err != nil {
		return Result{}, err
	}
	if err := r.activate(tree.Experience, liftStrategy); err != nil {
		return Result{}, err
	}
	for _, x := range r.all {
		r.judge(x)
	}
	slices.SortFunc(r.all, compareRanked)
	r.thisPage()
	r.cover()
	if err := r.choose(); err != nil {
		return Result{}, err
	}
	for _, x := range r.all {
		if r.explain {
			res.Considered = append(res.Considered, r.hit(x))
		}
		if x.kind == tree.Case && r.here(x) {
			res.Here = append(res.Here, x.id())
		}
	}
	slices.Sort(res.Here)
	taken := slices.DeleteFunc(slices.Clone(r.all), func(x *ranked) bool { return !x.taken })
	slices.SortFunc(taken, compareRanked)
	for _, x := range taken {
		res.Hits = append(res.Hits, r.hit(x))
	}
	res.Abstained = len(res.Hits) == 0
	if len(r.all) > 0 {
		nearest := r.all[0]
		for _, x := range r.all[1:] {
			if x.rel > nearest.rel {
				nearest = x
			}
		}
		h := r.hit(nearest)
		res.Nearest = &h
	}
	return res, nil
}

// gather finds the best candidates of each level and what is known of them.
func (r *ranking) gather() error {
	r.byID = make(map[string]*ranked, 3*r.limits.Candidates)
	for level := 3; level > 0; level-- {
		found, err := r.scan(level, r.limits.Candidates)
		if err != nil {
			return err
		}
		for _, c := range found {
			m, err := c.meta()
			if err != nil {
				return err
			}
			if r.scope.applies(&m.scope) {
				r.add(c, m)
			}
		}
	}
	return nil
}

func (r *ranking) add(c candidate, m nodeTraits) *ranked {
	x := &ranked{candidate: c, nodeTraits: m}
	r.all = append(r.all, x)
	r.byID[m.id] = x
	return x
}

// activate lifts the parents of candidates of a level. A case or a lesson that has
// no reason in the question lifts nothing: a strategy needs one too.
func (r *ranking) activate(level tree.Type, lift float64) error {
	for i := 0; i < len(r.all); i++ {
		x := r.all[i]
		if x.kind != level || x.parent == "" || level == tree.Case && !x.founded || level == tree.Experience && !r.called(x) {
			continue
		}
		p := r.byID[x.parent]
		if p == nil {
			c, m, ok, err := r.get(x.parent)
			if err != nil {
				return err
			}
			if !ok {
				continue
			}
			p = r.add(c, m)
		}
		if up := lift * x.rel; up > p.rel {
			p.rel, p.activation, p.lifted = up, x.rel, lift
		}
	}
	return nil
}

// judge computes the score of a candidate and whether it passes.
func (r *ranking) judge(x *ranked) {
	x.again = r.recurs(x)
	x.trust = 1 - 0.5*(1-x.confidence)*math.Pow(1-0.5*x.again, float64(x.times))
	floor := r.limits.Confidence * (1 - 0.5*x.again)
	x.fresh = 1
	if !r.now.IsZero() && !x.confirmed.IsZero() {
		x.days = max(0, r.now.Sub(x.confirmed).Hours()/24)
		x.fresh = 0.85 + 0.15*math.Exp2(-x.days/halfLife)
	}
	x.close = 1
	if r.same(x) {
		x.close = 0.85 + 0.15*x.semantic
	}
	x.score = x.rel * x.trust * x.fresh * x.close
	at := threshold(x.kind)
	switch {
	case x.rel < at:
		x.why = Why{TooFar, []any{x.rel, x.kind, at}}
	case x.kind == tree.Case && !x.founded, x.kind != tree.Case && !r.called(x):
		x.why = Why{Unfounded, []any{x.semantic, leastWords}}
	case x.confidence < floor:
		x.why = Why{Distrusted, []any{x.confidence, floor}}
	default:
		x.passes = true
	}
}

// called reports whether a lesson has a reason in the question: the prompt calls
// for its check, or its words or those of a case of it are near. The place and
// its type are none: they raise what has a reason.
func (r *ranking) called(x *ranked) bool {
	return x.asked > 0 || x.semantic >= leastWords || x.activation > 0
}

// recurs returns how surely a case is of the very test that is asked about: it
// lies at the exact place, or has the words of the prompt. The fourth power
// leaves nearly nothing of it to a paraphrase, and tens of per cent to a prompt
// with a changed number. That this went wrong here before is known, however
// unsure the analyst was of the cause; so half of the doubt goes, each time.
func (r *ranking) recurs(x *ranked) float64 {
	if x.kind != tree.Case {
		return 0
	}
	return max(x.exact, math.Pow(x.verbatim, 4))
}

// same reports whether scene id and route pattern are both the query's.
func (r *ranking) same(x *ranked) bool {
	const both = sceneEqual | routeEqual
	return r.flag[x.part.base+x.slot]&both == both
}

// here reports whether a case is of this very page or, where one side does not say which that
// is, of this very test. A twin page with the same prompt is another page.
func (r *ranking) here(x *ranked) bool {
	same, said := r.samePage(x)
	return same || !said && x.again >= carriesOver
}

// samePage reports whether scene id and route are the question's, as far as both say them, and
// whether both say one of them.
func (r *ranking) samePage(x *ranked) (same, said bool) {
	a, b := r.place, x.nodeTraits.scene
	id, route := a.ID != "" && b.ID != "", a.Route != "" && b.Route != ""
	same = (id || route) && (!id || a.ID == b.ID) && (!route || a.Route == b.Route)
	return same, id || route
}

// thisPage lets the memories of this very page that have a reason stand in place of all
// others: what went wrong on other pages, least of all on a twin of this one, says less. Their
// own lessons may still stand for them.
func (r *ranking) thisPage() {
	var nearest *ranked
	own := map[string]bool{}
	for _, x := range r.all {
		if same, _ := r.samePage(x); same && x.passes && x.kind == tree.Case {
			nearest = cmp.Or(nearest, x)
			own[x.id()] = true
			for p := r.byID[x.parent]; p != nil; p = r.byID[p.parent] {
				own[p.id()] = true
			}
		}
	}
	for _, x := range r.all {
		if nearest != nil && x.passes && !own[x.id()] {
			x.passes, x.why = false, Why{OtherPage, []any{nearest.id()}}
		}
	}
}

// compareRanked is the order of answers: score, exact first, lower level, last
// confirmed, id.
func compareRanked(a, b *ranked) int {
	return cmp.Or(
		cmp.Compare(b.score, a.score),
		cmp.Compare(b.exact, a.exact),
		cmp.Compare(a.kind.Level(), b.kind.Level()),
		b.confirmed.Compare(a.confirmed),
		cmp.Compare(a.id(), b.id()),
	)
}

func (x *ranked) id() string { return x.nodeTraits.id }

// cover lets an abstraction stand for its children where two or more of them
// pass, for it was made to say what they have in common, or one case that passes
// is of another test: the lesson is what carries over, the case what recurs. It
// is chosen at the standing of the best of them, and they come in only where it
// cannot. A case of exactly this place, if few share it, stays; nothing can say
// it better. Nor does a strategy cover an experience that has cases near, or
// fewer than manyLessons of them, which say what fits and it also what does not.
func (r *ranking) cover() {
	children := map[string]int{}
	for _, x := range r.all {
		if x.passes && x.parent != "" {
			children[x.parent]++
		}
		x.standing = x.score
	}
	enough := map[tree.Type]int{tree.Case: 2, tree.Experience: manyLessons}
	for _, kind := range []tree.Type{tree.Case, tree.Experience} {
		for _, x := range r.all {
			p := r.byID[x.parent]
			if x.kind != kind || !x.passes || p == nil || !p.passes || x.covers > 0 || x.kind == tree.Case && r.same(x) && x.exact >= fewPlace {
				continue
			}
			if children[x.parent] >= enough[kind] || x.kind == tree.Case && x.again < carriesOver {
				x.cover = p
				p.covers++
				p.standing = max(p.standing, x.standing)
			}
		}
	}
}

// manyLessons is how many experiences of a strategy have to fit before it is said
// in their place: more than an answer has room for beside each other.
const manyLessons = 3

// spokenFor reports whether the cover of a candidate was taken or can be yet.
func (r *ranking) spokenFor(x *ranked, taken []*ranked, count map[tree.Type]int) bool {
	c := x.cover
	return c != nil && (c.taken || !r.blocked(c, taken, count) || r.spokenFor(c, taken, count))
}

// carriesOver is the recurrence below which a case is of another test.
const carriesOver = 0.5

// choose takes candidates one by one: the one with the best of score and of
// being unlike what was taken, within the limits, until none adds more than it repeats.
func (r *ranking) choose() error {
	count := map[tree.Type]int{}
	var taken []*ranked
	for len(taken) < r.limits.Total {
		var best *ranked
		value := math.Inf(-1)
		for _, x := range r.all {
			if !x.passes || x.taken || r.spokenFor(x, taken, count) || r.blocked(x, taken, count) {
				continue
			}
			if v := diversity*x.standing - (1-diversity)*x.likeness; v > value {
				best, value = x, v
			}
		}
		if best == nil || value <= 0 && len(taken) > 0 { // it would cost more likeness than it adds
			break
		}
		best.taken = true
		best.why = Why{Taken, []any{len(taken) + 1, best.rel, best.score}}
		taken = append(taken, best)
		count[best.kind]++
		for _, x := range r.all {
			if !x.passes || x.taken {
				continue
			}
			v, err := alike(x, best)
			if err != nil {
				return err
			}
			x.likeness = max(x.likeness, v)
		}
	}
	for _, x := range r.all {
		switch {
		case !x.passes || x.taken:
		case x.cover != nil && x.cover.taken:
			x.why = Why{Covered, []any{x.cover.kind, x.cover.id(), x.cover.covers}}
		case x.why.Code != "":
		case len(taken) < r.limits.Total:
			x.why = Why{Repetitive, []any{x.likeness}}
		default:
			x.why = Why{Full, []any{r.limits.Total}}
		}
	}
	return nil
}

// blocked says in x.why why a candidate that passes cannot be taken any more.
func (r *ranking) blocked(x *ranked, taken []*ranked, count map[tree.Type]int) bool {
	for _, t := range taken {
		// A lesson beside a case of its branch says in general what that says of one
		// test, or the other way round: whichever fits better is enough.
		if t.kind != x.kind && t.errorType == x.errorType && t.direction == x.direction {
			x.why = Why{Kin, []any{t.id()}}
			return true
		}
		// A lesson is for tests nobody has seen; what went wrong with this one is known.
		if t.again >= carriesOver && x.kind != tree.Case {
			x.why = Why{VeryTest, []any{t.id()}}
			return true
		}
		// The lower thresholds of lessons are for where no case is near enough.
		if near := threshold(tree.Case); t.kind == tree.Case && x.kind != tree.Case && x.rel < near {
			x.why = Why{Farther, []any{x.rel, t.id(), near}}
			return true
		}
		if t.kind != tree.Case && x.kind == tree.Case && x.again < carriesOver {
			x.why = Why{OtherTest, []any{t.id()}}
			return true
		}
		if t.direction != x.direction && t.direction == x.direction.Opposite() && (t.errorType == x.errorType || shared(t.checks, x.checks)) {
			x.why = Why{Opposite, []any{x.direction, t.id(), t.direction}}
			return true
		}
	}
	if part := r.partOf(x); part != nil && x.covers == 0 && r.limits.of(tree.Experience) > 0 {
		x.why = Why{Kin, []any{part.id()}}
		return true
	}
	if n := r.limits.of(x.kind); count[x.kind] >= n {
		x.why = Why{LevelFull, []any{max(n, 0), x.kind}}
		return true
	}
	return false
}

func shared(a, b []string) bool {
	return slices.ContainsFunc(a, func(s string) bool { return slices.Contains(b, s) })
}

// partOf returns the best experience of a strategy that passes, nil for none.
func (r *ranking) partOf(x *ranked) *ranked {
	if x.kind != tree.Strategy {
		return nil
	}
	i := slices.IndexFunc(r.all, func(e *ranked) bool { return e.passes && e.kind == tree.Experience && e.parent == x.id() })
	if i < 0 {
		return nil
	}
	return r.all[i]
}

// alike returns how like two nodes are: the cosine of their vectors, or the
// overlap of their words where one has none.
func alike(a, b *ranked) (float64, error) {
	v, err := a.part.vectorOf(a.slot)
	if err != nil {
		return 0, err
	}
	w, err := b.part.vectorOf(b.slot)
	if err != nil {
		return 0, err
	}
	if v.row != nil && w.row != nil && len(v.row) == len(w.row) {
		return max(0, float64(likeness(v.row, w.row, v.scale, w.scale))), nil
	}
	ka, err := a.part.wordKeys(a.slot)
	if err != nil {
		return 0, err
	}
	kb, err := b.part.wordKeys(b.slot)
	return overlap(ka, kb), err
}

// hit tells the outside of a candidate.
func (r *ranking) hit(x *ranked) Hit {
	h := Hit{
		ID: x.id(), Type: x.kind, ErrorType: x.errorType, Direction: x.direction, Rel: x.rel, Score: x.score,
		Taken: x.taken, Reason: x.why.String(), Why: x.why, Parent: x.parent, SameScene: r.same(x), Confidence: x.confidence,
	}
	place := 0.0
	if x.exact > 0 {
		place = 0.5
	}
	if h.SameScene {
		place = 1
	}
	h.Signals = append(make([]Signal, 0, 11),
		Signal{"exact", place, x.exact, exactWeight, exactWeight * x.exact},
		Signal{"semantic", x.raw, x.semantic, semanticWeight, semanticWeight * x.semantic},
		Signal{"words", x.lexical, x.lexical, 1, x.lexical},
	)
	if r.dense {
		h.Signals = append(h.Signals, Signal{"meaning", x.cosine, max(0, x.cosine), 1, max(0, x.cosine)})
	}
	if x.asked > 0 {
		h.Signals = append(h.Signals, Signal{"check", x.asked, x.asked, askedWeight, askedWeight * x.asked})
	}
	h.Signals = append(h.Signals, Signal{"scene", x.candidate.scene, x.candidate.scene, sceneWeight, sceneWeight * x.candidate.scene})
	if x.activation > 0 {
		h.Signals = append(h.Signals, Signal{"activation", x.activation, x.activation, x.lifted, x.lifted * x.activation})
	}
	rel := x.rel
	factor := func(name string, raw, f float64) {
		h.Signals = append(h.Signals, Signal{name, raw, f, 1, rel*f - rel})
		rel *= f
	}
	factor("confidence", x.confidence, 0.5+0.5*x.confidence)
	if x.again > 0 {
		factor("recurrence", x.again, x.trust/(0.5+0.5*x.confidence))
	}
	factor("age", x.days, x.fresh)
	if h.SameScene {
		factor("closeness", x.semantic, x.close)
	}
	if x.likeness > 0 {
		h.Signals = append(h.Signals, Signal{"diversity", x.likeness, x.likeness, diversity - 1, (diversity - 1) * x.likeness})
	}
	return h
}
