package score

import (
	"math"
	"slices"
	"unicode/utf8"

	"github.com/memtree/memtree/tree"
)

// Answer is what a tree said to a question of a suite.
type Answer struct {
	Expect []string // the causes that a colleague would warn of; none: nothing should be said
	Items  []string // ids of the memories given
	Text   string   // that was given
}

// Warned is what a tree says to the questions of a suite.
type Warned struct {
	Warned     float64 `json:"warned"`         // share of the questions with expected causes that are told one of them
	ForNothing float64 `json:"toldForNothing"` // share of the others that are told anything
	Precision  float64 `json:"precision"`      // share of the memories given that are of an expected cause
	Tokens     float64 `json:"tokens"`         // of an answer that says something, on average
	Answers    int     `json:"answers"`        // that say something
}

// Answers measures answers of a tree.
func (c Causes) Answers(answers []Answer, nodes []tree.Node) Warned {
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
