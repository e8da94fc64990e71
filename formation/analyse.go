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

// analyse returns the analysis of a wrong verdict from the rules and, if a model was called, from its reading. It
// marks a run whose reading failed to be read again.
func (f *Former) analyse(x *facts, m *modelReading) analysis {
	t := x.secrets()
	rules := f.byRules(x, t)
	if m == nil || m.err != nil {
		rules.provenance.Again = f.mayRead(x.e.Scope.Product)
		return rules
	}
	return f.combine(&missReader{facts: x, f: f, truths: t}, m, rules)
}

// ofModel is Sure of a check that a model names: less than one that a person named, and more than a guess of the
// rules.
const ofModel = 0.75

// combine joins the reading of a model with that of the rules. The order of precedence is: a note of a person that
// surely names a check, the model, the guesses of the rules. The model has read the note too, so a guess yields even
// where the model names nothing. The texts of people, and the ground truth, remain with the check that replaces the
// guess.
func (f *Former) combine(r *missReader, m *modelReading, rules analysis) analysis {
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

// fromModel makes a miss of a model's reading. It keeps only texts that may be shown.
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

// withModel replaces the guess of the rules by the model's reading. A person's text on the mistake remains; the check,
// its things and the advice are the model's.
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

// likest returns the index of the model's miss whose text is most similar to that of a miss, the first on a tie; -1
// for none.
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

// surelyNamed reports whether a person's note names the check of a miss by a phrase, and the rules are sure of it. On
// suites of four writers such readings were right except for one in thirty; of sure readings of a defect, or of texts
// without a phrase, one in three was of a symptom.
func (r *missReader) surelyNamed(m *tree.Miss) bool {
	if m.Check == "" || m.From != tree.FromPerson || m.Sure < plainNote {
		return false
	}
	named, ok := r.f.catalogue().Outright(text.Line(firstBytes(r.e.Reason, maxNote)), r.judged.Direction)
	return ok && named.Check == m.Check
}

// isThing reports whether the name of a thing appears in the task. A name from a note might disclose the truth.
func (r *missReader) isThing(s string) bool {
	name := strings.TrimSpace(bare(s))
	return name != "" && utf8.RuneCountInString(s) <= longestThing &&
		strings.Contains(bare(firstBytes(r.e.Prompt, cue.MaxRead)), name)
}

const longestThing = 40 // characters
