package cue

import (
	"crypto/sha256"
	_ "embed" // learned.flat
	"encoding/hex"
	"strings"
	"sync"

	"github.com/memtree/memtree/internal/flat"
	"github.com/memtree/memtree/taxonomy"
)

// The sorts of text, each with example sentences and a model of its own.
const (
	notes  = iota // texts of people about a miss
	claims        // the wrong agent's own reasons
	tasks         // tasks of tests
	sorts         // how many sorts there are
)

// learned holds the models that were fitted to the sentences of a catalogue.
type learned struct {
	key    string // keyOf the sentences
	models [sorts]*linear
}

// builtinLearned holds the models of the built-in sentences, so that no process has to fit them again:
// their key, and then each. "go generate ./internal/cue" writes it.
//
//go:generate go test . -run ^TestLearned$ -update
//go:embed learned.flat
var builtinLearned string

var stored = sync.OnceValue(func() (l learned) {
	d := flat.Open(builtinLearned)
	l.key = d.Text()
	for sort := range l.models {
		l.models[sort] = readLinear(d)
	}
	return l
})

// sentencesOf returns the example sentences of checks: by sort, then by the place
// of the check.
func sentencesOf(checks []taxonomy.Check) (out [sorts][][]string) {
	for i := range checks {
		of := checks[i].Sentences()
		for sort, list := range [sorts][]string{notes: of.Said, claims: of.Claimed, tasks: of.Asked} {
			out[sort] = append(out[sort], list)
		}
	}
	return out
}

// modelsOf returns a function that returns the model of each sort: the stored one when the sentences are those of the
// built-in catalogue, else one fitted now. The sentences of the built-in taxonomy itself are not read for that, because
// TestLearned compares them.
func modelsOf(tax *taxonomy.Taxonomy, checks []taxonomy.Check) func() [sorts]*linear {
	return sync.OnceValue(func() [sorts]*linear {
		if tax == taxonomy.Default() {
			return stored().models
		}
		sentences := sentencesOf(checks)
		if stored().key == keyOf(sentences) {
			return stored().models
		}
		return fitAll(sentences)
	})
}

func fitAll(sentences [sorts][][]string) (out [sorts]*linear) {
	var all sync.WaitGroup
	for sort, list := range sentences {
		all.Go(func() { out[sort] = fit(list) })
	}
	all.Wait()
	return out
}

// keyOf returns a hash of the sentences and of the places of their checks. Checks
// without sentences at the end do not change it, because they do not change the
// models.
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
