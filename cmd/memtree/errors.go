package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"
	"time"

	"github.com/memtree/memtree/evolution"
	"github.com/memtree/memtree/internal/cli/screen"
	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// The exit codes.
const (
	exitOK       = 0
	exitFailed   = 1
	exitUsage    = 2
	exitRejected = 3
)

// usageError is a command line that is invalid.
type usageError struct{ text string }

func (e *usageError) Error() string { return e.text }

// failure is an error that carries a sentence in the language of the user.
type failure struct {
	text  string
	cause error // may be nil
}

func (e *failure) Error() string { return e.text }
func (e *failure) Unwrap() error { return e.cause }

var (
	// errRejected means that some input was rejected. The command has reported which.
	errRejected = errors.New("some input was rejected")
	// errSaid means that the command failed and has printed the reason.
	errSaid = errors.New("failed")
)

// exit prints the error, if any, and returns the exit code. This is the only place that turns errors into sentences
// and exit codes.
func (a *app) exit(err error) int {
	var usage *usageError
	var ran *ranElsewhere
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &ran):
		return ran.code
	case errors.Is(err, errRejected):
		return exitRejected
	case errors.Is(err, errSaid):
		return exitFailed
	case errors.As(err, &usage), !a.started:
		a.complain(err.Error())
		return exitUsage
	}
	if problems := taxonomy.Problems(err); len(problems) > 0 { // each on its own line, for the person who corrects them
		for _, p := range problems {
			a.complain(p.Error())
		}
		return exitFailed
	}
	a.complain(a.sentence(err))
	return exitFailed
}

// complain prints an error on standard error, in one line even if it quotes several.
func (a *app) complain(sentence string) {
	a.remark("memtree: " + text.Line(sentence))
}

// note prints a remark that is not part of the result, unless --quiet is set.
func (a *app) note(sentence string) {
	if !a.quiet {
		a.remark(sentence)
	}
}

// remark prints on standard error. It wraps the text for a person at a terminal, and keeps
// it on one line for a program that looks for file:line.
func (a *app) remark(s string) {
	if a.Live {
		s = strings.Join(a.Wrap(s), "\n")
	}
	// If standard error is closed, there is nowhere to report it.
	_, _ = fmt.Fprintln(a.stderr, s)
}

// sentence returns an error as a sentence for a person: what happened and what to do.
func (a *app) sentence(err error) string {
	var (
		said   *failure
		locked *tree.LockedError
		format *tree.FormatError
		bad    *tree.CorruptError
		field  *tree.FieldError
		path   *fs.PathError
		hidden *hiddenError
	)
	switch {
	case errors.As(err, &said):
		return said.text
	case errors.Is(err, context.Canceled):
		return a.say("interrupted")
	case errors.As(err, &locked):
		return a.lockedSentence(locked)
	case errors.As(err, &format) && format.Missing:
		return a.say("there is no store in %s; make one with `memtree init`, or name another with --store", format.Dir)
	case errors.As(err, &format) && format.Damaged:
		return a.say("%s %s, `memtree fsck` can make it again", format.Dir, format.Problem)
	case errors.As(err, &format):
		return a.say("%s %s", format.Dir, format.Problem)
	case errors.As(err, &bad):
		return a.say("%s is damaged at byte %d: %s; `memtree fsck` says what is lost and how to go on",
			bad.File, bad.Offset, bad.Lost)
	case errors.Is(err, evolution.ErrNoDraft):
		return a.say("no draft is kept under this key; memtree evolve --review makes it again")
	case errors.Is(err, tree.ErrFull), errors.Is(err, syscall.ENOSPC):
		return a.say("the disk is full and nothing is half-written; make room")
	case errors.Is(err, tree.ErrReadOnly):
		return a.say("the store can only be read here; leave --read-only out, or check who may write to %s", a.store)
	case errors.Is(err, tree.ErrFailed):
		return a.say("the disk failed while writing to %s; what was acknowledged is safe; check the disk", a.store)
	case errors.As(err, &field):
		return join(field.Field, a.mistake(field.Problem))
	case errors.As(err, &hidden):
		return a.hiddenSentence(hidden)
	case errors.As(err, &path):
		return a.pathSentence(path)
	}
	return err.Error()
}

func (a *app) lockedSentence(e *tree.LockedError) string {
	if s := a.holderSentence(e); s != "" {
		return s
	}
	if e.PID == 0 {
		return a.say("another process is writing to store %s; wait for it, or read with --read-only", e.Dir)
	}
	return a.say("process %d on %s has been writing to store %s since %s; wait for it, or read with --read-only",
		e.PID, e.Host, e.Dir, e.Started.UTC().Format(time.RFC3339))
}

func (a *app) pathSentence(e *fs.PathError) string {
	switch {
	case errors.Is(e, fs.ErrNotExist):
		return a.say("there is no %s", e.Path)
	case errors.Is(e, fs.ErrPermission), errors.Is(e, syscall.EROFS):
		return a.say("%s: permission denied; check who may read and write it", e.Path)
	case errors.Is(e, syscall.EISDIR):
		return a.say("%s is a folder; name a file", e.Path)
	case errors.Is(e, syscall.ENOTDIR):
		return a.say("%s is not in a folder", e.Path)
	}
	return e.Error()
}

// print prints lines on standard output.
func (a *app) print(lines ...string) error { return screen.WriteLines(a.stdout, lines...) }

// printJSON prints v on standard output, readable and unescaped.
func (a *app) printJSON(v any) error {
	enc := json.NewEncoder(a.stdout)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("print JSON: %w", err)
	}
	return nil
}
