package tree

import "maps"

// Op is the operation of a change.
type Op string

// The operations. Every change has the whole resulting node, so a store applies all operations alike; the operation
// only informs people and readers of the journal.
const (
	OpAdd       Op = "add"       // a new node
	OpAttach    Op = "attach"    // another occurrence or child of a node
	OpRevise    Op = "revise"    // other content of a node
	OpSupersede Op = "supersede" // a node is replaced by another
	OpStatus    Op = "status"    // another status or mark of a node
	OpCredit    Op = "credit"    // other counters and confidence of a node
	OpArchive   Op = "archive"   // a node is taken out of use, or an occurrence of it is removed
)

// Valid reports whether o is one of the operations.
func (o Op) Valid() bool {
	switch o {
	case OpAdd, OpAttach, OpRevise, OpSupersede, OpStatus, OpCredit, OpArchive:
		return true
	}
	return false
}

// Change is what a stage of memtree proposes to store for one node: the resulting node and the reason.
type Change struct {
	Op    Op             `json:"op"`
	Node  Node           `json:"node"`            // the resulting node; its Revision is Basis[Node.ID]+1
	Why   string         `json:"why"`             // the reason, a sentence
	By    string         `json:"by"`              // formation, evolution, effect, transfer or the name of a person
	Basis map[string]int `json:"basis,omitempty"` // node id → revision that the change was planned on; 0: absent
	Key   string         `json:"key"`             // hash of the change, by which a store recognizes a repetition
}

// NewChange returns a change that results in n. basis is the revision of the stored node when the change was planned, 0
// if the node was absent. NewChange sets n's revision to basis+1 and n's LastChange to the key, a hash of op, n, by and
// why.
func NewChange(op Op, n Node, basis int, by, why string) Change {
	n.Revision = basis + 1
	n.LastChange = ""
	key := "k_" + Hash(string(op), n.ID, by, why, contentHash(&n))
	n.LastChange = key
	return Change{Op: op, Node: n, Why: why, By: by, Basis: map[string]int{n.ID: basis}, Key: key}
}

// On returns a copy of c that also depends on the node id: Basis has the revision of that node too. A store refuses the
// change if the node has another revision when the change is committed.
func (c Change) On(id string, revision int) Change {
	c.Basis = maps.Clone(c.Basis)
	c.Basis[id] = revision
	return c
}
