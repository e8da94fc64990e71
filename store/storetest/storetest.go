package storetest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/memtree/memtree/store"
)

// opener makes a new, empty place for a store. It returns a function that opens the store there: empty at first, later
// with its content at the last close.
type opener func(tb testing.TB) func() (store.Store, error)

// Run tests a store against every law of store.Store, one subtest each. open makes a new, empty place for a store, and
// returns a function that opens the store there. Run then performs random operations on the store and on a model,
// closing and opening the store in between. If the store is also a store.Deriver, store.Gallery, store.Knower or
// store.Verifier, Run tests that too.
func Run(t *testing.T, open opener) {
	t.Helper()
	for _, l := range laws() {
		t.Run(l.name, func(t *testing.T) { l.check(t, open) })
	}
	t.Run("random operations agree with the model", func(t *testing.T) {
		rapid.Check(t, func(rt *rapid.T) { agree(rt, t, open, fromRapid{rt}, 20) })
	})
}

// Agree performs steps random operations, chosen by the seed, on a new store and on the model. The test fails if they
// differ.
func Agree(t testing.TB, open opener, steps int, seed uint64) {
	t.Helper()
	t.Logf("seed %d", seed)
	agree(t, t, open, seeded(seed), steps)
}

// law is one rule of the contract of store.Store, with its test.
type law struct {
	name  string
	check func(t testing.TB, open opener)
}

func laws() []law {
	all := readLaws()
	all = append(all, commitLaws()...)
	all = append(all, outboxLaws()...)
	all = append(all, historyLaws()...)
	all = append(all, lifeLaws()...)
	return append(all, optionalLaws()...)
}

// fromRapid is a source whose choices rapid makes, and shrinks after a failure.
type fromRapid struct{ t *rapid.T }

func (f fromRapid) IntN(n int) int { return rapid.IntRange(0, n-1).Draw(f.t, "choice") }

// reporter is a testing.TB or a rapid.T.
type reporter interface {
	require.TestingT
	Helper()
}

// agree performs the same steps on the store and on a MapStore.
func agree(t reporter, tb testing.TB, open opener, r source, steps int) {
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

// both performs the step on s and on m and returns how the results differ.
func (st modelStep) both(ctx context.Context, s store.Store, m *MapStore) error {
	want, errM := st.run(ctx, m)
	got, errS := st.run(ctx, s)
	switch {
	case (errM == nil) != (errS == nil), errM != nil && errorClass(errM) != errorClass(errS):
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

// compare returns how the content of a freshly opened store differs from the model.
func compare(ctx context.Context, s store.Store, m *MapStore) error {
	got, err := storeText(ctx, s)
	if err != nil {
		return err
	}
	want, err := storeText(ctx, m)
	if err != nil {
		return err
	}
	if got != want {
		return fmt.Errorf("the store differs: %s", difference(want, got))
	}
	return compareKnown(ctx, s, m)
}

// seeded returns a source that makes the same choices for the same seed.
func seeded(seed uint64) *rand.Rand {
	return rand.New(rand.NewPCG(seed, 2)) //nolint:gosec // a seeded test
}
