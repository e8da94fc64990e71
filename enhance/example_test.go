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
	// [From past runs; may not apply here. Go by what you see.]
	//
	// [Past experience]:
	// - When: the page shows a total. Check: Add the lines up. The total is right if it equals their sum.
	// </memory-context>
}
