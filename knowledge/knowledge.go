// Package knowledge holds what is known of the product under test and its environment. One [Fact] is one sentence that
// people, models that read their notes, or agents stated, together with what runs have shown of it since. Memories of
// package tree describe how agents err; facts describe the product. The package has nothing to do with package fact,
// which compares a page with a remembered mistake.
//
// A [Base] is a function of the ledger: package internal/learned passes it the entries. A [Library] is what users call:
// it reads the facts, has a model read notes, and adds statements of agents and other trees, once [Clean] accepts them.
// Decisions of people on facts are in package curation.
//
// # Trust
//
// Trust is the mean of a Beta distribution, from 0 to 1, with a prior of one for and one against:
//
//	evidence                            for    against   ages
//	a person states or confirms it        4              no
//	a person's note, read by a model      2              no
//	the note of a further test            1              no
//	a run that received it went right    .2              half-life of 90 days
//	a run missed a defect with it                    1   half-life of 90 days
//	an agent states or confirms it        0              runs receive it only once somebody else states it
//
// A person who contradicts a fact counts 8 against it. A run receives a fact while its trust is .3 or more. The rules
// come from earlier documents of the design, whose numbers became these:
//
//	there                                     here
//	trust below .3 is not injected            Floor
//	×.9 after 30 days without use             the same for each 30 days, on trust; not where a person stated it
//	decay ends at .1                          the same: leastAged
//	validated: +.1, and never pruned          a person's confirmation: 4 more for it, and it does not age
//	contradicted: −.2                         a person's: no run receives it; a run's: one more against it
//
// # States
//
// A fact is proposed until a person or a note backs it; then it is active. It becomes disputed, and waits for a person,
// where two people decide differently, where another fact contradicts it, or where three runs in a row missed a defect
// with it. It is superseded by its edited version or by the fact that a person preferred, and archived when a person
// contradicts or forgets it. Undo takes back what one person decided: the ledger is then folded again without that
// decision.
//
// The clock of a fact never runs backwards: an entry that is dated before an earlier one counts as of that one's time.
//
// Where to look:
//   - base.go, record.go, trust.go: the facts of a ledger, the data of one fact, and its trust and state; file.go saves
//     them
//   - contradiction.go: facts that deny each other, such as two that differ in a number, and which one holds
//   - find.go: which facts a run receives, and why
//   - clean.go: what may be stated
//   - library.go, read.go, list.go, propose.go, import.go: a Library: reading notes, lists, proposals of agents,
//     statements of others
package knowledge

import (
	"time"

	"github.com/memtree/memtree/ledger"
)

// FactState is whether runs receive a fact, and why not.
type FactState string

// The states of a fact.
const (
	Proposed   FactState = "proposed"   // only an agent or another tree states the fact; no run receives it
	Active     FactState = "active"     // a person or a note backs the fact; runs receive it if its trust is Floor or more
	Disputed   FactState = "disputed"   // people, facts or runs contradict the fact; it waits for a person
	Superseded FactState = "superseded" // another fact replaced the fact
	Archived   FactState = "archived"   // a person contradicted or forgot the fact
)

// Fact is one sentence about the product, with its state and trust at some time.
type Fact struct {
	ID string `json:"id"`
	ledger.Statement

	State FactState `json:"state"`
	Trust float64   `json:"trust"`        // how sure the fact is, 0 to 1; see the package comment
	N     int       `json:"n"`            // number of people, notes and runs that State and Trust follow from
	Given int       `json:"given"`        // how often runs and steps of runs received the fact
	Since time.Time `json:"since"`        // when the fact was first stated
	Used  time.Time `json:"used"`         // when the fact was last received, stated or decided on, or a run with it ended
	By    string    `json:"by,omitempty"` // who stated the fact first
	From  Source    `json:"from"`         // what kind of source stated the fact first

	People       []Vote   `json:"people,omitempty"`       // the last decision of each person, sorted by name
	Cases        []string `json:"cases,omitempty"`        // ids of cases whose notes state it: one for a test, at most 64
	Right        int      `json:"right,omitempty"`        // runs that received the fact and went right
	Missed       int      `json:"missed,omitempty"`       // runs that received the fact and missed a defect
	SupersededBy string   `json:"supersededBy,omitempty"` // id of the fact that replaced this one
	Against      []string `json:"against,omitempty"`      // ids of facts in use that contradict this one
	Why          string   `json:"why,omitempty"`          // why the fact is disputed or archived
}

// Source is what kind of source an entry comes from: a person, a note, an agent or another tree.
type Source = ledger.Source

// Vote is the last decision of one person on a fact.
type Vote struct {
	By    string    `json:"by,omitempty"`
	Holds bool      `json:"holds"`
	At    time.Time `json:"at"`
	Why   string    `json:"why,omitempty"`
}
