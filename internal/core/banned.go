package core

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// bannedCases knows which cases are banned. The search index has none of them, but a run may be one more occurrence of
// one. To find them takes a scan of all cases, so they are known from the first question on.
type bannedCases struct {
	making sync.Mutex // held while they are read

	mu    sync.Mutex // guards the fields below; held only briefly, because commits take it
	known map[string]bannedCase
	gone  int // number of commits that known lacks, because it was nil or has become invalid
}

// bannedCase is what a run has in common with a case of which it may be an occurrence.
type bannedCase struct {
	direction              taxonomy.Direction
	errorType, scene, test string
}

func bannedCaseOf(n *tree.Node) bannedCase {
	b := bannedCase{direction: n.Direction, errorType: n.ErrorType, scene: n.Scene.ID}
	if n.CaseData != nil {
		b.test = n.CaseData.TestCase.CaseID
	}
	return b
}

func isBannedCase(n *tree.Node) bool {
	return n.Type == tree.Case && n.Mark == tree.Banned && !n.Buried()
}

// changed takes in the nodes of a commit.
func (b *bannedCases) changed(nodes []tree.Node) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.known == nil { // a scan that runs now may lack them
		b.gone++
		return
	}
	for i := range nodes {
		if n := &nodes[i]; isBannedCase(n) {
			b.known[n.ID] = bannedCaseOf(n)
		} else {
			delete(b.known, n.ID)
		}
	}
}

// forget makes the next question read the cases again.
func (b *bannedCases) forget() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.known = nil
	b.gone++
}

// like returns the ids of the known cases of which n may be an occurrence, false if none are known yet.
func (b *bannedCases) like(n *tree.Node) ([]string, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return likeBanned(b.known, n), b.known != nil
}

func likeBanned(known map[string]bannedCase, n *tree.Node) (ids []string) {
	is := bannedCaseOf(n)
	for id, of := range known {
		test := is.test != "" && of.test == is.test
		if of.direction == is.direction && (test || of.errorType == is.errorType && of.scene == is.scene) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// BannedLike returns the ids of the banned cases of which case n may be one more occurrence: those with its direction
// that are of its test, or of its error type and scene. They are sorted, and include no tombstones.
func (c *Core) BannedLike(ctx context.Context, n *tree.Node) ([]string, error) {
	b := &c.banned
	if ids, known := b.like(n); known {
		return ids, nil
	}
	b.making.Lock()
	defer b.making.Unlock()
	if ids, known := b.like(n); known {
		return ids, nil
	}
	b.mu.Lock()
	gone := b.gone
	b.mu.Unlock()
	known, err := c.readBanned(ctx)
	if err != nil {
		return nil, err
	}
	ids := likeBanned(known, n)
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.gone == gone {
		b.known = known
	}
	return ids, nil
}

// readBanned reads the banned cases.
func (c *Core) readBanned(ctx context.Context) (map[string]bannedCase, error) {
	var ids []string
	for n, err := range c.store.Scan(ctx, store.Filter{Level: tree.Case.Level(), Bare: true}) {
		if err != nil {
			return nil, fmt.Errorf("read the banned cases: %w", err)
		}
		if n.Mark == tree.Banned {
			ids = append(ids, n.ID)
		}
	}
	known := make(map[string]bannedCase, len(ids))
	for _, id := range ids {
		n, err := c.store.Get(ctx, id)
		if errors.Is(err, tree.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("read the banned cases: %w", err)
		}
		if isBannedCase(&n) {
			known[id] = bannedCaseOf(&n)
		}
	}
	return known, nil
}
