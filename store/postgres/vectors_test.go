//go:build unix

package postgres_test

import (
	"context"
	"iter"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/store/postgres"
	"github.com/memtree/memtree/store/postgres/pgtest"
	"github.com/memtree/memtree/tree"
)

// vectorsOf yields a vector of each node. The third number of those with three is that of the node's place.
func vectorsOf(dims int, nodes ...tree.Node) iter.Seq2[store.NodeVector, error] {
	return func(yield func(store.NodeVector, error) bool) {
		for i := range nodes {
			v := make([]float32, dims)
			v[0], v[dims-1] = 1, float32(i)/8
			if !yield(store.NodeVector{ID: nodes[i].ID, Revision: nodes[i].Revision, Vector: v}, nil) {
				return
			}
		}
	}
}

// changed commits a change of a node and returns it as it is then.
func changed(t testing.TB, s *postgres.Store, n tree.Node, change func(*tree.Node)) tree.Node {
	t.Helper()
	before := n.Revision
	op := tree.OpRevise
	if before == 0 {
		op = tree.OpAdd
	}
	change(&n)
	c := tree.NewChange(op, n, before, "person", "test")
	_, err := s.Commit(t.Context(), store.Batch{Changes: []tree.Change{c}})
	require.NoError(t, err)
	return c.Node
}

// queried returns the first column of a query, as text.
func queried(t testing.TB, server *pgtest.Postgres, sql string) []string {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), server.URL("postgres"))
	require.NoError(t, err)
	defer conn.Close(context.Background())
	rows, err := conn.Query(t.Context(), sql)
	require.NoError(t, err)
	out, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	return out
}

// refused returns the error of a statement of a user.
func refused(t testing.TB, server *pgtest.Postgres, sql string) error {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), server.URL("postgres"))
	require.NoError(t, err)
	defer conn.Close(context.Background())
	_, err = conn.Exec(t.Context(), sql)
	return err
}

// TestVectorsUnasked: where nobody has asked for vectors nothing reads any, and asking for them without the extension
// is a sentence.
func TestVectorsUnasked(t *testing.T) {
	server := pgtest.Start(t, "fsync=off")
	s := opened(t, at(t, server, "postgres", "postgres"))
	require.NoError(t, s.FillVectors(t.Context(), "e", func(func(store.NodeVector, error) bool) {
		t.Error("vectors were read")
	}))
	require.ErrorContains(t, refused(t, server, `SELECT memtree.offer_vectors()`), "the extension vector is not")
	server.Exec(t, "postgres", `SELECT memtree.drop_vectors()`)
	n := changed(t, s, aCase(1), func(*tree.Node) {})
	changed(t, s, n, func(n *tree.Node) { n.Status = tree.Archived })
}

