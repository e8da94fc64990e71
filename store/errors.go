package store

import (
	"errors"
	"fmt"
	"time"
)

// Sentinel errors. A store wraps them with context, so compare with errors.Is.
var (
	ErrConflict = errors.New("the plan is stale: a node it was made on has changed")
	ErrClosed   = errors.New("the store is closed")
	ErrReadOnly = errors.New("the store is open for reading only")
	ErrFailed   = errors.New("the store stopped writing after the disk failed; what was acknowledged is safe, reopen " +
		"it to go on")
	ErrFull      = errors.New("the disk is full; reading goes on, and writing does once there is room")
	ErrCompacted = errors.New("changes that old are no longer kept")
	// ErrAway means that the database of a shared store cannot be reached. The call that returned it wrote nothing; an
	// earlier one with the same Op that is unknown stays so.
	ErrAway = errors.New("the database cannot be reached")
	// ErrDeleted means that a shared store's tree is no longer in the database.
	ErrDeleted = errors.New("the tree was deleted from the database while it was open")
	// ErrContradiction means that the evaluation's key belongs to a different evaluation.
	ErrContradiction = errors.New("another evaluation with this id was recorded before")
)

// RefusedError means that a database answers, and does not do what is needed. The call that returned it wrote nothing.
type RefusedError struct {
	Why     Refusal
	At      string // the database as people name it, without a password
	Problem string // a sentence with what to do
}

// Refusal is why a database refuses.
type Refusal string

// The reasons of a RefusedError.
const (
	OnlyReads  Refusal = "only-reads"  // the server only lets read, as a standby does; the error is also ErrReadOnly
	NoEntry    Refusal = "no-entry"    // it does not let the user in
	NoDatabase Refusal = "no-database" // it has no such database
	NoRight    Refusal = "no-right"    // the user may not do this
)

func (e *RefusedError) Error() string { return e.Problem }

func (e *RefusedError) Unwrap() error {
	if e.Why == OnlyReads {
		return ErrReadOnly
	}
	return nil
}

// UnreadableError means that a value in a database cannot be decoded.
type UnreadableError struct {
	At    string // the database as people name it, without a password
	What  string // such as "memory c_1"
	Cause error
}

func (e *UnreadableError) Error() string {
	return fmt.Sprintf("%s in %s cannot be read (%v); memtree verify lists all such values: restore them from a backup",
		e.What, e.At, e.Cause)
}

func (e *UnreadableError) Unwrap() error { return e.Cause }

// UnknownError means that it cannot be known whether a commit was made: its caller stopped waiting, or the database was
// lost during it. A commit of the same batch with the same Op makes it once, whether or not the first one was made.
type UnknownError struct {
	Op    string
	Cause error
}

func (e *UnknownError) Error() string {
	return "it is unknown whether the commit was made; commit again with the same op, " + e.Op + ": " + e.Cause.Error()
}

func (e *UnknownError) Unwrap() error { return e.Cause }

// LockedError means that another process has the store open for writing.
type LockedError struct {
	Dir     string
	PID     int
	Host    string
	Started time.Time
}

func (e *LockedError) Error() string {
	if e.PID == 0 {
		return "store " + e.Dir + " is in use by another process; wait for it, or open it for reading only"
	}
	return fmt.Sprintf("store %s is in use by process %d on %s since %s; wait for it, or open it for reading only",
		e.Dir, e.PID, e.Host, e.Started.UTC().Format(time.RFC3339))
}

// UnfinishedPurgeError means that a purge is committed and some of its bytes could not be removed. Nothing takes it
// back. The next opening of the store for writing removes them.
type UnfinishedPurgeError struct{ Cause error }

func (e *UnfinishedPurgeError) Error() string {
	return "what was purged is out of use, and its bytes go when the store is opened next: " + e.Cause.Error()
}

func (e *UnfinishedPurgeError) Unwrap() error { return e.Cause }

// CorruptError means that bytes a store once acknowledged can no longer be read.
type CorruptError struct {
	File   string
	Offset int64  // of the first bad byte
	Lost   string // what is lost, as text
}

func (e *CorruptError) Error() string {
	return fmt.Sprintf("%s is damaged at byte %d: %s", e.File, e.Offset, e.Lost)
}

// FormatError means that this program cannot open a directory as a store.
type FormatError struct {
	Dir     string
	Problem string // continues a sentence that begins with the directory's name
	Missing bool   // there is no store in it, and one can be created
	Damaged bool   // the file that identifies the store is damaged, and can be written again
}

func (e *FormatError) Error() string { return e.Dir + " " + e.Problem }
