package retrieval

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/memtree/memtree/internal/cue"
	"github.com/memtree/memtree/tree"
)

// The count of a posting is the frequency of a token in the text of a node, or one of these:
const (
	around  = 0       // the token occurs in another text of the case only, see aroundOf
	leaning = 1 << 15 // the list is of a check, and the low bits are its part
)

// isWord reports whether a count is of a token of the node's text.
func isWord(times uint16) bool { return times != around && times < leaning }

// timesOf returns the count that encodes a part.
func timesOf(part cue.CheckShare) uint16 { return leaning | uint16(math.Round(part.Size*(leaning-1))) }

// aroundOf returns the evaluator's reason, the agent's judgment and the ground truth of a case; nil for other nodes.
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

// readAround adds the data of a case beside its prompt to e: the tokens of its other texts, and its leaning. For a
// lesson it adds its checks, unless a person worded it.
func (e *segmentEntry) readAround(n *tree.Node, checks *cue.Catalogue) {
	if n.CaseData == nil {
		for _, c := range e.meta.checks {
			if e.meta.own() {
				break // no check calls for it
			}
			e.words = append(e.words, wordCount{key(checkKind, c), timesOf(cue.CheckShare{Size: 1})})
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
	said := cue.MissTexts{Task: n.CaseData.TestCase.Prompt, Direction: n.Direction, Said: []string{texts[0], texts[2]},
		Claimed: texts[1]}
	for _, p := range checks.OfMiss(said) {
		if about == nil || !slices.Contains(about.Not, p.Check) && !slices.Contains(about.Is, p.Check) {
			e.words = append(e.words, wordCount{key(checkKind, p.Check), timesOf(p)})
		}
	}
	if about != nil {
		for _, c := range about.Is {
			e.words = append(e.words, wordCount{key(checkKind, c), timesOf(cue.CheckShare{Size: 1})})
		}
	}
	slices.SortFunc(e.words, func(a, b wordCount) int { return cmp.Compare(a.key, b.key) })
}

// lessonsFor returns the lessons whose checks can match the node: none of a node that a person worded.
func lessonsFor(n *tree.Node) []tree.Lesson {
	if n.OwnWords() {
		return nil
	}
	return n.Says()
}

// saidOf returns a person's corrections of the topic of a case, so that the case is read again when they change.
func saidOf(n *tree.Node) []string {
	if n.CaseData == nil || n.CaseData.About == nil {
		return nil
	}
	a := n.CaseData.About
	return []string{strings.Join(a.Not, " "), strings.Join(a.Is, " ")}
}
