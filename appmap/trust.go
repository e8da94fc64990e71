package appmap

import (
	"math"
	"slices"
	"time"
)

const (
	fades      = 0.85 // weight of an attempt beside the one after it
	leastTrust = 0.7  // of a selector that is given
	quantile   = 1.28 // of the normal distribution: one-sided 90 percent
	mostTimes  = 20   // durations that a pattern keeps
)

// selectorRecord is how a selector fared.
type selectorRecord struct {
	Tried  int       `json:"tried"`
	Worked int       `json:"worked"`
	Good   float64   `json:"good"`         // successes, each faded by the attempts after it
	Bad    float64   `json:"bad"`          // failures, likewise
	MS     []int     `json:"ms,omitempty"` // the last durations of successes, the oldest first
	Last   time.Time `json:"last"`
	Build  string    `json:"build,omitempty"` // the last build on which it worked
}

// add counts an attempt.
func (r *selectorRecord) add(worked bool, ms int, at time.Time, build string) {
	r.Tried++
	r.Good, r.Bad = r.Good*fades, r.Bad*fades
	if at.After(r.Last) {
		r.Last = at
	}
	if !worked {
		r.Bad++
		return
	}
	r.Worked++
	r.Good++
	if build != "" {
		r.Build = build
	}
	if ms > 0 {
		r.MS = append(r.MS, ms)
		r.MS = r.MS[max(0, len(r.MS)-mostTimes):]
	}
}

// join adds the counts of another record, of the same selector on what turned out to be the same page.
func (r *selectorRecord) join(o *selectorRecord) {
	r.Tried, r.Worked = r.Tried+o.Tried, r.Worked+o.Worked
	r.MS = append(r.MS, o.MS...)
	r.MS = r.MS[max(0, len(r.MS)-mostTimes):]
	if o.Last.After(r.Last) {
		r.Good, r.Bad, r.Last, r.Build = o.Good, o.Bad, o.Last, o.Build
	}
}

// trust returns the lower end of the interval of the success rate, 0 to 1 (E. B. Wilson, "Probable Inference, the Law
// of Succession, and Statistical Inference", 1927).
func (r *selectorRecord) trust() float64 {
	n := r.Good + r.Bad
	if n == 0 {
		return 0
	}
	const z2 = quantile * quantile
	p := r.Good / n
	low := (p + z2/(2*n) - quantile*math.Sqrt(p*(1-p)/n+z2/(4*n*n))) / (1 + z2/n)
	return math.Round(max(0, low)*1000) / 1000
}

// times returns the mean and the 90th percentile of the last durations, in milliseconds; 0 without any.
func (r *selectorRecord) times() (mean, p90 int) {
	if len(r.MS) == 0 {
		return 0, 0
	}
	sorted := slices.Clone(r.MS)
	slices.Sort(sorted)
	sum := 0
	for _, ms := range sorted {
		sum += ms
	}
	return sum / len(sorted), sorted[(len(sorted)*9+9)/10-1]
}
