// Package peers measures the embedded store next to bbolt and SQLite, on the same disk and with the same batches: one
// node of about 800 bytes and one ledger entry.
package peers

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"io/fs"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	bolt "go.etcd.io/bbolt"
	_ "modernc.org/sqlite" // registers the driver

	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/store"
	jsonstore "github.com/memtree/memtree/store/json"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// peer is a store that stores nodes durably.
type peer interface {
	commit(nodes []tree.Node) error
	get(id string) error
	scan() (int, error)
	close() error
}

type opener func(dir string) (peer, error)

func peers() []struct {
	name string
	open opener
} {
	return []struct {
		name string
		open opener
	}{{"memtree", openMemtree}, {"bbolt", openBolt}, {"sqlite", openSQLite}}
}

func node(i int) tree.Node {
	types := []string{"state_detection_error", "async_timing_error", "form_validation_error", "other_error"}
	n := tree.Node{
		Type: tree.Case, Level: 1, ErrorType: types[i%len(types)], Direction: taxonomy.FalsePass, Lang: "en",
		Status: tree.Active, Revision: 1,
		Content: tree.Content{Description: fmt.Sprintf("The total of order %d was not compared with the sum of its items",
			i), Guidance: "Compare the total with the sum", Confidence: .5},
		CaseData: &tree.CaseData{TestCase: tree.TestCase{CaseID: fmt.Sprint("t", i),
			Prompt: fmt.Sprintf("Check the total of order %d", i), GroundTruth: tree.Raw(`{"has_defect":true}`)},
			AgentJudgment: "pass"},
		Children:    []string{},
		Occurrences: []tree.Occurrence{{Evaluation: fmt.Sprint("ev", i), At: time.Date(2026, 1, 28, 9, 0, 0, 0, time.UTC)}},
	}
	n.ID = tree.EvidenceID(&n)
	return n
}

type memtree struct{ s *jsonstore.Store }

func openMemtree(dir string) (peer, error) {
	s, err := jsonstore.OpenDir(context.Background(), dir, jsonstore.Options{})
	return memtree{s}, err
}

func (m memtree) commit(nodes []tree.Node) error {
	b := store.Batch{Entries: []ledger.Entry{{Verdict: &ledger.Verdict{Evaluation: "ev"}}}}
	for _, n := range nodes {
		b.Changes = append(b.Changes, tree.NewChange(tree.OpAdd, n, 0, "bench", "a case"))
	}
	_, err := m.s.Commit(context.Background(), b)
	return err
}

func (m memtree) get(id string) error {
	_, err := m.s.Get(context.Background(), id)
	return err
}

