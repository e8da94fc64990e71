package tree

import (
	"math"
	"slices"
	"time"
)

// Credit is what the outcomes of runs say of a memory that they were given. Package
// effect makes it from the ledger, from which it can be made again.
type Credit struct {
	Runs   int     `json:"runs"`            // first attempts that it was given to
	Tests  int     `json:"tests,omitempty"` // different tests among them; 0 where a release before this count wrote it
	Right  int     `json:"right"`           // right runs among them
	Effect float64 `json:"effect"`          // share of right runs with it less that without, -1 to 1
	SD     float64 `json:"sd"`              // standard deviation of Effect
	PHarm  float64 `json:"pHarm"`           // probability that Effect is below 0
	Before float64 `json:"before"`          // what that was before any run

	// Prior is the confidence that the memory's analyst gave. Content.Confidence goes up
	// from there if runs speak for the memory, and down if they speak against it; see
	// Node.Say.
	Prior float64 `json:"said"`

	Repeated  int      `json:"repeated,omitempty"`  // runs that made the mistake it warns of all the same
	Refreshed int      `json:"refreshed,omitempty"` // of them, those it had when it was last written anew for them
	Confirmed int      `json:"confirmed,omitempty"` // right runs of tests that had gone that way wrong before
	NotOn     []string `json:"notOn,omitempty"`     // ids of tests that it led astray, sorted: not given there
	Held      *Held    `json:"held,omitempty"`      // why it was last held back; nil: it never was
}

// Held says why a memory that harms is quarantined or retired, and what it was before.
type Held struct {
	Since time.Time `json:"since"` // the time of the run that was the last to speak against it
	Was   Status    `json:"was"`
	Why   string    `json:"why"` // a sentence
}

// MaxNotOn is the most tests that a Credit names.
const MaxNotOn = 64

// enoughRuns is the number of runs that count as much as the word of the analyst.
const enoughRuns = 10

// HeldBack reports whether n is out of use because it harms.
func (n *Node) HeldBack() bool {
	return n.Credit != nil && n.Credit.Held != nil && (n.Status == Quarantined || n.Status == Retired)
}

// fewRepeats is how many runs make a memory's mistake again before its words are to blame:
// one may have had another reason.
const fewRepeats = 2

// Disregarded reports whether the words of n do not reach the agents: since they were last
// written, more runs made its mistake all the same than it has helped.
func (n *Node) Disregarded() bool {
	c := n.Credit
	return c != nil && c.Repeated-c.Refreshed >= fewRepeats && c.Repeated > c.Confirmed
}

// Prior returns the confidence that the analyst of the memory gave, 0 to 1.
func (n *Node) Prior() float64 {
	if n.Credit != nil {
		return n.Credit.Prior
	}
	return n.Content.Confidence
}

// SetPrior sets the confidence that an analyst gives. Runs move Content.Confidence from there by
// as much as they changed the odds that the memory helps, and to the probability of that,
// half way after ten runs, whichever is farther in the direction in which they speak: so no
// run that went well lowers it.
func (n *Node) SetPrior(said float64) {
	n.Content.Confidence = said
	c := n.Credit
	if c == nil {
		return
	}
	c.Prior = said
	seen := float64(c.Runs)
	helps := (enoughRuns*said + seen*(1-c.PHarm)) / (enoughRuns + seen)
	moved := expit(logit(said) + logit(c.Before) - logit(c.PHarm))
	if c.PHarm <= c.Before {
		moved = max(moved, helps)
	} else {
		moved = min(moved, helps)
	}
	n.Content.Confidence = math.Round(1e4*moved) / 1e4
}

func logit(p float64) float64 {
	p = max(1e-3, min(1-1e-3, p))
	return math.Log(p / (1 - p))
}

func expit(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// clone returns a copy of c, nil of nil.
func (c *Credit) clone() *Credit {
	if c == nil {
		return nil
	}
	out := *c
	out.NotOn = slices.Clone(c.NotOn)
	if c.Held != nil {
		held := *c.Held
		out.Held = &held
	}
	return &out
}

// credit checks what is said of the effect of n.
func (c *checker) credit(n *Node) {
	x := n.Credit
	if x == nil {
		return
	}
	c.law(
		x.Runs >= 0 && x.Right >= 0 && x.Right <= x.Runs && x.Tests >= 0 && x.Tests <= x.Runs && x.Repeated >= 0 &&
			x.Refreshed >= 0 && x.Confirmed >= 0,
		"its credit counts runs, and no more right ones than runs",
		"it has %d right of %d",
		x.Right,
		x.Runs,
	)
	c.law(x.Effect >= -1 && x.Effect <= 1 && x.SD >= 0 && x.SD <= 1, "its effect lies in -1 to 1, its deviation in 0 to 1",
		"they are %v and %v", x.Effect, x.SD)
	c.law(isFraction(x.PHarm) && isFraction(x.Before) && isFraction(x.Prior),
		"its credit has probabilities in 0 to 1", "they are %v and %v", x.PHarm, x.Prior)
	c.law(len(x.NotOn) <= MaxNotOn && slices.IsSorted(x.NotOn), "the tests it is not given on are sorted and few",
		"there are %d", len(x.NotOn))
}
