package memtree_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/tree"
)

// An agent that judges every form as fine.
func agent(context.Context, string) tree.Raw { return tree.Raw(`{"verdict": "pass"}`) }

func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "memtree")
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
		if err := mem.Wait(ctx); err != nil {
			log.Fatal(err)
		}
		fmt.Println(run, "had guidance:", !g.Abstained)
	}
	// Output:
	// monday had guidance: false
	// tuesday had guidance: true
}

func ExampleWrap() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "memtree")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	mem, err := memtree.Open(ctx, dir, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer mem.Close()

	runCase := func(ctx context.Context, c memtree.Test) (memtree.Result, error) {
		return memtree.Result{Judgment: agent(ctx, c.Prompt)}, nil
	}
	runCase = memtree.Wrap(mem, runCase, nil) // the one line to add

	r, err := runCase(ctx, memtree.Test{ID: "LOGIN_1", RunID: "monday", Prompt: "Check the login form"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(r.Judgment))
	// Output: {"verdict": "pass"}
}
