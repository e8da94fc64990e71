package effect

import (
	"cmp"
	"iter"
	"slices"

	"github.com/memtree/memtree/tree"
)

// Joined is what a ledger says of runs.
type Joined struct {
	// Runs are those whose outcome is known, first attempts and later ones, in the
	// order in which the outcomes came: the order for [Breaker.Observe].
	Runs []Run

	Open     int // trials whose outcome has not come
	Unknown  int // outcomes of trials that are not in the ledger
	Again    int // outcomes that say what was known
	Contrary int // outcomes that deny one that came before; the first one counts
	Retries  int // later attempts
	Flipped  int // of them, those that ended otherwise than the first attempt
}

// Join joins trials, their steps and their outcomes by trial id, in whatever order they
// stand in the ledger. The test of a run is the case of its evaluation, else the one
// its trial names, else what was asked. look returns a memory as it is now; one it does
// not know is a case without lineage.
func Join(ledger iter.Seq[tree.Entry], look func(id string) (Candidate, bool)) Joined {
	j := joiner{
		trials: map[string]drawn{}, given: map[string][]tree.Injection{}, tests: map[string]string{}, look: look,
	}
	for e := range ledger {
		j.note(&e)
	}
	return j.join()
}

type joiner struct {
	trials   map[string]drawn
	given    map[string][]tree.Injection // at later steps, by trial
	tests    map[string]string           // by evaluation
	outcomes []*tree.Outcome
	look     func(id string) (Candidate, bool)
}

// drawn is a trial and its place in the ledger.
type drawn struct {
	*tree.Trial
	seq uint64
}

// note keeps an entry. Of two trials of one id the first counts: it was drawn first.
func (j *joiner) note(e *tree.Entry) {
	switch {
	case e.Trial != nil && j.trials[e.Trial.ID].Trial == nil:
		j.trials[e.Trial.ID] = drawn{e.Trial, e.Seq}
	case e.Step != nil:
		j.given[e.Step.Trial] = append(j.given[e.Step.Trial], e.Step.Injected...)
	case e.Outcome != nil:
		j.outcomes = append(j.outcomes, e.Outcome)
	case e.Verdict != nil && e.Verdict.CaseID != "":
		j.tests[e.Verdict.Evaluation] = e.Verdict.CaseID
	}
}

// try is one attempt of a trial.
type try struct {
	trial   string
	attempt int
}

func (j *joiner) join() Joined {
	var out Joined
	known := map[try]bool{} // whether it was right
	first := map[string]int{}
	for _, o := range j.outcomes {
		if t := j.trials[o.Trial]; t.Trial != nil {
			if n, ok := first[o.Trial]; !ok || attempt(o) < n {
				first[o.Trial] = attempt(o)
			}
		}
	}
	for _, o := range j.outcomes {
		t := j.trials[o.Trial]
		if t.Trial == nil {
			out.Unknown++
			continue
		}
		this := try{o.Trial, attempt(o)}
		if right, ok := known[this]; ok {
			if right == o.Correct {
				out.Again++
			} else {
				out.Contrary++
			}
			continue
		}
		known[this] = o.Correct
		out.Runs = append(out.Runs, j.run(t, o))
	}
	for this, right := range known {
		if n := first[this.trial]; n < this.attempt {
			out.Retries++
			if known[try{this.trial, n}] != right {
				out.Flipped++
			}
		}
	}
	out.Open = len(j.trials) - len(first)
	return out
}

func attempt(o *tree.Outcome) int { return max(1, o.Attempt) }

func (j *joiner) run(t drawn, o *tree.Outcome) Run {
	r := Run{
		ID: t.ID, Seq: t.seq, At: t.At, Test: cmp.Or(j.tests[o.Evaluation], t.Scope.Test, t.Query), Scene: t.Scene, Arm: Memory,
		Chances: Chances{Memory: t.P}, Attempt: attempt(o), Correct: o.Correct,
	}
	if t.Arm != tree.ArmMemory {
		r.Arm = None
	}
	if !o.Correct {
		r.Wrong = Mistake{o.ErrorType, o.Direction}
	}
	for i, id := range t.Eligible {
		r.Eligible = append(r.Eligible, j.candidate(id, i+1))
	}
	if r.Arm == None {
		return r
	}
	for _, in := range slices.Concat(t.Injected, j.given[t.ID]) {
		if !slices.ContainsFunc(r.Injected, func(c Candidate) bool { return c.ID == in.ID }) {
			r.Injected = append(r.Injected, j.candidate(in.ID, in.Rank))
		}
	}
	return r
}

func (j *joiner) candidate(id string, rank int) Candidate {
	c, ok := j.look(id)
	if !ok {
		c = Candidate{ID: id, Type: tree.Case}
	}
	c.Rank = rank
	return c
}
