package say

import (
	"context"
	"errors"
	"io/fs"
	"syscall"

	"github.com/memtree/memtree/evolution"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/tree"
)

// UsageError means that the command line is invalid. Text is what is wrong, in the language of the user.
type UsageError struct{ Text string }

func (e *UsageError) Error() string { return e.Text }

// Failure is an error with a sentence in the language of the user.
type Failure struct {
	Text  string
	Cause error // the error behind it; may be nil
}

func (e *Failure) Error() string { return e.Text }
func (e *Failure) Unwrap() error { return e.Cause }

var (
	// ErrRejected means that some input was rejected. The command has reported which.
	ErrRejected = errors.New("some input was rejected")
	// ErrPrinted means that the command failed and has printed why.
	ErrPrinted = errors.New("failed")
)

// Usage returns a *UsageError with a sentence, which it translates. args are the arguments of the format english.
func (v *Voice) Usage(english string, args ...any) error { return &UsageError{v.Tell(english, args)} }

// Fail returns a *Failure with a sentence, which it translates. cause is the error behind it, or nil.
func (v *Voice) Fail(cause error, english string, args ...any) error {
	return &Failure{v.Tell(english, args), cause}
}

// Sentence returns err as a text for a person, in the language of the user: what happened and, for known errors, what
// to do.
func (v *Voice) Sentence(err error) string {
	var (
		failure *Failure
		purge   *store.UnfinishedPurgeError
		bad     *store.CorruptError
		beside  *store.BesideError
		field   *tree.FieldError
		path    *fs.PathError
	)
	switch {
	case errors.As(err, &failure):
		return failure.Text
	case errors.As(err, &purge): // whatever stopped it, it cannot be taken back
		return v.purgeSentence(purge)
	case errors.Is(err, context.Canceled):
		return v.Say("interrupted")
	}
	if v.Explain != nil {
		if s := v.Explain(err); s != "" {
			return s
		}
	}
	switch {
	case errors.As(err, &beside):
		return v.Say("what is held beside the tree as %s cannot be read in whole; the rest is in use, and the damaged file "+
			"goes to broken/ when it is saved anew", beside.Name)
	case errors.As(err, &bad):
		return v.Say("%s is damaged at byte %d: %s; `memtree fsck` says what is lost and how to go on",
			bad.File, bad.Offset, bad.Lost)
	case errors.Is(err, evolution.ErrNoDraft):
		return v.Say("no draft is kept under this key; memtree evolve --review makes it again")
	case errors.Is(err, store.ErrFull), errors.Is(err, syscall.ENOSPC):
		return v.Say("the disk is full and nothing is half-written; make room")
	case errors.As(err, &field):
		return Join(field.Field, v.Mistake(field.Problem))
	case errors.As(err, &path):
		return v.pathSentence(path)
	}
	return err.Error()
}

// purgeSentence describes a purge that is in force and whose bytes are not all removed.
func (v *Voice) purgeSentence(e *store.UnfinishedPurgeError) string {
	if errors.Is(e, store.ErrFull) || errors.Is(e, syscall.ENOSPC) {
		return v.Say("what was purged is out of use for good, but its bytes are still there: the disk is full; make room, " +
			"and the next command that writes removes them")
	}
	return v.Say("what was purged is out of use for good, but its bytes are still there, and the next command that "+
		"writes removes them: %s", v.Sentence(e.Cause))
}

// Join returns field and problem with a space between them; either may be empty.
func Join(field, problem string) string {
	if field == "" || problem == "" {
		return field + problem
	}
	return field + " " + problem
}

func (v *Voice) pathSentence(e *fs.PathError) string {
	switch {
	case errors.Is(e, fs.ErrNotExist):
		return v.Say("there is no %s", e.Path)
	case errors.Is(e, fs.ErrPermission), errors.Is(e, syscall.EROFS):
		return v.Say("%s: permission denied; check who may read and write it", e.Path)
	case errors.Is(e, syscall.EISDIR):
		return v.Say("%s is a folder; name a file", e.Path)
	case errors.Is(e, syscall.ENOTDIR):
		return v.Say("%s is not in a folder", e.Path)
	}
	return e.Error()
}
