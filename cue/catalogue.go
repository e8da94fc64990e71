package cue

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/text"
)

// Catalogue reads texts for the checks of a taxonomy: which one a note or a
// defect says was missed, and which ones a task calls for. It is immutable and
// safe for concurrent use.
//
// Two readers work together. The phrases of a check say it outright; the words of
// its example sentences say how likely a text is of it that has none of the
// phrases. Either abstains where it is not sure.
type Catalogue struct {
	checks               []taxonomy.Check
	asked, said, claimed reader
}

// reader reads texts of one sort: notes, an agent's own reasons, or tasks.
type reader struct {
	phrases  *Finder
	examples *examples
}

// NewCatalogue compiles the catalogue of tax. It takes about a tenth of a second.
func NewCatalogue(tax *taxonomy.Taxonomy) *Catalogue {
	c := &Catalogue{checks: tax.Checks()}
	for _, l := range []struct {
		to *reader
		of func(*taxonomy.Check) ([]taxonomy.Cue, []string)
	}{
		{&c.said, func(k *taxonomy.Check) ([]taxonomy.Cue, []string) { return k.Said, k.Examples }},
		{&c.claimed, func(k *taxonomy.Check) ([]taxonomy.Cue, []string) { return k.Claimed, k.Claims }},
		{&c.asked, func(k *taxonomy.Check) ([]taxonomy.Cue, []string) { return k.Asked, k.Tasks }},
	} {
		l.to.phrases, l.to.examples = NewFinder(Gap), newExamples(len(c.checks))
		for i := range c.checks {
			cues, sentences := l.of(&c.checks[i])
			for _, q := range cues {
				l.to.phrases.Add(i, q.Phrase, q.Phrase, q.Weight)
			}
			for _, s := range sentences {
				l.to.examples.learn(i, s)
			}
		}
		l.to.examples.build()
	}
	return c
}

// Of returns a function that compiles the catalogue of tax when it is first
// called, once; that of the built-in taxonomy once for all. Without a taxonomy
// the catalogue is empty.
func Of(tax *taxonomy.Taxonomy) func() *Catalogue {
	switch tax {
	case nil:
		return func() *Catalogue { return NewCatalogue(&taxonomy.Taxonomy{}) }
	case taxonomy.Default():
		return builtin
	}
	return sync.OnceValue(func() *Catalogue { return NewCatalogue(tax) })
}

var builtin = sync.OnceValue(func() *Catalogue { return NewCatalogue(taxonomy.Default()) })

// Evidence is what is known of one miss.
type Evidence struct {
	Said      []string // what people say about it: sentences of a note, defects
	Claimed   string   // the wrong agent's own reason
	Task      string   // what was to be tested
	Direction taxonomy.Direction
}

// Reading is a check that a text speaks of.
type Reading struct {
	Check string  // its id
	Score float64 // above 0; comparable among readings of one sort
	Sure  float64 // 0 to 0.8: no words are certain
}

// How much each thing counts beside the likeness of what was said to the examples,
// and what it takes to be sure. They were chosen on labelled runs of several
// writers; docs/decisions/0008-checks.md has the figures.
const (
	perPhrase = enough / outright // of a phrase of weight 1: one of weight 3 is enough where nothing speaks against it
	ofClaims  = 0.8               // likeness of the agent's own reason
	ofTasks   = 0.7               // likeness of the task
	enough    = 0.09
	lead      = 0.15 // by which the best check leads the next, as a share of its score
	strong    = 0.40 // from here on several checks fit, and the best is taken
	nearly    = 0.02 // unless two are alike to this
	wide      = 0.40 // above enough, where no more can be learned from a score

	outright  = 3.0  // the weight of a phrase that says it alone
	clear     = 0.75 // by which phrases alone must lead
	leastSure = 0.5
	mostSure  = 0.8
)

