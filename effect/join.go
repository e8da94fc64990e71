package effect

import (
	"cmp"
	"iter"
	"slices"
	"time"

	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/tree"
)

// Joined holds the runs of a ledger, as [Joiner.Join] returns them.
type Joined struct {
	// Runs are the runs with a known outcome, later attempts included, in the order of the outcomes, as [Breaker.Observe]
	// requires.
	Runs []TrialRun

	Evolved []learnedAt // when the tree changed by learning, in order
	Blamed  []Blamed    // evidence of ablations against memories
	Drawn   int         // number of trials that count as a draw of an arm, see [ledger.Trial.Drawn]
	Asked   []Asked     // requests for guidance by runs, in the order of the ledger

	// Questions is the number of requests for guidance without a run, such as those of a person who wants to see the
	// guidance. No other count includes them.
	Questions int

	Outcomes
}

// Outcomes counts trials and the outcomes that a ledger has of them.
type Outcomes struct {
	Known    int `json:"known"`    // trials with an outcome
	Open     int `json:"open"`     // trials that belong to a run and have no outcome
	Unknown  int `json:"unknown"`  // outcomes of trials that are not in the ledger
	Again    int `json:"again"`    // outcomes that repeat an earlier one of the same attempt
	Contrary int `json:"contrary"` // outcomes that contradict an earlier one of the same attempt; the earlier one counts
	Retries  int `json:"retries"`  // outcomes of later attempts of a trial
	Flipped  int `json:"flipped"`  // of Retries, those with another result than the first attempt
}

// Asked is the request of a run for guidance.
type Asked struct {
	At    time.Time
	Arm   Treatment
	Found bool    // memories were found for the run, whatever the arm
	Took  float64 // milliseconds to the answer; 0: not measured
}

// learnedAt is a time at which the tree learned. Trials from Seq on use the new tree.
type learnedAt struct {
	Seq uint64
	At  time.Time
}

// CandidateOf is a function that returns the present state of the memory or fact with this id, and whether it exists.
type CandidateOf func(id string) (Candidate, bool)

// Join adds all entries of a ledger to a new Joiner and returns the result of [Joiner.Join].
func Join(ledger iter.Seq[ledger.Entry], look CandidateOf) Joined {
	j := NewJoiner()
	for e := range ledger {
		j.Add(&e)
	}
	return j.Join(look)
}

// Joiner joins trials, their later steps and their outcomes by trial id. An outcome may come before its trial. Join can
// be called again after further entries. A Joiner retains parts of the entries. It is not safe for concurrent use.
type Joiner struct {
	trials   map[string]drawn
	given    map[string][]ledger.Injection // at later steps, by trial
	tests    map[string]string             // by evaluation
	outcomes []knownOutcome
	evolved  []learnedAt
	acts     int // decisions that changed memories since the tree last learned
	asked    []*ledger.Trial
	blamed   []Blamed
	chances  int // trials whose arm was drawn at random
}

// NewJoiner returns a Joiner without entries.
func NewJoiner() *Joiner {
	return &Joiner{trials: map[string]drawn{}, given: map[string][]ledger.Injection{}, tests: map[string]string{}}
}

// drawn is a trial and its place in the ledger.
type drawn struct {
	*ledger.Trial
	seq uint64
}

// knownOutcome is an outcome and its place in the ledger.
type knownOutcome struct {
	*ledger.Outcome
	seq uint64
}

// Add adds entry e of the ledger. Of two trials with one id it uses the first.
func (j *Joiner) Add(e *ledger.Entry) {
	switch {
	case e.Trial != nil && j.trials[e.Trial.ID].Trial == nil:
		j.trials[e.Trial.ID] = drawn{e.Trial, e.Seq}
		j.asked = append(j.asked, e.Trial)
		if e.Trial.Drawn() {
			j.chances++
		}
	case e.Step != nil:
		j.given[e.Step.Trial] = append(j.given[e.Step.Trial], e.Step.Injected...)
	case e.Outcome != nil:
		j.outcomes = append(j.outcomes, knownOutcome{e.Outcome, e.Seq})
	case e.Verdict != nil && e.Verdict.CaseID != "":
		j.tests[e.Verdict.Evaluation] = e.Verdict.CaseID
	case e.Ablation != nil:
		if b, ok := Blame(e.Ablation); ok {
			j.blamed = append(j.blamed, b)
		}
	case e.Evolved != nil:
		j.evolved, j.acts = append(j.evolved, learnedAt{e.Seq, e.At}), 0
	case e.Act != nil && e.Act.Kind != tree.DecisionPin:
		j.acts++
	}
}

// Acts returns the number of decisions that people made since the tree last evolved. It does not count pins.
func (j *Joiner) Acts() int { return j.acts }

// try is one attempt of a trial.
type try struct {
	trial   string
	attempt int
}

