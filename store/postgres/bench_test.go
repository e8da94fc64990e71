//go:build unix

package postgres_test

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/store/postgres"
	"github.com/memtree/memtree/store/postgres/pgtest"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// aCase is the i-th case of the benchmarks, of about 1.5 KB.
func aCase(i int) tree.Node {
	n := tree.Node{
		Type: tree.Case, Level: 1, ErrorType: "content_validation_error", Direction: taxonomy.FalsePass, Lang: "en",
		Status: tree.Active, Children: []string{}, Origin: tree.Origin{ID: "o_test"},
		Provenance: tree.Provenance{By: "formation"}, Metadata: tree.Metadata{CreatedAt: noon, UpdatedAt: noon},
		Content:     tree.Content{Description: "the total was not added up", Guidance: "Add up the total.", Confidence: .5},
		Occurrences: []tree.Occurrence{{Evaluation: fmt.Sprint("ev", i), At: noon}},
		CaseData: &tree.CaseData{
			TestCase:      tree.TestCase{CaseID: fmt.Sprint("t", i), Prompt: fmt.Sprint("Check the order total ", i)},
			AgentJudgment: "pass", ActualError: "it was 41", ErrorReason: "not added up", AvoidanceHint: "add it up",
		},
	}
	n.ID = tree.EvidenceID(&n)
	return n
}

// BenchmarkCommit measures commits of one case with one entry: one client at a tree, and 16 trees of two processes.
func BenchmarkCommit(b *testing.B) {
	server := pgtest.Start(b)
	for _, n := range []int{1, 16} {
		b.Run(fmt.Sprint("trees=", n), func(b *testing.B) {
			var stores []*postgres.Store
			for range n {
				stores = append(stores, opened(b, address(b, server)))
			}
			b.ResetTimer()
			var all sync.WaitGroup
			for w, s := range stores {
				all.Go(func() {
					for i := w; i < b.N; i += n {
						_, err := s.Commit(b.Context(), store.Batch{
							Changes: []tree.Change{tree.NewChange(tree.OpAdd, aCase(i), 0, "formation", "it was judged wrong")},
							Entries: entries("", i).Entries,
						})
						if err != nil {
							b.Error(err)
						}
					}
				})
			}
			all.Wait()
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "commits/s")
		})
	}
}

// BenchmarkAccept measures intake: calls of 100, and single ones of 64 clients, which share transactions.
func BenchmarkAccept(b *testing.B) {
	server := pgtest.Start(b)
	n := 0
	for _, c := range []struct{ clients, each int }{{4, 100}, {64, 1}, {1, 1}} {
		b.Run(fmt.Sprintf("clients=%d/each=%d", c.clients, c.each), func(b *testing.B) {
			s := opened(b, address(b, server))
			calls := max(1, b.N/c.each)
			from := n
			n += calls * c.each
			b.ResetTimer()
			var all sync.WaitGroup
			for w := range c.clients {
				all.Go(func() {
					for i := w; i < calls; i += c.clients {
						es := make([]tree.Evaluation, c.each)
						for j := range es {
							es[j] = run(from + i*c.each + j)
						}
						if _, err := s.Accept(b.Context(), es); err != nil {
							b.Error(err)
						}
					}
				})
			}
			all.Wait()
			b.ReportMetric(float64(calls*c.each)/b.Elapsed().Seconds(), "runs/s")
		})
	}
}

// TestTenantProbes asks 100,000 times for what another tenant has, by ids, keys and ops that exist there.
func TestTenantProbes(t *testing.T) {
	server := pgtest.Shared(t)
	theirs := opened(t, at(t, server, "postgres", "postgres&tenant=theirs"))
	mine := opened(t, at(t, server, "postgres", "postgres&tenant=mine"))
	const nodes = 200
	var b store.Batch
	for i := range nodes {
		b.Changes = append(b.Changes, tree.NewChange(tree.OpAdd, aCase(i), 0, "formation", "it was judged wrong"))
	}
	_, err := theirs.Commit(t.Context(), b)
	require.NoError(t, err)
	require.NoError(t, theirs.SaveDerived(t.Context(), "index", 1, writing("theirs")))
	probes := 5_000
	if long() {
		probes = 100_000
	}
	r := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // a seeded test
	begun := time.Now()
	for range probes {
		switch id := b.Changes[r.IntN(nodes)].Node.ID; r.IntN(5) {
		case 0:
			for range mine.Scan(t.Context(), store.Filter{Level: 1}) {
				t.Fatal("a node of theirs")
			}
		case 1:
			_, err = mine.OpenDerived(t.Context(), "index")
			require.ErrorIs(t, err, tree.ErrNotFound)
		case 2:
			for range mine.Changes(t.Context(), 0) {
				t.Fatal("a commit of theirs")
			}
		default:
			_, err = mine.Get(t.Context(), id)
			require.ErrorIs(t, err, tree.ErrNotFound)
		}
	}
	t.Logf("%d probes in %s, 0 answers", probes, time.Since(begun).Round(time.Second))
}
