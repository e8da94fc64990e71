// Package knowledge holds what is known of the product under test and its environment: one [Fact] is one sentence that
// people, readers of their notes, or agents stated, with what runs have shown of it since. Memories of package tree say
// how agents err; facts are what holds. It has nothing to do with package fact, which compares a page with a remembered
// miss.
//
// A [Base] is a function of the ledger: package internal/learned feeds it the entries. A [Keeper] takes a person's
// decisions, checks them ([Clean]) and hands them to the one door.
//
// # Trust
//
// Trust is the mean of a Beta distribution, from 0 to 1, with a prior of one for and one against:
//
//	evidence                            for    against   ages
//	a person states or confirms it        4              no
//	a person's note, read by a reader     2              no
//	the note of a further test            1              no
//	a run that was given it went right   .2              half-life of 90 days
//	a run missed a defect with it                    1   half-life of 90 days
//	an agent states or confirms it        0              it is given only once somebody else does
//
// A fact is given while its trust is .3 or more. The numbers of the documents that this follows map so:
//
//	there                                     here
//	trust below .3 is not injected            Floor
//	×.9 after 30 days without use             the same for each 30 days, on trust; not where a person stated it
//	decay ends at .1                          the same: leastAged
//	validated: +.1, and never pruned          a person's confirmation: 4 more for it, and it does not age
//	contradicted: −.2                         a person's: not given any more; a run's: one more against it
//
// # States
//
// A fact is proposed until a person or a note backs it; then it is active. It is disputed, not given, and put
// to people where two people decide differently, where another fact contradicts it, or where three runs in a row missed
// a defect with it. It is superseded by its edit or by what a person settled, and archived when a person contradicts
// or forgets it. What one person decided is taken back by undo, since the ledger is then folded without it.
//
// The clock of a fact never runs backwards: an entry that is dated before an earlier one counts as of that one's time.
//
// Where to look:
//   - base.go, record.go, trust.go: the fold, what it holds of one fact, and what follows from that; file.go saves it
//   - contradiction.go: facts that deny each other, such as two that differ in a number, and which one holds
//   - find.go: which facts a coming test is given, and why
//   - clean.go: what may be stated
package knowledge

import (
	"time"

	"github.com/memtree/memtree/ledger"
)

// FactState is whether a fact is in use.
type FactState string

// The states.
const (
	Proposed   FactState = "proposed"   // nobody but an agent or another tree says so
	Active     FactState = "active"     // it is given
	Disputed   FactState = "disputed"   // it is put to people
	Superseded FactState = "superseded" // another fact holds in its place
	Archived   FactState = "archived"   // out of use
)

// Fact is one sentence about the product, in its state at some time.
type Fact struct {
	ID string `json:"id"`
	ledger.Statement

	State FactState `json:"state"`
	Trust float64   `json:"trust"` // 0 to 1
	N     int       `json:"n"`     // how many people, notes and runs that rests on
	Given int       `json:"given"` // to how many runs
	Since time.Time `json:"since"` // when it was first stated
	Used  time.Time `json:"used"`  // when it was last given or spoken for
	By    string    `json:"by,omitempty"`
	From  Source    `json:"from"` // who stated it first

	People  []Vote   `json:"people,omitempty"` // what people decided last, sorted by name
	Cases   []string `json:"cases,omitempty"`  // the cases whose notes say so
	Right   int      `json:"right,omitempty"`  // runs that were given it and went right
	Missed  int      `json:"missed,omitempty"` // runs that were given it and missed a defect
	InTheBy string   `json:"supersededBy,omitempty"`
	Against []string `json:"against,omitempty"` // facts in use that say otherwise
	Why     string   `json:"why,omitempty"`     // why it is disputed or archived
}

// Source is who is behind an entry.
type Source = ledger.Source

// Vote is the last decision of one person on a fact.
type Vote struct {
	By    string    `json:"by,omitempty"`
	Holds bool      `json:"holds"`
	At    time.Time `json:"at"`
	Why   string    `json:"why,omitempty"`
}
