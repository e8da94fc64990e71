package postgres

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/tidwall/btree"

	"github.com/memtree/memtree/internal/seldom"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// lastCommits and lastEntries are how many commits and entries of the ledger stay in memory. Older ones are read from
// the database.
const (
	lastCommits = 1 << 10
	lastEntries = 1 << 14
)

// follow asks the database for commits until ctx ends.
func (r *Replica) follow(ctx context.Context) {
	tick := time.NewTicker(r.o.Every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		err := r.poll(ctx)
		if ctx.Err() != nil {
			return
		}
		r.mu.Lock()
		was := r.away
		r.away = err
		if errors.Is(err, store.ErrDeleted) {
			r.forget(err)
		}
		r.mu.Unlock()
		switch {
		case err != nil && was == nil:
			r.o.Logger.Warn("the database is away; answers are from memory", "error", err)
		case err == nil && was != nil:
			r.o.Logger.Info("the database is back")
		}
	}
}

// reportEvery is how often the database learns how far this process has followed.
const reportEvery = 10 * time.Second

// report records in the database how far it was followed, until ctx ends.
func (r *Replica) report(ctx context.Context) {
	tick := time.NewTicker(reportEvery)
	defer tick.Stop()
	var failing seldom.Failure
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if r.isAway() != nil {
			continue
		}
		err := r.seen(ctx)
		switch {
		case err == nil:
			failing = seldom.Failure{}
		case ctx.Err() == nil && !errors.Is(err, store.ErrAway) && !isRefusal(err) && failing.Due(time.Now()):
			r.o.Logger.Warn("old commits are not pruned", "error", err)
		}
	}
}

// forget drops a tree that was deleted, so that nothing of it is served. The caller holds mu.
func (r *Replica) forget(err error) {
	r.gone, r.nodes = err, &btree.Map[string, *cachedNode]{}
	r.commits.rows, r.entries.rows = nil, nil
}

// poll asks for what was committed, and takes it.
func (r *Replica) poll(ctx context.Context) error {
	r.polling.Lock()
	defer r.polling.Unlock()
	for {
		within, cancel := context.WithTimeout(ctx, answerWithin)
		f, err := r.below.Feed(within, r.place)
		cancel()
		if errors.Is(err, context.DeadlineExceeded) {
			err = fmt.Errorf("%w: no answer within %s", store.ErrAway, answerWithin)
		}
		if err != nil {
			return err
		}
		if f.Anew {
			r.o.Logger.Warn("the history of the tree has changed, reading it anew", "version", r.place.Version)
			if err := r.readAllLocked(ctx); err != nil {
				return err
			}
			r.mu.Lock()
			r.anew++
			r.mu.Unlock()
			return nil
		}
		if err := r.take(&f); err != nil {
			return err
		}
		if !f.More {
			return nil
		}
	}
}

// readAll reads the whole tree.
func (r *Replica) readAll(ctx context.Context) error {
	r.polling.Lock()
	defer r.polling.Unlock()
	return r.readAllLocked(ctx)
}

// readAllLocked reads the tree as it is at one moment, and what was committed meanwhile. The caller holds polling.
func (r *Replica) readAllLocked(ctx context.Context) error {
	start, err := r.below.Head(ctx)
	if err != nil {
		return err
	}
	nodes := &btree.Map[string, *cachedNode]{}
	for raw, err := range r.below.Nodes(ctx) { // newer than start, whose commits are then taken again
		if err != nil {
			return err
		}
		h, err := newHeld(raw)
		if err != nil {
			return err
		}
		nodes.Set(h.node.ID, h)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.nodes = nodes
	r.commits = recentCommits{from: start.Info.Version}
	r.entries = recentCommits{from: start.Info.Entries}
	r.took(&start)
	return nil
}

// newHeld reads from the JSON of a node what a filter asks for.
func newHeld(raw []byte) (*cachedNode, error) {
	var n struct {
		ID        string             `json:"id"`
		Level     int                `json:"level"`
		ErrorType string             `json:"errorType"`
		Direction taxonomy.Direction `json:"direction"`
		Status    tree.Status        `json:"status"`
	}
	err := json.Unmarshal(raw, &n)
	return &cachedNode{raw: raw, node: tree.Node{
		ID: n.ID, Level: n.Level, ErrorType: n.ErrorType, Direction: n.Direction, Status: n.Status,
	}}, err
}

// take brings a feed into memory. The caller holds polling.
func (r *Replica) take(f *Feed) error {
	changed := map[string]*cachedNode{}
	for _, c := range f.Commits {
		var list []struct {
			Node json.RawMessage `json:"node"`
		}
		err := json.Unmarshal(c.JSON, &list)
		for i := range list {
			h, problem := newHeld(list[i].Node)
			err = errors.Join(err, problem)
			changed[h.node.ID] = h
		}
		if err != nil {
			return fmt.Errorf("follow commit %d: %w", c.N, err)
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for id, h := range changed {
		r.nodes.Set(id, h)
	}
	r.commits.add(f.Commits, lastCommits)
	r.entries.add(f.Entries, lastEntries)
	r.took(f)
	return nil
}

// took records how far the database was followed. The caller holds mu.
func (r *Replica) took(f *Feed) {
	r.place, r.info = f.Place, f.Info
	r.info.Version, r.info.Entries = uint64(f.Place.Version), uint64(f.Place.Entries) //nolint:gosec // not negative
	r.asOf, r.read = f.Now, time.Now()
	r.clock = r.read.Sub(f.Now)
}

// add appends rows, and drops the oldest if there are more than twice as many as most.
func (l *recentCommits) add(rows []feedRow, most int) {
	l.rows = append(l.rows, rows...)
	if n := len(l.rows) - most; n > most {
		l.from = l.rows[n-1].N
		l.rows = slices.Clone(l.rows[n:])
	}
}
