package guard

import (
	"testing"

	"github.com/memtree/memtree/internal/golden"
	"github.com/memtree/memtree/taxonomy"
)

// The sentences that are learned: the examples, each as often as this, because there are fewer of them;
// and as ordinary ones so many of each sort of each check of the built-in taxonomy.
const (
	repeated = 2
	ordinary = 100
)

func learnable(tb testing.TB) []sentence {
	var all []sentence
	for _, c := range taxonomy.Default().Checks() {
		of := c.Sentences()
		for _, list := range [][]string{of.Said, of.Asked} { // texts of evaluators and tasks
			for _, s := range list[:min(ordinary, len(list))] {
				all = append(all, sentence{s, false})
			}
		}
	}
	for _, c := range taxonomy.Default().Checks() { // memtree's own texts
		for _, a := range []taxonomy.Advice{c.Missed, c.Alarm} {
			for _, t := range []taxonomy.Text{a.Title, a.Do, a.With, a.Mistake, a.When} {
				all = append(all, sentence{t.EN, false}, sentence{t.ZH, false})
			}
		}
	}
	for _, e := range taxonomy.Default().ErrorTypes() {
		for _, t := range []taxonomy.Text{e.Description, e.Checklist, e.Brief} {
			all = append(all, sentence{t.EN, false}, sentence{t.ZH, false})
		}
	}
	for range repeated {
		all = append(all, examples(tb)...)
	}
	return all
}

// The stored model is the one that these sentences give.
func TestLearned(t *testing.T) {
	golden.Bytes(t, "learned.flat", learn(learnable(t)))
}
