package retrieval

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/memtree/memtree/tree"
)

// ranking chooses the answer from the candidates of a search.
type ranking struct {
	*search
	limits  Limits
	now     time.Time
	explain bool               // fill Result.Considered
	all     []*ranked          // every candidate; from judge on, best first
	byID    map[string]*ranked // the same by node id
}

// ranked is a candidate with its factors, its score, and the decision on it.
type ranked struct {
	candidate
	nodeTraits
	activation float64 // rel of the child that lifted it, 0 for none
	lifted     float64 // the factor that activation was multiplied with
	again      float64 // the certainty that it is of the very test of the query, 0 to 1
	trust      float64 // factor on rel for confidence, 0.5 to 1; again makes it higher
	fresh      float64 // factor on rel for age, 0.85 to 1
	days       float64 // age in days
	close      float64 // factor on rel among memories of the same place, 0.85 to 1
	score      float64 // rel times the factors
	likeness   float64 // the highest likeness to a memory that was taken before it, 0 to 1
	cover      *ranked // the abstraction that covers it; nil: none
	covers     int     // how many candidates it covers
	standing   float64 // the score it is chosen by: its own or that of the best candidate it covers
	passes     bool    // it may be taken, considering it alone
	taken      bool
	why        Why
}

const (
	liftExperience = 0.9  // the part of a case's rel that an experience above it gets
	liftStrategy   = 0.8  // the part of an experience's rel that a strategy above it gets
	diversity      = 0.7  // λ of maximal marginal relevance (Carbonell and Goldstein, SIGIR 1998)
	halfLife       = 90.0 // days after which half of the bonus for being recent is gone
)

// answer runs the steps of the ranking, in this order: gather candidates, lift their parents, judge each, prefer cases
// of this page, let abstractions cover children, choose.
func (r *ranking) answer() (Result, error) {
	res := Result{Hits: []Hit{}, Abstained: true, Asked: r.checks}
	if err := r.gather(); err != nil {
		return Result{}, err
	}
	if err := r.liftParents(tree.Case, liftExperience); err != nil {
		return Result{}, err
	}
	if err := r.liftParents(tree.Experience, liftStrategy); err != nil {
		return Result{}, err
	}
	for _, x := range r.all {
		r.judge(x)
	}
	slices.SortFunc(r.all, compareRanked)
	r.preferThisPage()
	r.coverChildren()
	if err := r.choose(); err != nil {
		return Result{}, err
	}
	for _, x := range r.all {
		if r.explain {
			res.Considered = append(res.Considered, r.hit(x))
		}
		if x.kind == tree.Case && r.isHere(x) {
			res.Here = append(res.Here, x.id())
		}
	}
	slices.Sort(res.Here)
	taken := slices.DeleteFunc(slices.Clone(r.all), func(x *ranked) bool { return !x.taken })
	slices.SortStableFunc(taken, func(a, b *ranked) int {
		if x := r.isExample(a); x != r.isExample(b) {
			return map[bool]int{true: -1, false: 1}[x]
		}
		return compareRanked(a, b)
	})
	for _, x := range taken {
		res.Hits = append(res.Hits, r.hit(x))
	}
	res.Abstained = len(res.Hits) == 0
	if len(r.all) > 0 { // by rel, the measure of fit; trust and age have no effect here
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

// gather finds the best candidates of each level and reads their traits. The scan decides
// scopes by marks; here they are compared in full.
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
				r.addCandidate(c, m)
			}
		}
	}
	return nil
}

func (r *ranking) addCandidate(c candidate, m nodeTraits) *ranked {
	x := &ranked{candidate: c, nodeTraits: m}
	r.all = append(r.all, x)
	r.byID[m.id] = x
	return x
}

// liftParents raises the rel of the parents of candidates of a level to lift times the rel of the best child, if it is
// lower. A parent that the scan did not find is read and added. Only children with a reason in the query lift, because
// a parent needs a reason too.
func (r *ranking) liftParents(level tree.Type, lift float64) error {
	for i := 0; i < len(r.all); i++ {
		x := r.all[i]
		if x.kind != level || x.parent == "" || level == tree.Case && !x.founded ||
			level == tree.Experience && !r.hasReason(x) {
			continue
		}
		p := r.byID[x.parent]
		if p == nil {
			c, m, ok, err := r.candidateOf(x.parent)
			if err != nil {
				return err
			}
			if !ok {
				continue
			}
			p = r.addCandidate(c, m)
		}
		if up := lift * x.rel; up > p.rel {
			p.rel, p.activation, p.lifted = up, x.rel, lift
		}
	}
	return nil
}

// judge computes the score of a candidate, and decides whether it passes by itself: whether it fits well enough, has a
// reason in the query, and is trusted enough.
func (r *ranking) judge(x *ranked) {
	x.again = r.recurrence(x)
	// Without recurrence trust is 0.5 + 0.5·confidence. A case of the very test loses up to half
	// of the doubt, (1 − confidence), for each time it was seen.
	x.trust = 1 - 0.5*(1-x.confidence)*math.Pow(1-0.5*x.again, float64(x.times))
	floor := r.limits.Confidence * (1 - x.again)
	x.fresh = 1
	if !r.now.IsZero() && !x.confirmed.IsZero() {
		x.days = max(0, r.now.Sub(x.confirmed).Hours()/24)
		x.fresh = 0.85 + 0.15*math.Exp2(-x.days/halfLife)
	}
	x.close = 1
	if r.isSameScene(x) {
		x.close = 0.85 + 0.15*x.semantic
	}
	x.score = x.rel * x.trust * x.fresh * x.close
	at := threshold(x.kind)
	switch {
	case x.rel < at:
		x.why = Why{TooFar, []any{x.rel, x.kind, at}}
	case x.own() && !r.hasReason(x):
		x.why = Why{Uncalled, nil}
	case x.kind == tree.Case && !x.founded, x.kind != tree.Case && !r.hasReason(x):
		x.why = Why{Unfounded, []any{x.semantic, leastWords}}
	case x.confidence < floor:
		x.why = Why{Distrusted, []any{x.confidence, floor}}
	default:
		x.passes = true
	}
}

