package tree

import (
	"math"
	"slices"
	"time"
)

// Credit is the measured effect of a memory on the runs that received it. Package effect computes it from the ledger.
type Credit struct {
	Runs   int     `json:"runs"`            // first attempts that received the memory
	Tests  int     `json:"tests,omitempty"` // different tests among Runs; 0 in data written before this field existed
	Right  int     `json:"right"`           // right runs among Runs
	Effect float64 `json:"effect"`          // share of right runs with the memory minus without it, -1 to 1
	SD     float64 `json:"sd"`              // standard deviation of Effect
	PHarm  float64 `json:"pHarm"`           // probability that Effect is below 0
	Before float64 `json:"before"`          // PHarm before the first run

	// Prior is the confidence, 0 to 1, with which the memory was written. Content.Confidence begins with it; runs with
	// the memory then change it, see Node.SetPrior.
	Prior float64 `json:"said"`

	Repeated  int `json:"repeated,omitempty"`  // runs that received the memory and still made its mistake
	Refreshed int `json:"refreshed,omitempty"` // value of Repeated when a model last rewrote the memory
	Confirmed int `json:"confirmed,omitempty"` // right runs with the memory on tests that had its mistake before

	// NotOn has the ids of tests that the memory misled, sorted. These tests receive the memory only if it is pinned.
	NotOn []string `json:"notOn,omitempty"`
	Held  *Held    `json:"held,omitempty"` // why the memory is held back; nil: it is not
}

// Held records that a memory is out of use because of its measured effect.
type Held struct {
	Since time.Time `json:"since"` // time of the latest run known when the memory was taken out of use
	Was   Status    `json:"was"`   // status of the memory before
	Why   string    `json:"why"`   // the reason, a sentence
}

// MaxNotOn is the maximum number of tests in Credit.NotOn.
const MaxNotOn = 64

// enoughRuns is the number of runs that weigh as much as the analyst's confidence.
const enoughRuns = 10

// HeldBack reports whether n is quarantined or retired because of its measured effect (Credit.Held), not for another
// reason.
func (n *Node) HeldBack() bool {
	return n.Credit != nil && n.Credit.Held != nil && (n.Status == Quarantined || n.Status == Retired)
}

// fewRepeats is the number of repeated mistakes from which a memory's text is to blame: a single one may have another
// reason.
const fewRepeats = 2

// Disregarded reports whether n fails to prevent its mistake: two or more runs repeated the mistake since a model last
// rewrote n, and in all more runs repeated it (Credit.Repeated) than went right (Credit.Confirmed).
func (n *Node) Disregarded() bool {
	c := n.Credit
	return c != nil && c.Repeated-c.Refreshed >= fewRepeats && c.Repeated > c.Confirmed
}

// Prior returns the confidence, 0 to 1, with which n was written, before any run changed Content.Confidence.
func (n *Node) Prior() float64 {
	if n.Credit != nil {
		return n.Credit.Prior
	}
	return n.Content.Confidence
}

// SetPrior sets the confidence, 0 to 1, with which n was written, and computes Content.Confidence. Without Credit,
// Content.Confidence is prior. With Credit, SetPrior makes two estimates:
//
//   - prior, with its odds multiplied by the factor by which runs changed the odds that n does not harm (from 1-Before
//     to 1-PHarm), and
//   - the mean of prior, with the weight of ten runs, and of 1-PHarm, with the weight of Credit.Runs.
//
// Content.Confidence is the higher estimate if PHarm is at most Before, else the lower.
func (n *Node) SetPrior(prior float64) {
	n.Content.Confidence = prior
	c := n.Credit
	if c == nil {
		return
	}
	c.Prior = prior
	seen := float64(c.Runs)
	helps := (enoughRuns*prior + seen*(1-c.PHarm)) / (enoughRuns + seen)
	moved := expit(logit(prior) + logit(c.Before) - logit(c.PHarm))
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

// clone returns a copy of c, nil for nil.
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

// credit checks the laws of n.Credit.
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
