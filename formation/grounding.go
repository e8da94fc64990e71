package formation

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/memtree/memtree/internal/cue"
	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/prompts"
)

const (
	// leastGrounded is the share of an answer's words that the evaluation must contain, where the answer names no
	// check that the task calls for. It was fitted on notes of people about their own and about other runs:
	// testdata/grounding.golden.
	leastGrounded = 0.10

	mostRepeated = 0.85 // the maximum share of a sentence that may be copied from the agent
)

var errForeign = errors.New("its checks are for runs that were wrong in another way, or it has little to do " +
	"with this run; use what is written there")

// check removes misses that are not about their run from the answers. The error is for an answer of which no run can
// be used; it is written for a model.
func (f *Former) check(runs []*DetectedRun, read []prompts.AnalyseOutput) error {
	var bad []error
	usable := false
	for i := range read {
		o := &read[i]
		if o.Err == nil && len(o.Misses) > 0 {
			o.Misses = slices.DeleteFunc(o.Misses, func(m prompts.AnalyseMiss) bool {
				return !f.mayMiss(runs[i].facts, m.Check) || !f.isAbout(runs[i].facts, &m)
			})
			if len(o.Misses) == 0 {
				o.Err = errForeign
			}
		}
		if o.Err != nil {
			bad = append(bad, fmt.Errorf("run %d: %w", i+1, o.Err))
		}
		usable = usable || o.Err == nil
	}
	if usable {
		return nil
	}
	return errors.Join(bad...)
}

// mayMiss reports whether a check may be missed in the direction of a run.
func (f *Former) mayMiss(x *facts, check string) bool {
	c, ok := f.taxonomy.Check(check)
	return !ok || judges(&c, x.judged.Direction)
}

// isAbout reports whether a miss is about a run: it shares words with the run, or its check is one that the task calls
// for. A right sentence in general terms may share no word with the run.
func (f *Former) isAbout(x *facts, m *prompts.AnalyseMiss) bool {
	record := wordSet(x.e.Prompt, x.e.Judgment.Text(), x.e.GroundTruth.Text(), x.e.Reason, x.e.Scene.Type,
		words(x.differences, x.lang))
	if share(wordSet(m.How, m.Cause, strings.Join(m.What, " ")), record) >= leastGrounded {
		return true
	}
	asked, _ := f.catalogue().Task(x.e.Prompt)
	return slices.ContainsFunc(asked, func(r cue.Topic) bool { return r.Check == m.Check })
}

func wordSet(texts ...string) map[string]bool {
	set := map[string]bool{}
	for _, s := range texts {
		for _, t := range text.Tokens(firstBytes(s, cue.MaxRead)) {
			set[strings.Clone(t)] = true
		}
	}
	return set
}

// share returns the part of a that is in b, 0 to 1; it is 1 for an empty a.
func share(a, b map[string]bool) float64 {
	if len(a) == 0 {
		return 1
	}
	n := 0
	for t := range a {
		if b[t] {
			n++
		}
	}
	return float64(n) / float64(len(a))
}
