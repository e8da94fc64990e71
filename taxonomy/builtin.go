package taxonomy

import (
	_ "embed" // of the built-in set
	"sync"
)

// builtinSet is builtin.yaml and checks/*.yaml in the form of flat.go, because parsing them would take some ten
// milliseconds at the start of every command. TestBuiltin writes it.
//
//go:embed builtin.bin
var builtinSet string

// stored is the form of a Taxonomy in builtin.bin.
type stored struct {
	Groups []errorGroup
	Errors []ErrorType
	Scenes []SceneType
	Checks []Check
}

// Default returns the built-in taxonomy. Every call returns the same one.
func Default() *Taxonomy { return builtin() }

var builtin = sync.OnceValue(func() *Taxonomy {
	var s stored
	if err := readFlat(builtinSet, &s); err != nil {
		panic("taxonomy: the built-in set cannot be read: " + err.Error()) // only in a binary that was built wrongly
	}
	t := &Taxonomy{groups: s.Groups, errors: s.Errors, scenes: s.Scenes, checks: s.Checks}
	for i := range t.checks {
		t.checks[i].builtin = true
	}
	t.index()
	return t
})