// TestVectors: the table has the vectors of the live memories, only what has changed is written, and a memory that is
// forgotten, or has another text, has none from its commit on.
func TestVectors(t *testing.T) {
	server := pgtest.Start(t, "fsync=off")
	server.WithVectors(t)
	s := opened(t, at(t, server, "postgres", "postgres"))
	server.Exec(t, "postgres", `CREATE SCHEMA "Ext"`, `CREATE EXTENSION vector SCHEMA "Ext"`,
		`SELECT memtree.offer_vectors()`, `SELECT memtree.offer_vectors()`)
	nodes := make([]tree.Node, 250)
	for i := range nodes {
		nodes[i] = changed(t, s, aCase(i), func(*tree.Node) {})
	}
	fill := func(encoder string, dims int, nodes ...tree.Node) {
		require.NoError(t, s.FillVectors(t.Context(), encoder, vectorsOf(dims, nodes...)))
	}
	const count = `SELECT count(*)::text FROM memtree.memory_vector WHERE tree = 'default'`
	fill("a", 3, nodes...)
	require.Equal(t, []string{"250"}, queried(t, server, count))
	const written = `SELECT xmin::text FROM memtree.embedding ORDER BY id`
	before := queried(t, server, written)
	fill("a", 3, nodes...)
	require.Equal(t, before, queried(t, server, written), "nothing has changed")

	of := func(n tree.Node) []string {
		return queried(t, server, `SELECT revision || ' ' || encoder || ' ' || dims FROM memtree.embedding WHERE id = '`+
			n.ID+`'`)
	}
	nodes[0] = changed(t, s, nodes[0], func(n *tree.Node) { n.Content.Confidence = .7 })
	require.Equal(t, []string{"1 a 3"}, of(nodes[0]), "it has the same text")
	fill("a", 3, nodes...)
	require.Equal(t, []string{"2 a 3"}, of(nodes[0]))
	for name, change := range map[string]func(*tree.Node){
		"archived":   func(n *tree.Node) { n.Status = tree.Archived },
		"banned":     func(n *tree.Node) { n.Mark = tree.Banned },
		"superseded": func(n *tree.Node) { n.SupersededBy = nodes[9].ID },
		"purged":     func(n *tree.Node) { n.CaseData.TestCase.Prompt = "" },
	} {
		stale := nodes[1]
		nodes[1] = changed(t, s, nodes[1], change)
		require.Empty(t, of(nodes[1]), name)
		fill("a", 3, append([]tree.Node{stale}, nodes[2:]...)...)
		require.Empty(t, of(nodes[1]), "an index that is behind, of one %s", name)
		nodes[1] = changed(t, s, nodes[1], func(n *tree.Node) {
			n.Status, n.Mark, n.SupersededBy, n.CaseData.TestCase.Prompt = tree.Active, "", "", "Check it again"
		})
		fill("a", 3, nodes...)
		require.Len(t, of(nodes[1]), 1, name)
	}

	fill("b", 16000, nodes[:2]...)
	require.Equal(t, []string{"2"}, queried(t, server, count), "those of another encoder go")
	require.Equal(t, []string{"2 b 16000"}, of(nodes[0]))
	require.ErrorContains(t, s.FillVectors(t.Context(), "c", vectorsOf(16001, nodes...)), "16000")

	server.Exec(t, "postgres", `DROP EXTENSION vector CASCADE`)
	fill("a", 3, nodes...)
	nodes[0] = changed(t, s, nodes[0], func(n *tree.Node) { n.Status = tree.Archived })
	server.Exec(t, "postgres", `CREATE EXTENSION vector`, `SELECT memtree.offer_vectors()`)
	fill("a", 3, nodes[1:]...)
	require.Equal(t, []string{"249"}, queried(t, server, count))
	server.Exec(t, "postgres", `DELETE FROM memtree.node WHERE id = '`+nodes[1].ID+`'`)
	require.Equal(t, []string{"248"}, queried(t, server, count))
	server.Exec(t, "postgres", `SELECT memtree.drop_vectors()`)
	require.Empty(t, queried(t, server, `SELECT relname::text FROM pg_class WHERE relname IN ('embedding', 'memory_vector')
		UNION SELECT tgname::text FROM pg_trigger WHERE tgname = 'forget_vector'`))
	changed(t, s, nodes[2], func(n *tree.Node) { n.Status = tree.Archived })
}

// TestVectorsRights: who may not make tables may not ask for vectors, and an older extension is refused. A service that
// may not write the table learns what to grant, and forgets all the same.
func TestVectorsRights(t *testing.T) {
	server := pgtest.Start(t, "fsync=off")
	server.WithVectors(t)
	s := opened(t, at(t, server, "postgres", "postgres"))
	n := changed(t, s, aCase(1), func(*tree.Node) {})
	server.Exec(t, "postgres", `CREATE ROLE guest LOGIN`, `GRANT USAGE ON SCHEMA memtree TO guest`,
		`GRANT ALL ON ALL TABLES IN SCHEMA memtree TO guest`, `CREATE EXTENSION vector`)
	require.ErrorContains(t, refused(t, server, `SET ROLE guest; SELECT memtree.offer_vectors()`), "permission denied")
	server.Exec(t, "postgres", `UPDATE pg_extension SET extversion = '0.4.10' WHERE extname = 'vector'`)
	require.ErrorContains(t, refused(t, server, `SELECT memtree.offer_vectors()`), "0.4.10, older than 0.5")
	server.Exec(t, "postgres", `UPDATE pg_extension SET extversion = '0.10.0-rc1' WHERE extname = 'vector'`,
		`SELECT memtree.offer_vectors()`)
	require.NoError(t, s.FillVectors(t.Context(), "a", vectorsOf(3, n)))

	guest := opened(t, at(t, server, "guest", "postgres"))
	require.ErrorContains(t, guest.FillVectors(t.Context(), "b", vectorsOf(3, n)), "GRANT")
	changed(t, guest, n, func(n *tree.Node) { n.Status = tree.Archived })
	require.Empty(t, queried(t, server, `SELECT id FROM memtree.embedding`))
}

