package effect

import (
	"fmt"
	"iter"

	"github.com/memtree/memtree/tree"
)

// LedgerStats count what a ledger has of trials, of verdicts that were corrected and of failures that
// were looked into.
type LedgerStats struct {
	Trials      Trials        `json:"trials"`
	Corrections []Remedied    `json:"corrections"` // by remedy: flag, rerun, other
	Ablations   ablationStats `json:"ablations"`
}

// Trials count what runs asked of memory, and what came of it.
type Trials struct {
	Asked    int      `json:"asked"`  // by runs
	Found    int      `json:"found"`  // of them, those that memory had something for
	Guided   int      `json:"guided"` // of these, those that were given their memories
	Other    int      `json:"other"`  // or other ones
	None     int      `json:"none"`   // or none, because chance held them out or the breaker was open
	Outcomes Outcomes `json:"outcomes"`

	Questions int `json:"questions"` // that no run followed; they are counted nowhere else
}

// ablationStats count what was found of runs that failed with memories.
type ablationStats struct {
	N      int            `json:"n"`
	Blame  map[string]int `json:"blame"`  // by what they are put down to
	Blamed []Blamed       `json:"blamed"` // the evidence against single memories, in time order
}

// StatsOf reads a ledger from its beginning and counts it.
func StatsOf(ledger iter.Seq2[tree.Entry, error]) (LedgerStats, error) {
	corrections, joiner := NewCorrections(0), NewJoiner()
	out := LedgerStats{Ablations: ablationStats{Blame: map[string]int{}, Blamed: []Blamed{}}}
	for e, err := range ledger {
		if err != nil {
			return out, fmt.Errorf("read the ledger: %w", err)
		}
		corrections.Note(&e)
		joiner.Add(&e)
		if a := e.Ablation; a != nil && a.Check() == nil {
			out.Ablations.note(a)
		}
	}
	out.Corrections = corrections.Remedied()
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

func (s *ablationStats) note(a *tree.Ablation) {
	s.N++
	s.Blame[string(a.Blame)]++
	if b, ok := Blame(a); ok {
		s.Blamed = append(s.Blamed, b)
	}
}
