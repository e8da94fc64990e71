package pages

import (
	"context"
	"fmt"
	"net/http"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/effect"
	"github.com/memtree/memtree/internal/plot"
	"github.com/memtree/memtree/internal/stat"
)

// effectData is whether memory helps.
type effectData struct {
	*effect.Report
	Sentence, Next, Wait, Evidence string
	Arms                           []arm
	Lifts                          []lift
	Charts                         []*plot.Chart
	Helpful, Harmful               []helper
	Same, Claims                   string // which runs are compared; for how many memories nothing can be claimed
	FewRanked                      string // minimum for a gain curve
}

// arm is the runs of one arm, and how many of them were right.
type arm struct {
	Name        string
	Runs, Right int
	Range       string // share of right runs, with its interval
}

// lift is the difference between runs with memory and without.
type lift struct{ Name, With, Without, Points, Range string }

// helper is a memory with the evidence of its runs.
type helper struct{ ID, Title, Says string }

func (s *Site) effect(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	said := s.speech(v.Lang)
	report, err := v.Memory.Effect(r.Context())
	if err != nil {
		return err
	}
	grown, err := plot.Grown(r.Context(), v.Memory.Tree())
	if err != nil {
		return err
	}
	d := effectData{
		Report: report, Sentence: report.Verdict.In(v.Lang), Wait: plot.Wait(said.say, report),
		Next: plot.Next(said.say, report, inUse(r.Context(), v.Memory, report.Harmful)),
		Arms: said.arms(report), Charts: plot.Charts(said.say, report, &grown),
	}
	verdicts, err := ranked(r.Context(), v.Memory)
	if err != nil {
		return err
	}
	if gain := plot.Gain(said.say, verdicts); gain != nil {
		d.Charts = append(d.Charts, gain)
	} else {
		few := said.say("How well risk ranks is drawn from %d verdicts of known truth on, if some are wrong; known: %d.",
			plot.FewRanked, len(verdicts))
		d.FewRanked = few
	}
	if report.None > 0 {
		d.Evidence, d.Lifts = plot.EvidenceLine(said.say, report), said.lifts(report)
		d.Same = plot.SameTests(said.say, report)
	}
	if report.Runs > 0 {
		d.Claims = plot.Claims(said.say, report)
	}
	name := func(of []effect.Effect) (out []helper) {
		for i := range of {
			out = append(out, helper{of[i].ID, s.title(r, v, of[i].ID), of[i].Size().In(v.Lang)})
		}
		return out
	}
	d.Helpful, d.Harmful = name(report.Helpful), name(report.Harmful)
	return s.render(w, http.StatusOK, s.page(r, v, "effect", said.say("Does memory help?"), &d))
}

// inUse returns how many of the memories are given to runs.
func inUse(ctx context.Context, m *memtree.Memory, of []effect.Effect) (n int) {
	for i := range of {
		if k, err := m.Tree().Get(ctx, of[i].ID); err == nil && effect.Given(k.Status, k.Mark) {
			n++
		}
	}
	return n
}

func (s *speech) arms(r *effect.Report) (out []arm) {
	for _, a := range []arm{
		{s.say("its memories"), r.Guided, r.Right.Guided, ""},
		{s.say("other memories"), r.Other, r.Right.Other, ""},
		{s.say("nothing"), r.None, r.Right.None, ""},
	} {
		if a.Runs > 0 {
			in := stat.Wilson(a.Right, a.Runs)
			a.Range = fmt.Sprintf("%s (%.0f–%.0f)", percent(float64(a.Right)/float64(a.Runs)), 100*in.Low, 100*in.High)
			out = append(out, a)
		}
	}
	return out
}

func (s *speech) lifts(r *effect.Report) (out []lift) {
	for _, row := range []struct {
		name string
		of   *effect.Lift
	}{
		{s.say("right"), &r.Lift},
		{s.say("missed a defect"), &r.FalsePass},
		{s.say("false alarms"), &r.FalseFail},
		{s.say("made a mistake warned of"), &r.Repeat},
	} {
		if l := row.of; l.N > 0 && l.M > 0 {
			out = append(out, lift{
				row.name, s.say("%s of %d", percent(l.With), l.N), s.say("%s of %d", percent(l.Without), l.M), plot.Points(l.Lift),
				s.say("%s to %s", plot.Points(l.Low), plot.Points(l.High)),
			})
		}
	}
	return out
}
