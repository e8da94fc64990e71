package effect

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/memtree/memtree/ledger"
)

func ids(n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprint("c_", i)
	}
	return out
}

// named fills in the fields that the caller of Ablate sets, so that an ablation can be checked.
func named(a ledger.Ablation) *ledger.Ablation {
	a.Trial, a.Evaluation = "t", "v"
	return &a
}

// One harmful memory is found at any position, in few runs, and the result is valid.
func TestAblateFindsTheCulprit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, k := rapid.IntRange(1, 33).Draw(t, "memories"), rapid.IntRange(2, 4).Draw(t, "pairs")
		bad := ids(n)[rapid.IntRange(0, n-1).Draw(t, "culprit")]
		a := Ablate(ids(n), k, func(given []string) (bool, error) { return !slices.Contains(given, bad), nil })
		require.NoError(t, named(a).Check())
		require.Equal(t, ledger.OnMemory, a.Blame)
		require.Equal(t, []string{bad}, a.Culprits)
		require.LessOrEqual(t, len(a.Tried), 2*k+k*8)
		b, ok := Blame(named(a))
		require.True(t, ok)
		require.GreaterOrEqual(t, b.E, float64(int(1)<<(2*k))-1e-6)
	})
}

// Two memories that harm only together are named together.
func TestAblateFindsAPair(t *testing.T) {
	given := ids(8)
	a := Ablate(given, 2, func(g []string) (bool, error) {
		return !slices.Contains(g, "c_1") || !slices.Contains(g, "c_6"), nil
	})
	require.Equal(t, ledger.OnMemory, a.Blame)
	require.Contains(t, a.Culprits, "c_1")
	require.Contains(t, a.Culprits, "c_6")
	require.Equal(t, ledger.WhyTogether, a.Why)
}

func TestAblateBlamesNobody(t *testing.T) {
	hard := Ablate(ids(4), 3, func([]string) (bool, error) { return false, nil })
	require.Equal(t, ledger.NotOnMemory, hard.Blame)
	require.Len(t, hard.Tried, 1)
	right := Ablate(ids(4), 3, func([]string) (bool, error) { return true, nil })
	require.Equal(t, ledger.OnFlaky, right.Blame, "it failed with the same memories")
	n := 0
	later := Ablate(ids(4), 3, func(g []string) (bool, error) { n++; return len(g) == 0 && n < 3, nil })
	require.Equal(t, ledger.OnFlaky, later.Blame, "without it passed and failed")
}

// If a run fails or no run is left, the result so far remains.
func TestAblateEndsEarly(t *testing.T) {
	for after := range 12 {
		for _, end := range []error{ErrNoRuns, errors.New("the browser is gone")} {
			n := 0
			a := Ablate(ids(8), 2, func(g []string) (bool, error) {
				if n++; n > after {
					return false, end
				}
				return !slices.Contains(g, "c_5"), nil
			})
			require.NoError(t, named(a).Check())
			require.LessOrEqual(t, len(a.Tried), after)
			if after < 4 {
				require.Equal(t, ledger.Unfinished, a.Blame)
				require.NotEmpty(t, a.Why)
			} else {
				require.Contains(t, a.Culprits, "c_5")
			}
		}
	}
}

// A test with random results is blamed on memory no more often than the number of pairs allows, at any pass rate.
func TestAblateSeldomBlamesChance(t *testing.T) {
	const trials = 20_000
	for _, pairs := range []int{2, 3} {
		for _, p := range []float64{0.1, 0.3, 0.5, 0.7, 0.9} {
			r := rand.New(rand.NewPCG(1, uint64(pairs))) //nolint:gosec // a fixed stream
			blamed := 0
			for range trials {
				if Ablate(ids(1), pairs, func([]string) (bool, error) { return r.Float64() < p, nil }).Blame == ledger.OnMemory {
					blamed++
				}
			}
			most := 1.1 * trials / float64(int(1)<<(2*pairs))
			require.LessOrEqual(t, float64(blamed), most, "pairs %d, share %v", pairs, p)
		}
	}
}
