package tree

import "slices"

// SamePlace reports whether two runs were at the same place of a suite. s and o have the tests of the suite in order,
// each as of its run. A test that is added or removed changes the position of every later test, so neither the position
// nor the whole list identifies a place. Two places are the same if the lists and positions are equal, or if:
//
//   - the test is the same, and
//   - the test before it or the test after it is the same. A test that only one
//     of the lists has was added or removed, and is skipped. Being first in both lists,
//     or last in both, counts as the same neighbour.
//
// The places differ if only one neighbour matches, and one of the lists has the test a second time with both neighbours
// matching. SamePlace does not compare the names of the suites.
func (s *Scope) SamePlace(o *Scope) bool {
	if slices.Equal(s.SuiteTests, o.SuiteTests) {
		return s.Position == o.Position
	}
	test := s.PlaceTest()
	if test == "" || test != o.PlaceTest() {
		return false
	}
	mine, other := setOf(s.SuiteTests), setOf(o.SuiteTests)
	a := neighboursOf(s.SuiteTests, s.Position, other)
	b := neighboursOf(o.SuiteTests, o.Position, mine)
	switch a.sharedSides(b) {
	case 0:
		return false
	case 2:
		return true
	}
	return !fitsElsewhere(o.SuiteTests, o.Position, mine, a) && !fitsElsewhere(s.SuiteTests, s.Position, other, b)
}

// PlaceTest returns the test at s.Position in s.SuiteTests, or "" if s.SuiteTests has no such position.
func (s *Scope) PlaceTest() string {
	if s.Position < 0 || s.Position >= len(s.SuiteTests) {
		return ""
	}
	return s.SuiteTests[s.Position]
}

// neighbours are the nearest tests before and after a place that are in both lists: edge at the end of the list, "" if
// no test on that side is in both lists.
type neighbours struct{ before, after string }

// edge represents the end of a list. No test has this name, because texts with a NUL are refused.
const edge = "\x00"

// neighboursOf returns the neighbours of tests[i] among the tests in other.
func neighboursOf(tests []string, i int, other map[string]bool) neighbours {
	n := neighbours{edge, edge}
	for k := i - 1; k >= 0; k-- {
		if n.before = ""; other[tests[k]] {
			n.before = tests[k]
			break
		}
	}
	for k := i + 1; k < len(tests); k++ {
		if n.after = ""; other[tests[k]] {
			n.after = tests[k]
			break
		}
	}
	return n
}

// sharedSides returns the number of sides, 0 to 2, with the same neighbour.
func (n neighbours) sharedSides(o neighbours) int {
	k := 0
	if n.before != "" && n.before == o.before {
		k++
	}
	if n.after != "" && n.after == o.after {
		k++
	}
	return k
}

// fitsElsewhere reports whether the test at tests[i] also appears at another index, with both neighbours equal to n.
func fitsElsewhere(tests []string, i int, other map[string]bool, n neighbours) bool {
	for k, t := range tests {
		if k != i && t == tests[i] && neighboursOf(tests, k, other).sharedSides(n) == 2 {
			return true
		}
	}
	return false
}

func setOf(tests []string) map[string]bool {
	m := make(map[string]bool, len(tests))
	for _, t := range tests {
		m[t] = true
	}
	return m
}
