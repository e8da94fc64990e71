package score

import (
	"math"
	"slices"
	"unicode/utf8"

	"github.com/memtree/memtree/tree"
)

// SuiteGuidance is a tree's guidance for a query of a suite.
type SuiteGuidance struct {
	Expect []string // the causes to warn of; none: guidance should be empty
	Items  []string // ids of the memories in the guidance
	Text   string   // of the guidance
}

// Warned measures a tree's guidance for the queries of a suite.
type Warned struct {
	Warned     float64 `json:"warned"`         // share of the queries with expected causes that are warned of one
	ForNothing float64 `json:"toldForNothing"` // share of the others with any guidance
	Precision  float64 `json:"precision"`      // share of the included memories that are of an expected cause
	Tokens     float64 `json:"tokens"`         // of a guidance that is not empty, on average
	Answers    int     `json:"answers"`        // guidance that is not empty
}

// Answers measures the guidance of a tree.
func (c Causes) Answers(answers []SuiteGuidance, nodes []tree.Node) Warned {
	by := byID(nodes)
	var w Warned
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
			if slices.ContainsFunc(c.Of(&n, by), func(cause string) bool { return slices.Contains(a.Expect, cause) }) {
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

// tokensOf estimates the tokens of a text: characters by four, Chinese ones by one and a half.
func tokensOf(s string) int {
	han := 0
	for _, r := range s {
		if r >= 0x4e00 && r <= 0x9fff {
			han++
		}
	}
	return int(math.RoundToEven(float64(han)/1.5 + float64(utf8.RuneCountInString(s)-han)/4))
}
