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

// Catalogue finds out which checks of a taxonomy a text is about: which check a note or a defect reports as missed, and
// which checks a task calls for. It is immutable and safe for concurrent use.
//
// It combines two classifiers. The phrases of a check name it outright. A model of its example sentences estimates how
// likely a text is about the check when it has none of the phrases. Together they give a probability; when it is low,
// the catalogue gives no answer. Tasks are classified by their meaning too, see head.
type Catalogue struct {
	checks               []taxonomy.Check
	asked, said, claimed reader       // for tasks, for notes and defects, for an agent's own reasons
	meaning              func() *head // nil: tasks are read by their words alone
}

// reader classifies texts of one sort: notes, an agent's own reasons, or tasks. Both parts are made when they are first
// needed: a question for guidance reads only its task, which has a twentieth of the phrases.
type reader struct {
	phrases func() *Matcher
	words   func() *linear
}

// NewCatalogue returns the Catalogue of tax. The Catalogue of the built-in taxonomy is stored compiled. For another
// taxonomy, the first text of each kind takes some milliseconds longer, because the phrases for it are compiled. If a
// team added example sentences, a model is fitted too, which takes about a second.
func NewCatalogue(tax *taxonomy.Taxonomy) *Catalogue {
	c := &Catalogue{checks: tax.Checks()}
	models := modelsOf(tax, c.checks)
	c.meaning = sync.OnceValue(func() *head { return headOf(c.checks) })
	for sort, r := range [sorts]*reader{notes: &c.said, claims: &c.claimed, tasks: &c.asked} {
		r.phrases = sync.OnceValue(func() *Matcher { return matcherOf(tax, c.checks, sort) })
		r.words = sync.OnceValue(func() *linear { return models()[sort] })
	}
	return c
}

// ByWords returns a Catalogue that classifies tasks by their words only, and not by their meaning. It is much faster,
// because the meaning requires a vector. It shares everything else with c.
func (c *Catalogue) ByWords() *Catalogue {
	words := *c
	words.meaning = nil
	return &words
}

// Of returns a function that makes the Catalogue of tax on its first call, and returns the same one on later calls. All
// callers share the Catalogue of the built-in taxonomy. For a nil tax the Catalogue is empty.
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

// MissTexts holds the texts about one wrong verdict, from which [Catalogue.Missed] finds out which check was missed.
type MissTexts struct {
	Said      []string           // texts of people: sentences of a note, defects
	Claimed   string             // the reason that the agent gave for its wrong verdict
	Task      string             // the task of the test
	Direction taxonomy.Direction // which way the verdict was wrong
}

// Topic is a check that a text is about, and how surely.
type Topic struct {
	Check string  // id of the check
	Score float64 // total weight of the phrases found, if phrases alone decided (Outright); else 0
	Sure  float64 // how likely the text is about the check, 0 to 1
}

// The weights of the sources, and the thresholds of probability. Sentences of notes have weight 1. The numbers were
// chosen on labelled runs of several writers; docs/decisions/0008-checks.md has the figures.
const (
	perPhrase = 0.6 // what a phrase of weight 1 adds to the logarithm of the odds
	ofClaims  = 0.7 // weight of the agent's own reason
	ofTasks   = 0.7 // weight of the task
	ofMeaning = 0.5 // weight of the vector of a task beside its words
	enough    = 0.4 // the least probability of a check that was missed

	outright = 3.0  // the phrase weight that names a check without other evidence
	ahead    = 0.75 // the minimum lead in phrase weight of the best check over any other, when only phrases count
	bluntly  = 0.5  // Sure of a check that only phrases name
	mostSure = 0.95 // the highest Sure: no text is certain

	calledFor = 0.25 // the least probability of a check that a task calls for
)

// Missed returns the check that was missed according to the texts e. It returns false if no check is likely enough and
// no phrases name one, see [Catalogue.Outright]. For direction Other, phrases must name the check.
func (c *Catalogue) Missed(e MissTexts) (Topic, bool) {
	said := strings.Join(e.Said, "\n")
	if len(c.checks) == 0 {
		return Topic{}, false
	}
	if e.Direction == taxonomy.Other {
		return c.missedOther(cmp.Or(said, e.Claimed))
	}
	p := c.probabilities(e)
	best := c.best(p)
	if best >= 0 && p[best] >= enough {
		return Topic{Check: c.checks[best].ID, Sure: min(mostSure, math.Round(100*p[best])/100)}, true
	}
	return c.Outright(said, e.Direction)
}

// missedOther classifies a text about a mistake of direction Other: the work was wrong, but it was no verdict on a
// product. Few example sentences are about such work. So phrases have to name the check, and the model has to agree
// with them.
func (c *Catalogue) missedOther(s string) (Topic, bool) {
	r, ok := c.Outright(s, taxonomy.Other)
	if !ok {
		return r, false
	}
	p := c.probabilities(MissTexts{Said: []string{s}, Direction: taxonomy.Other})
	i := slices.IndexFunc(c.checks, func(k taxonomy.Check) bool { return k.ID == r.Check })
	if p[i] < enough && c.said.words().knows(i) {
		return Topic{}, false
	}
	return r, true
}

