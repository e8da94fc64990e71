package knowledge

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/memtree/memtree/ledger"
)

// Base holds all facts of a ledger in memory, in their latest state. Add must not run at the same time as any method;
// the other methods may run concurrently.
type Base struct {
	facts   map[string]*factRecord
	trials  map[string]*trial   // runs that were given facts and whose outcome has not come
	order   []string            // their ids, oldest first
	early   []early             // outcomes that came before their run, or of runs without facts; the oldest first
	alike   map[string][]string // facts that differ in numbers only, by the rest of their text
	read    map[string]bool     // cases whose note a reader has read
	indexes map[string]*index   // by product; of what agents and other trees alone say it knows nothing
}

// trial is a run that was given facts.
type trial struct {
	ID    string   `json:"id"`
	Test  string   `json:"test"` // its test, or the digest of its question
	Facts []string `json:"facts"`
}

// early is an outcome of a run that is not known, or was given no fact.
type early struct {
	Outcome ledger.Outcome `json:"outcome"`
	At      time.Time      `json:"at"`
}

// mostEarly is how many of them are saved: an outcome comes before its run by seconds at most.
const mostEarly = 256

// mostTrials is how many runs are waited for; the oldest are given up.
const mostTrials = 1 << 16

// MostFacts is the most facts of a tree, in any state. Library.Import and Curation.KnowFact refuse more.
// Library.Propose and Library.Read do not check it: proposals have the bound MostProposed, and each note is read once.
const MostFacts = 200_000

// NewBase returns a Base without facts, for the first entry of a ledger.
func NewBase() *Base {
	return &Base{facts: map[string]*factRecord{}, trials: map[string]*trial{}, alike: map[string][]string{},
		read: map[string]bool{}, indexes: map[string]*index{}}
}

// WasRead reports whether a model has read the note of a case for facts. id is that of the case.
func (b *Base) WasRead(id string) bool { return b.read[id] }

// Line returns the id of a fact and the ids of all facts that it replaced, directly or not, sorted. It returns nil if
// there is no fact with the id.
func (b *Base) Line(id string) []string {
	if b.facts[id] == nil {
		return nil
	}
	ids := []string{id}
	for i := 0; i < len(ids); i++ {
		for other, r := range b.facts {
			if r.Next == ids[i] && !slices.Contains(ids, other) {
				ids = append(ids, other)
			}
		}
	}
	slices.Sort(ids)
	return ids
}

// Len returns the number of facts in b, in any state.
func (b *Base) Len() int { return len(b.facts) }

// Add adds the next entry of the ledger: a statement, a decision, a run that received facts, or its outcome. It calls
// taken with the id of a decision, and ignores the decision if taken returns true because it was undone.
func (b *Base) Add(e *ledger.Entry, taken func(act string) bool) {
	switch {
	case e.Known != nil:
		if k := e.Known; k.Act == "" || !taken(k.Act) {
			b.known(k, e.At)
		}
	case e.Trial != nil:
		defer b.late(e.Trial.ID)
		b.given(e.Trial.ID, cmp.Or(e.Trial.Scope.Test, e.Trial.Query), e.Trial.Injected, e.At)
	case e.Step != nil:
		b.given(e.Step.Trial, "", e.Step.Injected, e.At)
	case e.Outcome != nil:
		b.outcome(e.Outcome, e.At)
	}
}

// known takes in an entry on a fact. An entry on one that nobody stated is passed over.
func (b *Base) known(k *ledger.FactEntry, at time.Time) {
	if k.Source == ledger.FromNote && k.Case != "" {
		b.read[k.Case] = true
	}
	r := b.facts[k.Fact]
	if k.Op == ledger.FactStated && k.Says != nil {
		b.stated(k, at)
		return
	}
	if r == nil {
		return
	}
	if k.Op == ledger.FactContradicted && k.Source == ledger.FromNote {
		b.doubt(r, b.facts[k.Holds])
		return
	}
	if k.Source != ledger.FromTeam {
		return // who proposed it cannot confirm it, and no agent takes a fact out of use
	}
	at = r.see(at)
	if r.in == nil {
		b.back(r)
	}
	switch k.Op {
	case ledger.FactConfirmed:
		r.vote(k.By, true, at, k.Why)
		r.Settled = true // it holds beside what seemed to say otherwise
	case ledger.FactContradicted:
		r.vote(k.By, false, at, k.Why)
	case ledger.FactForgotten:
		r.Forgotten = cmp.Or(k.Why, hadForgotten)
	case ledger.FactSettled:
		b.settle(r, k, at)
	case ledger.FactEdited:
		if k.Says != nil {
			b.edit(r, k, at)
		}
	}
}

// stated adds a fact, or one more witness of it.
func (b *Base) stated(k *ledger.FactEntry, at time.Time) *factRecord {
	r := b.facts[k.Says.ID()]
	if r == nil {
		r = &factRecord{ID: k.Says.ID(), Statement: *k.Says, From: k.Source, By: k.By, Since: at, Used: at}
		r.Pages = slices.Clone(r.Pages)
		b.facts[r.ID] = r
	}
	at = r.see(at)
	if r.in == nil && (k.Source == ledger.FromTeam || k.Source == ledger.FromNote) {
		b.back(r)
	}
	for _, p := range k.Says.Pages {
		if len(r.Pages) > 0 && len(r.Pages) < ledger.MaxPages && !slices.Contains(r.Pages, p) {
			r.Pages = append(r.Pages, p)
			if r.in != nil {
				r.in.page(p, r.slot)
			}
		}
	}
	switch k.Source {
	case ledger.FromTeam:
		r.Forgotten, r.Next = "", ""
		r.vote(k.By, true, at, k.Why)
	case ledger.FromNote:
		if !slices.Contains(r.Cases, k.Case) &&
			(k.Test == "" || !slices.Contains(r.Tests, k.Test)) && len(r.Cases) < mostTests {
			r.Cases, r.Tests = append(r.Cases, k.Case), append(r.Tests, k.Test)
			r.in.test(k.Test, r.slot)
		}
	}
	return r
}

