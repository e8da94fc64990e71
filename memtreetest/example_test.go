package memtreetest_test

import (
	"context"
	"testing"
	"time"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/harness"
	"github.com/memtree/memtree/memtreetest"
	"github.com/memtree/memtree/tree"
)

const (
	patience = time.Minute
	tick     = 20 * time.Millisecond
)

// An agent of yours.
func judgePage(context.Context, string) (string, error) { return `{"verdict": "fail"}`, nil }

// A test of an agent with memory: run it with MEMTREE_STORE=/path/to/.memtree go test.
func ExampleRun() {
	_ = func(t *testing.T) { // func TestCart(t *testing.T)
		memtreetest.Run(t, "", []harness.Test{
			{
				ID:          "CART_TOTAL",
				Prompt:      "Check that the cart total equals the sum of the item prices",
				Scene:       tree.Scene{Route: "/cart"},
				GroundTruth: tree.Raw(`{"verdict": "fail"}`),
			},
		}, func(ctx context.Context, c harness.Test) (harness.TestResult, error) {
			said, err := judgePage(ctx, c.Prompt) // the prompt with guidance
			return harness.TestResult{Judgment: tree.Raw(said)}, err
		}, nil)
	}
}

// A test of the guidance, from your own runs.
func ExampleTold() {
	_ = func(t *testing.T) { // func TestMemory(t *testing.T)
		m := memtreetest.Seed(t, memtreetest.Read(t, "testdata/runs.jsonl")...)
		memtreetest.Told(t, m, memtree.Query{Prompt: "Check the cart total"}, "CART_TOTAL")
		memtreetest.NotTold(t, m, memtree.Query{Prompt: "Check that the page has a title"})
	}
}
