package memtree_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/formation"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/store/storetest"
	"github.com/memtree/memtree/tree"
)

// withSecret returns runs that are equal but for a secret in one of the texts that distinguish runs.
func withSecret(secret string) []memtree.Evaluation {
	run := func(edit func(*memtree.Evaluation)) memtree.Evaluation {
		e := memtree.Evaluation{
			RunID: "n6", CaseID: "login", Prompt: "Log in", Judgment: tree.Quote("pass"), GroundTruth: tree.Quote("fail"),
		}
		edit(&e)
		return e
	}
	text := " with password: " + secret
	return []memtree.Evaluation{
		run(func(e *memtree.Evaluation) { e.RunID += text }),
		run(func(e *memtree.Evaluation) { e.CaseID += text }),
		run(func(e *memtree.Evaluation) { e.Prompt += text }),
		run(func(e *memtree.Evaluation) { e.Judgment = tree.Quote("pass" + text) }),
		run(func(e *memtree.Evaluation) { e.RunID, e.Trial = "", "t"+text }),
	}
}

func statuses(receipts []store.Receipt) (out []store.ReceiptStatus) {
	for _, r := range receipts {
		out = append(out, r.Status)
	}
	return out
}

func fiveTimes(s store.ReceiptStatus) []store.ReceiptStatus {
	return []store.ReceiptStatus{s, s, s, s, s}
}

// TestSecretKeys: two runs that only their secrets distinguish are two runs, and each is recorded once.
func TestSecretKeys(t *testing.T) {
	m := open(t, t.TempDir(), nil)
	met := map[string]bool{}
	for _, secret := range []string{"short123", "Another9"} {
		receipts, err := m.RecordAll(t.Context(), withSecret(secret))
		require.NoError(t, err)
		require.Equal(t, fiveTimes(store.Accepted), statuses(receipts))
		again, err := m.RecordAll(t.Context(), withSecret(secret))
		require.NoError(t, err)
		require.Equal(t, fiveTimes(store.Duplicate), statuses(again))
		for i, e := range withSecret(secret) {
			e.Identify()
			key := receipts[i].Key
			require.Equal(t, key, again[i].Key)
			require.NotEqual(t, e.Key(), key, "a fast hash of the secret")
			require.False(t, met[key])
			require.NotContains(t, key, secret)
			met[key] = true
		}
	}
}

// TestSecretKeysBefore: a run that was recorded when keys were made of redacted texts is the same run still.
func TestSecretKeysBefore(t *testing.T) {
	s := storetest.NewMemory()
	var old []memtree.Evaluation
	for _, e := range withSecret("short123") {
		e.Identify()
		e.At = day
		e, n := formation.Redact(e)
		require.NotZero(t, n)
		e.ID = ""
		old = append(old, e)
	}
	before, err := s.Accept(t.Context(), old)
	require.NoError(t, err)
	m := open(t, "", &memtree.Options{Store: s})
	receipts, err := m.RecordAll(t.Context(), withSecret("short123"))
	require.NoError(t, err)
	require.Equal(t, fiveTimes(store.Duplicate), statuses(receipts))
	for i := range before {
		require.Equal(t, before[i].Key, receipts[i].Key)
		require.True(t, strings.HasPrefix(before[i].Key, "v_"))
	}
}
