package storetest

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/tree"
)

// outboxLaws are the laws of Accept, Lease and Release.
func outboxLaws() []law {
	return []law{
		{"receipts say what became of each", receipts},
		{"a label that comes later is accepted", labelledLater},
		{"an evaluation without an id is known by its key", func(t testing.TB, open opener) {
			s := openNew(t, open)
			e := evaluation(1, 1)
			e.ID, e.RunID = "", "r1"
			require.Equal(t, []store.ReceiptStatus{store.Accepted}, accept(t, s, e))
			require.Equal(t, []store.ReceiptStatus{store.Duplicate}, accept(t, s, e))
			es, err := s.Lease(t.Context(), 1)
			require.NoError(t, err)
			require.Len(t, es, 1)
			commit(t, s, store.Batch{Done: []string{e.Key()}})
		}},
		{"a lease is exclusive, oldest first", leases},
		{"a lease ends with Close", func(t testing.TB, open opener) {
			reopen := open(t)
			s := openAt(t, reopen)
			accept(t, s, evaluation(1, 1), evaluation(2, 0))
			require.Equal(t, []string{"ev1", "ev2"}, lease(t, s, 9))
			require.Empty(t, lease(t, s, 9))
			require.NoError(t, s.Close())
			s = openAt(t, reopen)
			es, err := s.Lease(t.Context(), 9)
			require.NoError(t, err)
			equal(t, []tree.Evaluation{evaluation(1, 1), evaluation(2, 0)}, es)
		}},
		{"done and dead end it, once", finishing},
		{"what is done stays known", func(t testing.TB, open opener) {
			reopen := open(t)
			s := openAt(t, reopen)
			accept(t, s, evaluation(1, 1))
			commit(t, s, store.Batch{Done: []string{"ev1"}, Changes: []tree.Change{addCase(1, "x")}})
			for range 2 {
				require.Equal(t, []store.ReceiptStatus{store.Duplicate, store.Contradiction},
					accept(t, s, evaluation(1, 1), evaluation(1, 2)))
				require.Empty(t, lease(t, s, 9))
				require.NoError(t, s.Close())
				s = openAt(t, reopen)
			}
		}},
		{"acceptors and formers at once", forming},
	}
}

// accept accepts evaluations and returns the statuses of their receipts.
func accept(t testing.TB, s store.Store, es ...tree.Evaluation) []store.ReceiptStatus {
	t.Helper()
	receipts, err := s.Accept(t.Context(), es)
	require.NoError(t, err)
	require.Len(t, receipts, len(es))
	out := make([]store.ReceiptStatus, len(es))
	for i, r := range receipts {
		require.Equal(t, es[i].Key(), r.Key)
		out[i] = r.Status
	}
	return out
}

// lease leases up to n evaluations and returns their keys.
func lease(t testing.TB, s store.Store, n int) []string {
	t.Helper()
	es, err := s.Lease(t.Context(), n)
	require.NoError(t, err)
	var keys []string
	for i := range es {
		keys = append(keys, es[i].Key())
	}
	return keys
}

// receipts accepts evaluations that are new, repeated and contradicted, in one call and after restarts.
func receipts(t testing.TB, open opener) {
	reopen := open(t)
	s := openAt(t, reopen)
	const yes, same, no = store.Accepted, store.Duplicate, store.Contradiction
	require.Empty(t, accept(t, s))
	require.Equal(t, []store.ReceiptStatus{yes, yes, same, no},
		accept(t, s, evaluation(1, 1), evaluation(2, 0), evaluation(1, 1), evaluation(1, 2)), "in one call")
	later := evaluation(1, 1)
	later.At = later.At.AddDate(1, 0, 0)
	for range 2 {
		require.Equal(t, []store.ReceiptStatus{same, same, same, no, no},
			accept(t, s, evaluation(1, 1), evaluation(2, 0), later, evaluation(1, 2), evaluation(2, 2)))
		info, err := s.Info(t.Context())
		require.NoError(t, err)
		require.Equal(t, 2, info.Evaluations)
		require.Equal(t, 2, info.Outbox)
		es, err := s.Lease(t.Context(), 9)
		require.NoError(t, err)
		equal(t, []tree.Evaluation{evaluation(1, 1), evaluation(2, 0)}, es)
		require.NoError(t, s.Close())
		s = openAt(t, reopen)
	}
}

