package store

import "time"

// Shared is a Store to which other processes write at the same time. A caller learns of their writes by Changes and
// Ledger.
type Shared interface {
	Store

	// Following returns how far this process has read the writes of the others. It does not ask the database.
	Following() Following
}

// Following is how far a process has read a shared store, and what it cannot do at the moment. A process that asks the
// database for each answer has the zero value.
type Following struct {
	Version uint64        // version of the store that answers come from
	AsOf    time.Time     // when Version was last found to be the newest one, by the clock of the database
	Lag     time.Duration // time since AsOf, by the clock of this machine; 0 for a process that asks each time
	Away    error         // why the database does not answer, or that the tree was deleted; nil: it answers
	Refused error         // why a database that answers refuses writes, as far as this process tried; nil: it takes them
	Clock   time.Duration // about how far this machine's clock is ahead of the database's; negative: behind
	Waiting int           // evaluations accepted on this machine that the database does not have yet
	Anew    int           // how often this process read the whole tree again, as after a restore of the database
}
