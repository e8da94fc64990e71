package transfer

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/tree"
)

// TreeDiff is how tree b differs from tree a, as Diff returns it.
type TreeDiff struct {
	Same    int       `json:"same"`    // number of equal nodes
	Added   []Differs `json:"added"`   // nodes only in tree b
	Gone    []Differs `json:"gone"`    // nodes only in tree a
	Changed []Differs `json:"changed"` // nodes in both trees that differ
	Lessons struct {
		Added int `json:"added"`
		Gone  int `json:"gone"`
	} `json:"lessons"` // number of lessons in Added, Gone and Changed
	Facts FactsDiff `json:"facts"`
}

// FactsDiff is how the facts about products differ between two trees, as DiffFacts returns it. The lists are sorted by
// id.
type FactsDiff struct {
	Same  int                `json:"same"`  // number of common facts
	Added []ledger.Statement `json:"added"` // facts only in b
	Gone  []ledger.Statement `json:"gone"`  // facts only in a
}

// DiffFacts returns how the facts b differ from the facts a. Facts with the same ID are equal.
func DiffFacts(a, b []ledger.Statement) FactsDiff {
	without := func(of, other []ledger.Statement) []ledger.Statement {
		has := map[string]bool{}
		for i := range other {
			has[other[i].ID()] = true
		}
		out := slices.DeleteFunc(slices.Clone(of), func(s ledger.Statement) bool { return has[s.ID()] })
		slices.SortFunc(out, byID)
		return append([]ledger.Statement{}, out...)
	}
	added := without(b, a)
	return FactsDiff{Same: len(b) - len(added), Added: added, Gone: without(a, b)}
}

// Differs is one node that differs. The lists of a TreeDiff are sorted by error type, then level with strategies first,
// then id.
type Differs struct {
	ID        string    `json:"id"`
	Type      tree.Type `json:"type"`
	ErrorType string    `json:"errorType"`
	Says      string    `json:"says"`  // title or first text of the node
	Parts     []Part    `json:"parts"` // differences of a changed node, in a fixed order
	level     int
}

// Part is one difference between two versions of a node. If only one version has it, the other text is empty.
type Part struct {
	Name   string `json:"part"` // name of the field or part
	Before string `json:"before"`
	After  string `json:"after"`
}

// Diff returns how the nodes of b differ from those of a. It compares nodes as they are exported, so revisions do not
// matter. It ranges over each sequence twice, and holds in memory only a hash of each node and the nodes that differ.
func Diff(a, b iter.Seq2[tree.Node, error]) (TreeDiff, error) {
	out := TreeDiff{Added: []Differs{}, Gone: []Differs{}, Changed: []Differs{}}
	before, err := hashes(a)
	if err != nil {
		return out, err
	}
	after, err := hashes(b)
	if err != nil {
		return out, err
	}
	for id, h := range before {
		if after[id] == h {
			delete(before, id)
			delete(after, id)
			out.Same++
		}
	}
	olds, err := bodies(a, before)
	if err != nil {
		return out, err
	}
	news, err := bodies(b, after)
	if err != nil {
		return out, err
	}
	for id, n := range olds {
		if m, ok := news[id]; ok {
			out.Changed = append(out.Changed, differs(&m, parts(&n, &m)))
			added, gone := lessonsBetween(&n, &m)
			out.Lessons.Added += len(added)
			out.Lessons.Gone += len(gone)
			continue
		}
		out.Gone = append(out.Gone, differs(&n, []Part{}))
		out.Lessons.Gone += len(n.Content.Lessons)
	}
	for id, n := range news {
		if _, ok := olds[id]; !ok {
			out.Added = append(out.Added, differs(&n, []Part{}))
			out.Lessons.Added += len(n.Content.Lessons)
		}
	}
	for _, list := range [][]Differs{out.Added, out.Gone, out.Changed} {
		slices.SortFunc(list, func(x, y Differs) int {
			return cmp.Or(cmp.Compare(x.ErrorType, y.ErrorType), y.level-x.level, cmp.Compare(x.ID, y.ID))
		})
	}
	return out, nil
}

// hashes returns a hash of each node, by id.
func hashes(nodes iter.Seq2[tree.Node, error]) (map[string][16]byte, error) {
	out := map[string][16]byte{}
	for n, err := range nodes {
		if err != nil {
			return out, err
		}
		n = canonical(n)
		sum := sha256.Sum256([]byte(spelled(&n)))
		out[n.ID] = [16]byte(sum[:16])
	}
	return out, nil
}

