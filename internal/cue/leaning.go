package cue

import (
	"cmp"
	"math"
	"slices"
)

// Leaning is what a text is about, as a vector of length 1 with a part for each check. It holds only the largest parts,
// at most 8, the largest first. It is nil for an empty task, and if the catalogue has no checks.
//
// A Leaning is less specific than a single check, but more reliable. For writers whose vocabulary the catalogue does
// not know, the likeliest check is often wrong, while two texts about the same matter still have similar leanings.
type Leaning []CheckShare

// CheckShare is the part of one check in a [Leaning].
type CheckShare struct {
	Check string  // id of the check
	Size  float64 // above 0, at most 1
}

const mostLeaning = 8

// OfMiss returns the Leaning of a wrong verdict. The checks that its task calls for, and the checks that all texts in e
// together are about, count equally.
func (c *Catalogue) OfMiss(e MissTexts) Leaning {
	_, meaning := c.called(e.Task)
	sum := direction(meaning)
	if len(c.checks) == 0 {
		return nil
	}
	for i, x := range direction(c.probabilities(e)) {
		if sum == nil {
			sum = make([]float64, len(c.checks))
		}
		sum[i] += x
	}
	return c.leaning(sum)
}

// direction returns the square roots of probabilities, as a vector of length 1. The
// product of two such vectors is the coefficient of A. Bhattacharyya, "On a measure of
// divergence between two statistical populations", 1943.
func direction(p []float64) []float64 {
	sum := 0.0
	for _, x := range p {
		sum += x
	}
	out := make([]float64, len(p))
	for i, x := range p {
		out[i] = math.Sqrt(x / max(sum, leastFound))
	}
	return out
}

// leaning selects the strongest parts of a vector and scales them to length 1.
func (c *Catalogue) leaning(v []float64) Leaning {
	var all Leaning
	for i, x := range v {
		if x > 0 {
			all = append(all, CheckShare{c.checks[i].ID, x})
		}
	}
	slices.SortStableFunc(all, func(a, b CheckShare) int { return cmp.Compare(b.Size, a.Size) })
	all = all[:min(len(all), mostLeaning)]
	sum := 0.0
	for _, p := range all {
		sum += p.Size * p.Size
	}
	for i := range all {
		all[i].Size /= math.Sqrt(sum)
	}
	return all
}
