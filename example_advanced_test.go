package memtree_test

import (
	"context"
	"fmt"
	"log"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/evolution"
	"github.com/memtree/memtree/transfer"
	"github.com/memtree/memtree/tree"
)

func ExampleMemory_Explain() {
	ctx := context.Background()
	mem := remembering(ctx, "shop.jsonl")
	defer mem.Close()

	x, err := mem.Explain(ctx, memtree.Query{
		Prompt: "Save the new phone number, reload the page, check that it is still there",
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range x.Considered[:2] { // c.Signals and c.Reason say why
		fmt.Println(c.Type, c.ErrorType, "taken:", c.Taken)
	}
	// Output:
	// case interaction_sequence_error taken: true
	// case form_validation_error taken: false
}

func ExampleMemory_Risk() {
	ctx := context.Background()
	mem := remembering(ctx, "tau.jsonl")
	defer mem.Close()

	r, err := mem.Risk(ctx, memtree.Evaluation{Prompt: "Cancel the reservation and refund it",
		Judgment: tree.Raw(`"pass"`)})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("known: %d, wrong among them: %.2f, past errors predict: %v\n", r.Known, r.Base, r.Enough)
	// Output:
	// known: 152, wrong among them: 0.48, past errors predict: true
}

// A person reads what was learned before it is used.
func ExampleMemory_Review() {
	ctx := context.Background()
	mem := remembering(ctx, "rooms.jsonl")
	defer mem.Close()

	if _, err := mem.Evolve(ctx, &memtree.EvolveOptions{Review: true}); err != nil {
		log.Fatal(err)
	}
	waiting, err := mem.Review().Proposals(ctx)
	if err != nil {
		log.Fatal(err)
	}
	for _, p := range waiting {
		fmt.Println(p.Node.Content.Title)
	}
	if _, err := mem.Review().Decide(ctx, []string{waiting[0].Key}, nil, ""); err != nil {
		log.Fatal(err)
	}
	n, err := mem.Tree().Get(ctx, waiting[0].Node.ID)
	fmt.Println("in use:", n.Live(), err)
	// Output:
	// Judged before the page had settled
	// Totals accepted without recomputing
	// Filtered items not checked
	// in use: true <nil>
}

func ExampleMemory_Prune() {
	ctx := context.Background()
	mem := remembering(ctx, "shop.jsonl")
	defer mem.Close()

	p, err := mem.Prune(ctx, &evolution.PruneOptions{DryRun: true})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("would be archived:", len(p.Forgotten))
	// Output: would be archived: 0
}

func ExampleMemory_Tree() {
	ctx := context.Background()
	mem := remembering(ctx, "shop.jsonl")
	defer mem.Close()

	counts, err := tree.Count(mem.Tree().Scan(ctx, tree.Filter{Direction: "false_pass"}))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(counts.Types)
	info, err := mem.Tree().Info(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(info.Evaluations, "runs,", info.Nodes, "memories")
	// Output:
	// map[content_validation_error:2 form_validation_error:2 interaction_sequence_error:1]
	// 14 runs, 9 memories
}

func ExampleMemory_Verify() {
	ctx := context.Background()
	mem := remembering(ctx, "shop.jsonl")
	defer mem.Close()

	v, err := mem.Verify(ctx, func(problem error) { fmt.Println(problem) })
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("memories read:", v.Nodes)
	// Output:
	// memories read: 9
}

func ExampleMemory_Health() {
	ctx := context.Background()
	mem := remembering(ctx, "shop.jsonl")
	defer mem.Close()

	h := mem.Health()
	fmt.Println("cases:", h.Formed.Cases, "with a known check:", h.Formed.Checked)
	fmt.Println("runs lost:", h.Runs, "answers that failed:", h.Guidance)
	// Output:
	// cases: 9 with a known check: 9
	// runs lost: 0 answers that failed: 0
}

func ExampleMemory_Taxonomy() {
	ctx := context.Background()
	mem := remembering(ctx, "shop.jsonl")
	defer mem.Close()

	c, _ := mem.Taxonomy().Check("recompute")
	fmt.Println(c.Name.In("en"))
	// Output:
	// Recomputing totals and counts
}

// One team learns, another reads it first, and then takes it over.
func ExampleMemory_Promote() {
	ctx := context.Background()
	ours, theirs := remembering(ctx, "shop.jsonl"), remembering(ctx, "rooms.jsonl")
	defer ours.Close()
	defer theirs.Close()

	selection, err := theirs.Export(ctx, nil)
	if err != nil {
		log.Fatal(err)
	}
	plan, err := ours.Import(ctx, theirs.Tree().Scan(ctx, tree.Filter{}), nil) // of a file: transfer.File
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("leave there:", selection.Summary.Nodes, "wait here:", plan.Changes)
	query := memtree.Query{Prompt: "Check the booking form: the total must equal the price per hour times the hours",
		Quarantined: true}
	x, err := ours.Explain(ctx, query)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("they would say something:", !x.Abstained)
	p, err := ours.Promote(ctx, &transfer.PromoteOptions{IDs: []string{x.Items[0].ID}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("in use, on probation:", len(p.Changes))
	// Output:
	// leave there: 11 wait here: 11
	// they would say something: true
	// in use, on probation: 1
}
