package tree

import "maps"

// Op says what a change does.
type Op string

// The operations. Every change holds the whole node it leaves behind, so a store
// applies all of them alike; the operation tells people and journal readers what happened.
const (
	OpAdd       Op = "add"       // a new node
	OpAttach    Op = "attach"    // an occurrence, or a child
	OpRevise    Op = "revise"    // other content
	OpSupersede Op = "supersede" // replaced by another node
	OpStatus    Op = "status"    // another status or mark
	OpCredit    Op = "credit"    // counters and confidence
	OpArchive   Op = "archive"   // out of use, with a reason; nothing is deleted
)

// Valid reports whether o is one of the operations.
func (o Op) Valid() bool {
	switch o {
	case OpAdd, OpAttach, OpRevise, OpSupersede, OpStatus, OpCredit, OpArchive:
		return true
	}
	return false
}

// Change is what a stage proposes: the node as it should be, and why.
type Change struct {
	Op    Op             `json:"op"`
	Node  Node           `json:"node"`            // as it will be; its Revision is Basis[Node.ID]+1
	Why   string         `json:"why"`             // a sentence
	By    string         `json:"by"`              // formation, evolution, effect, transfer or a person
	Basis map[string]int `json:"basis,omitempty"` // node id → revision read when it was planned; 0: the node was absent
	Key   string         `json:"key"`             // hash of the proposal; a store ignores a key it has just applied
}

// NewChange returns a change that leaves n behind. basis is the revision of the
// stored node it was planned on, 0 if there was none. NewChange sets n's revision
// to basis+1 and n's LastChange to the key, which it hashes from op, n, by and why.
func NewChange(op Op, n Node, basis int, by, why string) Change {
	n.Revision = basis + 1
	n.LastChange = ""
	key := "k_" + digest(string(op), n.ID, by, why, contentHash(&n))
	n.LastChange = key
	return Change{Op: op, Node: n, Why: why, By: by, Basis: map[string]int{n.ID: basis}, Key: key}
}

// On returns a copy of c whose basis also names the given revision of node id: the
// change conflicts if that node has another revision at commit.
func (c Change) On(id string, revision int) Change {
	c.Basis = maps.Clone(c.Basis)
	c.Basis[id] = revision
	return c
}

// Batch is what a store commits: all of it or nothing.
type Batch struct {
	Changes []Change     `json:"changes,omitempty"`
	Done    []string     `json:"done,omitempty"` // keys of evaluations that leave the outbox
	Dead    []DeadLetter `json:"dead,omitempty"` // evaluations that leave it without having formed
	Entries []Entry      `json:"entries,omitempty"`
	Purge   *Purge       `json:"purge,omitempty"` // what it removes for good; nil: nothing
}

// Empty reports whether committing b would change nothing.
func (b *Batch) Empty() bool {
	return len(b.Changes)+len(b.Done)+len(b.Dead)+len(b.Entries) == 0
}

// DeadLetter is an accepted evaluation that could not be formed. It is kept.
type DeadLetter struct {
	Evaluation Evaluation `json:"evaluation"`
	Why        string     `json:"why"`
}

// Commit is the changes of one batch and the store's version after them.
type Commit struct {
	Version uint64
	Changes []Change
}
