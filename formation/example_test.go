package formation_test

import (
	"context"
	"fmt"

	"github.com/memtree/memtree/formation"
	"github.com/memtree/memtree/tree"
)

// empty is a tree without a node.
type empty struct{}

func (empty) Get(context.Context, string) (tree.Node, error) { return tree.Node{}, tree.ErrNotFound }

func (empty) Similar(context.Context, *tree.Node, int) ([]tree.Node, error) { return nil, nil }

func ExampleDetect() {
	j := formation.Detect(&tree.Evaluation{
		Judgment:    tree.Raw(`{"hasDefect": false}`),
		GroundTruth: tree.Raw(`{"has_defect": true}`),
	})
	fmt.Println(j.Correct, j.Direction)
	// Output: false false_pass
}

func ExampleFormer_Form() {
	f := formation.New(formation.Options{})
	out, err := f.Form(context.Background(), tree.Evaluation{
		Prompt:   "Cancel both reservations of the customer",
		Judgment: tree.Raw(`{"verdict":"done","actions":[{"name":"cancel_reservation","kwargs":{"id":"A1"}}]}`),
		GroundTruth: tree.Raw(`{"actions":[{"name":"cancel_reservation","kwargs":{"id":"A1"}},` +
			`{"name":"cancel_reservation","kwargs":{"id":"B2"}}]}`),
	}, empty{})
	if err != nil {
		fmt.Println(err)
		return
	}
	n := out.Changes[0].Node
	fmt.Println(n.ErrorType, n.Direction)
	m := n.CaseData.Misses[0]
	fmt.Println(m.Check, m.What)
	// Output:
	// interaction_sequence_error false_pass
	// step_taken [cancel_reservation]
}

func ExampleRedactText() {
	s, n := formation.RedactText("log in with password=hunter2 and go on")
	fmt.Println(s, n)
	// Output: log in with password=[redacted:password] and go on 1
}
