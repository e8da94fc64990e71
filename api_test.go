package memtree_test

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestAPIFitsAScreenful: what a newcomer reads of the root package stays short.
func TestAPIFitsAScreenful(t *testing.T) {
	out, err := exec.Command("go", "doc", "-all", ".").Output()
	require.NoError(t, err)
	require.LessOrEqual(t, strings.Count(string(out), "\n"), 240, "move types to the package that owns them")
}
