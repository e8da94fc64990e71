package taxonomy_test

import (
	"fmt"
	"strings"

	"github.com/memtree/memtree/taxonomy"
)

func ExampleParse() {
	own := "sceneTypes:\n  - {id: kiosk, parent: form, name: {en: kiosk, zh: 自助终端}}\n"
	tax, err := taxonomy.Parse("memtree.yaml", []byte(own))
	if err != nil {
		fmt.Println(err)
		return
	}
	s, _ := tax.SceneType("自助终端")
	fmt.Println(s.ID, s.Parent)

	_, err = taxonomy.Parse("memtree.yaml", []byte("sceneTypes:\n  - {id: kiosk, parent: hall, name: kiosk}\n"))
	what, todo, _ := strings.Cut(err.Error(), "; ")
	fmt.Println(what)
	fmt.Println(todo)
	// Output:
	// kiosk form
	// memtree.yaml:2: sceneTypes[0].parent is "hall", which is no scene type
	// declare it under sceneTypes, or leave parent out
}
