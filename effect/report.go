package effect

import (
	"cmp"
	"slices"
	"time"

	"github.com/memtree/memtree/taxonomy"
)

// Report summarizes whether memory helps, how certain that is, and which memories help.
type Report struct {
	Runs   int   `json:"runs"`   // first attempts with memories found
	Guided int   `json:"guided"` // of Runs, those that received the memories found for them
	Other  int   `json:"other"`  // of Runs, those that received other memories
	None   int   `json:"none"`   // of Runs, those that received no memory
	Right  right `json:"right"`  // numbers of right runs by arm

	// Compared counts the runs for which chance decided between memory and none. The evidence rests on them.
	Compared int `json:"compared"`

	// Lift compares how often runs are right with the memories found for them and with none. The four below are similar.
	Lift
	FalsePass Lift  `json:"falsePass"`         // of runs with a missed defect; below 0 is better
	FalseFail Lift  `json:"falseFail"`         // of runs with a false alarm; below 0 is better
	Repeat    Lift  `json:"repeat"`            // of runs with a mistake that a memory found for them warns of
	Control   *Lift `json:"control,omitempty"` // of right runs, compared with runs that received other memories

	EHelp  float64      `json:"eHelp"`           // evidence of help; at 20 help is proven
	EHarm  float64      `json:"eHarm"`           // evidence of harm; at 20 harm is proven, and the breaker opens
	Proven bool         `json:"proven"`          // the breaker is open, or help was proven since it last went on trial
	State  BreakerState `json:"state"`           // state of the breaker
	Since  time.Time    `json:"since,omitzero"`  // time of the run or change of the tree that caused State
	Types  []typed      `json:"types,omitempty"` // states of error types that are not closed

	Helpful []Effect `json:"helpful,omitempty"` // memories that help, best first
	Harmful []Effect `json:"harmful,omitempty"` // memories that harm, worst first
	TooFew  int      `json:"tooFew"`            // memories with too few runs for a claim, see [Effect.Enough]
	Needed  int      `json:"needed,omitempty"`  // more runs until proof, if the lift is as measured; 0: none or unknown

	Asked    int      `json:"asked"` // runs that requested guidance, including those without an outcome
	Found    int      `json:"found"` // of Asked, runs with memories found
	Outcomes Outcomes `json:"outcomes"`

	Questions int `json:"questions"` // trials without a run; not counted elsewhere

	Verdict  taxonomy.Text `json:"-"` // summary in one sentence
	Memories []Effect      `json:"-"` // every memory that a run received, sorted by id

	runs   []*TrialRun // first attempts, by time
	joined *Joined
}

// right counts right runs, by arm.
type right struct {
	Guided int `json:"guided"`
	Other  int `json:"other"`
	None   int `json:"none"`
}

// typed is the state of an error type.
type typed struct {
	ErrorType string       `json:"errorType"`
	State     BreakerState `json:"state"`
	EHarm     float64      `json:"eHarm"`
}

// surely is the confidence from which a memory is helpful.
const surely = 0.95

// NewReport returns the report on the runs of j. b is a Breaker that has observed these runs, and effects are their
// memories' effects, from [CreditBook.Fit] and [Suspect].
func NewReport(j *Joined, b *Breaker, effects []Effect) *Report {
	var in []*TrialRun
	for _, r := range sorted(j.Runs) {
		if len(r.Eligible) > 0 {
			in = append(in, r)
		}
	}
	r := &Report{
		Runs: len(in), EHelp: b.All.Help.E(), EHarm: b.All.Harm.E(),
		State: cmp.Or(b.All.State, Closed), Since: b.All.Since,
		Asked: len(j.Asked), Questions: j.Questions, Outcomes: j.Outcomes, Memories: effects, runs: in, joined: j,
	}
	r.count()
	for _, run := range in {
		if run.compared() {
			r.Compared++
		}
	}
	r.Lift = lift(in, Memory, None, wasRight)
	r.FalsePass = lift(in, Memory, None, wrongly(taxonomy.FalsePass))
	r.FalseFail = lift(in, Memory, None, wrongly(taxonomy.FalseFail))
	r.Repeat = lift(in, Memory, None, (*TrialRun).warned)
	if r.Other > 0 {
		l := lift(in, Memory, Other, wasRight)
		r.Control = &l
	}
	for _, t := range b.names() {
		if s := b.Types[t]; s.State != Closed && s.State != "" {
			r.Types = append(r.Types, typed{t, s.State, s.Harm.E()})
		}
	}
	r.sort(effects)
	r.Needed = r.needed(in, b)
	r.Proven = r.State == Open || b.All.Help.Best >= proof
	r.Verdict = r.verdict(b)
	return r
}

// count counts requests, and runs by arm.
func (r *Report) count() {
	for _, a := range r.joined.Asked {
		if a.Found {
			r.Found++
		}
	}
	arms := map[Treatment][2]*int{
		Memory: {&r.Guided, &r.Right.Guided}, Other: {&r.Other, &r.Right.Other}, None: {&r.None, &r.Right.None},
	}
	for _, run := range r.runs {
		n := arms[run.Arm]
		if *n[0]++; run.Correct {
			*n[1]++
		}
	}
}

func wasRight(r *TrialRun) bool { return r.Correct }

func wrongly(d taxonomy.Direction) func(*TrialRun) bool {
	return func(r *TrialRun) bool { return !r.Correct && r.Wrong.Direction == d }
}

// warned reports whether the run made a mistake of the type and direction of a memory found for it, injected or not.
func (r *TrialRun) warned() bool {
	return !r.Correct && r.Wrong.ErrorType != "" && slices.ContainsFunc(r.Eligible, func(c Candidate) bool {
		return c.ErrorType == r.Wrong.ErrorType && c.Direction == r.Wrong.Direction
	})
}

func (r *Report) sort(effects []Effect) {
	for _, e := range effects {
		switch e.claim() {
		case helps:
			r.Helpful = append(r.Helpful, e)
		case harms:
			r.Harmful = append(r.Harmful, e)
		case unclear:
			if !e.Enough() {
				r.TooFew++
			}
		}
	}
	slices.SortStableFunc(r.Helpful, func(a, b Effect) int { return cmp.Compare(b.Effect, a.Effect) })
	slices.SortStableFunc(r.Harmful, func(a, b Effect) int { return cmp.Compare(a.Effect, b.Effect) })
}

func (r *Report) needed(in []*TrialRun, b *Breaker) int {
	right, of := 0, 0
	for _, run := range in {
		if run.Arm != Other {
			of++
			if run.Correct {
				right++
			}
		}
	}
	e := b.All.Help
	if r.Lift.Lift < 0 {
		e = b.All.Harm
	}
	if e.Best >= 1/Alpha {
		return 0
	}
	return needed(r.Lift, float64(right)/float64(max(1, of)), e.E())
}
