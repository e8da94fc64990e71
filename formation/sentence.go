package formation

import (
	"regexp"
	"slices"
	"strings"

	"github.com/memtree/memtree/cue"
	"github.com/memtree/memtree/judgment"
	"github.com/memtree/memtree/text"
)

// What a model writes may have been dictated by a text in the evaluation, and a small model writes
// much that is wrong. So no sentence is kept that stands in the evaluation, and of the others those
// alone that speak of the check of the case. Where no check is known, advice must have the form
// that was asked for, and no number or name of the test.

// notCopied returns the sentences of a model's text that do not stand in the evaluation.
func (r *missReader) notCopied(s string) []string {
	return slices.DeleteFunc(text.Sentences(text.Line(s)), r.isCopied)
}

// advice returns the sentences that an agent may be told to do where no check is known.
func (r *missReader) advice(s string) []string {
	return slices.DeleteFunc(r.notCopied(s), func(s string) bool {
		return !adviceForm.MatchString(s) || strings.ContainsAny(s, "0123456789\"'“”‘’「」")
	})
}

// mistake returns the sentences that may be told as the mistake.
func (r *missReader) mistake(check, s string) []string {
	return slices.DeleteFunc(r.notCopied(s), func(s string) bool { return check != "" && !r.speaksOf(check, s) })
}

// adviceForm is the form that the prompt asks for.
var adviceForm = regexp.MustCompile(`(?i)^(when|where|if|before|after) .+, .+|^(当|如果|在).+[，,].+`)

// speaksOf reports whether a sentence by itself is read as one about a check.
func (r *missReader) speaksOf(check, s string) bool {
	m, ok := r.f.catalogue().Missed(cue.Evidence{Said: []string{s}, Direction: r.judged.Direction})
	return ok && m.Check == check
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