// bodies returns the nodes whose ids are in wanted, in canonical form.
func bodies(nodes iter.Seq2[tree.Node, error], wanted map[string][16]byte) (map[string]tree.Node, error) {
	out := make(map[string]tree.Node, len(wanted))
	for n, err := range nodes {
		if err != nil {
			return out, err
		}
		if _, ok := wanted[n.ID]; ok {
			out[n.ID] = canonical(n)
		}
	}
	return out, nil
}

// differs returns the entry of a node that differs in the parts p.
func differs(n *tree.Node, p []Part) Differs {
	return Differs{ID: n.ID, Type: n.Type, ErrorType: n.ErrorType, Says: nameOf(n), Parts: p, level: n.Level}
}

// lessonsBetween returns the lessons that only b has, and those that only a has.
func lessonsBetween(a, b *tree.Node) (added, gone []tree.Lesson) {
	missing := func(from, in []tree.Lesson) (out []tree.Lesson) {
		for _, l := range from {
			if !slices.ContainsFunc(in, func(o tree.Lesson) bool { return o.ID == l.ID }) {
				out = append(out, l)
			}
		}
		return out
	}
	return missing(b.Content.Lessons, a.Content.Lessons), missing(a.Content.Lessons, b.Content.Lessons)
}

// parts returns the differences between two versions of a node, in a fixed order.
func parts(a, b *tree.Node) []Part {
	out := []Part{}
	add := func(name, before, after string) {
		if before != after {
			out = append(out, Part{name, before, after})
		}
	}
	add("errorType", a.ErrorType, b.ErrorType)
	add("status", string(a.Status), string(b.Status))
	add("mark", string(a.Mark), string(b.Mark))
	add("supersededBy", a.SupersededBy, b.SupersededBy)
	add("archivedFor", a.ArchivedFor, b.ArchivedFor)
	add("title", a.Content.Title, b.Content.Title)
	add("description", a.Content.Description, b.Content.Description)
	add("guidance", a.Content.Guidance, b.Content.Guidance)
	add("appliesWhen", strings.Join(a.Content.AppliesWhen, "\n"), strings.Join(b.Content.AppliesWhen, "\n"))
	add("notWhen", strings.Join(a.Content.NotWhen, "\n"), strings.Join(b.Content.NotWhen, "\n"))
	add("other", strings.Join(a.Content.Other.Texts(), "\n"), strings.Join(b.Content.Other.Texts(), "\n"))
	added, gone := lessonsBetween(a, b)
	for _, l := range gone {
		add("lesson", lessonText(&l), "")
	}
	for _, l := range added {
		add("lesson", "", lessonText(&l))
	}
	add("confidence", fmt.Sprintf("%.2f", a.Content.Confidence), fmt.Sprintf("%.2f", b.Content.Confidence))
	add("children", strings.Join(a.Children, " "), strings.Join(b.Children, " "))
	add("parent", a.Parent, b.Parent)
	add("elsewhere", elsewhereText(a.Elsewhere), elsewhereText(b.Elsewhere))
	add("occurrences", fmt.Sprint(len(a.Occurrences)), fmt.Sprint(len(b.Occurrences)))
	add("counters", countersText(a.Counters), countersText(b.Counters))
	add("updated", a.Metadata.UpdatedAt.Format(isoTime), b.Metadata.UpdatedAt.Format(isoTime))
	if a.CaseData != nil && b.CaseData != nil {
		add("actualError", a.CaseData.ActualError, b.CaseData.ActualError)
		add("errorReason", a.CaseData.ErrorReason, b.CaseData.ErrorReason)
		add("avoidanceHint", a.CaseData.AvoidanceHint, b.CaseData.AvoidanceHint)
	}
	add("provenance", provenanceText(a), provenanceText(b))
	if len(out) == 0 {
		add("other", "", "…") // the order of lessons, a scope: too small for a text of its own
	}
	return out
}

func lessonText(l *tree.Lesson) string {
	return strings.TrimSpace(l.Check + " " + l.Instead)
}

func elsewhereText(e *tree.Elsewhere) string {
	if e == nil {
		return ""
	}
	return fmt.Sprintf("%d cases, %d tests, %d runs", e.Cases, e.Tests, e.Runs)
}

func countersText(m map[string]tree.Counters) string {
	list := make([]string, 0, len(m))
	for _, o := range slices.Sorted(maps.Keys(m)) {
		list = append(list, fmt.Sprintf("%s %d/%d", o, m[o].Correct, m[o].Used))
	}
	return strings.Join(list, ", ")
}

func provenanceText(n *tree.Node) string {
	p := n.Provenance
	return strings.Join(slices.DeleteFunc([]string{p.By, p.Analyst, p.Model, p.Template, n.Origin.Label, n.Origin.ID},
		func(s string) bool {
			return s == ""
		}), " · ")
}
