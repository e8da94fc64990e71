package storetest

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/tree"
)

// wrapMemory opens memories whose stores are wrapped in a mistake; nil does not wrap them.
func wrapMemory(wrap func(*MapStore) store.Store) opener {
	return func(testing.TB) func() (store.Store, error) {
		m := NewMemory()
		return func() (store.Store, error) {
			m = m.Reopen()
			if wrap == nil {
				return m, nil
			}
			return wrap(m), nil
		}
	}
}

func TestMemory(t *testing.T) { Run(t, wrapMemory(nil)) }

func TestAgree(t *testing.T) {
	for seed := range uint64(5) {
		Agree(t, wrapMemory(nil), 60, seed)
	}
}

// verdict records the failures of a law instead of failing the test.
type verdict struct {
	testing.TB

	mu     sync.Mutex
	failed bool
	skips  bool
}

func (v *verdict) fail() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.failed = true
}

func (v *verdict) Errorf(string, ...any) { v.fail() }
func (v *verdict) Error(...any)          { v.fail() }
func (v *verdict) Fail()                 { v.fail() }
func (v *verdict) FailNow()              { v.fail(); runtime.Goexit() }
func (v *verdict) Fatal(...any)          { v.FailNow() }
func (v *verdict) Fatalf(string, ...any) { v.FailNow() }
func (v *verdict) Skip(...any)           { v.skips = true; runtime.Goexit() }
func (v *verdict) Logf(string, ...any)   {}
func (v *verdict) Log(...any)            {}

// brokenLaws returns the laws that a store breaks, and "random" if random operations differ.
func brokenLaws(t *testing.T, open opener) []string {
	t.Helper()
	var out []string
	try := func(name string, hold func(testing.TB)) {
		v := &verdict{TB: t}
		done := make(chan struct{})
		go func() {
			defer close(done)
			hold(v)
		}()
		<-done
		if v.failed {
			out = append(out, name)
		}
	}
	for _, l := range laws() {
		try(l.name, func(tb testing.TB) { l.check(tb, open) })
	}
	for seed := range uint64(3) {
		before := len(out)
		try("random", func(tb testing.TB) { agree(tb, tb, open, seeded(seed), 30) })
		if len(out) > before {
			break
		}
	}
	return out
}

// mutant is a MapStore with one mistake, made by replacing methods.
type mutant struct {
	*MapStore
	get    func(context.Context, string) (tree.Node, error)
	scan   func(context.Context, store.Filter) iter.Seq2[tree.Node, error]
	commit func(context.Context, store.Batch) (uint64, error)
	accept func(context.Context, []tree.Evaluation) ([]store.Receipt, error)
	lease  func(context.Context, int) ([]tree.Evaluation, error)
	ledger func(context.Context, uint64) iter.Seq2[ledger.Entry, error]
	closes func() error
}

func (m *mutant) Get(ctx context.Context, id string) (tree.Node, error) {
	if m.get != nil {
		return m.get(ctx, id)
	}
	return m.MapStore.Get(ctx, id)
}

func (m *mutant) Scan(ctx context.Context, f store.Filter) iter.Seq2[tree.Node, error] {
	if m.scan != nil {
		return m.scan(ctx, f)
	}
	return m.MapStore.Scan(ctx, f)
}

func (m *mutant) Commit(ctx context.Context, b store.Batch) (uint64, error) {
	if m.commit != nil {
		return m.commit(ctx, b)
	}
	return m.MapStore.Commit(ctx, b)
}

func (m *mutant) Accept(ctx context.Context, es []tree.Evaluation) ([]store.Receipt, error) {
	if m.accept != nil {
		return m.accept(ctx, es)
	}
	return m.MapStore.Accept(ctx, es)
}

func (m *mutant) Lease(ctx context.Context, n int) ([]tree.Evaluation, error) {
	if m.lease != nil {
		return m.lease(ctx, n)
	}
	return m.MapStore.Lease(ctx, n)
}

func (m *mutant) Ledger(ctx context.Context, after uint64) iter.Seq2[ledger.Entry, error] {
	if m.ledger != nil {
		return m.ledger(ctx, after)
	}
	return m.MapStore.Ledger(ctx, after)
}

