package taxonomy

import (
	"bytes"
	_ "embed" // of the built-in set
	"encoding/gob"
	"sync"
)

// builtinSet is builtin.yaml and checks/*.yaml in a form that is decoded in a millisecond; parsing them would take
// some ten, at the start of every command. TestBuiltin writes it.
//
//go:embed builtin.gob
var builtinSet []byte

// stored is the form of a Taxonomy in builtin.gob.
type stored struct {
	Groups []ErrorGroup
	Errors []ErrorType
	Scenes []SceneType
	Checks []Check
}

// Default returns the built-in taxonomy. Every call returns the same one.
func Default() *Taxonomy { return builtin() }

var builtin = sync.OnceValue(func() *Taxonomy {
	var s stored
	if err := gob.NewDecoder(bytes.NewReader(builtinSet)).Decode(&s); err != nil {
		panic("taxonomy: the built-in set cannot be read: " + err.Error()) // only in a binary that was built wrongly
	}
	t := &Taxonomy{groups: s.Groups, errors: s.Errors, scenes: s.Scenes, checks: s.Checks}
	for i := range t.checks {
		t.checks[i].builtin = true
	}
	t.index()
	return t
})
