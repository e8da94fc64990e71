package pages

import (
	"cmp"
	"context"
	"iter"
	"maps"
	"net/http"
	"slices"
	"strconv"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/curation"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/transfer"
	"github.com/memtree/memtree/tree"
)

// imports is the imports that wait in quarantine.
type imports struct {
	Families []family
	Total    int // memories
	More     int // families that are not shown
}

// family is an import with the memories that it brings.
type family struct {
	*tree.Node
	Brings []string      // ids, its own among them, sorted
	Stays  bool          // it cannot be taken: it is out of use where it comes from, or without support in this tree
	Here   *tree.Node    // the lesson in use on the same check; nil: none
	Parts  []changedPart // what the import would change in Here
}

// changedPart is one part in which an import differs from the present lesson.
type changedPart struct{ Name, Before, After string }

// familiesMost is the maximum number of imports shown.
const familiesMost = 50

// imports returns the waiting imports and their effect, the widest first.
func (s *speech) imports(ctx context.Context, m *memtree.Memory) (out imports, err error) {
	waiting, err := transfer.Waiting(ctx, m.Tree())
	if err != nil || len(waiting) == 0 {
		return out, err
	}
	out.Total = len(waiting)
	here, err := inPlace(ctx, m)
	if err != nil {
		return out, err
	}
	heads := headsOf(waiting)
	out.More = max(0, len(heads)-familiesMost)
	for _, n := range heads[:len(heads)-out.More] {
		f := family{Node: &n, Brings: brought(waiting, n.ID), Here: here[subjectOf(&n)]}
		f.Stays = !slices.Contains(f.Brings, n.ID)
		if f.Here != nil {
			if f.Parts, err = s.differences(f.Here, &n); err != nil {
				return out, err
			}
		}
		out.Families = append(out.Families, f)
	}
	return out, nil
}

// headsOf returns the imports that no other one rests on, the widest first.
func headsOf(waiting map[string]tree.Node) (out []tree.Node) {
	below := map[string]bool{}
	for _, n := range waiting {
		for _, id := range n.Children {
			below[id] = true
		}
	}
	for _, id := range slices.Sorted(maps.Keys(waiting)) {
		if !below[id] {
			out = append(out, waiting[id])
		}
	}
	slices.SortStableFunc(out, func(a, b tree.Node) int {
		return cmp.Or(b.Level-a.Level, len(b.Children)-len(a.Children))
	})
	return out
}

// brought returns the ids of the memories that are taken with one.
func brought(waiting map[string]tree.Node, id string) (ids []string) {
	p := transfer.Promote(waiting, transfer.PromoteOptions{IDs: []string{id}})
	for i := range p.Changes {
		ids = append(ids, p.Changes[i].Node.ID)
	}
	return ids
}

// subject is the subject of a lesson.
type subject struct{ kind, errorType, way, level string }

// subjectOf returns the subject, the zero value for a memory without a known check.
func subjectOf(n *tree.Node) subject {
	if n.Type == tree.Case || len(n.Content.Lessons) == 0 || n.Content.Lessons[0].Kind == "" {
		return subject{}
	}
	return subject{n.Content.Lessons[0].Kind, n.ErrorType, string(n.Direction), string(n.Type)}
}

// inPlace returns the lessons in use, by subject.
func inPlace(ctx context.Context, m *memtree.Memory) (map[subject]*tree.Node, error) {
	out := map[subject]*tree.Node{}
	for n, err := range m.Tree().Scan(ctx, store.Filter{}) {
		if err != nil {
			return nil, err
		}
		if k := subjectOf(&n); n.Live() && k != (subject{}) && out[k] == nil {
			out[k] = &n
		}
	}
	return out, nil
}

// differences returns the parts in which the text of an import differs from a present lesson.
func (s *speech) differences(here, n *tree.Node) (out []changedPart, err error) {
	as := n.Clone()
	as.ID = here.ID
	one := func(n *tree.Node) iter.Seq2[tree.Node, error] {
		return func(yield func(tree.Node, error) bool) { yield(n.Clone(), nil) }
	}
	d, err := transfer.Diff(one(here), one(&as))
	if err != nil || len(d.Changed) == 0 {
		return nil, err
	}
	names := map[string]string{
		"title": s.say("Title"), "description": s.say("What goes wrong"), "lesson": s.say("Check"),
		"appliesWhen": s.say("When it applies"), "notWhen": s.say("When it does not"),
	}
	for _, p := range d.Changed[0].Parts {
		if name := names[p.Name]; name != "" {
			out = append(out, changedPart{name, p.Before, p.After})
		}
	}
	return out, nil
}

// decideImports applies a person's decision on imports: one with the nodes it brings, or all.
func (s *Site) decideImports(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	waiting, err := transfer.Waiting(r.Context(), v.Memory.Tree())
	if err != nil {
		return err
	}
	var ids []string
	switch id := field(r, "id"); {
	case id == "all":
		for _, n := range headsOf(waiting) {
			ids = append(ids, n.ID)
		}
	case id != "":
		if _, ok := waiting[id]; !ok {
			return &tree.FieldError{Field: "id", Problem: "names no import that waits; look at the list again"}
		}
		ids = []string{id}
	}
	n, o := 0, curation.Options{By: v.Who, Why: field(r, "why")}
	switch word := field(r, "word"); word {
	case "accept":
		p, err := v.Memory.Transfer().Promote(r.Context(), &transfer.PromoteOptions{IDs: ids, By: v.Who})
		if err != nil {
			return err
		}
		n = len(p.Changes)
	case "refuse":
		for _, id := range alone(waiting, ids) {
			if _, err := v.Memory.Curation().Forget(r.Context(), id, o); err != nil {
				return err
			}
			n++
		}
	default:
		return &tree.FieldError{Field: "word", Problem: "is neither accept nor refuse; choose one"}
	}
	return seeOther(w, r, v, "review", "done", field(r, "word"), "n", strconv.Itoa(n))
}

// alone returns imports and the waiting nodes below them, except those that another import rests on too.
func alone(waiting map[string]tree.Node, ids []string) (out []string) {
	gone := map[string]bool{}
	for _, id := range ids {
		gone[id] = true
	}
	for changed := true; changed; {
		changed = false
		kept, below := map[string]bool{}, map[string]bool{}
		for id, n := range waiting {
			for _, c := range n.Children {
				kept[c] = kept[c] || !gone[id]
				below[c] = below[c] || gone[id]
			}
		}
		for id := range below {
			if _, waits := waiting[id]; waits && below[id] && !kept[id] && !gone[id] {
				gone[id], changed = true, true
			}
		}
	}
	return slices.Sorted(maps.Keys(gone))
}

// atoi reads a count from an address; an invalid one is 0.
func atoi(s string) int {
	n, _ := strconv.Atoi(s)
	return max(0, n)
}
