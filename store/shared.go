package store

import "time"

// Shared is a Store to which other processes write at the same time. Its caller follows them by Changes and Ledger.
type Shared interface {
	Store

	// Following returns how far this process has followed the others. It does not ask the database.
	Following() Following
}

// Following is the state of a process that works with a shared store. A process that asks the database each time has
// the zero value.
type Following struct {
	Version uint64        // of the answers
	AsOf    time.Time     // when they were those of the database, by its clock
	Lag     time.Duration // since then; 0 for a process that follows
	Away    error         // why the database does not answer, or not this process; nil: it does
	Refused error         // why one that answers does not take what is written, as far as was tried; nil: it does
	Clock   time.Duration // how far this machine's clock is ahead of the database's, about; negative: behind
	Waiting int           // evaluations that were accepted here meanwhile, for the database
	Anew    int           // how often the history had changed, as after a restore, so that all was read anew
}
