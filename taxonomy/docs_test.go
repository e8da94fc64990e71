package taxonomy_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/taxonomy"
)

// TestChecksAreListed: docs/checks.md names every check of the catalogue, in both languages.
func TestChecksAreListed(t *testing.T) {
	b, err := os.ReadFile("../docs/checks.md")
	require.NoError(t, err)
	for _, c := range taxonomy.Default().Checks() {
		require.Contains(t, string(b), "| `"+c.ID+"` | "+c.Name.EN+" | "+c.Name.ZH+" |\n")
	}
}
