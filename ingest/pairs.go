package ingest

import (
	"bytes"
	"fmt"

	"github.com/memtree/memtree/judgment"
	"github.com/memtree/memtree/tree"
)

// pair is two words for judgment and ground truth that mean these only together:
// a label beside a judgment may be a label of anything.
type pair struct{ judgment, truth slot }

// pairs returns the pairs, the surest first. Of verdict/expected and
// actual/expected the second word is a spelling of ground_truth by itself.
func pairs() [5]pair {
	return [...]pair{
		{slotAgentVerdict, slotHumanVerdict},
		{slotVerdict, slotTruth},
		{slotActual, slotTruth},
		{slotPrediction, slotLabel},
		{slotVerdictZh, slotExpectedZh},
	}
}

// pairSpelling knows the words that come in pairs, which stand at the top only.
func pairSpelling(key string) slot {
	switch key {
	case "verdict":
		return slotVerdict
	case "actual":
		return slotActual
	case "prediction", "predicted":
		return slotPrediction
	case "label":
		return slotLabel
	case "agent_verdict", "agentVerdict":
		return slotAgentVerdict
	case "human_verdict", "humanVerdict":
		return slotHumanVerdict
	case "判定", "判断":
		return slotVerdictZh
	case "期望", "预期":
		return slotExpectedZh
	}
	return none
}

// standIn fills judgment and ground truth from what stands in for them: result
// for a judgment, and the pairs. A judgment or ground truth of its own name wins,
// and must not be denied by a whole pair. Beside a ground truth of its own name
// the first word of a pair is enough, where there is no judgment.
func (r *record) standIn() *fault {
	if r[slotJudgment].raw == nil {
		r[slotJudgment] = r[slotResult]
	}
	own, truth := r[slotJudgment].raw != nil, r[slotTruth]
	for _, p := range pairs() {
		said, is := r[p.judgment], truth
		whole := p.truth == slotTruth && string(truth.key) == "expected" // both words are there
		if p.truth != slotTruth && r[p.truth].raw != nil {
			is, whole = r[p.truth], true
		}
		switch {
		case said.raw == nil || is.raw == nil || own && !whole:
			continue
		case !alike(said.raw, is.raw):
			if r[slotJudgment].raw == nil {
				return unlike(said, is)
			}
			continue
		}
		if bad := r.fill(slotJudgment, said); bad != nil {
			return bad
		}
		if bad := r.fill(slotTruth, is); bad != nil {
			return bad
		}
	}
	return nil
}

// unlike says why a pair is none.
func unlike(said, is given) *fault {
	return &fault{at: said.at, field: "judgment", problem: fmt.Sprintf("is missing, and %s cannot stand in for it: "+
		"%s says %s and %s says %s, of which only one is a verdict; write what the agent judged as judgment",
		said.name(), said.name(), brief(said.raw), is.name(), brief(is.raw))}
}

// fill puts a value into a slot, or refuses one that denies what is there.
func (r *record) fill(s slot, g given) *fault {
	old := r[s]
	if old.raw == nil {
		r[s] = g
		return nil
	}
	if bytes.Equal(tree.Raw(old.raw).Canonical(), tree.Raw(g.raw).Canonical()) {
		return nil
	}
	was, now := polarity(old.raw), polarity(g.raw)
	if (was == judgment.Unread) != (now == judgment.Unread) || was != judgment.Unread && was == now {
		return nil // one is prose and the other its verdict, or both give the same verdict
	}
	return disagree(old, g)
}

// alike reports whether two values can be a judgment and its ground truth: both
// are verdicts, or neither is. A verdict beside an answer is most often somebody's
// word about the answer.
func alike(said, is []byte) bool {
	return (polarity(said) == judgment.Unread) == (polarity(is) == judgment.Unread)
}

func polarity(raw []byte) judgment.Polarity {
	return judgment.PolarityOf(judgment.Decode(raw))
}
