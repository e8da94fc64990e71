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
	Ablations   AblationStats `json:"ablations"`
}

// Trials count what was asked of memory, and what came of it.
type Trials struct {
	Asked    int      `json:"asked"`
	Found    int      `json:"found"`  // of them, those that memory had something for
	Guided   int      `json:"guided"` // of these, those that were given their memories
	Other    int      `json:"other"`  // or other ones
	None     int      `json:"none"`   // or none, because chance held them out or the breaker was open
	Outcomes Outcomes `json:"outcomes"`
}

// AblationStats count what was found of runs that failed with memories.
type AblationStats struct {
	N      int            `json:"n"`
	Blame  map[string]int `json:"blame"`  // by what they are put down to
	Blamed []Blamed       `json:"blamed"` // the evidence against single memories, in time order
}

// StatsOf reads a ledger from its beginning and counts it.
func StatsOf(ledger iter.Seq2[tree.Entry, error]) (LedgerStats, error) {
	corrections, joiner := NewCorrections(0), NewJoiner()
	out := LedgerStats{Ablations: AblationStats{Blame: map[string]int{}, Blamed: []Blamed{}}}
	for e, err := range ledger {
		if err != nil {
			return out, fmt.Errorf("read the ledger: %w", err)
		}
		corrections.Note(&e)
		joiner.Add(&e)
		out.Trials.note(e.Trial)
		if a := e.Ablation; a != nil && a.Check() == nil {
			out.Ablations.note(a)
		}
	}
	out.Corrections = corrections.Remedied()
	out.Trials.Outcomes = joiner.Join(func(string) (Candidate, bool) { return Candidate{}, false }).Outcomes
	return out, nil
}

func (t *Trials) note(x *tree.Trial) {
	if x == nil {
		return
	}
	t.Asked++
	if len(x.Eligible) == 0 {
		return
	}
	t.Found++
	switch x.Arm {
	case tree.ArmMemory:
		t.Guided++
	case tree.ArmOther:
		t.Other++
	case tree.ArmHoldout:
		t.None++
	}
}

func (s *AblationStats) note(a *tree.Ablation) {
	s.N++
	s.Blame[string(a.Blame)]++
	if b, ok := Blame(a); ok {
		s.Blamed = append(s.Blamed, b)
	}
}
