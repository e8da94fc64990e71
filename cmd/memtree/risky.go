package main

import (
	"slices"
	"strings"

	"github.com/memtree/memtree/internal/cli/say"
	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/look"
	"github.com/memtree/memtree/risk"
)

// This file shows how likely verdicts are to be wrong.

// risky is a verdict and its risk, as --json prints it.
type risky struct {
	Evaluation string `json:"evaluation"`
	CaseID     string `json:"case_id,omitempty"`
	risk.Risk
	Look       *look.Look         `json:"look,omitempty"`       // a reader's second look
	Correction *ledger.Correction `json:"correction,omitempty"` // what is done about it, with --correct-above
	prompt     string
	judged     string // of a report
}

// reasonsShown is how many reasons of a risk are printed; --json prints all.
const reasonsShown = 3

func whyRisky(v *say.Voice, says *risk.Risk) string {
	var out []string
	if says.Before.Wrong > 0 {
		out = append(out, wrongBefore(v, &says.Before))
	}
	if says.Elsewhere > 0 {
		out = append(out, v.Say("the like were wrong more often elsewhere"))
	}
	for _, r := range says.Because {
		if r.LogOdds > 0 && len(out) < reasonsShown {
			out = append(out, riskReason(v, &r))
		}
	}
	if len(out) == 0 {
		return v.Say("nothing speaks for wrong")
	}
	return strings.Join(out, " · ")
}

// wrongBefore describes how often verdicts on the same test were wrong.
func wrongBefore(v *say.Voice, b *risk.SameTest) string {
	if b.Known == 1 {
		return v.Say("wrong on this test before")
	}
	return v.Say("wrong on this test before: %d of %d", b.Wrong, b.Known)
}

// riskReason describes the evidence by which a signal raises the risk.
func riskReason(v *say.Voice, r *risk.Reason) string {
	nearest := ""
	if len(r.Evaluations) > 0 {
		nearest = middleCut(text.Line(r.Evaluations[0]), 36)
	}
	switch r.Signal {
	case "place":
		return v.Say("such verdicts were often wrong here")
	case "truth":
		return v.Say("what was true of this case before")
	case "judge":
		return v.Say("this judge was often wrong")
	case "words":
		if len(r.Words) == 0 {
			return v.Say("its reason reads like wrong ones")
		}
		return v.Say("words of its reason: %s", strings.Join(r.Words, v.Say(", ")))
	case "style":
		return v.Say("its reason reads like wrong ones")
	case "seen":
		return seenReason(v, r)
	case "reasons":
		return v.Say("wrong before for such a reason: %s", nearest)
	case "runs":
		return v.Say("what was true of runs like it, nearest %s", nearest)
	case "confidence":
		return v.Say("the judge's own confidence")
	case "look":
		return v.Say("what a second look found")
	case "facts":
		return v.Say("the page itself says otherwise, as memory %s would", short(slices.Concat(r.Memories, []string{""})[0]))
	default:
		return v.Say("length and tone of the run and its reason")
	}
}

// seenReason lists the words of a run that raise the risk, by the text that contains them.
func seenReason(v *say.Voice, r *risk.Reason) string {
	words := strings.Join(r.Words, v.Say(", "))
	switch r.From {
	case risk.FromPrompt:
		return v.Say("words of its task: %s", words)
	case risk.FromObservation:
		return v.Say("words of what it saw: %s", words)
	case risk.FromBoth:
		return v.Say("words of its task and of what it saw: %s", words)
	}
	return v.Say("what it was asked and what it saw")
}

// riskCell is a risk in a table. Without a prediction it shows whether the test was misjudged before.
func riskCell(v *say.Voice, r *risk.Risk) string {
	switch {
	case r.Enough:
		return percent(r.P)
	case r.Before.Wrong > 0:
		return v.Say("wrong before")
	}
	return "-"
}
