//go:build unix

package memtree_test

import (
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/brief"
	"github.com/memtree/memtree/curation"
	"github.com/memtree/memtree/llm/llmtest"
	"github.com/memtree/memtree/llm/meter"
	"github.com/memtree/memtree/store/postgres"
	"github.com/memtree/memtree/store/postgres/pgtest"
	"github.com/memtree/memtree/tree"
)

// TestSharedFollows: what one process records, another one warns of, without being asked to look. Forming is done by
// one of the two.
func TestSharedFollows(t *testing.T) {
	server := pgtest.Start(t, "fsync=off")
	one, other := openShared(t, server), openShared(t, server)
	require.NoError(t, one.Record(t.Context(), sharedRun("r1", "Check the order total")))
	require.NoError(t, one.Wait(t.Context()))
	require.Eventually(t, func() bool {
		g, err := other.Guide(t.Context(), memtree.Query{Prompt: "Check the order total"})
		require.NoError(t, err)
		return len(g.Items) > 0
	}, 5*time.Second, 10*time.Millisecond)
	require.NoError(t, other.Record(t.Context(), sharedRun("r2", "Check the address of the order")))
	require.NoError(t, other.Wait(t.Context()), "the first one forms it")
	require.NoError(t, one.Close())
	require.NoError(t, other.Record(t.Context(), sharedRun("r3", "Check the coupon of the order")))
	require.NoError(t, other.Wait(t.Context()), "the other one takes over")
	info, err := other.Tree().Info(t.Context())
	require.NoError(t, err)
	require.Equal(t, []int{3, 3, 0}, []int{info.Nodes, info.Evaluations, info.Outbox})
}

// TestSharedBriefs: services of one tree have one book of coming tests: what each was told of, and what one has read.
// After a purge none has what the others had before.
func TestSharedBriefs(t *testing.T) {
	server := pgtest.Start(t, "fsync=off")
	one, other := openShared(t, server), openShared(t, server)
	require.NoError(t, one.Record(t.Context(), sharedRun("r1", "Check the order total")))
	require.NoError(t, one.Wait(t.Context()))
	expect := func(m *memtree.Memory, prompt string) {
		require.NoError(t, m.Briefs().Expect([]brief.UpcomingTest{brief.TestOf(prompt, tree.Scene{}, tree.Scope{})}))
		require.NoError(t, m.Briefs().Sync(t.Context()))
	}
	expect(one, "Check the cart of a guest")
	expect(other, "Check the coupon of a guest")
	r, err := one.Briefs().Read(t.Context(), nil, &brief.ReadOptions{Reading: meter.Reading{Reader: llmtest.Echo{}}})
	require.NoError(t, err)
	require.Equal(t, 2, r.ReadCounts.Tests, "also that of the other one")
	require.NoError(t, other.Briefs().Sync(t.Context()))
	require.Equal(t, 2, other.Briefs().Known().Read)
	expect(other, "Check the address of a guest")
	require.NoError(t, one.Briefs().Sync(t.Context()))
	require.Equal(t, 2, one.Briefs().Known().Read)
	require.True(t, slices.ContainsFunc(one.Briefs().Coming(), func(f brief.Brief) bool {
		return f.Prompt == "Check the address of a guest" && f.UpTo == 0
	}))

	id := liveOf(t, one, tree.Case)[0].ID
	_, err = one.Curation().Forget(t.Context(), id, curation.Options{Why: "private", Purge: true})
	require.NoError(t, err)
	require.Eventually(t, func() bool { return other.Health().Memories == 0 }, 5*time.Second, 10*time.Millisecond)
	require.NoError(t, other.Briefs().Sync(t.Context()))
	require.Zero(t, other.Briefs().Known().Tests)
	require.NoError(t, one.Briefs().Sync(t.Context()))
	require.Zero(t, one.Briefs().Known().Tests)
}

// BenchmarkSharedLag measures how long after a commit another process has it in its index. b.N is of no use: the lags
// are those of 60 commits.
func BenchmarkSharedLag(b *testing.B) {
	server := pgtest.Start(b)
	one, other := openShared(b, server), openShared(b, server)
	var lags []time.Duration
	for i := range 60 {
		id := string(rune('a'+i%26)) + string(rune('a'+i/26))
		require.NoError(b, one.Record(b.Context(), sharedRun("r"+id, "Check the order total number "+id)))
		require.NoError(b, one.Wait(b.Context()))
		begun := time.Now()
		for want := one.Health().Memories; other.Health().Memories < want; {
			time.Sleep(time.Millisecond)
		}
		lags = append(lags, time.Since(begun))
		time.Sleep(time.Duration(i*7%100) * time.Millisecond)
	}
	slices.Sort(lags)
	b.ReportMetric(float64(lags[len(lags)/2].Milliseconds()), "p50-ms")
	b.ReportMetric(float64(lags[len(lags)*99/100].Milliseconds()), "p99-ms")
	b.ReportMetric(0, "ns/op")
}

func openShared(t testing.TB, server *pgtest.Postgres) *memtree.Memory {
	t.Helper()
	a, err := postgres.Parse(server.URL("postgres"))
	require.NoError(t, err)
	s, err := postgres.Open(t.Context(), a, postgres.Options{})
	require.NoError(t, err)
	m, err := memtree.Open(t.Context(), t.TempDir(), &memtree.Options{Deadline: time.Minute, Store: s})
	require.NoError(t, err)
	t.Cleanup(func() { _ = m.Close() })
	return m
}

func sharedRun(id, prompt string) tree.Evaluation {
	return tree.Evaluation{RunID: id, CaseID: id, At: time.Date(2026, 1, 28, 9, 0, 0, 0, time.UTC), Prompt: prompt,
		Scene: tree.Scene{Type: "form"}, Judgment: tree.Raw(`"pass"`), GroundTruth: tree.Raw(`"fail"`),
		Reason: "The agent did not add up the cart."}
}

// BenchmarkSharedGuide compares guidance from a folder with that from a shared tree in memory, of 2,000 cases each.
func BenchmarkSharedGuide(b *testing.B) {
	server := pgtest.Start(b)
	a, err := postgres.Parse(server.URL("postgres"))
	require.NoError(b, err)
	s, err := postgres.Open(b.Context(), a, postgres.Options{})
	require.NoError(b, err)
	r, err := postgres.NewReplica(b.Context(), s, postgres.ReplicaOptions{})
	require.NoError(b, err)
	for name, o := range map[string]*memtree.Options{"folder": nil, "replica": {Store: r}} {
		m, err := memtree.Open(b.Context(), b.TempDir(), o)
		require.NoError(b, err)
		for i := range 2000 {
			id := strconv.Itoa(i)
			require.NoError(b, m.Record(b.Context(), sharedRun("r"+id, "Check the order total of customer "+id)))
		}
		require.NoError(b, m.Wait(b.Context()))
		b.Run(name, func(b *testing.B) {
			for i := range b.N {
				_, err := m.Guide(b.Context(), memtree.Query{Prompt: "Check the order total of customer " + strconv.Itoa(i%2000)})
				require.NoError(b, err)
			}
		})
		require.NoError(b, m.Close())
	}
}
