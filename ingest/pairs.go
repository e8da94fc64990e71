package ingest

import (
	"bytes"
	"fmt"

	"github.com/memtree/memtree/internal/judgment"
	"github.com/memtree/memtree/tree"
)

// keyPair is two keys that mean judgment and ground truth only together. One alone may mean something else: a label
// may label anything.
type keyPair struct{ judgment, truth slot }

// pairs returns the pairs in order of preference. The second key of verdict/expected and of actual/expected, expected,
// is also a spelling of ground_truth by itself.
func pairs() [5]keyPair {
	return [...]keyPair{
		{slotAgentVerdict, slotHumanVerdict},
		{slotVerdict, slotTruth},
		{slotActual, slotTruth},
		{slotPrediction, slotLabel},
		{slotVerdictZh, slotExpectedZh},
	}
}

// pairKeys are the keys that come in pairs. They are read only at the top level.
var pairKeys = spellingTable{
	slotVerdict: "verdict", slotActual: "actual", slotPrediction: "prediction,predicted", slotLabel: "label",
	slotAgentVerdict: "agent_verdict,agentVerdict", slotHumanVerdict: "human_verdict,humanVerdict",
	slotVerdictZh: "判定,判断", slotExpectedZh: "期望,预期",
}

// standIn fills a missing judgment from result, and then judgment and ground truth from the pairs. Values under their
// own names win, and a complete pair must agree with them. If the ground truth has its own name and there is no
// judgment, the first key of a pair is enough.
//
// If the file has the agent's judgment from before a correction, that is the judgment, and nothing else is: memory
// learns from the agent, not from its own correction.
func (r *slotValues) standIn() *fault {
	if r[slotFirst].raw != nil {
		r[slotJudgment] = r[slotFirst]
		return nil
	}
	if r[slotJudgment].raw == nil {
		r[slotJudgment] = r[slotResult]
	}
	own, truth := r[slotJudgment].raw != nil, r[slotTruth]
	for _, p := range pairs() {
		said, is := r[p.judgment], truth
		whole := p.truth == slotTruth && string(truth.key) == "expected" // both keys of the pair are present
		if p.truth != slotTruth && r[p.truth].raw != nil {
			is, whole = r[p.truth], true
		}
		switch {
		case said.raw == nil || is.raw == nil || own && !whole:
			continue
		case !canBePair(said.raw, is.raw):
			if r[slotJudgment].raw == nil {
				return notAPair(said, is)
			}
			continue
		}
		if bad := r.fillSlot(slotJudgment, said); bad != nil {
			return bad
		}
		if bad := r.fillSlot(slotTruth, is); bad != nil {
			return bad
		}
	}
	return nil
}

// notAPair returns a fault: only one value of the pair is a verdict, so it is no pair.
func notAPair(said, is jsonValue) *fault {
	return &fault{at: said.at, field: "judgment", problem: fmt.Sprintf("is missing, and %s cannot stand in for it: "+
		"%s says %s and %s says %s, of which only one is a verdict; write what the agent judged as judgment",
		said.fieldName(), said.fieldName(), brief(said.raw), is.fieldName(), brief(is.raw))}
}

// fillSlot puts a value into a slot. If the slot is full, it keeps the old value, and refuses a new one that
// contradicts it.
func (r *slotValues) fillSlot(s slot, g jsonValue) *fault {
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
		return nil // one is prose and the other its verdict, or both are the same verdict
	}
	return disagree(old, g)
}

// canBePair reports whether two values can be a judgment and its ground truth: both are verdicts, or neither is. A
// verdict next to an answer is usually a rating of the answer.
func canBePair(said, is []byte) bool {
	return (polarity(said) == judgment.Unread) == (polarity(is) == judgment.Unread)
}

func polarity(raw []byte) judgment.Polarity {
	return judgment.PolarityOf(judgment.Decode(raw))
}
