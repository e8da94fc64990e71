package tree

import "slices"

// SamePlace reports whether two runs were at one place of a suite, s and o each
// with the suite's tests in order as they were then. Suites change: tests are added
// and removed, and every index behind them moves. So a place is known by its test
// and its neighbours, not by its index and not by the whole list:
//
//   - the test itself is the same, and
//   - the test before it is, or the test after it is. A test that only one of the
//     lists has was added or removed, and is passed over. To stand first, or last,
//     is to have the same neighbour where it is so in both lists as they are.
//
// Where a list has the test more than once, and one neighbour alone is the same, the
// place with both is preferred. A position outside its list is no place: it is
// the same only in the same list. Which suite it is, the caller compares.
func (s *Scope) SamePlace(o *Scope) bool {
	if slices.Equal(s.SuiteTests, o.SuiteTests) {
		return s.Position == o.Position
	}
	test := s.PlaceTest()
	if test == "" || test != o.PlaceTest() {
		return false
	}
	mine, other := members(s.SuiteTests), members(o.SuiteTests)
	a := between(s.SuiteTests, s.Position, other)
	b := between(o.SuiteTests, o.Position, mine)
	switch a.shared(b) {
	case 0:
		return false
	case 2:
		return true
	}
	return !better(o.SuiteTests, o.Position, mine, a) && !better(s.SuiteTests, s.Position, other, b)
}

// PlaceTest returns the test at the position in the suite's tests, "" for none.
func (s *Scope) PlaceTest() string {
	if s.Position < 0 || s.Position >= len(s.SuiteTests) {
		return ""
	}
	return s.SuiteTests[s.Position]
}

// neighbours are the tests on both sides of a place, "" for none that both lists
// have.
type neighbours struct{ before, after string }

// edge stands for the end of a list; no test is called so, for a NUL is refused.
const edge = "\x00"

// between returns the neighbours of the i-th test that the other list has too.
func between(tests []string, i int, other map[string]bool) neighbours {
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

// shared counts the sides on which the neighbours are the same.
func (n neighbours) shared(o neighbours) int {
	k := 0
	if n.before != "" && n.before == o.before {
		k++
	}
	if n.after != "" && n.after == o.after {
		k++
	}
	return k
}

// better reports whether the test of tests[i] stands elsewhere in tests too, and
// there between the very neighbours n.
func better(tests []string, i int, other map[string]bool, n neighbours) bool {
	for k, t := range tests {
		if k != i && t == tests[i] && between(tests, k, other).shared(n) == 2 {
			return true
		}
	}
	return false
}

func members(tests []string) map[string]bool {
	m := make(map[string]bool, len(tests))
	for _, t := range tests {
		m[t] = true
	}
	return m
}
