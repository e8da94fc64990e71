package cue

import (
	"cmp"
	"math"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/memtree/memtree/taxonomy"
)

// Catalogue reads texts for the checks of a taxonomy: which one a note or a
// defect says was missed, and which ones a task calls for. It is immutable and
// safe for concurrent use.
//
// Two readers work together. The phrases of a check say it outright; the words of
// its example sentences say how likely a text is of it that has none of the
// phrases. Together they give a probability, and where it is low the catalogue
// abstains.
type Catalogue struct {
	checks               []taxonomy.Check
	asked, said, claimed reader
}

// reader reads texts of one sort: notes, an agent's own reasons, or tasks.
type reader struct {
	phrases *Finder
	words   *linear
}

// NewCatalogue compiles the catalogue of tax. That of the built-in taxonomy, and
// of one that adds no sentences, takes some ten milliseconds; sentences of a team
// have to be learned, which takes about a second.
func NewCatalogue(tax *taxonomy.Taxonomy) *Catalogue {
	c := &Catalogue{checks: tax.Checks()}
	readers := [sorts]*reader{notes: &c.said, claims: &c.claimed, tasks: &c.asked}
	for _, r := range readers {
		r.phrases = NewFinder(Gap)
	}
	for i := range c.checks {
		k := &c.checks[i]
		for sort, cues := range [sorts][]taxonomy.Cue{notes: k.Said, claims: k.Claimed, tasks: k.Asked} {
			for _, q := range cues {
				readers[sort].phrases.Add(i, q.Phrase, q.Phrase, q.Weight)
			}
		}
	}
	for sort, l := range learn(sentencesOf(c.checks)) {
		readers[sort].words = l
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
	Score float64 // the weight of phrases; comparable among readings of one call
	Sure  float64 // 0 to 1: how likely it is, of a reading of Missed
}

// How much each thing counts beside the words of what was said, and how likely a
// check must be. They were chosen on labelled runs of several writers;
// docs/decisions/0008-checks.md has the figures.
const (
	perPhrase = 0.6 // of a phrase of weight 1, in the logarithm of the odds
	ofClaims  = 0.7 // the words of the agent's own reason
	ofTasks   = 0.7 // the words of the task
	enough    = 0.4

	outright = 3.0  // the weight of a phrase that says it alone
	ahead    = 0.75 // by which phrases alone must lead
	bluntly  = 0.5  // how sure that is
	mostSure = 0.95 // no words are certain

	calledFor = 0.25 // the least probability of a check that a task calls for
)

// Missed returns the check that was missed, and false where the words do not
// say, or do not say which of two.
func (c *Catalogue) Missed(e Evidence) (Reading, bool) {
	said := strings.Join(e.Said, "\n")
	if len(c.checks) == 0 {
		return Reading{}, false
	}
	if e.Direction == taxonomy.Other {
		return c.both(cmp.Or(said, e.Claimed))
	}
	p := c.likely(e)
	best := c.best(p)
	if best >= 0 && p[best] >= enough {
		return Reading{Check: c.checks[best].ID, Sure: min(mostSure, math.Round(100*p[best])/100)}, true
	}
	return c.Outright(said, e.Direction)
}

// both reads a text on work that is no verdict on a product, which few of the
// sentences are about: phrases have to name the check, and the words to agree.
func (c *Catalogue) both(s string) (Reading, bool) {
	r, ok := c.Outright(s, taxonomy.Other)
	if !ok {
		return r, false
	}
	p := c.likely(Evidence{Said: []string{s}, Direction: taxonomy.Other})
	i := slices.IndexFunc(c.checks, func(k taxonomy.Check) bool { return k.ID == r.Check })
	if p[i] < enough && len(c.checks[i].Examples) > 0 {
		return Reading{}, false
	}
	return r, true
}

// likely returns how likely each check is to be the one that was missed.
func (c *Catalogue) likely(e Evidence) []float64 {
	said := strings.Join(e.Said, "\n")
	p := make([]float64, len(c.checks))
	c.said.words.add(p, said, 1)
	c.claimed.words.add(p, e.Claimed, ofClaims)
	c.asked.words.add(p, e.Task, ofTasks)
	if said != "" {
		c.said.add(p, said, perPhrase)
	} else {
		c.claimed.add(p, e.Claimed, perPhrase)
	}
	for i := range p {
		if !c.checks[i].Speaks(e.Direction) {
			p[i] = math.Inf(-1)
		}
	}
	softmax(p)
	return p
}

// Outright returns the check that a text names by its phrases alone.
func (c *Catalogue) Outright(s string, d taxonomy.Direction) (Reading, bool) {
	scores := make([]float64, len(c.checks))
	c.said.add(scores, s, 1)
	for i := range scores {
		if !c.checks[i].Speaks(d) {
			scores[i] = 0
		}
	}
	best := c.best(scores)
	if best < 0 || scores[best] < outright {
		return Reading{}, false
	}
	for i, x := range scores {
		if i != best && scores[best]-x < ahead && !c.within(best, i) {
			return Reading{}, false
		}
	}
	return Reading{Check: c.checks[best].ID, Score: scores[best], Sure: bluntly}, true
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

// Asked returns the checks that a task calls for, the likeliest first. One without
// example tasks is called for by its phrases.
func (c *Catalogue) Asked(task string) []Reading {
	if len(c.checks) == 0 || task == "" {
		return nil
	}
	most, said := make([]float64, len(c.checks)), make([]float64, len(c.checks))
	for _, part := range parts(task) {
		p := make([]float64, len(c.checks))
		c.asked.words.add(p, part, 1)
		c.asked.add(p, part, perPhrase)
		softmax(p)
		for i, x := range p {
			most[i] = max(most[i], x)
		}
	}
	c.asked.add(said, task, 1)
	var out []Reading
	for i, x := range most {
		if len(c.checks[i].Tasks) == 0 && said[i] >= outright {
			x = max(x, bluntly)
		}
		if x >= calledFor {
			out = append(out, Reading{Check: c.checks[i].ID, Sure: x})
		}
	}
	slices.SortStableFunc(out, func(a, b Reading) int { return cmp.Compare(b.Sure, a.Sure) })
	return out
}

// parts are the points of a task, each of which may call for a check of its own,
// and the task as a whole. A task is asked about before every run: what it may
// cost is bounded.
func parts(task string) []string {
	if len(task) > MaxRead {
		task = strings.ToValidUTF8(task[:MaxRead], "")
	}
	out := []string{task}
	if points := numbered.Split(task, mostParts); len(points) > 2 {
		out = append(out, points[1:]...)
	}
	return out
}

const mostParts = 32

// numbered is what points of a list begin with.
var numbered = regexp.MustCompile(`(?m)(?:^|[\s；;:：。])(?:\d{1,2}[.、)）]|[①-⑳]|[-*•])\s*`)

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
