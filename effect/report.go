package effect

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/memtree/memtree/taxonomy"
)

// Report says whether memory helps, how sure that is, and which memories do.
type Report struct {
	Runs   int `json:"runs"`   // first attempts that memory had something for
	Guided int `json:"guided"` // of them, with their memories
	Other  int `json:"other"`  // with other ones
	None   int `json:"none"`   // with none

	Lift
	FalsePass Lift  `json:"falsePass"`         // share of runs that missed a defect: below 0 is better
	FalseFail Lift  `json:"falseFail"`         // share of false alarms: below 0 is better
	Repeat    Lift  `json:"repeat"`            // share of runs that made a mistake a memory found for them warned of
	Control   *Lift `json:"control,omitempty"` // right runs against those with other memories

	EHelp float64   `json:"eHelp"` // at 20 memory is proven to help
	EHarm float64   `json:"eHarm"` // at 20 it is proven to harm, and the breaker opens
	State State     `json:"state"`
	Since time.Time `json:"since,omitzero"`
	Types []Typed   `json:"types,omitempty"` // by error type, those that are not closed

	Helpful []Effect `json:"helpful,omitempty"` // memories sure to help, the best first
	Harmful []Effect `json:"harmful,omitempty"` // and likely to harm, the worst first
	Needed  int      `json:"needed,omitempty"`  // more runs that would settle it, if the lift is what it seems

	Verdict taxonomy.Text `json:"-"` // all of it in a sentence
}

// Typed is the state of an error type.
type Typed struct {
	ErrorType string  `json:"errorType"`
	State     State   `json:"state"`
	EHarm     float64 `json:"eHarm"`
}

// surely is the confidence from which a memory is called helpful.
const surely = 0.95

// NewReport reports on runs, in any order. b has observed them, and effects are of
// their fit.
func NewReport(runs []Run, b *Breaker, effects []Effect) *Report {
	var in []*Run
	for _, r := range sorted(runs) {
		if len(r.Eligible) > 0 {
			in = append(in, r)
		}
	}
	r := &Report{Runs: len(in), EHelp: b.All.Help.E(), EHarm: b.All.Harm.E(), State: cmp.Or(b.All.State, Closed), Since: b.All.Since}
	for _, run := range in {
		switch run.Arm {
		case Memory:
			r.Guided++
		case Other:
			r.Other++
		case None:
			r.None++
		}
	}
	r.Lift = lift(in, Memory, None, func(r *Run) bool { return r.Correct })
	r.FalsePass = lift(in, Memory, None, wrongly(taxonomy.FalsePass))
	r.FalseFail = lift(in, Memory, None, wrongly(taxonomy.FalseFail))
	r.Repeat = lift(in, Memory, None, (*Run).warned)
	if r.Other > 0 {
		l := lift(in, Memory, Other, func(r *Run) bool { return r.Correct })
		r.Control = &l
	}
	for _, t := range b.names() {
		if s := b.Types[t]; s.State != Closed && s.State != "" {
			r.Types = append(r.Types, Typed{t, s.State, s.Harm.E()})
		}
	}
	r.sort(effects)
	r.Needed = r.needed(in, b)
	r.Verdict = r.verdict(b)
	return r
}

func wrongly(d taxonomy.Direction) func(*Run) bool {
	return func(r *Run) bool { return !r.Correct && r.Wrong.Direction == d }
}

// warned reports whether the run made a mistake of the type and direction of a
// memory that was found for it, given or not.
func (r *Run) warned() bool {
	return !r.Correct && r.Wrong.ErrorType != "" && slices.ContainsFunc(r.Eligible, func(c Candidate) bool {
		return c.ErrorType == r.Wrong.ErrorType && c.Direction == r.Wrong.Direction
	})
}

func (r *Report) sort(effects []Effect) {
	for _, e := range effects {
		switch {
		case e.Confidence() >= surely:
			r.Helpful = append(r.Helpful, e)
		case e.PHarm > injectTo && e.Runs >= fewToHold:
			r.Harmful = append(r.Harmful, e)
		}
	}
	slices.SortStableFunc(r.Helpful, func(a, b Effect) int { return cmp.Compare(b.Effect, a.Effect) })
	slices.SortStableFunc(r.Harmful, func(a, b Effect) int { return cmp.Compare(a.Effect, b.Effect) })
}

