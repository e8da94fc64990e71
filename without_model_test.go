package memtree_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/brief"
	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/tree"
)

// listener is a model that answers analyses, and records all of its input.
type listener struct {
	mu   sync.Mutex
	seen strings.Builder
}

func (l *listener) Generate(_ context.Context, r llm.Request) (llm.Answer, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.seen.WriteString(r.System + r.Prompt)
	return llm.Answer{JSON: sound(), Model: "listener"}, nil
}

// Data of a product that a team excludes from models is sent to none: its runs, its lessons and its coming tests.
// Rules read it, and the lexical search finds it. Other products are read.
func TestProductsWithoutModel(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, open(t, dir, nil).Close())
	require.NoError(t, os.WriteFile(filepath.Join(dir, "memtree.yaml"), []byte("withoutModel: [payroll]\n"), 0o600))
	model := &listener{}
	m := open(t, dir, &memtree.Options{Generator: model})
	runs := several(8)
	for i := range runs {
		if runs[i].Scope.Product = "shop"; i%2 == 0 {
			runs[i].Scope.Product = "payroll"
			runs[i].Prompt += " of the secretive salary sheet"
			runs[i].Reason += " The secretive salary sheet took it."
		}
	}
	_, err := m.RecordAll(t.Context(), runs)
	require.NoError(t, err)
	require.NoError(t, m.Wait(t.Context()))
	for range 2 {
		_, err = m.Evolve(t.Context(), nil)
		require.NoError(t, err)
	}
	tests := []brief.UpcomingTest{
		brief.TestOf(
			"Check that an empty bonus is refused in the secretive salary sheet",
			tree.Scene{},
			tree.Scope{Product: "payroll"},
		),
		brief.TestOf("Check that an empty basket is refused", tree.Scene{}, tree.Scope{Product: "shop"}),
	}
	_, err = m.Briefs().Read(t.Context(), tests, nil)
	require.NoError(t, err)
	require.Contains(t, model.seen.String(), "empty basket")
	require.Contains(t, model.seen.String(), "delivery date", "the other product is read")
	require.NotContains(t, model.seen.String(), "secretive")
	for _, n := range nodes(t, m) {
		if n.Type == tree.Case {
			require.Equal(t, n.Scope.Product == "shop", n.Provenance.Analyst == "model", n.ID)
		}
	}
	g, err := m.Guide(t.Context(), memtree.Query{Prompt: runs[0].Prompt, Scope: runs[0].Scope})
	require.NoError(t, err)
	require.NotEmpty(t, g.Items, "words find it")
}
