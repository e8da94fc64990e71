package effect

import (
	"cmp"
	"slices"
	"time"
)

// Series is the history of a Report, for plots: the evidence after each number of runs, and how often memories were
// found.
type Series struct {
	Points []EvidencePoint `json:"points"`
	Spans  []Span          `json:"spans"` // periods with requests for guidance
}

// EvidencePoint is the evidence after the first Runs runs for which chance decided between memory and none.
type EvidencePoint struct {
	Runs int       `json:"runs"`
	At   time.Time `json:"at"`   // time of the last run
	Lift float64   `json:"lift"` // lift of memory so far

	// Low and High are the interval of Lift. With a probability of 95 % the intervals of all points contain the true lift.
	Low  float64 `json:"low"`
	High float64 `json:"high"`

	EHelp float64      `json:"eHelp"` // evidence of help; restarts when an open breaker goes on trial
	EHarm float64      `json:"eHarm"` // evidence of harm; restarts when an open breaker goes on trial
	State BreakerState `json:"state"` // state of the breaker
}

// Span counts the requests of runs for guidance in one period.
type Span struct {
	From  time.Time `json:"from"`           // beginning of the period
	Asked int       `json:"asked"`          // requests of runs
	Found int       `json:"found"`          // of Asked, those with memories found
	Half  float64   `json:"half,omitempty"` // median of the milliseconds to the answer; 0: not measured
	Most  float64   `json:"most,omitempty"` // 95th percentile of the milliseconds to the answer
}

// Limits on the points and spans of a series: more cannot be distinguished on a page.
const (
	mostPoints = 200
	mostSpans  = 60
)

// Series returns the history of r: at most 200 points, besides one for each change of state, and at most 60 spans.
func (r *Report) Series() Series {
	return Series{trace(r.joined), spans(r.joined.Asked)}
}

// Until returns the time of the last request in r, the zero time if there was none.
func (r *Report) Until() (last time.Time) {
	for _, a := range r.joined.Asked {
		if a.At.After(last) {
			last = a.At
		}
	}
	return last
}

// trace returns the evidence after each run or, if there are many, after every few. Every change of the breaker has a
// point, and so does the last run.
func trace(j *Joined) []EvidencePoint {
	every, n := 0, 0
	for i := range j.Runs {
		if j.Runs[i].compared() {
			n++
		}
	}
	every = (n + mostPoints - 1) / mostPoints
	var out []EvidencePoint
	var s sequence
	var guess guess
	at, was := 0, Closed
	watch(j, func(r *TrialRun, b *Breaker) {
		if !r.first() {
			return
		}
		cell := cellOf(r.Test)
		x := betOutcome{memory: r.Arm == Memory, failed: !r.Correct, expected: guess.expect(cell)}
		guess.count(cell, x.failed)
		if !r.compared() {
			return
		}
		x.rho, _ = r.Chances.share()
		s.add(x)
		at++
		now := cmp.Or(b.All.State, Closed)
		if at%every != 0 && at != n && now == was {
			return
		}
		was = now
		p := EvidencePoint{Runs: at, At: r.At, EHelp: rounded(b.All.Help.E()), EHarm: rounded(b.All.Harm.E()), State: now}
		p.Lift, p.Low, p.High = s.lift()
		out = append(out, p)
	})
	return out
}

// compared reports whether the run was drawn between memory and none, with memories found.
func (r *TrialRun) compared() bool {
	_, drawn := r.Chances.share()
	return r.first() && drawn && len(r.Eligible) > 0 && r.Arm != Other
}

// lengths are the lengths of a span.
var lengths = []time.Duration{time.Hour, 24 * time.Hour, 7 * 24 * time.Hour, 28 * 24 * time.Hour}

// spans counts requests by hour, day, week, four weeks or a multiple, the shortest that gives few enough spans. It
// omits spans without requests.
func spans(asked []Asked) []Span {
	if len(asked) == 0 {
		return nil
	}
	first, last := asked[0].At, asked[0].At
	for _, a := range asked {
		if a.At.Before(first) {
			first = a.At
		}
		if a.At.After(last) {
			last = a.At
		}
	}
	length := lengths[0]
	for _, l := range lengths[1:] {
		if last.Sub(first) > (mostSpans-1)*length {
			length = l
		}
	}
	for last.Sub(first) > (mostSpans-1)*length && length < 1<<60 {
		length *= 2
	}
	by, took := map[int64]*Span{}, map[int64][]float64{}
	for _, a := range asked {
		from := a.At.UTC().Truncate(length)
		s := by[from.Unix()]
		if s == nil {
			s = &Span{From: from}
			by[from.Unix()] = s
		}
		if s.Asked++; a.Found {
			s.Found++
		}
		if a.Took > 0 {
			took[from.Unix()] = append(took[from.Unix()], a.Took)
		}
	}
	out := make([]Span, 0, len(by))
	for at, s := range by {
		if t := took[at]; len(t) > 0 {
			slices.Sort(t)
			s.Half, s.Most = t[(len(t)-1)/2], t[(95*len(t)+99)/100-1]
		}
		out = append(out, *s)
	}
	slices.SortFunc(out, func(a, b Span) int { return a.From.Compare(b.From) })
	return out
}

// Grown is the number of memories that had been made by a time.
type Grown struct {
	At time.Time `json:"at"`
	N  int       `json:"n"` // memories made until At
}

// Growth returns how many memories had been made over time. made are their creation times, in any order; Growth does
// not change it. The result has 201 points at most, in order of time.
func Growth(made []time.Time) []Grown {
	made = slices.SortedFunc(slices.Values(made), time.Time.Compare)
	every := (len(made) + mostPoints - 1) / mostPoints
	var out []Grown
	for i, at := range made {
		switch {
		case len(out) > 0 && out[len(out)-1].At.Equal(at):
			out[len(out)-1].N = i + 1
		case i%every == 0 || i == len(made)-1:
			out = append(out, Grown{at, i + 1})
		}
	}
	return out
}
