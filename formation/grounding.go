package formation

import (
	"errors"
	"slices"
	"strings"

	"github.com/memtree/memtree/cue"
	"github.com/memtree/memtree/guard"
	"github.com/memtree/memtree/prompts"
	"github.com/memtree/memtree/text"
)

// grounding checks that a model's answer is about this evaluation and can be used as
// guidance. Its errors are sentences that tell the model what to mend.
type grounding struct {
	*facts
	truths    guard.Truths
	catalogue *cue.Catalogue
}

const (
	// leastGrounded is the share of an answer's words that the evaluation must have, where the
	// answer names no check that the task calls for. It is set on notes of people about their own
	// and about other runs: testdata/grounding.golden.
	leastGrounded = 0.10

	mostRepeated = 0.85 // the share of its reason that may be the agent's own words
)

func (g *grounding) check(a prompts.AnalyseOutput) error {
	zh := g.lang == "zh"
	var bad []error
	say := func(field, en, cn string) { bad = append(bad, errors.New(field+": "+pick(zh, en, cn))) }
	if g.truths.In(a.AvoidanceStrategy) {
		say("avoidanceStrategy", "gives the true result of the test away; say what to check, in general words",
			"泄露了测试的正确结果；请用概括的说法说明要检查什么")
	}
	if _, forces := guard.Forces(a.AvoidanceStrategy); forces {
		say("avoidanceStrategy", "decides the verdict in advance; say what to check instead",
			"预先规定了结论；请改为说明要检查什么")
	}
	if !g.isAbout(a) {
		say("errorReason", "has little to do with this run; use what the material says", "与这次运行的材料关系不大；请依据材料说明")
	}
	own := wordSet(g.claim.key, g.claim.rest)
	if g.e.Reason == "" && len(own) > 8 && share(wordSet(a.ErrorReason), own) > mostRepeated {
		say("errorReason", "repeats what the agent said; it was wrong, say why", "只是重复了智能体的说法；它判断错了，请说明错在哪里")
	}
	return errors.Join(bad...)
}

// isAbout reports whether an answer is about this run: it has words of the run, or it names a check
// that the task calls for. A right sentence in general words may have no word of the run at all.
func (g *grounding) isAbout(a prompts.AnalyseOutput) bool {
	record := wordSet(g.e.Prompt, g.e.Judgment.Text(), g.e.GroundTruth.Text(), g.e.Reason,
		firstBytes(g.e.Observation, cue.MaxRead), g.e.Scene.Type, words(g.differences, g.lang))
	if share(wordSet(a.SpecificError, a.ErrorReason), record) >= leastGrounded {
		return true
	}
	missed, ok := g.catalogue.Missed(cue.Evidence{
		Said: []string{a.ErrorReason, a.SpecificError}, Direction: g.judged.Direction,
	})
	return ok && slices.ContainsFunc(g.catalogue.Asked(g.e.Prompt), func(r cue.Reading) bool {
		return r.Check == missed.Check
	})
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
