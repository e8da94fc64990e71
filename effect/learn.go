package effect

// Watch returns a Breaker that has observed all runs of j, in the order of their outcomes, and all changes of the
// tree.
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

// Weigh returns a CreditBook to which all runs were added.
func Weigh(runs []TrialRun) *CreditBook {
	b := NewCreditBook()
	for i := range runs {
		b.Add(&runs[i])
	}
	return b
}
