package memtree_test

import (
	"context"
	"fmt"
	"log"
	"strings"
	"sync/atomic"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/effect"
	"github.com/memtree/memtree/enhance"
	"github.com/memtree/memtree/evolution"
	"github.com/memtree/memtree/harness"
	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/transfer"
	"github.com/memtree/memtree/tree"
)

func ExampleMemory_Explain() {
	ctx := context.Background()
	mem := remembering(ctx, "fixtures/shop.jsonl")
	defer mem.Close()

	x, err := mem.Explain(ctx, memtree.Query{
		Prompt: "Save the new phone number, reload the page, check that it is still there",
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range x.Considered[:2] { // c.Signals and c.Reason are the reasons
		fmt.Println(c.Type, c.ErrorType, "taken:", c.Taken)
	}
	// Output:
	// case interaction_sequence_error taken: true
	// case content_validation_error taken: false
}

func ExampleMemory_Risk() {
	ctx := context.Background()
	mem := remembering(ctx, "fixtures/tau.jsonl")
	defer mem.Close()

	r, err := mem.Risk(ctx, memtree.Evaluation{Prompt: "Cancel the reservation and refund it",
		Judgment: tree.Raw(`"pass"`)})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("known: %d, wrong among them: %.2f, past errors predict: %v\n", r.Known, r.Base, r.Enough)
	// Output:
	// known: 152, wrong among them: 0.49, past errors predict: true
}

// What is likely to be wrong is corrected, beside the agent's own verdict.
func ExampleMemory_Correct() {
	ctx := context.Background()
	mem, err := memtree.Open(ctx, "", &memtree.Options{InMemory: true})
	if err != nil {
		log.Fatal(err)
	}
	defer mem.Close()
	if _, err := mem.RecordAll(ctx, hasty(120)); err != nil { // a judge that fails a page before it has loaded
		log.Fatal(err)
	}
	if err := mem.Wait(ctx); err != nil {
		log.Fatal(err)
	}

	c, err := mem.Correct(ctx, memtree.Evaluation{
		RunID: "tonight", CaseID: "CART_9", Prompt: "Check the last item of the cart",
		Scene:    tree.Scene{ID: "CART", Type: "cart"},
		Judgment: tree.Raw(`{"verdict":"fail","reason":"The price is not shown on the page"}`),
	}, harness.CorrectOptions{Do: ledger.Other})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s → %s\n", c.First, c.Now)
	// Output: {"verdict":"fail"} → {"verdict":"pass"}
}

// A failure with memories is looked into once the caller has his result.
func ExampleAblateOptions() {
	ctx := context.Background()
	mem, err := memtree.Open(ctx, "", &memtree.Options{InMemory: true, Holdout: new(effect.Fixed(0))})
	if err != nil {
		log.Fatal(err)
	}
	defer mem.Close()
	if err := mem.Record(ctx, hasty(2)[1]); err != nil {
		log.Fatal(err)
	}
	if err := mem.Wait(ctx); err != nil {
		log.Fatal(err)
	}

	var runs atomic.Int32
	runCase := memtree.Wrap(mem, func(_ context.Context, t harness.Test) (harness.TestResult, error) {
		runs.Add(1)
		wrong := strings.Contains(t.Prompt, enhance.Open) // an agent that any advice confuses
		return harness.TestResult{Judgment: tree.Raw(fmt.Sprintf(`{"has_defect":%v}`, wrong))}, nil
	}, &harness.WrapOptions{Ablate: harness.AblateOptions{Pairs: 3}})
	if _, err := runCase(ctx, harness.Test{
		ID: "CART_1", Prompt: "Check item 1 of the cart", Scene: tree.Scene{ID: "CART", Type: "cart"},
		GroundTruth: tree.Raw(`{"has_defect":false}`),
	}); err != nil {
		log.Fatal(err)
	}
	if err := mem.Wait(ctx); err != nil {
		log.Fatal(err)
	}
	fmt.Println("runs:", runs.Load()) // the first, and three with the one memory that was given and three without
	// Output: runs: 7
}

// A person reads what was learned before it is used.
func ExampleMemory_Review() {
	ctx := context.Background()
	mem := remembering(ctx, "cmd/memtree/rooms.jsonl")
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
	if _, err := mem.Review().Decide(ctx, evolution.ReviewDecision{Accept: []string{waiting[0].Key}}); err != nil {
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
	mem := remembering(ctx, "fixtures/shop.jsonl")
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
	mem := remembering(ctx, "fixtures/shop.jsonl")
	defer mem.Close()

	counts, err := tree.Count(mem.Tree().Scan(ctx, store.Filter{Direction: "false_pass"}))
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
	// map[content_validation_error:3 form_validation_error:1 interaction_sequence_error:1]
	// 14 runs, 9 memories
}

func ExampleMemory_Verify() {
	ctx := context.Background()
	mem := remembering(ctx, "fixtures/shop.jsonl")
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
	mem := remembering(ctx, "fixtures/shop.jsonl")
	defer mem.Close()

	h := mem.Health()
	fmt.Println("cases:", h.Formed.Cases, "with a known check:", h.Formed.Checked)
	fmt.Println("runs lost:", h.RunsLost, "answers that failed:", h.GuideFailures)
	// Output:
	// cases: 9 with a known check: 8
	// runs lost: 0 answers that failed: 0
}

func ExampleMemory_Taxonomy() {
	ctx := context.Background()
	mem := remembering(ctx, "fixtures/shop.jsonl")
	defer mem.Close()

	c, _ := mem.Taxonomy().Check("recompute")
	fmt.Println(c.Name.In("en"))
	// Output:
	// Recomputing totals and counts
}

// One team learns, another reads it first, and then takes it over.
func ExampleMemory_Transfer() {
	ctx := context.Background()
	ours, theirs := remembering(ctx, "fixtures/shop.jsonl"), remembering(ctx, "cmd/memtree/rooms.jsonl")
	defer ours.Close()
	defer theirs.Close()

	selection, err := theirs.Transfer().Export(ctx, nil)
	if err != nil {
		log.Fatal(err)
	}
	plan, err := ours.Transfer().Import(ctx, theirs.Tree().Scan(ctx, store.Filter{}), nil) // of a file: transfer.File
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
	p, err := ours.Transfer().Promote(ctx, &transfer.PromoteOptions{IDs: []string{x.Items[0].ID}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("in use, on probation:", len(p.Changes))
	// Output:
	// leave there: 11 wait here: 11
	// they would say something: true
	// in use, on probation: 1
}
