package plot

import "github.com/memtree/memtree/effect"

// fewKnown is the share of outcomes below which the report states that outcomes are missing.
const fewKnown = 0.5

// Next returns a sentence that advises what to do next, given the report r. loose is the number of memories in use that
// are likely to harm.
func Next(say voice, r *effect.Report, loose int) string {
	d := drawer{say}
	switch {
	case r.Asked == 0:
		return d.say("Ask for guidance before each run under an id of the run (memtree guide --run ID), and record " +
			"its outcome with the trial that the guidance names.")
	case r.Found == 0:
		return d.say("Memory had nothing for any of %d runs that asked. Record judged runs, so that it has something to say.",
			r.Asked)
	case r.Runs == 0:
		return d.say("Record the outcomes of the runs with the trial that their guidance names.")
	case r.State == effect.Open:
		return d.say("Run memtree evolve: it takes out of use what harms. Then half of the runs are given memory again, " +
			"on trial. If it finds nothing to change, forget or edit what misleads (memtree effect --by node), and run it " +
			"again.")
	case r.State == effect.HalfOpen:
		return d.say("Go on with the runs; half of them are given memory, and that decides.")
	case r.None == 0:
		return d.say("No run was held out yet, to compare with. A run that asks under an id of its own (--run) has a " +
			"chance of it, one in five at first; go on with the runs, and let the hold-out be above 0.")
	case loose > 0:
		return d.say("Run memtree evolve: it takes out of use what is likely to harm; that is in use now: %d.", loose)
	case r.Outcomes.Open > 0 && float64(r.Outcomes.Known) < fewKnown*float64(r.Outcomes.Known+r.Outcomes.Open):
		return d.say("Record more outcomes: those of %d runs have not come.", r.Outcomes.Open)
	case r.Proven:
		return d.say("Nothing. Go on holding a few runs out, so that it is seen when this changes.")
	case r.Needed > 0 && r.Needed <= mostNeeded:
		return d.say("Go on with the runs: about %d more would settle it, if it stays so.", r.Needed)
	}
	return d.say("Look at what single memories do (memtree effect --by node): in sum they change too little for more " +
		"runs to settle it soon.")
}

// Wait returns a sentence on how many runs it usually takes to prove an effect. It returns "" if r has a proof, or an
// estimate of its own (r.Needed).
func Wait(say voice, r *effect.Report) string {
	if r.Proven || r.Needed > 0 {
		return ""
	}
	d := drawer{say}
	return d.say("With one run of five held out, a gain of 20 points is shown after about %d runs, one of 10 points "+
		"after about %d.", effect.RunsFor(0.2), effect.RunsFor(0.1))
}

// mostNeeded is the maximum number of further runs that a team is advised to wait for.
const mostNeeded = 5000
