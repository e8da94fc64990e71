package effect

// Watch returns a breaker that has observed all runs, in the order of their outcomes, and all times at which the tree
// learned. So the state of a breaker is a function of the ledger.
func Watch(j *Joined) *Breaker { return watch(j, func(*TrialRun, *Breaker) {}) }

// watch is Watch; it calls seen after each run.
func watch(j *Joined, seen func(*TrialRun, *Breaker)) *Breaker {
	b := &Breaker{Drawn: j.Drawn}
	learned := j.Evolved
	for i := range j.Runs {
		for len(learned) > 0 && learned[0].Seq < j.Runs[i].Ended {
			b.Evolved(learned[0].At, learned[0].Seq)
			learned = learned[1:]
		}
		b.Observe(&j.Runs[i])
		seen(&j.Runs[i], b)
	}
	for _, l := range learned {
		b.Evolved(l.At, l.Seq)
	}
	return b
}

// Weigh returns a book of all runs.
func Weigh(runs []TrialRun) *CreditBook {
	b := NewCreditBook()
	for i := range runs {
		b.Add(&runs[i])
	}
	return b
}
