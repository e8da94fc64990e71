package sim

import (
	"math"
	"time"

	"github.com/memtree/memtree/effect"
	"github.com/memtree/memtree/tree"
)

// Policy decides in a closed loop which memories are included.
type Policy struct {
	Name    string
	Holdout effect.Holdout
	choose  Choose
	learn   func(runs []effect.TrialRun) // called after every span runs with all runs
	breaker *effect.Breaker
}

// span is the number of runs between two updates of a policy, and night that between two evolutions of the tree.
const (
	span  = 50
	night = 500
)

// Policies returns new policies for one world: the oracle, ours, the published rules, and two that learn nothing.
func Policies() []*Policy {
	out := []*Policy{
		{Name: "oracle", choose: only(func(k *Known) bool { return k.Effect > 0 })},
		ours(),
		{Name: "all memories, always", choose: all},
		{Name: "no memory", choose: only(func(*Known) bool { return false })},
	}
	for _, r := range Rules() {
		if r.Gives != nil {
			out = append(out, published(r))
		}
	}
	return out
}

// only selects the memories that may be included.
func only(may func(*Known) bool) Choose {
	return func(found []*Known, _ string) []*Known {
		var out []*Known
		for _, k := range found {
			if may(k) {
				out = append(out, k)
			}
		}
		return out
	}
}

// ours follows the lifecycle of package effect, with its hold-out and breaker.
func ours() *Policy {
	book := effect.NewCreditBook()
	status := map[string]tree.Status{}
	since := map[string]time.Time{}
	seen := 0
	p := &Policy{Name: "lineage ridge (ours)", Holdout: effect.Schedule(), breaker: &effect.Breaker{}}
	of := func(id string) tree.Status {
		if s, ok := status[id]; ok {
			return s
		}
		return tree.Active
	}
	p.choose = func(found []*Known, runID string) []*Known {
		var held []string
		for _, k := range found {
			if of(k.ID) == tree.Quarantined {
				held = append(held, k.ID)
			}
		}
		probe := ""
		if len(held) > 0 && effect.Probes(runID, "sim") {
			probe = held[0]
		}
		return only(func(k *Known) bool { return k.ID == probe || effect.Given(of(k.ID), tree.Unmarked) })(found, runID)
	}
	p.learn = func(runs []effect.TrialRun) {
		for ; seen < len(runs); seen++ {
			book.Add(&runs[seen])
		}
		if len(runs) == 0 {
			return
		}
		now := runs[len(runs)-1].At
		fit := book.Fit(now)
		effect.Suspect(fit, runs, nil, func(id string) bool { return of(id) == tree.Quarantined || of(id) == tree.Retired })
		for _, e := range fit {
			next, _ := effect.Next(&e, effect.Standing{Status: of(e.ID), Since: since[e.ID], Ours: true}, now)
			if next != of(e.ID) {
				status[e.ID], since[e.ID] = next, now
			}
		}
	}
	return p
}

func published(r Rule) *Policy {
	scores, uses := map[string]float64{}, map[string]int{}
	p := &Policy{Name: r.Name}
	if r.Compares {
		p.Holdout = effect.Schedule()
	}
	p.choose = only(func(k *Known) bool {
		s, ok := scores[k.ID]
		return !ok || r.Gives(s, uses[k.ID])
	})
	p.learn = func(runs []effect.TrialRun) {
		scores = r.Score(runs)
		clear(uses)
		each(runs, func(id string, _ *effect.TrialRun) { uses[id]++ })
	}
	return p
}

// Live runs n runs in which the policy decides what is included, and returns the expected share of right runs in the
// last of them.
func (w *World) Live(p *Policy, n, last int) float64 {
	var line queue
	var known []effect.TrialRun
	sum := 0.0
	for i := range n {
		a := w.Next(i, p.choose)
		a.Run.Chances = p.Holdout.Chances(i, 1)
		if p.breaker != nil {
			a.Run.Chances = p.breaker.Decide(nil, p.Holdout).Chances
		}
		a.Run.Arm = effect.DrawArm(a.Run.ID, "sim", a.Run.Chances)
		if at := w.End(i, &a); at >= 0 {
			line.put(at, a.Run)
		}
		if i >= n-last {
			sum += a.right / float64(last)
		}
		for _, r := range line.take(i) {
			known = append(known, r)
			if p.breaker != nil {
				p.breaker.Observe(&r)
			}
		}
		if (i+1)%span == 0 && p.learn != nil {
			p.learn(known)
		}
		if (i+1)%night == 0 && p.breaker != nil {
			p.breaker.Evolved(a.Run.At, a.Run.Seq)
		}
	}
	return sum
}

// Lived is the result of a policy.
type Lived struct {
	Name  string
	Right float64 // share of right runs
	Error float64 // its standard error, over worlds
}

// Loops returns for every policy the share of right runs in the last of n, in the
// mean over worlds with seeds from 1.
func Loops(n, last, worlds int) []Lived {
	var out []Lived
	for k := range worlds {
		for i, p := range Policies() {
			if k == 0 {
				out = append(out, Lived{Name: p.Name})
			}
			x := New(Real(uint64(k)+1)).Live(p, n, last) //nolint:gosec // small
			out[i].Right += x
			out[i].Error += x * x
		}
	}
	f := float64(worlds)
	for i := range out {
		l := &out[i]
		l.Right /= f
		l.Error = math.Sqrt(max(0, l.Error/f-l.Right*l.Right) / max(1, f-1))
	}
	return out
}
