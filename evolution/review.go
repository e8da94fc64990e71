package evolution

import (
	"encoding/json"
	"errors"

	"github.com/memtree/memtree/tree"
)

// Proposal is a draft that passed every gate and waits for a person.
type Proposal struct {
	Key      string     `json:"key"`
	Node     tree.Node  `json:"node"`               // as it would be
	Tests    int        `json:"tests"`              // that its cases come from
	Replaces *tree.Node `json:"replaces,omitempty"` // as it is; nil for a new one
}

const accepted = "accepted"

// errNoDraft says that the draft a person decided about is not in the cache any more.
var errNoDraft = errors.New("no draft is kept under this key; evolve --review makes it again")

// Accept returns the value to keep in the Cache under a job's key after a person
// accepted its draft. value is the one kept now. It fails when that has no draft.
func Accept(value []byte) ([]byte, error) {
	var r record
	if json.Unmarshal(value, &r) != nil || r.Draft == nil {
		return nil, errNoDraft
	}
	r.Word = accepted
	return json.Marshal(r)
}

// Reject returns the value to keep in the Cache under a job's key after a person
// rejected the draft of p. The draft is not written again until its evidence changes.
// It fails when value, the one kept now, has no draft.
func Reject(value []byte, p *Proposal, why string) ([]byte, error) {
	var r record
	if json.Unmarshal(value, &r) != nil || r.Draft == nil {
		return nil, errNoDraft
	}
	r.Refused = append(r.Refused, Rejection{
		Key: r.Job, Type: p.Node.Type, Partition: partitionOf(&p.Node), Members: p.Node.Children, By: "person",
		Reasons: []string{why}, Title: r.Draft.Title,
	})
	r.Draft = nil
	return json.Marshal(r)
}
