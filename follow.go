package memtree

import (
	"context"
	"time"

	"github.com/memtree/memtree/internal/core"
	"github.com/memtree/memtree/store"
)

// A shared store is followed every followEvery, so an answer is that much older than the database at most. Evaluations
// that another process has accepted are looked for every formEvery.
const (
	followEvery = 100 * time.Millisecond
	formEvery   = 2 * time.Second
)

// follow brings what other processes commit into the index, until ctx ends. The replica behind the store follows the
// database (store/postgres/replica_follow.go), the core follows the replica (internal/core/follow.go).
func (m *Memory) follow(ctx context.Context, s store.Shared) {
	tick := time.NewTicker(followEvery)
	defer tick.Stop()
	looked, away := time.Now(), false
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		err := m.core.Follow(ctx)
		if err == nil {
			err = s.Following().Away
		}
		if away != (err != nil) && ctx.Err() == nil {
			if away = err != nil; away {
				m.opts.Logger.Warn("the shared store is not followed; answers are from memory", "error", err)
			} else {
				m.opts.Logger.Info("the shared store is followed again")
			}
		}
		if away || time.Since(looked) < formEvery {
			continue
		}
		looked = time.Now()
		m.intake.Poke()
		core.Poke(m.learned.verdicts)
	}
}