// Join returns the runs of the entries so far. The test of a run is the test case of its evaluation, else the test of
// its trial, else the trial's query. If a person labelled a run, the person's latest label counts. Join treats a memory
// that look does not know as a case without ancestors.
func (j *Joiner) Join(look CandidateOf) Joined {
	out := Joined{
		Evolved: slices.Clone(j.evolved), Blamed: slices.Clone(j.blamed),
		Drawn: j.chances,
	}
	outcomes := j.corrected()
	right := map[try]bool{}
	first := map[string]int{}
	for _, o := range outcomes {
		if t := j.trials[o.Trial]; t.Trial != nil {
			if n, ok := first[o.Trial]; !ok || attempt(o.Outcome) < n {
				first[o.Trial] = attempt(o.Outcome)
			}
		}
	}
	for _, o := range outcomes {
		t := j.trials[o.Trial]
		if t.Trial == nil {
			out.Unknown++
			continue
		}
		this := try{o.Trial, attempt(o.Outcome)}
		if was, ok := right[this]; ok {
			if was == o.Correct {
				out.Again++
			} else {
				out.Contrary++
			}
			continue
		}
		right[this] = o.Correct
		out.Runs = append(out.Runs, j.run(t, o, look))
	}
	for this, was := range right {
		if n := first[this.trial]; n < this.attempt {
			out.Retries++
			if right[try{this.trial, n}] != was {
				out.Flipped++
			}
		}
	}
	j.count(&out, first)
	return out
}

// count counts trials. A trial without a run id is a question until it has an outcome.
func (j *Joiner) count(out *Joined, followed map[string]int) {
	for _, t := range j.asked {
		_, known := followed[t.ID]
		switch {
		case known:
			out.Known++
		case t.Run || t.Drawn():
			out.Open++
		default:
			out.Questions++
			continue
		}
		out.Asked = append(out.Asked, Asked{t.At, armOf(t), len(t.Eligible) > 0, t.Took})
	}
}

func armOf(t *ledger.Trial) Treatment { return cmp.Or(arms[t.Arm], None) }

// corrected returns the outcomes with corrections applied: a person's latest outcome of an evaluation replaces the
// evaluation's own, and the person's other outcomes are omitted. Without an own outcome, it takes the place of the
// person's first one. Withdrawn outcomes are omitted.
func (j *Joiner) corrected() []knownOutcome {
	last := map[string]knownOutcome{}
	for _, o := range j.outcomes {
		if o.By != "" {
			last[o.Evaluation] = o
		}
	}
	if len(last) == 0 {
		return j.outcomes
	}
	told := map[string]bool{} // evaluations that have an outcome
	for _, o := range j.outcomes {
		told[o.Evaluation] = told[o.Evaluation] || o.By == ""
	}
	out := make([]knownOutcome, 0, len(j.outcomes))
	for _, o := range j.outcomes {
		if o.By != "" && told[o.Evaluation] {
			continue
		}
		told[o.Evaluation] = true
		if c, ok := last[o.Evaluation]; ok && c.Trial == o.Trial {
			o.Outcome = c.Outcome
		}
		if !o.Void {
			out = append(out, o)
		}
	}
	return out
}

func attempt(o *ledger.Outcome) int { return max(1, o.Attempt) }

// arms maps the arms of a ledger to those of this package.
var arms = map[ledger.Arm]Treatment{ledger.ArmMemory: Memory, ledger.ArmOther: Other, ledger.ArmHoldout: None}

func (j *Joiner) run(t drawn, o knownOutcome, look CandidateOf) TrialRun {
	r := TrialRun{
		ID: t.ID, Seq: t.seq, Ended: o.seq, At: t.At, Scene: t.Scene,
		Test: cmp.Or(j.tests[o.Evaluation], t.Scope.Test, t.Query),
		Arm:  armOf(t.Trial), Chances: Chances{Memory: t.P, Other: t.Other}, Found: t.Found,
		Attempt: attempt(o.Outcome), Correct: o.Correct,
	}
	if !o.Correct {
		r.Wrong = Mistake{o.ErrorType, o.Direction}
	}
	for i, id := range t.Eligible {
		r.Eligible = append(r.Eligible, look.candidate(id, i+1))
	}
	if r.Arm == None {
		return r
	}
	for _, in := range slices.Concat(t.Injected, j.given[t.ID]) {
		if !slices.ContainsFunc(r.Injected, func(c Candidate) bool { return c.ID == in.ID }) {
			r.Injected = append(r.Injected, look.candidate(in.ID, in.Rank))
		}
	}
	return r
}

func (look CandidateOf) candidate(id string, rank int) Candidate {
	c, ok := look(id)
	if !ok {
		c = Candidate{ID: id, Type: tree.Case}
	}
	c.Rank = rank
	return c
}