// labelledLater accepts an evaluation first without a label and then with one. It must be leased with its label,
// whether or not it was formed without.
func labelledLater(t testing.TB, open opener) {
	for _, formed := range []bool{false, true} {
		for _, restart := range []bool{false, true} {
			reopen := open(t)
			s := openAt(t, reopen)
			require.Equal(t, []store.ReceiptStatus{store.Accepted}, accept(t, s, evaluation(1, 0)))
			require.Equal(t, []string{"ev1"}, lease(t, s, 1))
			if formed {
				commit(t, s, store.Batch{Done: []string{"ev1"}})
			}
			require.Equal(t, []store.ReceiptStatus{store.Accepted, store.Duplicate},
				accept(t, s, evaluation(1, 1), evaluation(1, 1)))
			if restart {
				require.NoError(t, s.Close())
				s = openAt(t, reopen)
			} else if !formed {
				require.NoError(t, s.Release(t.Context(), []string{"ev1"}))
			}
			var last tree.Evaluation
			for n := 0; ; n++ {
				require.Less(t, n, 3, "more than the two forms of it")
				es, err := s.Lease(t.Context(), 9)
				require.NoError(t, err)
				if len(es) == 0 {
					break
				}
				require.Len(t, es, 1, "one form at a time")
				last = es[0]
				commit(t, s, store.Batch{Done: []string{"ev1"}})
			}
			equal(t, evaluation(1, 1), last)
			require.Equal(t, []store.ReceiptStatus{store.Duplicate, store.Contradiction},
				accept(t, s, evaluation(1, 1), evaluation(1, 2)))
			require.NoError(t, s.Close())
		}
	}
}

// leases checks which evaluations are leased when some are released or finished.
func leases(t testing.TB, open opener) {
	s := openNew(t, open)
	require.Empty(t, lease(t, s, 9))
	for i := range 6 {
		accept(t, s, evaluation(5-i, 1)) // the order of arrival is not that of names
	}
	require.Empty(t, lease(t, s, 0))
	require.Equal(t, []string{"ev5", "ev4"}, lease(t, s, 2))
	require.Equal(t, []string{"ev3", "ev2"}, lease(t, s, 2))
	require.NoError(t, s.Release(t.Context(), []string{"ev4", "never heard of"}))
	require.Equal(t, []string{"ev4", "ev1"}, lease(t, s, 2), "given back, and again the oldest")
	require.NoError(t, s.Release(t.Context(), []string{"ev2", "ev5"}))
	commit(t, s, store.Batch{Done: []string{"ev5"}}) // the caller need not hold a lease
	require.Equal(t, []string{"ev2", "ev0"}, lease(t, s, 9))
	require.Empty(t, lease(t, s, 9))
}

// finishing ends evaluations as done and dead, and expects that neither can be ended again.
func finishing(t testing.TB, open opener) {
	reopen := open(t)
	s := openAt(t, reopen)
	accept(t, s, evaluation(1, 1), evaluation(2, 1), evaluation(3, 1))
	require.Equal(t, []string{"ev1", "ev2", "ev3"}, lease(t, s, 9))
	letter := store.DeadLetter{Evaluation: evaluation(2, 1), Why: "no model: 没有模型 <&>"}
	commit(t, s, store.Batch{Done: []string{"ev1"}, Dead: []store.DeadLetter{letter}})
	for range 2 {
		for _, b := range []store.Batch{{Done: []string{"ev1"}}, {Done: []string{"ev2"}}, {Dead: []store.DeadLetter{letter}},
			{Done: []string{"ev9"}}} {
			_, err := s.Commit(t.Context(), b)
			require.ErrorIs(t, err, store.ErrConflict, "someone else finished it")
		}
		info, err := s.Info(t.Context())
		require.NoError(t, err)
		require.Equal(t, []int{3, 1, 1}, []int{info.Evaluations, info.Outbox, info.Dead})
		dead, err := allAsJSON(s.DeadLetters(t.Context()))
		require.NoError(t, err)
		require.Equal(t, asJSON(letter)+"\n", dead)
		require.NoError(t, s.Close())
		s = openAt(t, reopen)
	}
	require.Equal(t, []string{"ev3"}, lease(t, s, 9))
}

// forming races callers of Accept with callers of Lease. Each evaluation is formed once.
func forming(t testing.TB, open opener) {
	const acceptors, each = 3, 12
	s := openNew(t, open)
	results := make(chan error, 2*acceptors)
	formed := make(chan string, 2*acceptors*each)
	accepted := make(chan struct{}, acceptors)
	for a := range acceptors {
		go func() {
			for i := range each {
				if _, err := s.Accept(t.Context(), []tree.Evaluation{evaluation(a*each+i, 1), evaluation(i, 1)}); err != nil {
					results <- err
					return
				}
			}
			accepted <- struct{}{}
			results <- nil
		}()
		go func() { results <- form(t, s, formed, accepted, acceptors) }()
	}
	for range 2 * acceptors {
		require.NoError(t, <-results)
	}
	close(formed)
	var got, want []string
	for key := range formed {
		got = append(got, key)
	}
	for i := range acceptors * each {
		want = append(want, fmt.Sprint("ev", i))
	}
	slices.Sort(want)
	slices.Sort(got)
	require.Equal(t, want, got)
}

// form leases and finishes evaluations until all acceptors have ended and the outbox is empty.
func form(t testing.TB, s store.Store, formed chan<- string, accepted chan struct{}, all int) error {
	for {
		end := len(accepted) == all
		es, err := s.Lease(t.Context(), 3)
		if err != nil {
			return err
		}
		for i := range es {
			key := es[i].Key()
			if _, err := s.Commit(t.Context(), store.Batch{Done: []string{key}, Entries: []ledger.Entry{entry(i)}}); err != nil {
				return err
			}
			formed <- key
		}
		if end && len(es) == 0 {
			return nil
		}
	}
}
