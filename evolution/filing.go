package evolution

import (
	"cmp"
	"maps"
	"slices"

	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// filing is what cases are filed under: a check, in a direction.
type filing struct {
	check string
	d     taxonomy.Direction
}

// filed has the cases under each filing, sorted by id. Each case is in one list, that of its first and weightiest miss,
// with two exceptions: a check that lacks cases for a lesson takes it from one that can spare it, and where too few
// cases have its first miss for a lesson, it joins the list of a later miss that has enough.
type filed map[filing][]*tree.Node

// file files the live cases by the checks they missed.
func (e *Evolver) file(s *survey) filed {
	by := filed{}
	for _, n := range s.cases {
		if counted := e.countedChecks(s, n); len(counted) > 0 {
			k := filing{counted[0], n.Direction}
			by[k] = append(by[k], n)
		}
	}
	e.complete(s, by)
	e.lend(s, by)
	e.moveOn(s, by)
	for k, list := range by { // last, so that a no to one lesson moves no case into another
		by[k] = slices.DeleteFunc(list, func(n *tree.Node) bool {
			return slices.ContainsFunc(e.countedChecks(s, n), func(check string) bool {
				return (check == k.check || e.isKindOf(check, k.check)) && s.no.Check(n, check)
			})
		})
	}
	return by
}

// firstOf returns the first filing, of checks and of those that each is a kind of, for which is holds.
func (e *Evolver) firstOf(checks []string, d taxonomy.Direction, is func(filing) bool) (filing, bool) {
	for _, check := range checks {
		for up := check; up != ""; up = e.wider(up) {
			if k := (filing{up, d}); is(k) {
				return k, true
			}
		}
	}
	return filing{}, false
}

// mostFirst orders filings, those with the most cases first.
func (f filed) mostFirst(a, b filing) int {
	return cmp.Or(cmp.Compare(len(f[b]), len(f[a])), cmp.Compare(a.check, b.check), cmp.Compare(a.d, b.d))
}

// move moves a case from one list to another.
func (f filed) move(n *tree.Node, from, to filing) {
	f[from] = slices.DeleteFunc(slices.Clone(f[from]), func(o *tree.Node) bool { return o.ID == n.ID })
	f[to] = united(f[to], []*tree.Node{n})
}

// at returns the filing that a case is under.
func (e *Evolver) at(by filed, s *survey, n *tree.Node) filing {
	k, _ := e.firstOf(e.countedChecks(s, n), n.Direction, func(k filing) bool {
		_, has := slices.BinarySearchFunc(by[k], n, compareIDs)
		return has
	})
	return k
}

// countedChecks returns the checks that a case missed and may be counted under, the weightiest first.
func (e *Evolver) countedChecks(s *survey, n *tree.Node) []string {
	var out []string
	for i := range n.CaseData.Misses {
		check := n.CaseData.Misses[i].Check
		if check == "" || slices.Contains(out, check) {
			continue
		}
		if _, is := e.typeOf(s, check, n.Direction); is {
			out = append(out, check)
		}
	}
	return out
}

// enough reports whether the cases of a filing are enough for a lesson.
func (e *Evolver) enough(s *survey, k filing, list []*tree.Node) bool {
	errorType, _ := e.typeOf(s, k.check, k.d)
	return len(list) > 0 && len(e.lacks(list, 1, errorType, s.now)) == 0
}

// lend gives the cases of each check that has too few to the wider check.
func (e *Evolver) lend(s *survey, by filed) {
	for _, c := range e.narrowFirst() { // so that a check may lend what was lent to it
		for _, d := range directions {
			k := filing{c.ID, d}
			wide, _ := e.o.Taxonomy.Check(c.Wider)
			if len(by[k]) == 0 || !wide.Speaks(d) || wide.ErrorType() != c.ErrorType() || e.enough(s, k, by[k]) {
				continue
			}
			up := filing{c.Wider, d}
			by[up] = united(by[up], by[k])
			delete(by, k)
		}
	}
}

// complete gives each check that lacks cases for a lesson as many as it lacks, from those that have it as a later miss
// and that their first check can spare. More than half of the result must be first misses.
func (e *Evolver) complete(s *survey, by filed) {
	second := filed{}
	for _, n := range s.cases {
		for _, check := range e.countedChecks(s, n) {
			k := filing{check, n.Direction}
			second[k] = append(second[k], n)
		}
	}
	for _, k := range slices.SortedFunc(maps.Keys(by), by.mostFirst) {
		try := maps.Clone(by)
		for most := 2*len(by[k]) - 1; len(try[k]) < most && !e.enough(s, k, try[k]); {
			n, from := e.spare(s, try, k, second[k])
			if n == nil {
				break
			}
			try.move(n, from, k)
		}
		if e.enough(s, k, try[k]) {
			maps.Copy(by, try)
		}
	}
}

// spare returns a case of the list that another filing than k can spare, and that filing, which has too few cases for
// a lesson, or enough without this one. The filing with the most cases is preferred. It returns nil if there is none.
func (e *Evolver) spare(s *survey, by filed, k filing, list []*tree.Node) (best *tree.Node, from filing) {
	for _, n := range list { // sorted by id
		at := e.at(by, s, n)
		if at == k || best != nil && len(by[at]) <= len(by[from]) {
			continue
		}
		rest := slices.DeleteFunc(slices.Clone(by[at]), func(o *tree.Node) bool { return o.ID == n.ID })
		if !e.enough(s, at, by[at]) || e.enough(s, at, rest) {
			best, from = n, at
		}
	}
	return best, from
}

// moveOn moves each case of a list that is too short for a lesson to the first of its other checks, or their wider
// ones, whose list is long enough. All lists are measured before any case moves.
func (e *Evolver) moveOn(s *survey, by filed) {
	enough := map[filing]bool{}
	for k, list := range by {
		enough[k] = e.enough(s, k, list)
	}
	gone, joined := map[string]bool{}, filed{}
	for _, n := range s.cases {
		checks := e.countedChecks(s, n)
		if len(checks) == 0 || enough[e.at(by, s, n)] {
			continue
		}
		if to, is := e.firstOf(checks, n.Direction, func(k filing) bool { return enough[k] }); is {
			gone[n.ID], joined[to] = true, append(joined[to], n)
		}
	}
	for k := range by {
		by[k] = slices.DeleteFunc(by[k], func(n *tree.Node) bool { return gone[n.ID] })
	}
	for k, list := range joined {
		by[k] = united(by[k], list)
	}
}