func (m *mutant) Close() error {
	if m.closes != nil {
		return m.closes()
	}
	return m.MapStore.Close()
}

func mutants() map[string]func(*MapStore) store.Store {
	return map[string]func(*MapStore) store.Store{
		"loses the last ack": func(m *MapStore) store.Store {
			var mu sync.Mutex
			before := m.fork()
			return &mutant{
				MapStore: m,
				commit: func(ctx context.Context, b store.Batch) (uint64, error) {
					mu.Lock()
					defer mu.Unlock()
					before = m.fork()
					return m.Commit(ctx, b)
				},
				closes: func() error {
					mu.Lock()
					defer mu.Unlock()
					m.mu.Lock()
					if !m.closed {
						m.content = before.copy()
					}
					m.mu.Unlock()
					return m.Close()
				},
			}
		},
		"returns shared slices": func(m *MapStore) store.Store {
			var mu sync.Mutex
			cache := map[string]tree.Node{}
			return &mutant{MapStore: m, get: func(ctx context.Context, id string) (tree.Node, error) {
				mu.Lock()
				defer mu.Unlock()
				fresh, err := m.Get(ctx, id)
				if n, ok := cache[id]; ok && err == nil && n.LastChange == fresh.LastChange {
					return n, nil
				}
				cache[id] = fresh
				return fresh, err
			}}
		},
		"applies half a batch": func(m *MapStore) store.Store {
			return &mutant{MapStore: m, commit: func(ctx context.Context, b store.Batch) (uint64, error) {
				v, err := m.Commit(ctx, b)
				if err != nil && len(b.Changes) > 1 {
					_, _ = m.Commit(ctx, store.Batch{Changes: b.Changes[:1]})
				}
				return v, err
			}}
		},
		"ignores the basis": func(m *MapStore) store.Store {
			return &mutant{MapStore: m, commit: func(ctx context.Context, b store.Batch) (uint64, error) {
				b.Changes = slices.Clone(b.Changes)
				m.mu.Lock()
				made := map[string]int{}
				for i, c := range b.Changes {
					b.Changes[i].Basis = map[string]int{c.Node.ID: max(made[c.Node.ID], m.nodes[c.Node.ID].revision)}
					made[c.Node.ID] = c.Node.Revision
				}
				m.mu.Unlock()
				return m.Commit(ctx, b)
			}}
		},
		"looks at the node's own basis only": func(m *MapStore) store.Store {
			return &mutant{MapStore: m, commit: func(ctx context.Context, b store.Batch) (uint64, error) {
				b.Changes = slices.Clone(b.Changes)
				for i, c := range b.Changes {
					b.Changes[i].Basis = maps.Clone(c.Basis)
					maps.DeleteFunc(b.Changes[i].Basis, func(id string, _ int) bool { return id != c.Node.ID })
				}
				return m.Commit(ctx, b)
			}}
		},
		"ignores the change's key": func(m *MapStore) store.Store {
			return &mutant{MapStore: m, commit: func(ctx context.Context, b store.Batch) (uint64, error) {
				b.Changes = slices.Clone(b.Changes)
				for i := range b.Changes {
					b.Changes[i].Key = ""
				}
				return m.Commit(ctx, b)
			}}
		},
		"duplicates ledger entries": func(m *MapStore) store.Store {
			return &mutant{MapStore: m, commit: func(ctx context.Context, b store.Batch) (uint64, error) {
				if len(b.Entries) > 1 {
					b.Entries = append(slices.Clone(b.Entries), b.Entries[0])
				}
				return m.Commit(ctx, b)
			}}
		},
		"reads the ledger from the number, not after it": func(m *MapStore) store.Store {
			return &mutant{MapStore: m, ledger: func(ctx context.Context, after uint64) iter.Seq2[ledger.Entry, error] {
				return m.Ledger(ctx, max(after, 1)-1)
			}}
		},
		"forgets Done": func(m *MapStore) store.Store {
			return &mutant{MapStore: m, commit: func(ctx context.Context, b store.Batch) (uint64, error) {
				b.Done = nil
				return m.Commit(ctx, b)
			}}
		},
		"forgets what was done": func(m *MapStore) store.Store {
			return &mutant{MapStore: m, commit: func(ctx context.Context, b store.Batch) (uint64, error) {
				v, err := m.Commit(ctx, b)
				m.mu.Lock()
				defer m.mu.Unlock()
				for _, key := range b.Done {
					delete(m.known, key)
				}
				return v, err
			}}
		},
		"forgets dead letters": func(m *MapStore) store.Store {
			return &mutant{MapStore: m, commit: func(ctx context.Context, b store.Batch) (uint64, error) {
				b.Done = slices.Clone(b.Done)
				for i := range b.Dead {
					b.Done = append(b.Done, b.Dead[i].Evaluation.Key())
				}
				b.Dead = nil
				return m.Commit(ctx, b)
			}}
		},
		"leases twice": func(m *MapStore) store.Store {
			return &mutant{MapStore: m, lease: func(ctx context.Context, n int) ([]tree.Evaluation, error) {
				es, err := m.Lease(ctx, n)
				for i := range es {
					_ = m.Release(ctx, []string{es[i].Key()})
				}
				return es, err
			}}
		},
		"takes a contradiction for a duplicate": func(m *MapStore) store.Store {
			return &mutant{MapStore: m, accept: func(ctx context.Context, es []tree.Evaluation) ([]store.Receipt, error) {
				r, err := m.Accept(ctx, es)
				for i := range r {
					if r[i].Status == store.Contradiction {
						r[i].Status = store.Duplicate
					}
				}
				return r, err
			}}
		},
		"drops late labels": func(m *MapStore) store.Store {
			return &mutant{MapStore: m, accept: func(ctx context.Context, es []tree.Evaluation) ([]store.Receipt, error) {
				r := make([]store.Receipt, 0, len(es))
				for i := range es {
					m.mu.Lock()
					k, ok := m.known[es[i].Key()]
					m.mu.Unlock()
					if ok && !k.labelled && es[i].Labelled() {
						r = append(r, store.Receipt{Key: es[i].Key(), Status: store.Accepted})
						continue
					}
					one, err := m.Accept(ctx, es[i:i+1])
					if err != nil {
						return nil, err
					}
					r = append(r, one...)
				}
				return r, nil
			}}
		},
		"scans live, unsorted": func(m *MapStore) store.Store {
			return &mutant{MapStore: m, scan: func(ctx context.Context, f store.Filter) iter.Seq2[tree.Node, error] {
				return func(yield func(tree.Node, error) bool) {
					var ids []string
					for n, err := range m.Scan(ctx, f) {
						if err != nil {
							yield(n, err)
							return
						}
						ids = append(ids, n.ID)
					}
					for _, id := range ids {
						if n, err := m.Get(ctx, id); !yield(n, err) {
							return
						}
					}
				}
			}}
		},
		"spells payloads another way": func(m *MapStore) store.Store {
			return &mutant{MapStore: m, get: func(ctx context.Context, id string) (tree.Node, error) {
				n, err := m.Get(ctx, id)
				if n.CaseData != nil {
					raw, _ := n.CaseData.TestCase.GroundTruth.MarshalJSON()
					n.CaseData.TestCase.GroundTruth = slices.Concat(raw[:len(raw)-1], []byte(" "), raw[len(raw)-1:])
				}
				return n, err
			}}
		},
		"works after Close": func(m *MapStore) store.Store {
			return &mutant{MapStore: m, closes: func() error { return nil }}
		},
		"does not mind a cancelled context": func(m *MapStore) store.Store {
			return &mutant{MapStore: m, commit: func(ctx context.Context, b store.Batch) (uint64, error) {
				return m.Commit(context.WithoutCancel(ctx), b)
			}}
		},
	}
}

// TestTheSuiteSeesMistakes checks that every mistake breaks a law.
func TestTheSuiteSeesMistakes(t *testing.T) {
	require.Empty(t, brokenLaws(t, wrapMemory(nil)))
	all := mutants()
	for _, name := range sortedKeys(all) {
		t.Run(name, func(t *testing.T) {
			got := brokenLaws(t, wrapMemory(all[name]))
			require.NotEmpty(t, got)
			t.Log(fmt.Sprint(len(got)), "laws broken:", got)
		})
	}
}
