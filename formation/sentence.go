package formation

import (
	"regexp"
	"slices"
	"strings"

	"github.com/memtree/memtree/internal/cue"
	"github.com/memtree/memtree/internal/judgment"
	"github.com/memtree/memtree/internal/text"
)

// What a model writes may have been dictated by a text in the evaluation, and a small model writes
// much that is wrong. So no sentence of its own stands in the evaluation, but for a mistake that it
// quotes from the note, and advice has no number that is not the task's.

// notCopied returns the sentences of a model's text that do not stand in the evaluation.
func (r *missReader) notCopied(s string) []string {
	return slices.DeleteFunc(text.Sentences(text.Line(s)), r.isCopied)
}

var numbers = regexp.MustCompile(`[0-9]+`)

// advice returns the sentences that an agent may be told to do.
func (r *missReader) advice(s string) []string {
	return slices.DeleteFunc(r.notCopied(s), func(s string) bool {
		return slices.ContainsFunc(numbers.FindAllString(s, -1), func(n string) bool {
			return !strings.Contains(r.e.Prompt, n)
		})
	})
}

// mistake returns the sentences that may be told as the mistake: those of the note, and those that
// are the model's own and do not merely repeat what the agent said.
func (r *missReader) mistake(s string) []string {
	claimed := wordSet(r.claim.key, r.claim.rest)
	return slices.DeleteFunc(text.Sentences(text.Line(s)), func(s string) bool {
		if strings.Contains(bare(r.e.Reason), bare(s)) {
			return false
		}
		return r.isCopied(s) || len(claimed) > 8 && share(wordSet(s), claimed) > mostRepeated
	})
}

// isCopied reports whether a sentence stands in the evaluation, but for case and punctuation.
func (r *missReader) isCopied(s string) bool {
	s = bare(s)
	return s != "" && slices.ContainsFunc([]string{
		r.e.Prompt, judgment.Reasoning(r.judgment), r.e.Judgment.Text(), r.e.GroundTruth.Text(), r.e.Observation, r.e.Reason,
	}, func(field string) bool { return strings.Contains(bare(firstBytes(field, cue.MaxRead)), s) })
}

// bare is a text as its words alone.
func bare(s string) string { return " " + strings.Join(text.Tokens(s), " ") + " " }