// hasReason reports whether a lesson has a reason in the query. It has one if its text is similar, or if one of its
// cases has one. The place and the scene type are no reasons; they raise a memory that has one. For a lesson that a
// person worded, only the conditions and tests that the person named are reasons.
func (r *ranking) hasReason(x *ranked) bool {
	if x.own() {
		return x.task > 0
	}
	return x.task > 0 || x.semantic >= leastWords || x.activation > 0
}

// recurrence returns the certainty that a case is of the very test of the query, 0 to 1. It is high if the case has
// the id of the test, lies at the exact place or has the text of the prompt. The fourth power leaves nearly nothing
// for a paraphrase, and tens of per cent for a prompt in which a number changed. judge trusts such a case more: this
// test is known to have gone wrong before, even if the analyst was not sure why. A lesson that was taught for this
// very test has certainty 1.
func (r *ranking) recurrence(x *ranked) float64 {
	if r.isExample(x) {
		return 1
	}
	if x.kind != tree.Case {
		return 0
	}
	if test := r.scope.scope.Test; test != "" && slices.Contains(x.tests, test) {
		return 1
	}
	return max(x.exact, math.Pow(x.verbatim, 4))
}

// isSameScene reports whether scene id and route pattern both equal the query's.
func (r *ranking) isSameScene(x *ranked) bool {
	const both = sceneEqual | routeEqual
	return r.flag[x.part.base+x.slot]&both == both
}

// isHere reports whether a case is of this very page. If the case and the query name no place in common, it reports
// whether the case is of this very test. Another page with the same prompt is not this page.
func (r *ranking) isHere(x *ranked) bool {
	same, said := r.samePage(x)
	return same || !said && x.again >= carriesOver
}

// samePage compares the place of a candidate with that of the query. It compares scene id and route where both have
// them. said is false when they have neither in common; then same is false too.
func (r *ranking) samePage(x *ranked) (same, said bool) {
	a, b := r.place, x.nodeTraits.scene
	id, route := a.ID != "" && b.ID != "", a.Route != "" && b.Route != ""
	same = (id || route) && (!id || a.ID == b.ID) && (!route || a.Route == b.Route)
	return same, id || route
}

// preferThisPage drops the memories of other pages if a case of this page passes, because a mistake on this page is
// more relevant. It does not drop the lessons and strategies above such a case, since they may cover it, nor lessons
// that a person taught or worded, which are of no page.
func (r *ranking) preferThisPage() {
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
		if nearest != nil && x.passes && !own[x.id()] && !x.own() {
			x.passes, x.why = false, Why{otherPage, []any{nearest.id()}}
		}
	}
}

// compareRanked is the order of answers: the higher score first, then the better match of the
// place, the lower level, the later confirmation, the lower id.
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

// coverChildren lets an abstraction cover those of its children that pass, so that it is taken in their place:
//
//   - An experience covers its cases if two or more of them pass, because it describes what they have in common. A
//     single case is more specific than its lesson.
//   - A strategy covers its experiences if at least manyLessons of them pass. Fewer of them are more specific than the
//     strategy, which also has lessons that do not fit. It does not cover an experience that covers cases itself.
//   - A case of this very test is never covered, nor one of exactly this place, if few cases share the place. Nothing
//     is more specific.
//
// The abstraction is chosen by the standing of its best child. The children are taken only if the abstraction cannot
// be.
func (r *ranking) coverChildren() {
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
			if x.kind != kind || !x.passes || p == nil || !p.passes || x.covers > 0 ||
				x.kind == tree.Case && (x.again >= carriesOver || r.isSameScene(x) && x.exact >= fewPlace) {
				continue
			}
			if children[x.parent] >= enough[kind] {
				x.cover = p
				p.covers++
				p.standing = max(p.standing, x.standing)
			}
		}
	}
}

// manyLessons is the number of fitting experiences from which their strategy is taken in their place. It is one more
// than the default number of experiences in an answer.
const manyLessons = 3

// spokenFor reports whether an abstraction that covers the candidate was taken or can still be taken.
func (r *ranking) spokenFor(x *ranked, taken []*ranked, count map[tree.Type]int) bool {
	c := x.cover
	return c != nil && (c.taken || !r.blocked(c, taken, count) || r.spokenFor(c, taken, count))
}

// carriesOver is the recurrence below which a case is treated as one of another test.
const carriesOver = 0.8

// taughtForThis takes the lessons that a person taught for this very test, without a limit: the budget of the text
// bounds them. It adds them to count.
func (r *ranking) taughtForThis(count map[tree.Type]int) (taken []*ranked) {
	if min(r.limits.Total, r.limits.Experiences) < 0 {
		return nil
	}
	for _, x := range r.all {
		if x.passes && r.isExample(x) {
			taken = append(taken, x)
			x.taken, x.why = true, Why{isTaken, []any{len(taken), x.rel, x.score}}
			count[x.kind]++
		}
	}
	return taken
}

// isExample reports whether a lesson was taught for this very test.
func (r *ranking) isExample(x *ranked) bool { return r.example[x.part.base+x.slot] }
