package store

import (
	"errors"
	"fmt"
	"time"

	"github.com/memtree/memtree/tree"
)

// Sentinel errors. A store wraps them with context, so compare with errors.Is.
var (
	// ErrConflict means that another commit changed a node on which the batch was planned, or finished one of its
	// evaluations.
	ErrConflict = errors.New("the plan is stale: a node it was made on has changed")
	ErrClosed   = errors.New("the store is closed")
	ErrReadOnly = errors.New("the store is open for reading only")
	ErrFailed   = errors.New("the store stopped writing after the disk failed; what was acknowledged is safe, reopen " +
		"it to go on")
	ErrFull      = errors.New("the disk is full; reading goes on, and writing does once there is room")
	ErrCompacted = errors.New("changes that old are no longer kept")
	// ErrAway means that the database of a shared store cannot be reached. The call that returned it wrote nothing; if an
	// earlier commit ended with an UnknownError, it is still unknown whether it was made.
	ErrAway = errors.New("the database cannot be reached")
	// ErrDeleted means that a shared store's tree is no longer in the database.
	ErrDeleted = errors.New("the tree was deleted from the database while it was open")
	// ErrContradiction means that the evaluation's key belongs to a different evaluation.
	ErrContradiction = errors.New("another evaluation with this id was recorded before")
)

// RefusedError means that the database answers, but refuses what the caller needs. The call that returned it wrote
// nothing.
type RefusedError struct {
	Why     Refusal
	At      string // the database without its password, for people
	Problem string // a sentence with what to do
}

// Refusal is the reason of a RefusedError.
type Refusal string

// The reasons of a RefusedError.
const (
	OnlyReads  Refusal = "only-reads"  // the server is read-only, as a standby is; the error is also ErrReadOnly
	NoEntry    Refusal = "no-entry"    // the server refuses the user or the password
	NoDatabase Refusal = "no-database" // the server has no database of that name
	NoRight    Refusal = "no-right"    // the user lacks a privilege
)

func (e *RefusedError) Error() string { return e.Problem }

func (e *RefusedError) Unwrap() error {
	if e.Why == OnlyReads {
		return ErrReadOnly
	}
	return nil
}

// UnreadableError means that a value in the database cannot be decoded.
type UnreadableError struct {
	At    string // the database without its password, for people
	What  string // the value, such as "memory c_1"
	Cause error
}

func (e *UnreadableError) Error() string {
	return fmt.Sprintf("%s in %s cannot be read (%v); memtree verify lists all such values: restore them from a backup",
		e.What, e.At, e.Cause)
}

func (e *UnreadableError) Unwrap() error { return e.Cause }

// UnknownError means that a commit may or may not have been made: its caller stopped waiting, or the connection was
// lost during it. To find out, commit the same batch with the same Op again: the store does not commit it twice.
type UnknownError struct {
	Op    string
	Cause error
}

func (e *UnknownError) Error() string {
	return "it is unknown whether the commit was made; commit again with the same op, " + e.Op + ": " + e.Cause.Error()
}

func (e *UnknownError) Unwrap() error { return e.Cause }

// LockedError means that another process, or another Store in this process, has the store open for writing.
type LockedError struct {
	Dir     string
	PID     int // id of the process that has the store open; 0: unknown
	Host    string
	Started time.Time // when the process opened the store; zero: unknown
}

func (e *LockedError) Error() string {
	if e.PID == 0 {
		return "store " + e.Dir + " is in use by another process; wait for it, or open it for reading only"
	}
	return fmt.Sprintf("store %s is in use by process %d on %s since %s; wait for it, or open it for reading only",
		e.Dir, e.PID, e.Host, e.Started.UTC().Format(time.RFC3339))
}

// UnfinishedPurgeError means that a purge is committed, but some of its bytes could not be removed yet. The next
// opening of the store for writing removes them.
type UnfinishedPurgeError struct{ Cause error }

func (e *UnfinishedPurgeError) Error() string {
	return "what was purged is out of use, and its bytes go when the store is opened next: " + e.Cause.Error()
}

func (e *UnfinishedPurgeError) Unwrap() error { return e.Cause }

// Purged reports whether a batch with a purge was committed, from the error of its commit: nil or an
// UnfinishedPurgeError.
func Purged(err error) bool {
	_, unfinished := errors.AsType[*UnfinishedPurgeError](err)
	return err == nil || unfinished
}

// CorruptError means that bytes that a store acknowledged can no longer be read.
type CorruptError struct {
	File   string
	Offset int64  // offset of the first bad byte
	Lost   string // what is lost, as text
}

func (e *CorruptError) Error() string {
	return fmt.Sprintf("%s is damaged at byte %d: %s", e.File, e.Offset, e.Lost)
}

// FormatError means that a directory is no store that this program can open.
type FormatError struct {
	Dir     string
	Problem string // continues a sentence that begins with the directory's name
	Missing bool   // the directory has no store, and one can be created
	Damaged bool   // the file that identifies the store is damaged, and can be written again
}

func (e *FormatError) Error() string { return e.Dir + " " + e.Problem }

// LabelledError is the error for an evaluation with a truth that differs from a person's label. It is an
// ErrContradiction.
type LabelledError struct{ By string }

func (e *LabelledError) Error() string {
	who := e.By
	if who == tree.ByPerson {
		who = "a person"
	}
	return who + labelledOtherwise
}

const labelledOtherwise = " labelled this run otherwise, which stays; relabel it to replace that"

// Is reports whether target is ErrContradiction.
func (*LabelledError) Is(target error) bool { return target == ErrContradiction }
