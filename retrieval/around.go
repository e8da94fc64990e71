package retrieval

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/memtree/memtree/internal/cue"
	"github.com/memtree/memtree/tree"
)

// What the count of a posting means, beside how often a word occurs in the text of a node:
const (
	around  = 0       // the word occurs in another text of the case only, see aroundOf
	leaning = 1 << 15 // the list is of a check, and the low bits are its part
)

// isWord reports whether a count is that of a word of the node's text.
func isWord(times uint16) bool { return times != around && times < leaning }

// timesOf returns the count that stands for a part.
func timesOf(part cue.Part) uint16 { return leaning | uint16(math.Round(part.Size*(leaning-1))) }

// aroundOf returns what people said of a case, what the agent said, and the truth; nil for other nodes.
func aroundOf(n *tree.Node) []string {
	if n.CaseData == nil {
		return nil
	}
	d := n.CaseData
	out := []string{d.EvaluatorReason, d.AgentJudgment, d.TestCase.GroundTruth.Text()}
	for i, s := range out {
		out[i] = s[:min(len(s), maxAround)]
	}
	return out
}

// readAround adds to e what its case has beside its prompt: the words of other texts, and what it
// leans to. A lesson leans to its checks, unless it is in a person's own words.
func (e *segmentEntry) readAround(n *tree.Node, checks *cue.Catalogue) {
	if n.CaseData == nil {
		for _, c := range e.meta.checks {
			if e.meta.own() {
				break // no check calls for it
			}
			e.words = append(e.words, wordCount{key(checkKind, c), timesOf(cue.Part{Size: 1})})
		}
		slices.SortFunc(e.words, func(a, b wordCount) int { return cmp.Compare(a.key, b.key) })
		return
	}
	var keys []uint64
	words := e.words // of the prompt, sorted
	for _, s := range aroundOf(n) {
		keys = append(keys, keysOf(s)...)
	}
	slices.Sort(keys)
	byKey := func(w wordCount, k uint64) int { return cmp.Compare(w.key, k) }
	for _, k := range slices.Compact(keys) {
		if _, known := slices.BinarySearchFunc(words, k, byKey); !known {
			e.words = append(e.words, wordCount{k, around})
		}
	}
	texts := aroundOf(n)
	about := n.CaseData.About
	said := cue.Evidence{Task: n.CaseData.TestCase.Prompt, Direction: n.Direction, Said: []string{texts[0], texts[2]},
		Claimed: texts[1]}
	for _, p := range checks.OfMiss(said) {
		if about == nil || !slices.Contains(about.Not, p.Check) && !slices.Contains(about.Is, p.Check) {
			e.words = append(e.words, wordCount{key(checkKind, p.Check), timesOf(p)})
		}
	}
	if about != nil {
		for _, c := range about.Is {
			e.words = append(e.words, wordCount{key(checkKind, c), timesOf(cue.Part{Size: 1})})
		}
	}
	slices.SortFunc(e.words, func(a, b wordCount) int { return cmp.Compare(a.key, b.key) })
}

// lessonsFor returns the lessons by whose checks a question finds a node: of one in a person's words none.
func lessonsFor(n *tree.Node) []tree.Lesson {
	if n.OwnWords() {
		return nil
	}
	return n.Says()
}

// saidOf returns what a person said a case is about, so that it is read anew when that changes.
func saidOf(n *tree.Node) []string {
	if n.CaseData == nil || n.CaseData.About == nil {
		return nil
	}
	a := n.CaseData.About
	return []string{strings.Join(a.Not, " "), strings.Join(a.Is, " ")}
}
