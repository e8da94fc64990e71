package effect

import (
	"fmt"
	"iter"

	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/tree"
)

// LedgerStats holds counts of the entries of a ledger, as [StatsOf] returns them.
type LedgerStats struct {
	Trials      Trials        `json:"trials"`
	Corrections []Remedied    `json:"corrections"` // in the order flag, rerun, other
	Ablations   ablationStats `json:"ablations"`
	Apart       Apart         `json:"apart"` // runs that show nothing about their judge
}

// Apart counts runs that show nothing about the agent that judged, such as runs in which the environment failed.
// Nothing learns from such a run. It counts under its excuse, or under Named if it has none because a person or a file
// set it apart.
type Apart struct {
	N           int `json:"n"`           // all such runs
	Healed      int `json:"healed"`      // the tool repaired the test while it ran
	Retried     int `json:"retried"`     // the test passed after attempts that failed
	Environment int `json:"environment"` // the environment failed
	Named       int `json:"named"`       // set apart without an excuse

	excuses map[string]tree.Excuse // of the evaluations that are apart
}

func (a *Apart) note(v *ledger.Verdict) {
	if v.Apart() {
		a.excuses[v.Evaluation] = v.Excuse
	} else {
		delete(a.excuses, v.Evaluation)
	}
}

func (a *Apart) count() {
	a.N = len(a.excuses)
	for _, x := range a.excuses {
		switch x {
		case tree.Healed:
			a.Healed++
		case tree.Retried:
			a.Retried++
		case tree.Environment:
			a.Environment++
		default:
			a.Named++
		}
	}
	a.excuses = nil
}

// Trials counts the requests of runs for guidance, what they received, and their outcomes.
type Trials struct {
	Asked    int      `json:"asked"`  // runs that requested guidance
	Found    int      `json:"found"`  // of Asked, runs with memories found
	Guided   int      `json:"guided"` // of Found, runs that received their memories
	Other    int      `json:"other"`  // of Found, runs that received other memories
	None     int      `json:"none"`   // of Found, runs without memories: held out, or the breaker was open
	Outcomes Outcomes `json:"outcomes"`

	Questions int `json:"questions"` // requests for guidance without a run; no other count includes them
}

// ablationStats counts the results of ablations.
type ablationStats struct {
	N      int            `json:"n"`
	Blame  map[string]int `json:"blame"`  // by conclusion
	Blamed []Blamed       `json:"blamed"` // the evidence against single memories, in time order
}

// StatsOf counts the entries of a ledger, which must be given from its beginning. It stops at the first error of the
// iterator and returns it.
func StatsOf(ledger iter.Seq2[ledger.Entry, error]) (LedgerStats, error) {
	corrections, joiner := NewCorrections(0), NewJoiner()
	out := LedgerStats{Ablations: ablationStats{Blame: map[string]int{}, Blamed: []Blamed{}},
		Apart: Apart{excuses: map[string]tree.Excuse{}}}
	for e, err := range ledger {
		if err != nil {
			return out, fmt.Errorf("read the ledger: %w", err)
		}
		corrections.Note(&e)
		if e.Verdict != nil {
			out.Apart.note(e.Verdict)
		} else { // a verdict gives a run its test, which is not counted
			joiner.Add(&e)
		}
		if a := e.Ablation; a != nil && a.Check() == nil {
			out.Ablations.note(a)
		}
	}
	out.Corrections = corrections.Remedied()
	out.Apart.count()
	joined := joiner.Join(func(string) (Candidate, bool) { return Candidate{}, false })
	out.Trials.Outcomes, out.Trials.Questions = joined.Outcomes, joined.Questions
	for i := range joined.Asked {
		out.Trials.note(&joined.Asked[i])
	}
	return out, nil
}

func (t *Trials) note(x *Asked) {
	t.Asked++
	if !x.Found {
		return
	}
	t.Found++
	switch x.Arm {
	case Memory:
		t.Guided++
	case Other:
		t.Other++
	case None:
		t.None++
	}
}

func (s *ablationStats) note(a *ledger.Ablation) {
	s.N++
	s.Blame[string(a.Blame)]++
	if b, ok := Blame(a); ok {
		s.Blamed = append(s.Blamed, b)
	}
}
