package risk

import (
	"maps"
	"slices"
	"sync"

	"github.com/memtree/memtree/estimate"
	"github.com/memtree/memtree/internal/judgment"
)

// Limits on judges.
const (
	maxJudges = 1024
	maxLabels = 4096 // of one judge, the latest
)

// JudgeLabels is what a Model has learned about the verdicts of one judge, an agent that gives verdicts.
type JudgeLabels struct {
	// Labels has a byte for each of the latest 4,096 labelled verdicts at most, in the order in which they were learned.
	// [Bin] decodes it: the bin of the risk that was predicted before the label, and whether the verdict was wrong.
	Labels []byte
	Judged estimate.VerdictCounts // counts of all labelled verdicts that read as pass or fail

	// Changed is the number of verdicts, of all judges, that the Model had learned when it last noticed a change of a
	// judge or product and forgot what it had learned before; 0 if it noticed none.
	Changed int
}

// labelWrong is the bit of a wrong verdict.
const labelWrong = 0x80

// Bin decodes an element of JudgeLabels.Labels into the bin of the predicted risk, see [estimate.Bin], and whether the
// verdict was wrong.
func Bin(label byte) (bin int, wrong bool) {
	return min(int(label&^labelWrong), estimate.Bins-1), label&labelWrong != 0
}

// Judge returns a copy of what m has learned about the verdicts of the judge with this name. Labels and Judged are zero
// for an unknown judge, and for judges after the first 1,024.
func (m *Model) Judge(name string) JudgeLabels {
	var h [1]uint32
	chain(h[:], "judge", name)
	m.mu.RLock()
	defer m.mu.RUnlock()
	out := JudgeLabels{Changed: m.changed}
	if j := m.judges[h[0]]; j != nil {
		out.Labels, out.Judged = slices.Clone(j.Labels), j.Judged
	}
	return out
}

// learnJudge counts a verdict with the predicted probability p to be wrong.
func (m *Model) learnJudge(f *Features, p float64, wrong bool) {
	j := m.judges[f.judges[0]]
	if j == nil {
		if len(m.judges) >= maxJudges {
			return
		}
		if m.judges == nil {
			m.judges = map[uint32]*JudgeLabels{}
		}
		j = &JudgeLabels{}
		m.judges[f.judges[0]] = j
	}
	label := byte(estimate.Bin(p))
	if wrong {
		label |= labelWrong
	}
	if j.Labels = append(j.Labels, label); len(j.Labels) > maxLabels {
		j.Labels = append(j.Labels[:0], j.Labels[len(j.Labels)-maxLabels:]...)
	}
	d := &j.Judged
	switch passes, fails := valueWords().passes[f.value], valueWords().fails[f.value]; {
	case passes && wrong:
		d.Fails++
	case passes:
		d.Passes, d.PassesSeen = d.Passes+1, d.PassesSeen+1
	case fails && wrong:
		d.Passes++
	case fails:
		d.Fails, d.FailsSeen = d.Fails+1, d.FailsSeen+1
	}
}

// valueWords are the hashes of the values that mean pass and fail.
var valueWords = sync.OnceValue(func() (w struct{ passes, fails map[uint32]bool }) {
	w.passes, w.fails = map[uint32]bool{}, map[uint32]bool{}
	for _, s := range judgment.Words() {
		switch judgment.Word(s) {
		case judgment.Passes:
			w.passes[hash("value", s)] = true
		case judgment.Fails:
			w.fails[hash("value", s)] = true
		case judgment.Unread:
		}
	}
	return w
})

// codeJudges writes or reads what is known of judges, by hash.
func (m *Model) codeJudges(c coder) {
	keys := slices.Sorted(maps.Keys(m.judges))
	n := len(keys)
	c.count(&n, maxJudges)
	for i := range n {
		var key uint32
		j := &JudgeLabels{}
		if i < len(keys) {
			key, j = keys[i], m.judges[keys[i]]
		}
		labels := string(j.Labels)
		c.word(&key)
		c.text(&labels, maxLabels)
		for _, k := range []*int{&j.Judged.Fails, &j.Judged.FailsSeen, &j.Judged.Passes, &j.Judged.PassesSeen} {
			c.count(k, m.n)
		}
		if j.Judged.FailsSeen > j.Judged.Fails || j.Judged.PassesSeen > j.Judged.Passes {
			c.fail("a count is above its total")
		}
		if _, reading := c.(*modelDecoder); reading {
			if m.judges == nil {
				m.judges = map[uint32]*JudgeLabels{}
			}
			j.Labels = []byte(labels)
			m.judges[key] = j
		}
	}
}
