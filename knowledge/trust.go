package knowledge

import (
	"math"
	"time"
)

// Floor is the least trust of a fact that runs receive.
const Floor = .3

// The weights of the evidence, and how it ages; see the package comment.
const (
	ofPerson  = 4.0
	ofNote    = 2.0
	ofNext    = 1.0
	ofRight   = 0.2
	ofMissed  = 1.0
	halfLife  = 90 * 24 * time.Hour
	unused    = 30 * 24 * time.Hour
	aged      = 0.9
	leastAged = 0.1

	mostNotes = 8 // further notes add nothing
	inARow    = 3 // runs that missed a defect with it: it is disputed
)

// decayingCount counts runs of which the older ones count less.
type decayingCount struct {
	Sum float64   `json:"sum,omitempty"` // as of At
	At  time.Time `json:"at,omitzero"`
}

// at returns the sum at a time; one before the last run is that of the last run.
func (t *decayingCount) at(now time.Time) float64 {
	if !now.After(t.At) {
		return t.Sum
	}
	return t.Sum * math.Exp2(-float64(now.Sub(t.At))/float64(halfLife))
}

func (t *decayingCount) add(now time.Time) {
	t.Sum = t.at(now) + 1
	if now.After(t.At) {
		t.At = now
	}
}

// trust returns the trust of a record at a time.
func (r *factRecord) trust(now time.Time) float64 {
	yes, no := r.votes()
	up, down := 1+ofPerson*float64(yes)+ofRight*r.Right.at(now), 1+ofPerson*2*float64(no)+ofMissed*r.Missed.at(now)
	if n := min(len(r.Cases), mostNotes); n > 0 {
		up += ofNote + ofNext*float64(n-1)
	}
	trust := up / (up + down)
	if yes > 0 {
		return trust
	}
	if idle := now.Sub(r.Used); idle >= unused {
		trust = max(min(trust, leastAged), trust*math.Pow(aged, float64(idle/unused)))
	}
	return trust
}

// votes counts the people whose last decision is that it holds, and those who contradict.
func (r *factRecord) votes() (yes, no int) {
	for i := range r.People {
		if r.People[i].Holds {
			yes++
		} else {
			no++
		}
	}
	return yes, no
}