func (m memtree) scan() (n int, err error) {
	for _, err := range m.s.Scan(context.Background(), store.Filter{}) {
		if err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

func (m memtree) close() error { return m.s.Close() }

// boltStore uses Batch, with which bbolt lets writers share an fsync, with the delay at which it was
// fastest.
type boltStore struct{ db *bolt.DB }

func openBolt(dir string) (peer, error) {
	db, err := bolt.Open(filepath.Join(dir, "bolt.db"), 0o600, nil)
	if err != nil {
		return nil, err
	}
	db.MaxBatchDelay = time.Millisecond
	return boltStore{db}, db.Update(func(tx *bolt.Tx) error {
		_, err := tx.CreateBucketIfNotExists([]byte("nodes"))
		if err == nil {
			_, err = tx.CreateBucketIfNotExists([]byte("ledger"))
		}
		return err
	})
}

func (b boltStore) commit(nodes []tree.Node) error {
	rows, entry, err := encoded(nodes)
	if err != nil {
		return err
	}
	return b.db.Batch(func(tx *bolt.Tx) error {
		for id, raw := range rows {
			if err := tx.Bucket([]byte("nodes")).Put([]byte(id), raw); err != nil {
				return err
			}
		}
		ledger := tx.Bucket([]byte("ledger"))
		seq, err := ledger.NextSequence()
		if err != nil {
			return err
		}
		return ledger.Put(fmt.Appendf(nil, "%016x", seq), entry)
	})
}

func encoded(nodes []tree.Node) (map[string][]byte, []byte, error) {
	rows := map[string][]byte{}
	for _, n := range nodes {
		raw, err := json.Marshal(n)
		if err != nil {
			return nil, nil, err
		}
		rows[n.ID] = raw
	}
	entry, err := json.Marshal(ledger.Entry{Verdict: &ledger.Verdict{Evaluation: "ev"}})
	return rows, entry, err
}

func (b boltStore) get(id string) error {
	return b.db.View(func(tx *bolt.Tx) error {
		var n tree.Node
		return json.Unmarshal(tx.Bucket([]byte("nodes")).Get([]byte(id)), &n)
	})
}

func (b boltStore) scan() (n int, err error) {
	err = b.db.View(func(tx *bolt.Tx) error {
		return tx.Bucket([]byte("nodes")).ForEach(func(_, raw []byte) error {
			n++
			var node tree.Node
			return json.Unmarshal(raw, &node)
		})
	})
	return n, err
}

func (b boltStore) close() error { return b.db.Close() }

// sqlite has only one writing connection, because SQLite allows only one writer.
type sqlite struct{ db *sql.DB }

func openSQLite(dir string) (peer, error) {
	db, err := sql.Open("sqlite", filepath.Join(dir,
		"s.db")+"?_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_txlock=immediate")
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	_, err = db.Exec(`create table if not exists nodes (id text primary key, body blob) without rowid; create table ` +
		`if not exists ledger (seq integer primary key, body blob)`)
	return sqlite{db}, err
}

func (s sqlite) commit(nodes []tree.Node) error {
	rows, entry, err := encoded(nodes)
	if err != nil {
		return err
	}
	tx, err := s.db.Begin()
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // after a commit it does nothing
	for id, raw := range rows {
		if _, err := tx.Exec(`insert into nodes values (?, ?)`, id, raw); err != nil {
			return err
		}
	}
	if _, err := tx.Exec(`insert into ledger (body) values (?)`, entry); err != nil {
		return err
	}
	return tx.Commit()
}

func (s sqlite) get(id string) error {
	var raw []byte
	if err := s.db.QueryRow(`select body from nodes where id = ?`, id).Scan(&raw); err != nil {
		return err
	}
	var n tree.Node
	return json.Unmarshal(raw, &n)
}

func (s sqlite) scan() (n int, err error) {
	rows, err := s.db.Query(`select body from nodes order by id`)
	if err != nil {
		return 0, err
	}
	defer func() { _ = rows.Close() }() // rows.Err reports the error
	for rows.Next() {
		var raw []byte
		if err := rows.Scan(&raw); err != nil {
			return n, err
		}
		var node tree.Node
		if err := json.Unmarshal(raw, &node); err != nil {
			return n, err
		}
		n++
	}
	return n, rows.Err()
}

func (s sqlite) close() error { return s.db.Close() }

// BenchmarkCommit measures durable commits of one node each by many callers at once.
func BenchmarkCommit(b *testing.B) {
	for _, writers := range []int{1, 8, 64} {
		for _, p := range peers() {
			name, open := p.name, p.open
			b.Run(fmt.Sprintf("writers=%d/%s", writers, name), func(b *testing.B) {
				p, err := open(b.TempDir())
				require.NoError(b, err)
				var next atomic.Int64
				work := make(chan struct{}, writers)
				done := make(chan error, writers)
				for range writers {
					go func() {
						var first error
						for range work {
							if err := p.commit([]tree.Node{node(int(next.Add(1)))}); err != nil && first == nil {
								first = err
							}
						}
						done <- first
					}()
				}
				for b.Loop() {
					work <- struct{}{}
				}
				close(work)
				for range writers {
					require.NoError(b, <-done)
				}
				b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "commits/s")
				require.NoError(b, p.close())
			})
		}
	}
}

const held = 100_000

// BenchmarkHeld measures opening, reading and the size of 100,000 nodes.
func BenchmarkHeld(b *testing.B) {
	for _, p := range peers() {
		name, open := p.name, p.open
		dir := b.TempDir()
		p, err := open(dir)
		require.NoError(b, err)
		var ids []string
		for i := 0; i < held; i += 500 {
			var nodes []tree.Node
			for k := i; k < i+500; k++ {
				nodes = append(nodes, node(k))
				ids = append(ids, nodes[len(nodes)-1].ID)
			}
			require.NoError(b, p.commit(nodes))
		}
		require.NoError(b, p.close())
		b.Run("open/"+name, func(b *testing.B) {
			for b.Loop() {
				p, err := open(dir)
				require.NoError(b, err)
				require.NoError(b, p.get(ids[0])) // or it may not have started
				require.NoError(b, p.close())
			}
			b.ReportMetric(float64(size(b, dir))/held, "bytes/node")
		})
		p, err = open(dir)
		require.NoError(b, err)
		b.Run("get/"+name, func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				require.NoError(b, p.get(ids[i*7919%held]))
			}
		})
		b.Run("scan/"+name, func(b *testing.B) {
			for b.Loop() {
				n, err := p.scan()
				require.NoError(b, err)
				require.Equal(b, held, n)
			}
		})
		require.NoError(b, p.close())
	}
}

func size(b *testing.B, dir string) (total int64) {
	b.Helper()
	require.NoError(b, filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			total += info.Size()
		}
		return err
	}))
	return total
}
