package storetest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"os"
	"slices"
	"sync"
	"testing"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/tree"
)

// logStore is the smallest store that is safe on a disk: a MapStore and a log of the writes, which every open rewrites.
// It tests that Crash and Faults detect mistakes.
type logStore struct {
	*MapStore
	mistake string
	file    afero.File
	failed  bool
}

type logged struct {
	Accept []tree.Evaluation `json:"accept,omitempty"`
	Batch  *store.Batch      `json:"batch,omitempty"`
}

func openLog(mistake string) OnFS {
	return func(fs afero.Fs) (store.Store, error) {
		s := &logStore{MapStore: NewMemory(), mistake: mistake}
		if err := fs.MkdirAll("/s", 0o700); err != nil {
			return nil, err
		}
		if err := syncOf(fs, "/"); err != nil {
			return nil, err
		}
		good, err := s.read(fs)
		if err != nil {
			return nil, err
		}
		if err := s.rewriteLog(fs, good); err != nil {
			return nil, err
		}
		s.file, err = fs.OpenFile("/s/log", os.O_WRONLY|os.O_APPEND, 0)
		return s, err
	}
}

func syncOf(fs afero.Fs, dir string) error {
	return use(fs, dir, func(d afero.File) error { return d.Sync() })
}

func (s *logStore) read(fs afero.Fs) ([]byte, error) {
	b, err := afero.ReadFile(fs, "/s/log")
	if os.IsNotExist(err) {
		return nil, s.confirmAbsent(fs)
	}
	if err != nil {
		return nil, err
	}
	read := 0
	for {
		line, _, whole := bytes.Cut(b[read:], []byte("\n"))
		if !whole {
			return b[:read], nil
		}
		sum, text, ok := bytes.Cut(line, []byte(" "))
		if s.mistake != "no checksum" && (!ok || string(sum) != fmt.Sprintf("%08x", crc32.ChecksumIEEE(text))) {
			return b[:read], nil
		}
		var l logged
		if err := json.Unmarshal(text, &l); err != nil {
			return b[:read], nil //nolint:nilerr // a torn line
		}
		if err := s.replay(l); err != nil {
			return nil, err
		}
		read += len(line) + 1
	}
}

// confirmAbsent lists the folder before it accepts that there is no log.
func (s *logStore) confirmAbsent(fs afero.Fs) error {
	if s.mistake == "believes ENOENT" {
		return nil
	}
	return use(fs, "/s", func(d afero.File) error {
		names, err := d.Readdirnames(-1)
		if slices.Contains(names, "log") {
			return &store.CorruptError{File: "log", Lost: "it is there and cannot be read"}
		}
		return err
	})
}

func (s *logStore) replay(l logged) error {
	if l.Batch != nil {
		_, err := s.MapStore.Commit(context.Background(), *l.Batch)
		return err
	}
	_, err := s.MapStore.Accept(context.Background(), l.Accept)
	return err
}

// rewriteLog writes the good part of the log to a new file and replaces the log by it.
func (s *logStore) rewriteLog(fs afero.Fs, good []byte) error {
	if s.mistake == "trusts the page cache" {
		f, err := fs.OpenFile("/s/log", os.O_WRONLY|os.O_CREATE, 0o600)
		if err != nil {
			return err
		}
		defer func() { _ = f.Close() }()
		if err := f.Truncate(int64(len(good))); err != nil {
			return err
		}
		if err := f.Sync(); err != nil {
			return err
		}
		return syncOf(fs, "/s")
	}
	f, err := fs.Create("/s/new")
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	if _, err := f.Write(good); err != nil {
		return err
	}
	if s.mistake != "rename before sync" {
		if err := f.Sync(); err != nil {
			return err
		}
	}
	if err := fs.Rename("/s/new", "/s/log"); err != nil || s.mistake == "no sync of the directory" {
		return err
	}
	return syncOf(fs, "/s")
}