// mostAgainst bounds how many facts one is held against.
const mostAgainst = 16

// enter puts a record into the index of its product.
func (b *Base) enter(r *factRecord) {
	x := b.indexes[r.Scope.Product]
	if x == nil {
		x = newIndex()
		b.indexes[r.Scope.Product] = x
	}
	x.add(r)
}

// edit puts another statement in the place of one.
func (b *Base) edit(r *factRecord, k *ledger.FactEntry, at time.Time) {
	if k.Says.ID() == r.ID { // the same text holds elsewhere, or are of another kind
		r.Statement = *k.Says
		if r.in != nil {
			r.in.slots[r.slot] = nil
		}
		b.enter(r)
		r.vote(k.By, true, at, k.Why)
		return
	}
	says := *k
	says.Why = ""
	next := b.stated(&says, at)
	r.Next, next.Settled = next.ID, true
	for i, c := range r.Cases {
		if len(next.Cases) < mostTests && !slices.Contains(next.Cases, c) {
			next.Cases, next.Tests = append(next.Cases, c), append(next.Tests, r.Tests[i])
			next.in.test(r.Tests[i], next.slot)
		}
	}
}

// given notes which facts a run was given.
func (b *Base) given(id, test string, in []ledger.Injection, at time.Time) {
	for _, i := range in {
		r := b.facts[i.ID]
		if r == nil {
			continue
		}
		r.see(at)
		r.Given++
		t := b.trials[id]
		if t == nil {
			t = b.wait(id, cmp.Or(test, id))
		}
		if !slices.Contains(t.Facts, i.ID) {
			t.Facts = append(t.Facts, i.ID)
		}
	}
}

// wait adds a run whose outcome has not come, and gives up the oldest where there are too many.
func (b *Base) wait(id, test string) *trial {
	t := &trial{ID: id, Test: test}
	b.trials[id] = t
	b.order = append(b.order, id)
	for len(b.trials) > mostTrials {
		delete(b.trials, b.order[0])
		b.order = b.order[1:]
	}
	if len(b.order) > 2*len(b.trials)+64 { // most have had their outcome
		b.order = slices.DeleteFunc(b.order, func(id string) bool { return b.trials[id] == nil })
	}
	return t
}

// outcome credits the facts that a run was given. The first outcome counts.
func (b *Base) outcome(o *ledger.Outcome, at time.Time) {
	t := b.trials[o.Trial]
	if o.Void {
		return
	}
	if t == nil {
		x := ledger.Outcome{Trial: o.Trial, Correct: o.Correct, Direction: o.Direction}
		if b.early = append(b.early, early{x, at}); len(b.early) > mostEarly {
			b.early = slices.Delete(b.early, 0, 1)
		}
		return
	}
	for _, id := range t.Facts {
		if r := b.facts[id]; r != nil {
			r.outcome(t.Test, o, at)
		}
	}
	delete(b.trials, o.Trial)
}

// late credits the facts of a run whose outcome came before it.
func (b *Base) late(trial string) {
	if b.trials[trial] == nil {
		return
	}
	if i := slices.IndexFunc(b.early, func(e early) bool { return e.Outcome.Trial == trial }); i >= 0 {
		e := b.early[i]
		b.early = slices.Delete(b.early, i, i+1)
		b.outcome(&e.Outcome, e.At)
	}
}

// live reports whether a fact is in use.
func (b *Base) live(id string) bool { r := b.facts[id]; return r != nil && r.inUse() }

// Get returns the fact with the id and its trust at the time now, and whether b has it.
func (b *Base) Get(id string, now time.Time) (Fact, bool) {
	r := b.facts[id]
	if r == nil {
		return Fact{}, false
	}
	return b.fact(r, now), true
}

// All returns all facts with their trust at the time now, sorted by id.
func (b *Base) All(now time.Time) []Fact {
	out := make([]Fact, 0, len(b.facts))
	for _, id := range slices.Sorted(maps.Keys(b.facts)) {
		out = append(out, b.fact(b.facts[id], now))
	}
	return out
}

func (b *Base) fact(r *factRecord, now time.Time) Fact {
	yes, no := r.votes()
	f := Fact{
		ID: r.ID, Statement: r.Statement, Trust: r.trust(now), N: yes + no + len(r.Cases) + r.Rights + r.Misses,
		Given: r.Given, Since: r.Since, Used: r.Used, By: r.By, From: r.From, People: slices.Clone(r.People),
		Cases: slices.Clone(r.Cases), Right: r.Rights, Missed: r.Misses, SupersededBy: r.Next,
	}
	f.Pages = slices.Clone(r.Pages)
	f.State, f.Why = r.state(b.live)
	for _, id := range r.Against {
		if b.live(id) {
			f.Against = append(f.Against, id)
		}
	}
	return f
}

// insert adds an id to a sorted list, once.
func insert(list []string, id string) []string {
	if i, found := slices.BinarySearch(list, id); !found {
		return slices.Insert(list, i, id)
	}
	return list
}
