package effect_test

import (
	"fmt"
	"strings"
	"time"

	"github.com/memtree/memtree/effect"
	"github.com/memtree/memtree/tree"
)

// An agent that is harmed by one memory: the breaker and the fit detect it.
func Example() {
	at := time.Date(2026, 1, 28, 9, 0, 0, 0, time.UTC)
	var breaker effect.Breaker
	book := effect.NewCreditBook()
	var runs []effect.TrialRun
	for i := range 120 {
		found := []effect.Candidate{{ID: "c_bad", Rank: 1, Type: tree.Case, ErrorType: "form_validation_error"}}
		r := effect.TrialRun{
			ID: fmt.Sprintf("run %d", i), At: at.Add(time.Duration(i) * time.Hour), Test: "login", Eligible: found,
		}
		r.Chances = breaker.Decide([]string{"form_validation_error"}, effect.Schedule()).Chances
		if r.Arm = effect.DrawArm(r.ID, "salt of the store", r.Chances); r.Arm == effect.Memory {
			r.Injected = found
		}
		r.Correct = r.Arm == effect.None || i%3 == 0 // what the agent does

		for _, turn := range breaker.Observe(&r) {
			if turn.ErrorType == "" {
				fmt.Printf("after %d runs: %s\n", i+1, turn.State)
			}
		}
		book.Add(&r)
		runs = append(runs, r)
	}
	now := runs[len(runs)-1].At
	effects := book.Fit(now)
	next, why := effect.Next(&effects[0], effect.Standing{Status: tree.Active}, now)
	verdict := effect.NewReport(&effect.Joined{Runs: runs}, &breaker, effects).Verdict.EN
	fmt.Println(strings.NewReplacer(". ", ".\n", "), ", "),\n").Replace(verdict))
	fmt.Println(next, "—", why.EN)
	// Output:
	// after 21 runs: open
	// Memory harms: -83 points (95 %: -99 to -34; runs with memory 10, without 11; tests 1),
	// evidence 26, where 20 is proof.
	// It is not given until the tree has evolved.
	// quarantined — As a precaution: too few runs to tell: n=10, tests 1, right 2; it takes 10 runs of 5 tests.
}
