package cue

import (
	"bytes"
	"crypto/sha256"
	_ "embed" // learned.gob
	"encoding/gob"
	"encoding/hex"
	"strings"
	"sync"

	"github.com/memtree/memtree/taxonomy"
)

// The sorts of texts that sentences are of.
const (
	notes = iota
	claims
	tasks
	sorts
)

// learned is what was learned of each sort from the sentences of a catalogue.
type learned struct {
	Key    string // of the sentences
	Models [sorts]*linear
}

// builtinLearned is what the sentences of the built-in catalogue teach, so that no
// process has to learn it anew: go test ./cue -run TestLearned -update.
//
//go:embed learned.gob
var builtinLearned []byte

var decoded = sync.OnceValue(func() learned {
	var l learned
	if err := gob.NewDecoder(bytes.NewReader(builtinLearned)).Decode(&l); err != nil {
		return learned{} // then it is learned
	}
	for _, m := range l.Models {
		m.index()
	}
	return l
})

// sentencesOf returns the example sentences of checks, by sort and place.
func sentencesOf(checks []taxonomy.Check) (out [sorts][][]string) {
	for i := range checks {
		for sort, list := range [sorts][]string{notes: checks[i].Examples, claims: checks[i].Claims, tasks: checks[i].Tasks} {
			out[sort] = append(out[sort], list)
		}
	}
	return out
}

// learn returns what sentences teach, by sort and place of the check.
func learn(sentences [sorts][][]string) [sorts]*linear {
	key := keyOf(sentences)
	if l := decoded(); l.Key == key {
		return l.Models
	}
	return fitAll(sentences)
}

func fitAll(sentences [sorts][][]string) (out [sorts]*linear) {
	var all sync.WaitGroup
	for sort, list := range sentences {
		all.Go(func() { out[sort] = fit(list) })
	}
	all.Wait()
	return out
}

// keyOf names sentences and the places of their checks. Checks without sentences
// that come after them change nothing.
func keyOf(sentences [sorts][][]string) string {
	h := sha256.New()
	for _, list := range sentences {
		for len(list) > 0 && len(list[len(list)-1]) == 0 {
			list = list[:len(list)-1]
		}
		for _, l := range list {
			_, _ = h.Write([]byte(strings.Join(l, "\x00") + "\x01"))
		}
		_, _ = h.Write([]byte{2})
	}
	return hex.EncodeToString(h.Sum(nil))
}
