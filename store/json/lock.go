package jsonstore

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"sync"
	"time"

	"github.com/gofrs/flock"
	"github.com/spf13/afero"

	"github.com/memtree/memtree/store"
)

const lockName = "LOCK"

// holder is the content of LOCK, which is used only in messages. The kernel's lock on the file, which ends with the
// process, decides who may write.
type holder struct {
	PID     int       `json:"pid"`
	Host    string    `json:"host"`
	Started time.Time `json:"started"`
}

// lockFolder locks a real folder, or returns a *store.LockedError.
func lockFolder(dir string, started time.Time) (unlock func() error, err error) {
	name := filepath.Join(dir, lockName)
	l := flock.New(name, flock.SetFlag(os.O_CREATE|os.O_RDWR), flock.SetPermissions(0o644))
	ok, err := l.TryLock()
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", dir, err)
	}
	if !ok {
		locked := &store.LockedError{Dir: dir}
		if b, err := os.ReadFile(name); err == nil { //nolint:gosec // the store's own folder
			h := parseHolder(b)
			locked.PID, locked.Host, locked.Started = h.PID, h.Host, h.Started
		}
		return nil, locked
	}
	host, _ := os.Hostname() // for the message only
	b, err := encode(holder{PID: os.Getpid(), Host: host, Started: started})
	if err == nil {
		// If this fails, the lock still holds; messages only lack its holder.
		_ = os.WriteFile(name, append(b, '\n'), 0o644) //nolint:gosec // it holds no secret
	}
	return l.Unlock, nil
}

// parseHolder reads the content of LOCK. It returns zero for anything that lockFolder would not write.
func parseHolder(b []byte) holder {
	var h holder
	if len(b) > 4<<10 || json.Unmarshal(b, &h) != nil || h.PID < 0 || len(h.Host) > 255 {
		return holder{}
	}
	for _, r := range h.Host {
		if r < ' ' || r == 0x7f {
			return holder{}
		}
	}
	return h
}

// inMemory holds the folders in memory that this process has open. No other process can use them, so this map serves as
// their lock.
var inMemory sync.Map

// lockMemory locks a folder of a file system in memory, or returns a *store.LockedError.
func lockMemory(fs afero.Fs, dir string) (unlock func() error, err error) {
	if !reflect.TypeOf(fs).Comparable() {
		return func() error { return nil }, nil // a file system that cannot be a map key cannot be locked
	}
	key := [2]any{fs, filepath.Clean(dir)}
	if _, held := inMemory.LoadOrStore(key, true); held {
		return nil, &store.LockedError{Dir: dir}
	}
	return func() error { inMemory.Delete(key); return nil }, nil
}