// TestVectorsRace: whatever is committed while vectors are written, no memory that is forgotten has one afterwards.
func TestVectorsRace(t *testing.T) {
	server := pgtest.Start(t, "fsync=off")
	server.WithVectors(t)
	s, other := opened(t, at(t, server, "postgres", "postgres")), opened(t, at(t, server, "postgres", "postgres"))
	server.Exec(t, "postgres", `CREATE EXTENSION vector`, `SELECT memtree.offer_vectors()`)
	nodes := make([]tree.Node, 60)
	for i := range nodes {
		nodes[i] = changed(t, s, aCase(i), func(*tree.Node) {})
	}
	asRead := append([]tree.Node{}, nodes...)
	var filling sync.WaitGroup
	forgotten := make(chan struct{})
	for _, encoder := range []string{"a", "b"} { // two services that disagree, so that all is written each time
		filling.Go(func() {
			for more := true; more; {
				select {
				case <-forgotten:
					more = false
				default:
				}
				if err := other.FillVectors(t.Context(), encoder, vectorsOf(512, asRead...)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for i := range nodes[:40] {
		changed(t, s, nodes[i], func(n *tree.Node) { n.Status = tree.Archived })
	}
	close(forgotten)
	filling.Wait()
	require.Equal(t, []string{"20"}, queried(t, server, `SELECT count(*)::text FROM memtree.embedding`))
	require.Empty(t, queried(t, server, `SELECT e.id FROM memtree.embedding e JOIN memtree.node n USING (tree, id)
		WHERE n.status <> 'active'`))
}

// BenchmarkVectors measures what vectors of 512 numbers for people cost: to fill the table, to fill it when nothing has
// changed, bytes of a memory, a commit of 100 changed memories with the table and without it, and the query.
func BenchmarkVectors(b *testing.B) {
	const memories, each = 20_000, 100
	server := pgtest.Start(b)
	server.WithVectors(b)
	s := opened(b, at(b, server, "postgres", "postgres"))
	nodes := make([]tree.Node, memories)
	commit := func(from int, op tree.Op) time.Duration {
		changes := make([]tree.Change, each)
		for i := range changes {
			n := &nodes[from+i]
			if n.ID == "" {
				*n = aCase(from + i)
			}
			n.Content.Confidence = float64(n.Revision%100) / 100
			changes[i] = tree.NewChange(op, *n, n.Revision, "person", "test")
			*n = changes[i].Node
		}
		begun := time.Now()
		_, err := s.Commit(b.Context(), store.Batch{Changes: changes})
		require.NoError(b, err)
		return time.Since(begun)
	}
	for i := 0; i < memories; i += each {
		commit(i, tree.OpAdd)
	}
	changes := func() (took time.Duration) {
		for i := range 50 {
			took += commit(i*each, tree.OpRevise)
		}
		return took / 50
	}
	b.ReportMetric(float64(changes())/1e6, "ms/commit-without")
	server.Exec(b, "postgres", `CREATE EXTENSION vector`, `SELECT memtree.offer_vectors()`)
	random := rand.New(rand.NewPCG(1, 2))
	all := func(yield func(store.NodeVector, error) bool) {
		v := make([]float32, 512)
		for i := range nodes {
			for j := range v {
				v[j] = random.Float32() - .5
			}
			if !yield(store.NodeVector{ID: nodes[i].ID, Revision: nodes[i].Revision, Vector: slices.Clone(v)}, nil) {
				return
			}
		}
	}
	for _, unit := range []string{"µs/vector", "µs/vector-unchanged"} {
		begun := time.Now()
		require.NoError(b, s.FillVectors(b.Context(), "e", all))
		b.ReportMetric(float64(time.Since(begun).Microseconds())/memories, unit)
	}
	size, err := strconv.ParseFloat(queried(b, server, `SELECT pg_total_relation_size('memtree.embedding')::text`)[0], 64)
	require.NoError(b, err)
	b.ReportMetric(size/memories, "B/vector")
	b.ReportMetric(float64(changes())/1e6, "ms/commit-with")
	begun := time.Now()
	require.Len(b, queried(b, server, `SELECT v.id FROM memtree.memory_vector o JOIN memtree.memory_vector v
		ON v.tree = o.tree AND v.encoder = o.encoder AND v.id <> o.id WHERE o.id = '`+nodes[memories-1].ID+`'
		ORDER BY v.embedding <=> o.embedding LIMIT 10`), 10)
	b.ReportMetric(float64(time.Since(begun).Milliseconds()), "ms/query")
	b.ReportMetric(0, "ns/op")
}
