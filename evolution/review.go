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

// errNoDraft: what is decided on is not there any more.
var errNoDraft = errors.New("no draft is kept under this key; evolve --review makes it again")

// Accept returns what a cache is to keep under a job's key once a person has
// accepted its draft.
func Accept(value []byte) ([]byte, error) {
	var r record
	if json.Unmarshal(value, &r) != nil || r.Draft == nil {
		return nil, errNoDraft
	}
	r.Word = accepted
	return json.Marshal(r)
}

// Reject returns what a cache is to keep under a job's key once a person has
// rejected the draft that p is: it is not written again until its evidence
// changes.
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
