package transfer

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/memtree/memtree/tree"
)

// Conflict is a part of a node in which two trees contradict each other.
type Conflict struct {
	Part   string `json:"part"`   // lessons, guidance or errorType
	Ours   string `json:"ours"`   // text in this tree, or on our side
	Theirs string `json:"theirs"` // text in the file, or on their side
}

// merge returns the union of two versions of a node, in canonical form. It is a join, as in a state-based CRDT: the
// order and the number of merges do not matter.
//
//   - Occurrences, children, lessons and citations are united. If there are more than a limit of the tree allows, an
//     order decides that depends on the items alone: the newest occurrences stay, and the lessons and children with
//     the lowest ids.
//   - Counters are by origin. For one origin the greater numbers stay. Of two credits the one of more runs stays.
//   - The latest decision of a person decides the mark of the node, and its status where it was forgotten. Without a
//     known decision a ban wins over a pin, a pin over none.
//   - A tombstone has no texts, and texts of a person win over learned ones.
//   - The status is that of the side with the later UpdatedAt. If both have the same time, the later stage of life
//     wins, so that a tombstone wins over an edit.
//   - Several abstractions may name a child, but it has one parent. The one that sorts last stays.
//   - Everything else (the texts, the error type, the scope) is from the side with the later UpdatedAt. If both have
//     the same time, the one that sorts last wins.
//
// Both nodes must have the same id.
func merge(a, b tree.Node) tree.Node {
	if w := saidLast(&a, &b).Decision; w != nil && w.Purged { // neither may be restored
		a.Decision, b.Decision = w, w
		a, b = tree.Tombstone(&a), tree.Tombstone(&b)
	}
	a, b = canonical(a), canonical(b)
	out := a
	if isLater(&b, &a) {
		out = b.Clone()
	}
	last := saidLast(&a, &b)
	out.Status, out.SupersededBy, out.ArchivedFor = last.Status, last.SupersededBy, last.ArchivedFor
	out.Decision, out.Mark = last.Decision, last.Mark
	if out.Decision == nil {
		out.Mark = marks()[max(rank(marks(), a.Mark), rank(marks(), b.Mark))]
	}
	out.Parent = max(a.Parent, b.Parent)
	out.Elsewhere = uniteElsewhere(a.Elsewhere, b.Elsewhere)
	if weight(&a, &b) == 0 {
		out.Content.Lessons = uniteLessons(a.Content.Lessons, b.Content.Lessons)
	}
	out.Children = firstN(sorted(slices.Concat(a.Children, b.Children)), tree.MaxChildren)
	out.Occurrences = uniteOccurrences(a.Occurrences, b.Occurrences)
	out.Counters = uniteCounters(a.Counters, b.Counters)
	out.Credit = moreCredit(a.Credit, b.Credit)
	out.Metadata = uniteMetadata(a.Metadata, b.Metadata)
	return canonical(out)
}

// isLater reports whether a's edit wins over b's.
func isLater(a, b *tree.Node) bool {
	if w := weight(a, b); w != 0 || !a.Provenance.At.IsZero() {
		return cmp.Or(w, cmp.Compare(edit(a), edit(b))) > 0
	}
	return cmp.Or(a.Metadata.UpdatedAt.Compare(b.Metadata.UpdatedAt), cmp.Compare(edit(a), edit(b))) > 0
}

// edit returns the parts of a node that merge takes from one side as a whole, as JSON.
func edit(n *tree.Node) string {
	e := *n
	e.Status, e.SupersededBy, e.ArchivedFor, e.Mark, e.Parent, e.Elsewhere, e.Decision = "", "", "", "", "", nil, nil
	e.Content.Lessons, e.Children, e.Occurrences, e.Counters, e.Metadata = nil, nil, nil, nil, tree.Metadata{}
	e.Credit = nil
	return spelled(&e)
}

// statuses are the stages of life in the order of preference of merge, the last most.
func statuses() []tree.Status {
	return []tree.Status{tree.Probation, tree.Active, tree.Quarantined, tree.Retired, tree.Archived}
}

// marks are the marks in the order of preference of merge, the last most.
func marks() []tree.Mark { return []tree.Mark{tree.Unmarked, tree.Pinned, tree.Banned} }

// rank returns the index of x in an order, -1 if it is not in it.
func rank[T comparable](order []T, x T) int { return slices.Index(order, x) }

// compareStatus orders two nodes by whose status merge prefers; the greater wins.
func compareStatus(a, b *tree.Node) int {
	since := a.Metadata.UpdatedAt.Compare(b.Metadata.UpdatedAt)
	if a.Decision != nil && b.Decision != nil { // UpdatedAt may come from versions without that decision
		since = 0
	}
	return cmp.Or(
		since,
		cmp.Compare(rank(statuses(), a.Status), rank(statuses(), b.Status)),
		cmp.Compare(a.SupersededBy, b.SupersededBy),
		cmp.Compare(a.ArchivedFor, b.ArchivedFor))
}

