package main

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/tree"
)

// planted is a tree of six cases: two lessons, one of them with a case of another cause, and a strategy over both.
func planted() (labelledCauses, []tree.Node) {
	causes := labelledCauses{}
	var nodes []tree.Node
	for i, cause := range []string{"sum", "sum", "sum", "sum", "wait", "single-x"} {
		id := fmt.Sprint("t", i)
		causes.add(id, cause)
		n := tree.Node{
			ID: fmt.Sprint("c", i), Type: tree.Case, Level: 1,
			CaseData: &tree.CaseData{TestCase: tree.TestCase{CaseID: id}},
		}
		if i < 5 {
			n.CaseData.Misses = []tree.Miss{{Check: "recompute"}}
		}
		nodes = append(nodes, n)
	}
	return causes, append(nodes,
		tree.Node{ID: "e1", Type: tree.Experience, Level: 2, Children: []string{"c0", "c1", "c4"}},
		tree.Node{ID: "e2", Type: tree.Experience, Level: 2, Children: []string{"c4", "gone"}},
		tree.Node{ID: "s1", Type: tree.Strategy, Level: 3, Children: []string{"e1", "e2"}})
}

func TestTree(t *testing.T) {
	causes, nodes := planted()
	l := causes.learned(nodes)
	require.Equal(t, 6, l.Cases)
	require.Equal(t, 2, l.Experiences)
	require.Equal(t, 1, l.Strategies)
	require.InDelta(t, 4.0/6, l.Cover, 5e-5, "a child that is not there stands behind a lesson too")
	require.InDelta(t, 3.0/5, l.Purity, 5e-5)
	require.Equal(t, 1, l.Causes, "sum has four cases, wait one, and single-x is one by design")
	require.Equal(t, 1, l.Found)
	require.InDelta(t, 5.0/6, l.Typed, 5e-5)
	require.InDelta(t, 4.0/5, l.Agree, 5e-5)
	require.Zero(t, causes.learned(nil))

	by := map[string]tree.Node{}
	for _, n := range nodes {
		by[n.ID] = n
	}
	require.Equal(t, []string{"sum", "wait"}, causes.of(&nodes[8], by))
	loop := tree.Node{ID: "e3", Type: tree.Experience, Level: 2, Children: []string{"e3"}}
	by["e3"] = loop
	require.Empty(t, causes.of(&loop, by), "a memory that stands on itself has no end")
}

func TestAnswers(t *testing.T) {
	causes, nodes := planted()
	w := causes.warned([]suiteGuidance{
		{Expect: []string{"sum"}, Items: []string{"e1", "e2", "gone"}, Text: "12345678"},
		{Expect: []string{"wait"}, Items: []string{"c0"}, Text: "汉字汉"},
		{Expect: []string{"sum"}},
		{Items: []string{"c5"}, Text: "1234"},
		{},
	}, nodes)
	require.InDelta(t, 1.0/3, w.Warned, 5e-5)
	require.InDelta(t, 1.0/2, w.ForNothing, 5e-5)
	require.InDelta(t, 1.0/4, w.Precision, 5e-5)
	require.Equal(t, 3, w.Answers)
	require.InDelta(t, (2.0+2+1)/3, w.Tokens, 5e-5)
	require.Zero(t, causes.warned(nil, nodes))
}
