package memtreetest

import (
	"slices"
	"strings"
	"testing"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/tree"
)

// Told fails the test unless the guidance for q contains a memory that has the id want, or rests on a memory with that
// id, or on a case of the test case with that id. It records no trial.
func Told(t testing.TB, m *memtree.Memory, q memtree.Query, want string) {
	t.Helper()
	x, err := m.Explain(t.Context(), q)
	if err != nil {
		t.Fatalf("memtreetest: %v", err)
	}
	var told []string
	for _, it := range x.Items {
		names, err := names(t, m, it.ID)
		if err != nil {
			t.Fatalf("memtreetest: %v", err)
		}
		if slices.Contains(names, want) {
			return
		}
		told = append(told, strings.Join(names, " "))
	}
	if len(told) == 0 {
		t.Errorf("%q is not told of %s: nothing is told.%s", q.Prompt, want, nearest(&x))
		return
	}
	t.Errorf("%q is not told of %s, but of:\n%s", q.Prompt, want, strings.Join(told, "\n"))
}

// NotTold fails the test if memory has any guidance for q. It records no trial.
func NotTold(t testing.TB, m *memtree.Memory, q memtree.Query) {
	t.Helper()
	x, err := m.Explain(t.Context(), q)
	if err != nil {
		t.Fatalf("memtreetest: %v", err)
	}
	if !x.Abstained {
		t.Errorf("%q is told, and nothing should be:\n%s", q.Prompt, x.Text)
	}
}

// nearest describes the most similar memory and why it was left out, "" if there was none.
func nearest(x *memtree.Explanation) string {
	if x.Nearest == nil {
		return ""
	}
	return " The nearest is " + x.Nearest.ID + ", left out because " + x.Nearest.Reason
}

// names returns the id of a memory, and the tests and ids of the cases that support it, sorted.
func names(t testing.TB, m *memtree.Memory, id string) ([]string, error) {
	out, seen := []string{id}, map[string]bool{id: true}
	for i := 0; i < len(out); i++ {
		n, err := m.Tree().Get(t.Context(), out[i])
		if err != nil {
			return nil, err
		}
		for _, child := range n.Children {
			if !seen[child] {
				seen[child] = true
				out = append(out, child)
			}
		}
		for _, l := range n.Content.Lessons {
			for _, cited := range l.Cites {
				if !seen[cited] {
					seen[cited] = true
					out = append(out, cited)
				}
			}
		}
	}
	return withTests(t, m, out)
}

// withTests adds the test ids of cases to the ids.
func withTests(t testing.TB, m *memtree.Memory, ids []string) ([]string, error) {
	out := slices.Clone(ids)
	for _, id := range ids {
		n, err := m.Tree().Get(t.Context(), id)
		if err != nil {
			return nil, err
		}
		if n.Type == tree.Case && n.CaseData != nil {
			if test := n.CaseData.TestCase.CaseID; test != "" && !slices.Contains(out, test) {
				out = append(out, test)
			}
		}
	}
	slices.Sort(out[1:])
	return out, nil
}
