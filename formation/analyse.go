package formation

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/memtree/memtree/internal/cue"
	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/prompts"
	"github.com/memtree/memtree/tree"
)

// analyse makes the analysis of a wrong verdict of what the rules read and, if a model was asked,
// of what it read. A run that it was asked about in vain is marked to be read again.
func (f *Former) analyse(x *facts, m *reading) analysis {
	t := x.secrets()
	rules := f.byRules(x, t)
	if m == nil || m.err != nil {
		rules.provenance.Again = f.mayRead(x.e.Scope.Product)
		return rules
	}
	return f.combine(&missReader{facts: x, f: f, truths: t}, m, rules)
}

// ofModel is how sure a check is that a model names: less than what a person named, and more than
// what the rules guess.
const ofModel = 0.75

// combine joins what a model read with what the rules read. In this order is trusted: what a person
// wrote that surely names a check, the model, what the rules guess. The model has read the note too, so
// a guess gives way even where the model names nothing. What people said, and what was so, stays
// with the check that takes its place.
func (f *Former) combine(r *missReader, m *reading, rules analysis) analysis {
	a := rules
	a.provenance, a.misses = m.by, nil
	given := make([]tree.Miss, len(m.misses))
	for i := range m.misses {
		given[i] = r.fromModel(&m.misses[i], rules.errorType)
	}
	r.list = nil
	used := make([]bool, len(given))
	for _, old := range rules.misses {
		i := likest(&old, given)
		if r.surelyNamed(&old) {
			i = slices.IndexFunc(given, func(g tree.Miss) bool { return g.Check == old.Check })
		} else {
			old.Check, old.ErrorType, old.Sure = "", rules.errorType, 0
		}
		if i >= 0 {
			old, used[i] = withModel(old, &given[i]), true
		}
		r.add(old)
	}
	for i, g := range given {
		if !used[i] {
			r.add(g)
		}
	}
	a.misses = r.list
	lead := &a.misses[0]
	if lead.Check != "" {
		a.errorType = lead.ErrorType
	}
	a.confidence = max(lead.Sure, minConfidence)
	a.actualError, a.errorReason, a.instead = lead.How, lead.Cause, lead.Instead
	return a
}

// fromModel makes a miss of what a model read. Only those of its texts are kept that may be shown.
func (r *missReader) fromModel(g *prompts.AnalyseMiss, errorType string) tree.Miss {
	m := tree.Miss{Check: g.Check, ErrorType: errorType, From: tree.FromModel, Sure: ofModel}
	if m.Check != "" {
		m.ErrorType = r.typeOf(m.Check)
	}
	m.Cause = r.how(r.notCopied(g.Cause)...)
	m.How = r.how(r.mistake(g.How)...)
	m.Instead = r.how(r.advice(g.Instead)...)
	for _, w := range g.What {
		if r.isThing(w) {
			m.What = things(append(m.What, w))
		}
	}
	return m
}

// withModel puts what a model read in the place of what the rules guessed. A person's words on the mistake
// stay; the check, its things and the advice are the model's.
func withModel(old tree.Miss, g *tree.Miss) tree.Miss {
	if old.Check == "" {
		old.Check, old.ErrorType = g.Check, g.ErrorType
	}
	old.Sure = max(old.Sure, g.Sure)
	old.Cause, old.Instead = g.Cause, g.Instead
	old.What = things(append(old.What, g.What...))
	if old.How == "" {
		old.How, old.From = g.How, g.From
	}
	return old
}

// likest returns the place of the model's miss whose words are most like those of a miss, the first
// among equals; -1 if there is none.
func likest(old *tree.Miss, given []tree.Miss) int {
	best, most := -1, -1.0
	own := wordSet(old.How, old.Truth, old.Claimed, strings.Join(old.What, " "))
	for i := range given {
		g := &given[i]
		like := share(wordSet(g.How, g.Cause, g.Instead, strings.Join(g.What, " ")), own)
		if g.Check != "" && g.Check == old.Check {
			like++
		}
		if like > most {
			best, most = i, like
		}
	}
	return best
}

// surelyNamed reports whether a person's note names the check of a miss by a phrase, and the rules are
// sure of it. On suites of four writers such readings were right but for one in thirty; of sure
// readings of a defect, or of words without a phrase, one in three was of a symptom.
func (r *missReader) surelyNamed(m *tree.Miss) bool {
	if m.Check == "" || m.From != tree.FromPerson || m.Sure < plainNote {
		return false
	}
	named, ok := r.f.catalogue().Outright(text.Line(firstBytes(r.e.Reason, maxNote)), r.judged.Direction)
	return ok && named.Check == m.Check
}

// isThing reports whether a name of a thing stands in the task. One of a note might give the truth away.
func (r *missReader) isThing(s string) bool {
	name := strings.TrimSpace(bare(s))
	return name != "" && utf8.RuneCountInString(s) <= longestThing &&
		strings.Contains(bare(firstBytes(r.e.Prompt, cue.MaxRead)), name)
}

const longestThing = 40 // characters
