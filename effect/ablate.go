package effect

import (
	"errors"
	"slices"

	"github.com/memtree/memtree/ledger"
)

// ErrNoRuns is the error that the try function of [Ablate] returns when it may make no more runs.
var ErrNoRuns = errors.New("the runs allowed are used up")

// Ablate determines whether the memories with the ids in given made a test fail, and which of them did. try runs the
// test with some of these memories, in their order, or with none, and returns whether the run was right. Ablate ends
// early if try returns an error, or after ledger.MaxTried runs; the result then has the conclusion so far and, in Why,
// the reason.
//
// Ablate first makes pairs of a run with all memories and a run without any. It blames memory only if each run with
// memories fails and each run without passes: a test with random results does that with a probability of at most
// 4^-pairs, whatever its pass rate. The first run that contradicts this ends the ablation. Then Ablate searches for the
// culprit by halving the set. A half that fails in as many runs as there are pairs contains the culprit; if the half
// passes at once, Ablate searches the other half. The last remaining memory has to fail alone.
func Ablate(given []string, pairs int, try func(given []string) (correct bool, err error)) ledger.Ablation {
	a := ablation{out: ledger.Ablation{Pairs: pairs, Given: given, Tried: []ledger.Tried{}, Blame: ledger.Unfinished},
		try: try}
	err := a.pair()
	if err == nil && a.out.Blame == ledger.OnMemory {
		err = a.halve()
	}
	switch {
	case errors.Is(err, ErrNoRuns):
		a.out.Why = ledger.WhyNoRuns
	case err != nil:
		a.out.Why = ledger.WhyBrokenOff
	}
	return a.out
}

type ablation struct {
	out ledger.Ablation
	try func([]string) (bool, error)
}

func (a *ablation) run(given []string) (bool, error) {
	if len(a.out.Tried) == ledger.MaxTried {
		return false, ErrNoRuns
	}
	correct, err := a.try(given)
	if err != nil {
		return false, err
	}
	a.out.Tried = append(a.out.Tried, ledger.Tried{Given: slices.Clone(given), Correct: correct})
	return correct, nil
}

// pair makes the pairs. The order within a pair alternates, so that changes over time favour neither side.
func (a *ablation) pair() error {
	for i := range 2 * a.out.Pairs {
		with := (i/2+i)%2 == 1
		var given []string
		if with {
			given = a.out.Given
		}
		correct, err := a.run(given)
		switch {
		case err != nil:
			return err
		case with && correct:
			a.out.Blame = ledger.OnFlaky // it failed with the same memories before
			return nil
		case !with && !correct:
			a.out.Blame = ledger.NotOnMemory
			if slices.ContainsFunc(a.out.Tried, func(t ledger.Tried) bool { return t.Correct }) {
				a.out.Blame = ledger.OnFlaky
			}
			return nil
		}
	}
	a.out.Blame, a.out.Culprits = ledger.OnMemory, slices.Clone(a.out.Given)
	return nil
}

// halve narrows the culprits down. They are always a set with which the test failed.
func (a *ablation) halve() error {
	for suspects := a.out.Culprits; ; {
		half := suspects
		if len(suspects) > 1 {
			half = suspects[:(len(suspects)+1)/2]
		} else if len(a.out.Culprits) == 1 {
			return nil
		}
		fails, err := a.fails(half)
		switch {
		case err != nil || a.out.Blame == ledger.OnFlaky:
			return err
		case fails:
			suspects, a.out.Culprits = half, slices.Clone(half)
		case len(suspects) == 1:
			a.out.Why = ledger.WhyTogether
			return nil
		default:
			suspects = suspects[len(half):]
		}
	}
}

// fails reports whether the test fails with a set. If it fails and then passes, it is flaky.
func (a *ablation) fails(given []string) (bool, error) {
	for i := range a.out.Pairs {
		correct, err := a.run(given)
		if err != nil {
			return false, err
		}
		if correct {
			if i > 0 {
				a.out.Blame, a.out.Culprits = ledger.OnFlaky, nil
			}
			return false, nil
		}
	}
	return true, nil
}