func (r *Report) needed(in []*Run, b *Breaker) int {
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

// verdict puts the answer first. What is proven is what the bets say, at whatever
// time somebody looks; the interval says how large it is.
func (r *Report) verdict(b *Breaker) taxonomy.Text {
	size := taxonomy.Text{
		EN: fmt.Sprintf("%s points (95 %%: %s to %s)", points(r.Lift.Lift), points(r.Low), points(r.High)),
		ZH: fmt.Sprintf("%s 个百分点（95 %%：%s 至 %s）", points(r.Lift.Lift), points(r.Low), points(r.High)),
	}
	if !r.known() {
		size = taxonomy.Text{EN: "no test ran both with and without memory", ZH: "没有测试既在有记忆、又在无记忆的情况下运行过"}
	}
	switch {
	case r.Runs == 0:
		return taxonomy.Text{EN: "No run has come back yet.", ZH: "还没有任何运行返回结果。"}
	case r.State == Open:
		return taxonomy.Text{
			EN: fmt.Sprintf("Memory harms: %s, evidence %s, where %.0f is proof. It is not given until the tree has evolved.", size.EN, amount(b.All.Harm.Best).EN, 1/Alpha),
			ZH: fmt.Sprintf("记忆有害：%s，证据值 %s（达到 %.0f 即为证实）。在记忆树演化之前不再提供记忆。", size.ZH, amount(b.All.Harm.Best).ZH, 1/Alpha),
		}
	case r.State == HalfOpen:
		return taxonomy.Text{
			EN: fmt.Sprintf("Memory harmed before the tree evolved and is on trial: %d of %d runs, half of them without it.", b.All.Trial, onTrial),
			ZH: fmt.Sprintf("演化之前记忆有害，现正试用：已完成 %d / %d 次运行，其中一半不提供记忆。", b.All.Trial, onTrial),
		}
	case r.None == 0:
		return taxonomy.Text{
			EN: fmt.Sprintf("Not known: none of %d runs was held out, so there is nothing to compare with.", r.Runs),
			ZH: fmt.Sprintf("无法得知：%d 次运行中没有留出任何对照，无从比较。", r.Runs),
		}
	case b.All.Help.Best >= 1/Alpha:
		return taxonomy.Text{
			EN: fmt.Sprintf("Memory helps: %s, evidence %s, where %.0f is proof.", size.EN, amount(b.All.Help.Best).EN, 1/Alpha),
			ZH: fmt.Sprintf("记忆有益：%s，证据值 %s（达到 %.0f 即为证实）。", size.ZH, amount(b.All.Help.Best).ZH, 1/Alpha),
		}
	}
	more := taxonomy.Text{EN: ".", ZH: "。"}
	if r.Needed > 0 {
		more = taxonomy.Text{
			EN: fmt.Sprintf("; if it stays so, about %d more runs would settle it.", r.Needed),
			ZH: fmt.Sprintf("；若保持不变，再有约 %d 次运行即可定论。", r.Needed),
		}
	}
	return taxonomy.Text{
		EN: fmt.Sprintf("Not shown yet: %s, evidence for help %s and for harm %s, where %.0f is proof%s", size.EN, amount(r.EHelp).EN, amount(r.EHarm).EN, 1/Alpha, more.EN),
		ZH: fmt.Sprintf("尚无定论：%s，有益的证据值 %s、有害的证据值 %s（达到 %.0f 即为证实）%s", size.ZH, amount(r.EHelp).ZH, amount(r.EHarm).ZH, 1/Alpha, more.ZH),
	}
}

// amount writes evidence as people read it.
func amount(e float64) taxonomy.Text {
	switch s := ""; {
	case e >= 1e6:
		return taxonomy.Text{EN: "over a million", ZH: "逾百万"}
	case e >= 10:
		s = fmt.Sprintf("%.0f", e)
		return taxonomy.Text{EN: s, ZH: s}
	default:
		s = fmt.Sprintf("%.1f", e)
		return taxonomy.Text{EN: s, ZH: s}
	}
}