// uniteLessons unites lessons by id. An id is a hash of the lesson's text, so two edits of one lesson stay two
// lessons. Of two with one id the lists are united and the maxima taken.
func uniteLessons(a, b []tree.Lesson) []tree.Lesson {
	by := make(map[string]tree.Lesson, len(a)+len(b))
	for _, l := range slices.Concat(a, b) {
		if have, ok := by[l.ID]; ok {
			cites, what, scenes := sorted(slices.Concat(have.Cites, l.Cites)), sorted(slices.Concat(have.What, l.What)),
				sorted(slices.Concat(have.Scenes, l.Scenes))
			tests, times := max(have.Tests, l.Tests), max(have.Times, l.Times)
			if cmp.Or(cmp.Compare(have.Kind, l.Kind), cmp.Compare(have.Check, l.Check), cmp.Compare(have.Mistake, l.Mistake),
				cmp.Compare(have.Instead, l.Instead), cmp.Compare(have.From, l.From)) > 0 {
				l = have // the same text in other case or spacing, or another sentence on the same check
			}
			l.Cites, l.What, l.Scenes = orNil(cites), orNil(firstN(what, tree.MaxThings)), orNil(firstN(scenes, tree.MaxThings))
			l.Tests, l.Times = tests, times
		}
		by[l.ID] = l
	}
	out := slices.SortedFunc(maps.Values(by), func(x, y tree.Lesson) int {
		return cmp.Or(byMistake(x, y), cmp.Compare(x.ID, y.ID))
	})
	return orNil(firstN(out, tree.MaxLessons))
}

func firstN[T any](list []T, most int) []T { return list[:min(len(list), most)] }

// laterOccurrence is the order of occurrences in a node: by time, then by evaluation. The other
// fields make the order total.
func laterOccurrence(a, b tree.Occurrence) int {
	near := func(o tree.Occurrence) int {
		if o.Near {
			return 1
		}
		return 0
	}
	return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Evaluation, b.Evaluation),
		cmp.Compare(a.RunID, b.RunID), cmp.Compare(a.CaseID, b.CaseID), near(a)-near(b))
}

// uniteOccurrences unites occurrences by evaluation, and returns the newest ones.
func uniteOccurrences(a, b []tree.Occurrence) []tree.Occurrence {
	by := make(map[string]tree.Occurrence, len(a)+len(b))
	for _, o := range slices.Concat(a, b) {
		if have, ok := by[o.Evaluation]; !ok || laterOccurrence(o, have) > 0 {
			by[o.Evaluation] = o
		}
	}
	out := slices.SortedFunc(maps.Values(by), laterOccurrence)
	if out == nil {
		return []tree.Occurrence{}
	}
	return out[max(0, len(out)-tree.MaxOccurrences):]
}

// uniteCounters takes the greater numbers for each origin. Only an origin itself increments its counter, so the
// greater number is the newer one (a grow-only counter).
func uniteCounters(a, b map[string]tree.Counters) map[string]tree.Counters {
	if len(a)+len(b) == 0 {
		return nil
	}
	out := make(map[string]tree.Counters, len(a)+len(b))
	maps.Copy(out, a)
	for origin, c := range b {
		have := out[origin]
		out[origin] = tree.Counters{Used: max(have.Used, c.Used), Correct: max(have.Correct, c.Correct)}
	}
	return out
}

// moreCredit returns the credit of more runs, which is the newer one if both are of one tree.
func moreCredit(a, b *tree.Credit) *tree.Credit {
	switch {
	case a == nil:
		return b
	case b == nil || cmp.Or(
		cmp.Compare(a.Runs, b.Runs),
		cmp.Compare(spelled(&tree.Node{Credit: a}), spelled(&tree.Node{Credit: b})),
	) >= 0:
		return a
	}
	return b
}

// uniteElsewhere unites the data on cases that were not exported. The two sides may mean the same cases, so numbers
// are not added: the greater ones stay.
func uniteElsewhere(a, b *tree.Elsewhere) *tree.Elsewhere {
	if a == nil || b == nil {
		return cmp.Or(a, b)
	}
	ids := firstN(sorted(slices.Concat(a.IDs, b.IDs)), tree.MaxChildren)
	return &tree.Elsewhere{Cases: max(a.Cases, b.Cases, len(ids)), Tests: max(a.Tests, b.Tests), Runs: max(a.Runs, b.Runs),
		IDs: orNil(ids)}
}

// uniteMetadata takes the usage of the side with more of it, the earlier creation and the later update.
func uniteMetadata(a, b tree.Metadata) tree.Metadata {
	out := a
	if cmp.Or(cmp.Compare(b.UsageCount, a.UsageCount), cmp.Compare(b.SuccessRate, a.SuccessRate)) > 0 {
		out.UsageCount, out.SuccessRate = b.UsageCount, b.SuccessRate
	}
	if a.CreatedAt.IsZero() || b.CreatedAt.Before(a.CreatedAt) && !b.CreatedAt.IsZero() { // a tombstone has none
		out.CreatedAt = b.CreatedAt
	}
	if b.UpdatedAt.After(a.UpdatedAt) {
		out.UpdatedAt = b.UpdatedAt
	}
	return out
}

// contradictions returns the parts in which two versions of a node contradict each other: each has lessons that the
// other lacks, or their guidance or error types differ. merge keeps the lessons of both, and one version of the rest.
func contradictions(ours, theirs *tree.Node) []Conflict {
	var out []Conflict
	if a, b := lessonsBeyond(ours, theirs), lessonsBeyond(theirs, ours); a != "" && b != "" {
		out = append(out, Conflict{Part: "lessons", Ours: a, Theirs: b})
	}
	if a, b := ours.Content.Guidance, theirs.Content.Guidance; a != b && a != "" && b != "" {
		out = append(out, Conflict{Part: "guidance", Ours: a, Theirs: b})
	}
	if ours.ErrorType != theirs.ErrorType {
		out = append(out, Conflict{Part: "errorType", Ours: ours.ErrorType, Theirs: theirs.ErrorType})
	}
	return out
}

// lessonsBeyond returns the texts of the lessons that only a has, one a line.
func lessonsBeyond(a, b *tree.Node) string {
	var out strings.Builder
	for _, l := range a.Content.Lessons {
		if !slices.ContainsFunc(b.Content.Lessons, func(o tree.Lesson) bool { return o.ID == l.ID }) {
			fmt.Fprintf(&out, "%s\n", lessonText(&l))
		}
	}
	return out.String()
}
