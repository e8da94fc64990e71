package gate

import (
	"slices"
	"strings"

	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/text"
)

// A text is about one test when enough of its telling words stand in that test and in
// no other.
const (
	narrowWords     = 5    // words of a whole draft
	narrowCondition = 4    // words of one condition
	narrowHeld      = 0.75 // share of its words that stand in any test
	narrowAll       = 0.50 // share of all its words
)

// narrowness refuses a draft that is about only one of the tests.
func narrowness(j *Gates, v *view) string {
	if len(v.draft.AppliesWhen) > 0 {
		one := 0
		for _, s := range v.draft.AppliesWhen {
			if v.ofOneTest(s, narrowCondition) {
				one++
			}
		}
		if one == len(v.draft.AppliesWhen) {
			return v.because(taxonomy.Text{EN: "“%s” holds for one of the tests; say what they have in common",
				ZH: "“%s”只适用于其中一个测试；请写它们的共同点"}, text.Clip(v.draft.AppliesWhen[0], 60))
		}
	}
	all := v.draft.AppliesWhen
	for _, l := range v.draft.Lessons {
		if !j.catalogued(v, &l) {
			all = append(slices.Clip(all), l.Check)
		}
	}
	if v.ofOneTest(strings.Join(all, "\n"), narrowWords) {
		return v.because(taxonomy.Text{EN: "it speaks of what only one of the tests has; say what they have in common",
			ZH: "所说的内容只有其中一个测试才有；请写它们的共同点"})
	}
	return ""
}

// ofOneTest reports whether a text is about one test; least is the number of words.
func (v *view) ofOneTest(s string, least int) bool {
	words := telling(s)
	held, own := 0, map[string]int{} // words in any test, and words in only one, by test
	for w := range words {
		in := map[string]bool{}
		for _, e := range v.cases {
			if e.words[w] {
				in[e.test] = true
			}
		}
		if len(in) > 0 {
			held++
		}
		if len(in) == 1 {
			for test := range in {
				own[test]++
			}
		}
	}
	for _, n := range own {
		if n >= least && float64(n) >= narrowHeld*float64(held) && float64(n) >= narrowAll*float64(len(words)) {
			return true
		}
	}
	return false
}
