package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/evolution"
	"github.com/memtree/memtree/internal/cli/say"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/tree"
)

func TestExitCodes(t *testing.T) {
	locked := &store.LockedError{Dir: ".memtree", PID: 7, Host: "box", Started: time.Unix(0, 0)}
	path := func(err error) error { return &fs.PathError{Op: "open", Path: "runs.jsonl", Err: err} }
	for _, c := range []struct {
		err  error
		code int
		says string
	}{
		{nil, exitOK, ""},
		{say.ErrRejected, exitRejected, ""},
		{say.ErrPrinted, exitFailed, ""},
		{&say.UsageError{Text: "say more"}, exitUsage, "say more"},
		{fmt.Errorf("record: %w", context.Canceled), exitFailed, "interrupted"},
		{
			fmt.Errorf("open: %w", locked), exitFailed,
			"process 7 on box has been writing to store .memtree since 1970-01-01T00:00:00Z",
		},
		{&store.LockedError{Dir: "x"}, exitFailed, "another process is writing"},
		{fmt.Errorf("commit: %w", store.ErrFull), exitFailed, "the disk is full"},
		{path(syscall.ENOSPC), exitFailed, "the disk is full"},
		{path(fs.ErrNotExist), exitFailed, "there is no runs.jsonl"},
		{path(fs.ErrPermission), exitFailed, "runs.jsonl: permission denied"},
		{path(syscall.EROFS), exitFailed, "runs.jsonl: permission denied"},
		{path(syscall.EISDIR), exitFailed, "runs.jsonl is a folder"},
		{store.ErrReadOnly, exitFailed, "can only be read here"},
		{store.ErrFailed, exitFailed, "the disk failed"},
		{
			&store.FormatError{Dir: ".memtree", Problem: "is of format 2; this program knows 1"}, exitFailed,
			".memtree is of format 2",
		},
		{
			&store.FormatError{Dir: ".memtree", Problem: "holds no memtree store", Missing: true}, exitFailed,
			"there is no store in .memtree; make one with `memtree init`",
		},
		{
			&store.FormatError{Dir: ".memtree", Problem: "has a damaged FORMAT.json", Damaged: true}, exitFailed,
			"`memtree fsck` can make it again",
		},
		{fmt.Errorf("decide: %w", evolution.ErrNoDraft), exitFailed, "memtree evolve --review makes it again"},
		{&store.CorruptError{File: "journal", Offset: 12, Lost: "2 batches"}, exitFailed, "damaged at byte 12: 2 batches"},
		{&tree.FieldError{Field: "prompt", Problem: "is missing"}, exitFailed, "prompt is missing"},
		{&say.Failure{Text: "no luck", Cause: nil}, exitFailed, "no luck"},
		{errors.Join(errors.New("one"), nil), exitFailed, "one"},
		{errors.New("bad\x1b[31m thing\nhere"), exitFailed, "bad thing here"},
	} {
		a, out := inTest()
		a.Width, a.started = 300, true
		require.Equal(t, c.code, a.exit(c.err), "%v", c.err)
		require.Contains(t, out.String(), c.says)
		if c.says == "" {
			require.Empty(t, out.String())
		}
	}
}

func TestNotUnderstoodBeforeItStarted(t *testing.T) {
	a, _ := inTest()
	require.Equal(t, exitUsage, a.exit(errors.New("cobra says no")))
}
