package formation

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/memtree/memtree/internal/cue"
	"github.com/memtree/memtree/internal/judgment"
	"github.com/memtree/memtree/internal/text"
)

// A text in the evaluation may have dictated the answer of a model, and a small model makes many mistakes. So no
// sentence of its own may be copied from the evaluation, except a mistake that it quotes from the note, and advice has
// no number that is not in the task.

// notCopied returns the sentences of a model's text that do not appear in the evaluation.
func (r *missReader) notCopied(s string) []string {
	return slices.DeleteFunc(text.Sentences(text.Line(s)), r.isCopied)
}

var numbers = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`[0-9]+`)
})

// advice returns the sentences that may be given to an agent as advice.
func (r *missReader) advice(s string) []string {
	return slices.DeleteFunc(r.notCopied(s), func(s string) bool {
		return slices.ContainsFunc(numbers().FindAllString(s, -1), func(n string) bool {
			return !strings.Contains(r.e.Prompt, n)
		})
	})
}

// mistake returns the sentences that may describe the mistake: those of the note, and those that are the model's own
// and do not merely repeat the agent's claim.
func (r *missReader) mistake(s string) []string {
	claimed := wordSet(r.claim.key, r.claim.rest)
	return slices.DeleteFunc(text.Sentences(text.Line(s)), func(s string) bool {
		if strings.Contains(bare(r.e.Reason), bare(s)) {
			return false
		}
		return r.isCopied(s) || len(claimed) > 8 && share(wordSet(s), claimed) > mostRepeated
	})
}

// isCopied reports whether a sentence appears in the evaluation, ignoring case and punctuation.
func (r *missReader) isCopied(s string) bool {
	s = bare(s)
	return s != "" && slices.ContainsFunc([]string{
		r.e.Prompt, judgment.Reasoning(r.judgment), r.e.Judgment.Text(), r.e.GroundTruth.Text(), r.e.Observation, r.e.Reason,
	}, func(field string) bool { return strings.Contains(bare(firstBytes(field, cue.MaxRead)), s) })
}

// bare returns the tokens of a text with a space around each.
func bare(s string) string { return " " + strings.Join(text.Tokens(s), " ") + " " }