// Missed returns the check that was missed, and false where the words do not
// say, or do not say which of two.
func (c *Catalogue) Missed(e Evidence) (Reading, bool) {
	scores := make([]float64, len(c.checks))
	said := strings.Join(e.Said, "\n")
	c.said.add(scores, said, perPhrase)
	if e.Direction != taxonomy.Other { // the examples are of verdicts about products
		c.said.like(scores, said, 1)
		c.claimed.like(scores, e.Claimed, ofClaims)
		c.asked.like(scores, e.Task, ofTasks)
	}
	if said == "" {
		c.claimed.add(scores, e.Claimed, perPhrase)
	}
	best := c.decide(scores, e.Direction, margin)
	if best < 0 || scores[best] < enough {
		return Reading{}, false
	}
	return c.reading(best, scores[best]), true
}

// Outright returns the check that a sentence names by its phrases alone.
func (c *Catalogue) Outright(s string, d taxonomy.Direction) (Reading, bool) {
	scores := make([]float64, len(c.checks))
	c.said.add(scores, s, 1)
	best := c.decide(scores, d, func(float64) float64 { return clear })
	if best < 0 || scores[best] < outright {
		return Reading{}, false
	}
	return c.reading(best, enough+perPhrase*scores[best]), true
}

// margin is by how much a best score must lead. Where a text speaks strongly of
// two checks, it speaks of both, and either is right.
func margin(best float64) float64 {
	if best >= strong {
		return nearly
	}
	return lead * best
}

// decide returns the place of the best check that can be missed in direction d,
// or -1 where it does not lead the next one by enough.
func (c *Catalogue) decide(scores []float64, d taxonomy.Direction, by func(best float64) float64) int {
	for i := range scores {
		if !c.checks[i].Speaks(d) {
			scores[i] = 0
		}
	}
	best := c.best(scores)
	for i, s := range scores {
		if best >= 0 && i != best && scores[best]-s < by(scores[best]) && !c.within(best, i) {
			return -1
		}
	}
	return best
}

// like adds what the examples say, weighed.
func (r *reader) like(scores []float64, s string, by float64) {
	if s == "" || by == 0 {
		return
	}
	most := make([]float64, len(scores))
	for _, one := range append(text.Sentences(s), s) {
		for i, x := range r.examples.scores(one) {
			most[i] = max(most[i], x)
		}
	}
	for i, x := range most {
		scores[i] += by * x
	}
}

// best returns the place of the highest score; of equal ones that of the
// narrower check, else of the first. -1 when all are 0.
func (c *Catalogue) best(scores []float64) int {
	best := -1
	for i, s := range scores {
		if s > 0 && (best < 0 || s > scores[best] || s == scores[best] && c.within(i, best)) {
			best = i
		}
	}
	return best
}

// within reports whether one check is a kind of another.
func (c *Catalogue) within(narrow, wide int) bool {
	for at := c.checks[narrow].Wider; at != ""; {
		if at == c.checks[wide].ID {
			return true
		}
		i := slices.IndexFunc(c.checks, func(k taxonomy.Check) bool { return k.ID == at })
		if i < 0 {
			return false
		}
		at = c.checks[i].Wider
	}
	return false
}

// Asked returns the checks that a task calls for, the clearest first.
func (c *Catalogue) Asked(task string) []Reading {
	scores := make([]float64, len(c.checks))
	c.asked.add(scores, task, 1)
	var out []Reading
	for i, s := range scores {
		if s >= outright {
			out = append(out, c.reading(i, s))
		}
	}
	slices.SortStableFunc(out, func(a, b Reading) int { return cmp.Compare(b.Score, a.Score) })
	return out
}

func (c *Catalogue) reading(i int, score float64) Reading {
	sure := leastSure + (mostSure-leastSure)*min(1, max(0, score-enough)/wide)
	return Reading{Check: c.checks[i].ID, Score: score, Sure: math.Round(100*sure) / 100}
}

// add adds the weights of the phrases in a text, each phrase once.
func (r *reader) add(scores []float64, s string, by float64) {
	if s == "" {
		return
	}
	type seen struct {
		kind   int
		phrase string
	}
	once := map[seen]bool{}
	r.phrases.Find(Read(s), func(m Match) {
		if k := (seen{m.Kind, m.Phrase}); !once[k] {
			once[k] = true
			scores[m.Kind] += by * m.Weight
		}
	})
}
