package curation

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/tree"
)

// Notes are similar from alikeNotes on: the number of common tokens divided by that of all tokens of both. This many
// similar notes that no check explains justify a lesson, which a person has to teach: the rules would learn none.
const (
	alikeNotes  = 0.4
	enoughNotes = 3
)

// Offer returns a lesson that a person may want to teach after labelling the run of the case with this id, nil for
// none. It offers one if the note on the case is similar to those on at least two more cases of its product and
// direction, and none of these cases has a lesson in use or a known check. The lesson's advice is the note, which the
// person should reword as an instruction.
func (c *Curation) Offer(ctx context.Context, id string) (*TaughtLesson, error) {
	this, err := c.door.Tree.Get(ctx, id)
	if err != nil || !unexplained(&this) {
		return nil, err
	}
	said := text.TokenSet(this.CaseData.EvaluatorReason)
	alike := []tree.Node{this}
	for n, err := range c.door.Tree.Scan(ctx, store.Filter{Level: tree.Case.Level()}) {
		if err != nil {
			return nil, err
		}
		if n.ID != id && unexplained(&n) && n.Direction == this.Direction && n.Scope.Product == this.Scope.Product &&
			jaccard(said, text.TokenSet(n.CaseData.EvaluatorReason)) >= alikeNotes {
			alike = append(alike, n)
		}
	}
	if len(alike) < enoughNotes {
		return nil, nil //nolint:nilnil // nothing to offer is an answer
	}
	l := &TaughtLesson{Lesson: text.Line(this.CaseData.EvaluatorReason), Product: this.Scope.Product}
	if this.Direction != "false_pass" {
		l.Direction = this.Direction
	}
	common := text.TokenSet(this.CaseData.TestCase.Prompt)
	for i := range alike[:min(len(alike), tree.MaxExamples)] {
		t := &alike[i].CaseData.TestCase
		if name := cmp.Or(t.CaseID, text.Clip(text.Line(t.Prompt), 200)); !slices.Contains(l.For, name) {
			l.For = append(l.For, name)
		}
		words := text.TokenSet(t.Prompt)
		for w := range common {
			if !words[w] {
				delete(common, w)
			}
		}
	}
	l.When = []string{whenOf(this.CaseData.TestCase.Prompt, common)}
	return l, nil
}

// unexplained reports whether a case has a person's note, and nothing else that a lesson could be learned from.
func unexplained(n *tree.Node) bool {
	if n.CaseData == nil || !n.Live() || n.Parent != "" || n.CaseData.EvaluatorReason == "" {
		return false
	}
	return !slices.ContainsFunc(n.CaseData.Misses, func(m tree.Miss) bool { return m.Check != "" })
}

// whenOf returns the words of a prompt that are among the common ones, or the beginning of the prompt.
func whenOf(prompt string, common map[string]bool) string {
	var out []string
	for _, w := range text.Words(prompt) {
		if t := text.Tokens(w); len(t) > 0 && common[t[0]] && !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	if len(out) == 0 || text.Lang(prompt) == "zh" {
		return text.Clip(text.Line(prompt), 60)
	}
	return text.Clip(strings.Join(out, " "), mostWhen)
}

func jaccard(a, b map[string]bool) float64 {
	both := 0
	for w := range a {
		if b[w] {
			both++
		}
	}
	return float64(both) / float64(max(1, len(a)+len(b)-both))
}
