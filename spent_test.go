package memtree_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/llm/meter"
)

// The usage of models is counted over time, and costs nothing where there is no model.
func TestSpentOverTime(t *testing.T) {
	dir := t.TempDir()
	good := func() (llm.Answer, error) {
		return llm.Answer{JSON: sound(), Model: "m", Usage: llm.Usage{InputTokens: 100, OutputTokens: 10}}, nil
	}
	bad := func() (llm.Answer, error) {
		return llm.Answer{}, &llm.Error{Kind: llm.KindUnavailable, Err: errors.New("down")}
	}
	record := func(from, to int, of func() (llm.Answer, error)) {
		m := open(t, dir, &memtree.Options{Generator: &analyst{answer: of}})
		_, err := m.RecordAll(t.Context(), several(12)[from:to])
		require.NoError(t, err)
		require.NoError(t, m.Wait(t.Context()))
		require.NoError(t, m.Close())
	}
	spent := func() meter.Totals {
		m := open(t, dir, &memtree.Options{ReadOnly: true})
		defer func() { require.NoError(t, m.Close()) }()
		return m.Health().Spent
	}
	record(0, 0, good)
	require.Zero(t, spent())
	record(0, 3, good)
	require.Equal(t, meter.Spent{Calls: 1, Usage: llm.Usage{InputTokens: 100, OutputTokens: 10}}, spentOf(spent()))
	record(3, 5, bad)
	failed := spentOf(spent())
	require.Equal(t, failed.Calls-1, failed.Failed)
	require.Positive(t, failed.Why[llm.KindUnavailable])
	require.Equal(t, llm.Usage{InputTokens: 100, OutputTokens: 10}, failed.Usage)
	require.Equal(t, day, spent().Since)
}

func spentOf(t meter.Totals) meter.Spent { return t.Models[""] }
