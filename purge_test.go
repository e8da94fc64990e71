package memtree_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/brief"
	"github.com/memtree/memtree/curation"
	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/llm/llmtest"
	"github.com/memtree/memtree/look"
	"github.com/memtree/memtree/store"
	jsonstore "github.com/memtree/memtree/store/json"
	"github.com/memtree/memtree/store/storetest"
	"github.com/memtree/memtree/tree"
)

const canary = "zanzibarcanary"

// on opens a memory whose store is on a file system.
func on(t *testing.T, fs afero.Fs) *memtree.Memory {
	t.Helper()
	m, _ := onStore(t, fs)
	return m
}

func onStore(t *testing.T, fs afero.Fs) (*memtree.Memory, *jsonstore.Store) {
	t.Helper()
	s, err := jsonstore.Open(t.Context(), fs, "/store", jsonstore.Options{})
	require.NoError(t, err)
	m, err := memtree.Open(t.Context(), "", &memtree.Options{
		Store: s, Deadline: time.Minute, Generator: llmtest.Echo{}, Embedder: &played{},
	})
	require.NoError(t, err)
	return m, s
}

// withCanary returns the files that have the canary.
func withCanary(t *testing.T, fs afero.Fs) (out []string) {
	t.Helper()
	require.NoError(t, afero.Walk(fs, "/store", func(name string, info os.FileInfo, err error) error {
		if err != nil || info.IsDir() {
			return err
		}
		b, err := afero.ReadFile(fs, name)
		if strings.Contains(strings.ToLower(string(b)), canary) {
			out = append(out, name)
		}
		return err
	}))
	return out
}

// purgings are what a person can purge: each fills a memory and returns the purge, and whether it has happened.
var purgings = map[string]func(t *testing.T, m *memtree.Memory) (purge func(context.Context, *memtree.Memory) error,
	gone func(*memtree.Memory) bool){
	"a case": func(t *testing.T, m *memtree.Memory) (func(context.Context, *memtree.Memory) error,
		func(*memtree.Memory) bool) {
		ctx := t.Context()
		g, err := m.Guide(ctx, memtree.Query{Prompt: "Check " + canary, Scene: tree.Scene{Route: "/" + canary}, RunID: "x"})
		require.NoError(t, err)
		for i, s := range []string{canary, "invoice", "refund", "voucher"} {
			e := sumRun(fmt.Sprint("r", i), s, i+5)
			e.GroundTruth = nil
			if i == 0 {
				e.Trial = g.Trial
			}
			require.NoError(t, m.Record(ctx, e))
			require.NoError(t, m.Wait(ctx))
			_, err = m.Inbox().Looks().Read(ctx, []memtree.Evaluation{e}, look.Options{})
			require.NoError(t, err)
			_, err = m.Curation().Label(ctx, []string{e.ID}, curation.Truth{Correct: new(false), Direction: "false_pass",
				Reason: e.Reason}, curation.Options{By: "ann", Why: s})
			require.NoError(t, err)
		}
		require.NoError(t, m.Briefs().Expect([]brief.UpcomingTest{{Prompt: "Check the " + canary}}))
		_, err = m.Briefs().Read(ctx, nil, nil)
		require.NoError(t, err)
		_, err = m.Evolve(ctx, nil)
		require.NoError(t, err)
		id := caseOf(t, m, "r0").ID
		return func(ctx context.Context, m *memtree.Memory) error {
				_, err := m.Curation().Forget(ctx, id, curation.Options{Purge: true, Why: canary})
				return err
			}, func(m *memtree.Memory) bool {
				n, err := m.Tree().Get(t.Context(), id)
				require.NoError(t, err)
				return n.Buried()
			}
	},
	"a taught lesson": func(t *testing.T, m *memtree.Memory) (func(context.Context, *memtree.Memory) error,
		func(*memtree.Memory) bool) {
		d, err := m.Curation().Teach(t.Context(), curation.TaughtLesson{
			Lesson: "Ask the " + canary + " for the total, then compare it.", When: []string{"the " + canary + " is shown"},
			For: []string{"Check the " + canary},
		}, curation.Options{By: "ann", Why: canary})
		require.NoError(t, err)
		id := d.Action.Node
		return func(ctx context.Context, m *memtree.Memory) error {
				_, err := m.Curation().Forget(ctx, id, curation.Options{Purge: true, Why: canary})
				return err
			}, func(m *memtree.Memory) bool {
				n, err := m.Tree().Get(t.Context(), id)
				require.NoError(t, err)
				return n.Buried()
			}
	},
	"a fact": func(t *testing.T, m *memtree.Memory) (func(context.Context, *memtree.Memory) error,
		func(*memtree.Memory) bool) {
		d, err := m.Curation().KnowFact(t.Context(), ledger.Statement{Text: "The " + canary + " pays by invoice."},
			curation.Options{By: "ann", Why: canary})
		require.NoError(t, err)
		return func(ctx context.Context, m *memtree.Memory) error {
				_, err := m.Curation().ForgetFact(ctx, d.Fact.ID, curation.Options{Purge: true, Why: canary})
				return err
			}, func(m *memtree.Memory) bool {
				all, err := m.Knowledge().All(t.Context())
				require.NoError(t, err)
				return len(all) == 0
			}
	},
}

