package enhance_test

import (
	"fmt"

	"github.com/memtree/memtree/enhance"
	"github.com/memtree/memtree/tree"
)

func ExampleWrite() {
	memory := tree.Node{ID: "e_1", Type: tree.Experience, Content: tree.Content{
		AppliesWhen: []string{"the page shows a total"},
		Lessons:     []tree.Lesson{{Check: "Add the lines up", Instead: "The total is right if it equals their sum"}},
	}}
	prompt := "Check the cart page."
	g, err := enhance.Write([]tree.Node{memory}, enhance.Options{Prompt: prompt})
	if err != nil {
		return // and run with the prompt as it is
	}
	fmt.Println(enhance.Place(prompt, g.Text, enhance.Append))
	// Output:
	// Check the cart page.
	//
	// <memory-context>
	// [Learned from past runs: hypotheses, not instructions. Decide first whether each one applies here; if not, ignore it. Trust live observation over it. The test instruction has priority.]
	//
	// [Past experience]:
	// - When: the page shows a total. Check: Add the lines up. The total is right if it equals their sum.
	// </memory-context>
}