// probabilities returns how likely each check is to be the one that was missed, in
// the order of c.checks. The sum is 1.
func (c *Catalogue) probabilities(e MissTexts) []float64 {
	said := strings.Join(e.Said, "\n")
	p := make([]float64, len(c.checks))
	c.said.words().add(p, said, 1)
	c.claimed.words().add(p, e.Claimed, ofClaims)
	c.asked.words().add(p, e.Task, ofTasks)
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

// Outright returns the check that text s names by its phrases alone. It considers only checks that can be missed in the
// direction d. It returns false if the phrases found have too little weight, or if those of another check have nearly
// the same weight and the best check is not a special kind of the other.
func (c *Catalogue) Outright(s string, d taxonomy.Direction) (Topic, bool) {
	scores := make([]float64, len(c.checks))
	c.said.add(scores, s, 1)
	for i := range scores {
		if !c.checks[i].Speaks(d) {
			scores[i] = 0
		}
	}
	best := c.best(scores)
	if best < 0 || scores[best] < outright {
		return Topic{}, false
	}
	for i, x := range scores {
		if i != best && scores[best]-x < ahead && !c.isKindOf(best, i) {
			return Topic{}, false
		}
	}
	return Topic{Check: c.checks[best].ID, Score: scores[best], Sure: bluntly}, true
}

// best returns the index of the highest score, -1 when no score is above 0. Among equal scores it prefers the narrower
// check, then the first.
func (c *Catalogue) best(scores []float64) int {
	best := -1
	for i, s := range scores {
		if s > 0 && (best < 0 || s > scores[best] || s == scores[best] && c.isKindOf(i, best)) {
			best = i
		}
	}
	return best
}

// isKindOf reports whether the check at index wide is an ancestor of the one at index narrow.
func (c *Catalogue) isKindOf(narrow, wide int) bool {
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

// Task returns the checks that a task calls for, the likeliest first, and the Leaning of the task. It also reads each
// point of a list in the task by itself. A check without example tasks is called for if its phrases in the task have
// enough weight.
func (c *Catalogue) Task(task string) (asked []Topic, lean Leaning) {
	words, meaning := c.called(task)
	for i, x := range words {
		if x >= calledFor {
			asked = append(asked, Topic{Check: c.checks[i].ID, Sure: x})
		}
	}
	slices.SortStableFunc(asked, func(a, b Topic) int { return cmp.Compare(b.Sure, a.Sure) })
	return asked, c.leaning(direction(meaning))
}

// called returns for each check how likely a task calls for it, in the order of c.checks: by its words, and by its
// meaning as well; nil for no task or no checks. Every text has a meaning that is nearest to some check, so it counts
// only where two texts are compared, see Leaning.
func (c *Catalogue) called(task string) (words, meaning []float64) {
	if len(c.checks) == 0 || task == "" {
		return nil, nil
	}
	words, meaning = make([]float64, len(c.checks)), make([]float64, len(c.checks))
	named, p := slices.Clone(words), slices.Clone(words)
	for at, point := range points(task) {
		phrases := c.asked.find(point)
		clear(p)
		c.asked.words().add(p, point, 1)
		weigh(p, phrases, perPhrase)
		if at == 0 { // the task as a whole; a vector takes a millisecond, so the points have none
			weigh(named, phrases, 1)
			copy(meaning, p)
			if c.meaning != nil {
				c.meaning().add(meaning, vectorOf(point), ofMeaning)
			}
			softmax(meaning)
		}
		softmax(p)
		for i, x := range p {
			words[i] = max(words[i], x)
			if at > 0 {
				meaning[i] = max(meaning[i], x)
			}
		}
	}
	for i, x := range named {
		if !c.asked.words().knows(i) && x >= outright {
			words[i], meaning[i] = max(words[i], bluntly), max(meaning[i], bluntly)
		}
	}
	return words, meaning
}

// points returns the task as a whole and then the points of its list, if it has one: each point may call for a check
// of its own. Every run waits for this, so the length of the task and the number of points are bounded.
func points(task string) []string {
	if len(task) > MaxRead {
		task = strings.ToValidUTF8(task[:MaxRead], "")
	}
	out := []string{task}
	if !mayList(task) {
		return out
	}
	if list := numbered().Split(task, mostPoints); len(list) > 2 {
		out = append(out, list[1:]...) // list[0] is the text before the first point
	}
	return out
}

const mostPoints = 32

// mayList reports whether a text has two marks that may begin a point. It is cheaper than the pattern
// numbered and rules out most texts.
func mayList(s string) bool {
	marks, last := 0, rune(0)
	for _, r := range s {
		switch {
		case r == '-', r == '*', r == '•', r >= '①' && r <= '⑳':
			marks++
		case (r == '.' || r == '、' || r == ')' || r == '）') && digit(last):
			marks++
		}
		last = r
	}
	return marks > 1
}

// numbered matches the beginning of a list item: a number or a bullet.
var numbered = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)(?:^|[\s；;:：。])(?:\d{1,2}[.、)）]|[①-⑳]|[-*•])\s*`)
})

// add adds the weight of each phrase in a text, times by, to the score of its
// check.
func (r *reader) add(scores []float64, s string, by float64) { weigh(scores, r.find(s), by) }

// find returns the phrases in a text, each once.
func (r *reader) find(s string) []Phrase {
	if s == "" {
		return nil
	}
	var found []Phrase
	r.phrases().Find(Read(s), func(m Phrase) {
		if !slices.ContainsFunc(found, func(f Phrase) bool { return f.Kind == m.Kind && f.Text == m.Text }) {
			found = append(found, m)
		}
	})
	return found
}

// weigh adds the weight of each phrase, times by, to the score of its check.
func weigh(scores []float64, phrases []Phrase, by float64) {
	for _, m := range phrases {
		scores[m.Kind] += by * m.Weight
	}
}
