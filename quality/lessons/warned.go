package main

import (
	"slices"
	"unicode"

	"github.com/memtree/memtree/tree"
)

// suiteGuidance is a tree's guidance for a query of a suite.
type suiteGuidance struct {
	Expect []string // the causes to warn of; none: guidance should be empty
	Items  []string // ids of the memories in the guidance
	Text   string   // of the guidance
}

// warnedFigures measures a tree's guidance for the queries of a suite.
type warnedFigures struct {
	Warned     float64 `json:"warned"`         // share of the queries with expected causes that are warned of one
	ForNothing float64 `json:"toldForNothing"` // share of the others with any guidance
	Precision  float64 `json:"precision"`      // share of the included memories that are of an expected cause
	Tokens     float64 `json:"tokens"`         // of a guidance that is not empty, on average
	Answers    int     `json:"answers"`        // guidance that is not empty
}

// warned measures the guidance of a tree.
func (c labelledCauses) warned(answers []suiteGuidance, nodes []tree.Node) warnedFigures {
	by := byID(nodes)
	var w warnedFigures
	relevant, warned, told, given, right, tokens := 0, 0, 0, 0, 0, 0
	for _, a := range answers {
		if a.Text != "" {
			w.Answers++
			tokens += tokensOf(a.Text)
		}
		items, hits := 0, 0
		for _, id := range a.Items {
			n, ok := by[id]
			if !ok {
				continue
			}
			items++
			if slices.ContainsFunc(c.of(&n, by), func(cause string) bool { return slices.Contains(a.Expect, cause) }) {
				hits++
			}
		}
		given, right = given+items, right+hits
		if len(a.Expect) > 0 {
			relevant++
			warned += min(hits, 1)
		} else {
			told += min(items, 1)
		}
	}
	w.Warned, w.ForNothing = share(warned, relevant), share(told, len(answers)-relevant)
	w.Precision = share(right, given)
	if w.Answers > 0 {
		w.Tokens = round(float64(tokens) / float64(w.Answers))
	}
	return w
}

// tokensOf estimates the tokens of a text: four characters each, one and a half Chinese ones.
func tokensOf(s string) int {
	han, all := 0, 0
	for _, r := range s {
		if all++; unicode.Is(unicode.Han, r) {
			han++
		}
	}
	return han*2/3 + (all-han)/4
}