func (s *logStore) log(l logged) error {
	if s.failed && s.mistake != "goes on after a failed sync" {
		return store.ErrFailed
	}
	text, err := encode(l)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(s.file, "%08x %s\n", crc32.ChecksumIEEE(text), text)
	if err == nil && s.mistake != "acknowledges before the sync" {
		err = s.file.Sync()
	}
	if err != nil && s.mistake == "ignores errors" {
		return nil
	}
	if err != nil {
		s.failed = true
		return fmt.Errorf("%w: %w", store.ErrFailed, err)
	}
	return nil
}

// Commit logs the effect on the model, and then applies it.
func (s *logStore) Commit(ctx context.Context, b store.Batch) (uint64, error) {
	next := s.fork()
	v, err := next.Commit(ctx, b)
	if err != nil || v == s.version {
		return v, err
	}
	if err := s.log(logged{Batch: &b}); err != nil {
		return 0, err
	}
	return s.MapStore.Commit(ctx, b)
}

func (s *logStore) Accept(ctx context.Context, es []tree.Evaluation) ([]store.Receipt, error) {
	next := s.fork()
	r, err := next.Accept(ctx, es)
	if err != nil || next.arrivals == s.arrivals {
		return r, err
	}
	if err := s.log(logged{Accept: es}); err != nil {
		return nil, err
	}
	return s.MapStore.Accept(ctx, es)
}

func (s *logStore) Close() error {
	_ = s.MapStore.Close()
	if s.file == nil {
		return nil
	}
	err := s.file.Close()
	s.file = nil
	return err
}

func TestALogStoreSurvives(t *testing.T) {
	require.GreaterOrEqual(t, Crash(t, openLog(""), 300, 1).Nested, 10)
	require.Greater(t, Faults(t, openLog(""), 1, 1).Faults, 100)
	Run(t, func(testing.TB) func() (store.Store, error) {
		fs := NewCrashFS()
		return func() (store.Store, error) { s, err := openLog("")(fs); return &oneAtATime{Store: s}, err }
	})
}

// TestCrashAndFaultsSeeMistakes checks that each mistake is detected by one of the two.
func TestCrashAndFaultsSeeMistakes(t *testing.T) {
	for mistake, by := range map[string]func(testing.TB, OnFS){
		"acknowledges before the sync": func(t testing.TB, open OnFS) { Crash(t, open, 2000, 1) },
		"no sync of the directory":     func(t testing.TB, open OnFS) { Crash(t, open, 2000, 1) },
		"rename before sync":           func(t testing.TB, open OnFS) { Crash(t, open, 2000, 1) },
		"no checksum":                  func(t testing.TB, open OnFS) { Crash(t, open, 8000, 1) },
		"ignores errors":               func(t testing.TB, open OnFS) { Faults(t, open, 1, 1) },
		"goes on after a failed sync":  func(t testing.TB, open OnFS) { Faults(t, open, 1, 1) },
		"trusts the page cache":        func(t testing.TB, open OnFS) { Faults(t, open, 1, 1) },
		"believes ENOENT":              func(t testing.TB, open OnFS) { Faults(t, open, 1, 1) },
	} {
		t.Run(mistake, func(t *testing.T) {
			v := &verdict{TB: t}
			done := make(chan struct{})
			go func() {
				defer close(done)
				by(v, openLog(mistake))
			}()
			<-done
			require.True(t, v.failed, "nobody noticed")
		})
	}
}

// oneAtATime serializes writers.
type oneAtATime struct {
	store.Store
	mu sync.Mutex
}

func (s *oneAtATime) Commit(ctx context.Context, b store.Batch) (uint64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.Store.Commit(ctx, b)
}

func (s *oneAtATime) Accept(ctx context.Context, es []tree.Evaluation) ([]store.Receipt, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.Store.Accept(ctx, es)
}

func (s *oneAtATime) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.Store.Close()
}
