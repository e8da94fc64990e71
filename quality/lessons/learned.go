package main

import (
	"math"
	"slices"
	"strings"

	"github.com/memtree/memtree/tree"
)

// labelledCauses are the labelled causes of a suite's wrong runs, by test case. They are for measuring only: learning
// must not see them.
type labelledCauses map[string]*tally

// tally counts names, and stores the order of their first occurrence, which decides between equally frequent ones.
type tally struct {
	names []string
	count map[string]int
}

func (t *tally) add(name string) {
	if t.count == nil {
		t.count = map[string]int{}
	}
	if t.count[name] == 0 {
		t.names = append(t.names, name)
	}
	t.count[name]++
}

// sorted returns the names, the most frequent first.
func (t *tally) sorted() []string {
	out := slices.Clone(t.names)
	slices.SortStableFunc(out, func(x, y string) int { return t.count[y] - t.count[x] })
	return out
}

// most returns the count of the most frequent name.
func (t *tally) most() (n int) {
	for _, k := range t.count {
		n = max(n, k)
	}
	return n
}

// add adds the cause of a wrong run of a test case.
func (c labelledCauses) add(caseID, cause string) {
	if c[caseID] == nil {
		c[caseID] = &tally{}
	}
	c[caseID].add(cause)
}

// of returns the causes of a memory: the most frequent one of a case or an experience, all of a strategy, the most
// frequent first. by has the other memories by id.
func (c labelledCauses) of(n *tree.Node, by map[string]tree.Node) []string {
	if n.Type == tree.Case {
		if n.CaseData == nil || c[n.CaseData.TestCase.CaseID] == nil {
			return nil
		}
		return c[n.CaseData.TestCase.CaseID].sorted()[:1]
	}
	all := c.below(n, by).sorted()
	if n.Type == tree.Experience && len(all) > 1 {
		all = all[:1]
	}
	return all
}

// below counts the causes of the children of a memory.
func (c labelledCauses) below(n *tree.Node, by map[string]tree.Node) *tally {
	t := &tally{}
	for _, id := range n.Children {
		if child, ok := by[id]; ok && child.Level < n.Level {
			for _, cause := range c.of(&child, by) {
				t.add(cause)
			}
		}
	}
	return t
}

// single is the prefix of the label of a cause that occurs once, by design.
const single = "single-"

// oftenEnough is the number of cases from which a cause should be found.
const oftenEnough = 4

// learnedFigures compares what a tree learned with the labels.
type learnedFigures struct {
	Cases       int     `json:"cases"`
	Experiences int     `json:"experiences"`
	Strategies  int     `json:"strategies"`
	Cover       float64 `json:"cover"`  // share of the cases that support an experience
	Purity      float64 `json:"purity"` // share of those whose cause is the most frequent one of their experience
	Found       int     `json:"found"`  // causes that an experience is about, of the causes
	Causes      int     `json:"causes"` // causes of four cases and more
	Typed       float64 `json:"typed"`  // share of the cases with a known check
	Agree       float64 `json:"agree"`  // share of those whose cause is the most frequent one of their check
}

// learned measures a tree.
func (c labelledCauses) learned(nodes []tree.Node) learnedFigures {
	by := byID(nodes)
	var l learnedFigures
	behind, found := map[string]bool{}, map[string]bool{}
	all, checks := &tally{}, map[string]*tally{}
	pure, size, typed := 0, 0, 0
	for i := range nodes {
		n := &nodes[i]
		switch n.Type {
		case tree.Case:
			l.Cases++
			typed += c.count(n, all, checks)
		case tree.Strategy:
			l.Strategies++
		case tree.Experience:
			l.Experiences++
			size += len(n.Children)
			pure += c.below(n, by).most()
			for _, id := range n.Children {
				behind[id] = true
			}
			for _, cause := range c.of(n, by) {
				found[cause] = true
			}
		}
	}
	for _, name := range all.names {
		if all.count[name] >= oftenEnough && !strings.HasPrefix(name, single) {
			l.Causes++
			if found[name] {
				l.Found++
			}
		}
	}
	right := 0
	for _, t := range checks {
		right += t.most()
	}
	l.Cover, l.Purity = share(len(behind), l.Cases), share(pure, size)
	l.Typed, l.Agree = share(typed, l.Cases), share(right, typed)
	return l
}

// count adds the cause of a case to the counts of the tree and of its check. It returns 1 if the check is known.
func (c labelledCauses) count(n *tree.Node, all *tally, checks map[string]*tally) int {
	causes := c.of(n, nil)
	for _, cause := range causes {
		all.add(cause)
	}
	if n.CaseData == nil || len(n.CaseData.Misses) == 0 || n.CaseData.Misses[0].Check == "" {
		return 0
	}
	check := n.CaseData.Misses[0].Check
	if checks[check] == nil {
		checks[check] = &tally{}
	}
	for _, cause := range causes {
		checks[check].add(cause)
	}
	return 1
}

func byID(nodes []tree.Node) map[string]tree.Node {
	by := make(map[string]tree.Node, len(nodes))
	for i := range nodes {
		by[nodes[i].ID] = nodes[i]
	}
	return by
}

// round rounds to four decimals: further ones differ between machines.
func round(x float64) float64 { return math.Round(x*1e4) / 1e4 }

func share(n, of int) float64 { return round(float64(n) / float64(max(1, of))) }
