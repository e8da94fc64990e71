package memtree_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/harness"
	"github.com/memtree/memtree/ingest"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// An agent that judges that every form works.
func agent(context.Context, string) tree.Raw { return tree.Raw(`{"verdict": "pass"}`) }

// remembering opens a memory for an example, with the judged runs of a file.
func remembering(ctx context.Context, sample string) *memtree.Memory {
	mem, err := memtree.Open(ctx, "", &memtree.Options{InMemory: true})
	if err != nil {
		log.Fatal(err)
	}
	f, err := os.Open(sample)
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	var runs []memtree.Evaluation
	for e, err := range ingest.Read(sample, f) {
		if err != nil {
			log.Fatal(err)
		}
		runs = append(runs, e)
	}
	if _, err := mem.RecordAll(ctx, runs); err != nil {
		log.Fatal(err)
	}
	if err := mem.Wait(ctx); err != nil {
		log.Fatal(err)
	}
	return mem
}

// The loop: ask before a run, record after it.
func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "memtree") // of your own: ".memtree"
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	prompt := "Check that the sign-up form refuses a password of three characters"
	scene := tree.Scene{ID: "SIGNUP", Type: "form", Route: "/signup"}
	truth := tree.Raw(`{"verdict": "fail", "defect_details": ["a password of three characters is accepted"]}`)

	mem, err := memtree.Open(ctx, dir, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer mem.Close()
	for _, run := range []string{"monday", "tuesday"} {
		g, err := mem.Guide(ctx, memtree.Query{Prompt: prompt, Scene: scene})
		if err != nil {
			log.Fatal(err)
		}
		judgment := agent(ctx, g.Enhance(prompt))
		err = mem.Record(ctx, memtree.Evaluation{
			RunID: run, CaseID: "SIGNUP_7", Prompt: prompt, Scene: scene, Judgment: judgment, GroundTruth: truth, Trial: g.Trial,
		})
		if err != nil {
			log.Fatal(err)
		}
		if err := mem.Wait(ctx); err != nil { // only so that tuesday sees monday's runs
			log.Fatal(err)
		}
		fmt.Println(run, "had guidance:", !g.Abstained)
	}
	// Output:
	// monday had guidance: false
	// tuesday had guidance: true
}

// A harness that has a function to run a test case puts Wrap around it.
func ExampleWrap() {
	ctx := context.Background()
	mem, err := memtree.Open(ctx, "", &memtree.Options{InMemory: true})
	if err != nil {
		log.Fatal(err)
	}
	defer mem.Close()

	runCase := func(ctx context.Context, t harness.Test) (harness.TestResult, error) {
		return harness.TestResult{Judgment: agent(ctx, t.Prompt)}, nil
	}
	runCase = memtree.Wrap(mem, runCase, nil) // the one line to add

	r, err := runCase(ctx, harness.Test{ID: "LOGIN_1", Prompt: "Check the login form"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(r.Judgment))
	// Output: {"verdict": "pass"}
}

// A person, or a stronger model, may judge in place of a ground truth.
func ExampleWrap_judge() {
	ctx := context.Background()
	mem, err := memtree.Open(ctx, "", &memtree.Options{InMemory: true})
	if err != nil {
		log.Fatal(err)
	}
	defer mem.Close()

	runCase := memtree.Wrap(mem, func(ctx context.Context, t harness.Test) (harness.TestResult, error) {
		return harness.TestResult{Judgment: agent(ctx, t.Prompt)}, nil
	}, &harness.WrapOptions{
		Judge: func(_ context.Context, t harness.Test, r harness.TestResult) (harness.JudgeVerdict, error) {
			return harness.JudgeVerdict{Direction: taxonomy.FalsePass, Reason: "The total was never recomputed."}, nil
		},
	})
	if _, err := runCase(ctx, harness.Test{ID: "CART_1", Prompt: "Check that the cart total is right"}); err != nil {
		log.Fatal(err)
	}
	if err := mem.Wait(ctx); err != nil {
		log.Fatal(err)
	}
	for n, err := range mem.Tree().Scan(ctx, store.Filter{}) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(n.Type, n.Direction, n.CaseData.Misses[0].Check)
	}
	// Output: case false_pass recompute
}