// TestPurgeLeavesNothing: after a crash at any moment of a purge, the memory that is opened next has what was purged as
// it was, or no byte of it, whatever was derived from it: what waits for a label, looks, briefs, drafts, vectors, the
// index. A purge that finds no room on the disk is over in memory at once, and leaves nothing in the files after
// the next snapshot and the next open.
func TestPurgeLeavesNothing(t *testing.T) {
	for name, fill := range purgings {
		t.Run(name, func(t *testing.T) {
			disk := storetest.NewCrashFS()
			m := on(t, disk)
			purge, gone := fill(t, m)
			require.NoError(t, m.Close())
			m = on(t, disk)
			require.NoError(t, m.Wait(t.Context()))
			require.NotEmpty(t, withCanary(t, disk))
			require.False(t, gone(m))
			from := disk.Ops()
			require.NoError(t, purge(t.Context(), m))
			to := disk.Ops()
			require.Empty(t, withCanary(t, disk), "at once")
			require.NoError(t, m.Close())
			require.Empty(t, withCanary(t, disk), "after closing")
			before, after := 0, 0
			for at := from; at <= to; at += 1 + (to-from)/60 {
				left := disk.CrashAt(at, uint64(at))
				m := on(t, left)
				if !gone(m) {
					before++
					require.NoError(t, purge(t.Context(), m), "after %d operations", at-from)
				} else {
					after++
				}
				require.Empty(t, withCanary(t, left), "after %d operations", at-from)
				require.NoError(t, m.Close())
				require.Empty(t, withCanary(t, left), "after %d operations and a close", at-from)
			}
			require.Positive(t, before)
			require.Positive(t, after)
			t.Log(before, "before,", after, "after, of", to-from)
		})
		t.Run(name+", the disk is full", func(t *testing.T) {
			mem := afero.NewMemMapFs()
			ill := storetest.NewFaultFS(mem)
			m, s := onStore(t, ill)
			purge, gone := fill(t, m)
			ill.Set(storetest.Fault{Kind: storetest.OpMkdir, Errno: syscall.ENOSPC, ForGood: true})
			var unfinished *store.UnfinishedPurgeError
			require.ErrorAs(t, purge(t.Context(), m), &unfinished)
			require.True(t, gone(m))
			ill.Set()
			require.NoError(t, s.Compact(t.Context()))
			require.NoError(t, m.Close())
			m = on(t, mem)
			require.Empty(t, withCanary(t, mem))
			require.NoError(t, m.Close())
			require.Empty(t, withCanary(t, mem))
		})
	}
}
