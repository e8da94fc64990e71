package storetest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/memtree/memtree/tree"
)

// Opener makes a new, empty place for a store and returns what opens the store
// there: first anew, later, when it was closed, with what it held.
type Opener func(tb testing.TB) func() (tree.Store, error)

// Run tests a store against every law of tree.Store, one subtest each, and then
// with random operations beside a model, closing and opening in between. What a
// store can besides (tree.Deriver, tree.Verifier) is tested where it can.
func Run(t *testing.T, open Opener) {
	t.Helper()
	for _, l := range laws() {
		t.Run(l.name, func(t *testing.T) { l.hold(t, open) })
	}
	t.Run("random operations agree with the model", func(t *testing.T) {
		rapid.Check(t, func(rt *rapid.T) { agree(rt, t, open, fromRapid{rt}, 20) })
	})
}

// Agree does steps random operations, of the given seed, on a new store and on
// the model, and fails where they differ.
func Agree(t testing.TB, open Opener, steps int, seed uint64) {
	t.Helper()
	t.Logf("seed %d", seed)
	agree(t, t, open, seeded(seed), steps)
}

type law struct {
	name string
	hold func(t testing.TB, open Opener)
}

func laws() []law {
	all := readLaws()
	all = append(all, commitLaws()...)
	all = append(all, outboxLaws()...)
	all = append(all, historyLaws()...)
	all = append(all, lifeLaws()...)
	return append(all, optionalLaws()...)
}

type fromRapid struct{ t *rapid.T }

func (f fromRapid) IntN(n int) int { return rapid.IntRange(0, n-1).Draw(f.t, "choice") }

// reporter is what fails: testing's or rapid's.
type reporter interface {
	require.TestingT
	Helper()
}

// agree does the same steps on the store and on a Memory.
func agree(t reporter, tb testing.TB, open Opener, r source, steps int) {
	t.Helper()
	ctx := tb.Context()
	reopen := open(tb)
	s, err := reopen()
	require.NoError(t, err)
	defer func() { _ = s.Close() }()
	m := NewMemory()
	for i := range steps {
		if r.IntN(12) > 0 {
			st := nextStep(r, m)
			require.NoError(t, st.both(ctx, s, m), "operation %d: %.2000s", i, st.name)
			continue
		}
		require.NoError(t, s.Close(), "operation %d: close", i)
		s, err = reopen()
		require.NoError(t, err, "operation %d: reopen", i)
		m = m.Reopen()
		require.NoError(t, compare(ctx, s, m), "operation %d: reopen", i)
	}
	require.NoError(t, compareChanges(ctx, s, m, uint64(r.IntN(4)))) //nolint:gosec // small
	require.NoError(t, s.Close())
	s, err = reopen()
	require.NoError(t, err)
	require.NoError(t, compare(ctx, s, m.Reopen()))
}

// both does the step on s and on m and says how the results differ.
func (st step) both(ctx context.Context, s tree.Store, m *Memory) error {
	want, errM := st.run(ctx, m)
	got, errS := st.run(ctx, s)
	switch {
	case (errM == nil) != (errS == nil), errM != nil && sayError(errM) != sayError(errS):
		return fmt.Errorf("the error is (%w), and of the model (%w)", orNil(errS), orNil(errM))
	case want != got:
		return fmt.Errorf("the result differs: %s", difference(want, got))
	}
	return nil
}

type noError struct{}

func (noError) Error() string { return "none" }

func orNil(err error) error {
	if err == nil {
		return noError{}
	}
	return err
}

// compare says how two freshly opened stores differ.
func compare(ctx context.Context, s tree.Store, m *Memory) error {
	got, err := whole(ctx, s)
	if err != nil {
		return err
	}
	want, err := whole(ctx, m)
	if err != nil {
		return err
	}
	if got != want {
		return fmt.Errorf("the store differs: %s", difference(want, got))
	}
	return compareKnown(ctx, s, m)
}

// seeded is a source of choices that a number repeats.
func seeded(seed uint64) *rand.Rand {
	return rand.New(rand.NewPCG(seed, 2)) //nolint:gosec // a seeded test
}