func ExampleOpen() {
	mem, err := memtree.Open(context.Background(), "shop-memory", &memtree.Options{MustExist: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer mem.Close()
	// Output: open memory: shop-memory holds no memtree store
}

func ExampleMemory_Guide() {
	ctx := context.Background()
	mem := remembering(ctx, "fixtures/shop.jsonl")
	defer mem.Close()

	for _, prompt := range []string{"Save the new phone number, reload the page, check that it is still there",
		"Count the links of the imprint"} {
		g, err := mem.Guide(ctx, memtree.Query{Prompt: prompt, Lang: "en"})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println("memories:", len(g.Items), "abstained:", g.Abstained)
	}
	// Output:
	// memories: 1 abstained: false
	// memories: 0 abstained: true
}

// What can be seen now is held against what was wrong before.
func ExampleMemory_Guide_observation() {
	ctx := context.Background()
	mem, err := memtree.Open(ctx, "", &memtree.Options{InMemory: true})
	if err != nil {
		log.Fatal(err)
	}
	defer mem.Close()
	scene := tree.Scene{ID: "CART", Type: "cart", Route: "/cart"}
	prompt := `Can the "Gift wrap" button be used?`
	err = mem.Record(ctx, memtree.Evaluation{
		Prompt: prompt, Scene: scene, Judgment: tree.Raw(`{"has_defect": false}`),
		GroundTruth: tree.Raw(`{"has_defect": true, "defect_details": ["The \"Gift wrap\" button is disabled."]}`),
	})
	if err != nil {
		log.Fatal(err)
	}
	if err := mem.Wait(ctx); err != nil {
		log.Fatal(err)
	}
	page := "- heading \"Cart\"\n- button \"Gift wrap\" [disabled]" // as Playwright's ariaSnapshot writes it
	g, err := mem.Guide(ctx, memtree.Query{Prompt: prompt, Scene: scene, Observation: page})
	if err != nil {
		log.Fatal(err)
	}
	for _, f := range g.Facts {
		fmt.Println(f.State, "on line", f.Line, "of the page:", f.Text)
	}
	// Output: broken on line 2 of the page: button “Gift wrap” is disabled
}

func ExampleMemory_Record() {
	ctx := context.Background()
	mem, err := memtree.Open(ctx, "", &memtree.Options{InMemory: true})
	if err != nil {
		log.Fatal(err)
	}
	defer mem.Close()

	e := memtree.Evaluation{
		RunID: "nightly-42", CaseID: "CART_1", Prompt: "Check that the cart total is right",
		Judgment: tree.Raw(`{"verdict": "pass"}`), GroundTruth: tree.Raw(`{"verdict": "fail"}`),
	}
	fmt.Println(mem.Record(ctx, e), mem.Record(ctx, e)) // twice is once
	e.Prompt = ""
	fmt.Println(mem.Record(ctx, e))
	// Output:
	// <nil> <nil>
	// record: prompt is missing; say what the agent was asked to test
}

func ExampleMemory_RecordAll() {
	ctx := context.Background()
	mem, err := memtree.Open(ctx, "", &memtree.Options{InMemory: true})
	if err != nil {
		log.Fatal(err)
	}
	defer mem.Close()

	run := memtree.Evaluation{RunID: "nightly-42", Prompt: "Check the cart", Judgment: tree.Raw(`"pass"`),
		GroundTruth: tree.Raw(`"fail"`)}
	other := run
	other.Prompt = "Check the imprint"
	receipts, err := mem.RecordAll(ctx, []memtree.Evaluation{run, other, run})
	if err != nil {
		log.Fatal(err)
	}
	for _, r := range receipts {
		fmt.Println(r.Status)
	}
	// Output:
	// accepted
	// accepted
	// duplicate
}

func ExampleMemory_Evolve() {
	ctx := context.Background()
	mem := remembering(ctx, "cmd/memtree/rooms.jsonl")
	defer mem.Close()

	v, err := mem.Evolve(ctx, nil)
	if err != nil {
		log.Fatal(err)
	}
	for _, p := range v.Plans {
		for _, c := range p.Changes {
			if n := &c.Node; n.Type == tree.Experience {
				fmt.Printf("%s (%d cases)\n", n.Content.Title, len(n.Children))
			}
		}
	}
	again, err := mem.Evolve(ctx, &memtree.EvolveOptions{MaxCalls: new(0)}) // calls no model
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("nothing new:", len(again.Plans[0].Changes) == 0)
	// Output:
	// Judged before the page had settled (3 cases)
	// Totals accepted without recomputing (4 cases)
	// Filtered items not checked (3 cases)
	// nothing new: true
}
