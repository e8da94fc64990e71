//go:build unix

package scale_test

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/store/postgres"
	"github.com/memtree/memtree/store/postgres/pgtest"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// batch is how many runs are a call of intake, and how many cases a commit.
const batch = 100

var noon = time.Date(2026, 1, 28, 12, 0, 0, 0, time.UTC)

// judged is the i-th judged run of a tree, of about 500 bytes.
func judged(i int) tree.Evaluation {
	return tree.Evaluation{ID: fmt.Sprint("ev", i), At: noon, CaseID: fmt.Sprint("t", i),
		Prompt:   fmt.Sprintf("Open order %d, add a coupon, check that the total is the sum of the items less the coupon", i),
		Judgment: tree.Raw(`"pass"`), GroundTruth: tree.Raw(`"fail"`), Scene: tree.Scene{Type: "form", Route: "/orders"},
		Reason: "The agent compared the total with the one of the page before, and did not add up the items itself."}
}

// formed is the case of a run, of about 1.5 KB.
func formed(i int) tree.Node {
	e := judged(i)
	n := tree.Node{
		Type: tree.Case, Level: 1, ErrorType: "content_validation_error", Direction: taxonomy.FalsePass, Lang: "en",
		Status: tree.Active, Children: []string{}, Origin: tree.Origin{ID: "o_scale"},
		Provenance: tree.Provenance{By: "formation"}, Metadata: tree.Metadata{CreatedAt: noon, UpdatedAt: noon},
		Content:     tree.Content{Description: e.Reason, Guidance: "Add up the items.", Confidence: .5},
		Occurrences: []tree.Occurrence{{Evaluation: e.ID, At: noon}},
		CaseData: &tree.CaseData{
			TestCase:      tree.TestCase{CaseID: e.CaseID, Prompt: e.Prompt},
			AgentJudgment: "pass", ActualError: "the total was wrong", ErrorReason: e.Reason, AvoidanceHint: "add it up",
		},
	}
	n.ID = tree.EvidenceID(&n)
	return n
}

// TestLoad fills one server: MEMTREE_TREES trees of MEMTREE_EACH runs, in calls of 100, and the cases of the first
// MEMTREE_FORMED trees, 100 a commit. Each tree has what was acknowledged.
func TestLoad(t *testing.T) {
	trees, each, withCases := number("MEMTREE_TREES", 0), number("MEMTREE_EACH", 2000), number("MEMTREE_FORMED", 100)
	if trees == 0 {
		t.Skip("make scale runs this")
	}
	server := pgtest.Start(t, "max_wal_size=1GB")
	conn, err := pgx.Connect(t.Context(), server.URL("postgres"))
	require.NoError(t, err)
	defer conn.Close(t.Context())
	begun := time.Now()
	perTree(t, server, trees, func(s *postgres.Store) {
		for from := 0; from < each; from += batch {
			es := make([]tree.Evaluation, min(batch, each-from))
			for i := range es {
				es[i] = judged(from + i)
			}
			_, err := s.Accept(t.Context(), es)
			require.NoError(t, err)
		}
	})
	took := time.Since(begun)
	t.Logf("%d runs into %d trees in %s: %.0f runs/s; %s", trees*each, trees, took.Round(time.Second),
		float64(trees*each)/took.Seconds(), sizes(t, conn))
	begun = time.Now()
	perTree(t, server, min(trees, withCases), func(s *postgres.Store) {
		for from := 0; from < each; from += batch {
			var b store.Batch
			for i := from; i < min(each, from+batch); i++ {
				b.Changes = append(b.Changes, tree.NewChange(tree.OpAdd, formed(i), 0, "formation", "it was judged wrong"))
				e := judged(i)
				b.Done = append(b.Done, e.Key())
			}
			_, err := s.Commit(t.Context(), b)
			require.NoError(t, err)
		}
	})
	cases := min(trees, withCases) * each
	took = time.Since(begun)
	t.Logf("%d cases of %d trees in %s: %.0f cases/s; %s", cases, min(trees, withCases), took.Round(time.Second),
		float64(cases)/took.Seconds(), sizes(t, conn))
	n := 0
	perTree(t, server, trees, func(s *postgres.Store) {
		info, err := s.Info(t.Context())
		require.NoError(t, err)
		require.Equal(t, each, info.Evaluations)
		require.Equal(t, each, info.Outbox+info.Nodes)
	})
	require.NoError(t, conn.QueryRow(t.Context(), "SELECT count(*) FROM memtree.evaluation").Scan(&n))
	require.Equal(t, trees*each, n)
}

// perTree calls do with each tree, eight at a time, as so many services.
func perTree(t *testing.T, server *pgtest.Postgres, trees int, do func(*postgres.Store)) {
	t.Helper()
	var next atomic.Int64
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for i := next.Add(1); i <= int64(trees); i = next.Add(1) {
				a, err := postgres.Parse(server.URL("postgres") + fmt.Sprintf("&pool_max_conns=2&tenant=n%d&tree=shop", i))
				require.NoError(t, err)
				s, err := postgres.Open(t.Context(), a, postgres.Options{})
				require.NoError(t, err)
				do(s)
				require.NoError(t, s.Close())
			}
		})
	}
	all.Wait()
}

// sizes returns how large the database and its largest tables are, with their indexes.
func sizes(t *testing.T, conn *pgx.Conn) string {
	t.Helper()
	var whole int64
	require.NoError(t, conn.QueryRow(t.Context(), "SELECT pg_database_size('postgres')").Scan(&whole))
	rows, err := conn.Query(t.Context(), `SELECT relname, pg_total_relation_size(oid) FROM pg_class
		WHERE relkind = 'r' AND relnamespace = 'memtree'::regnamespace ORDER BY 2 DESC LIMIT 4`)
	require.NoError(t, err)
	var parts []string
	var name string
	var size int64
	_, err = pgx.ForEachRow(rows, []any{&name, &size}, func() error {
		parts = append(parts, fmt.Sprintf("%s %d MB", name, size/1_000_000))
		return nil
	})
	require.NoError(t, err)
	return fmt.Sprintf("database %d MB (%s)", whole/1_000_000, strings.Join(parts, ", "))
}
