package evolution

import (
	"encoding/json"
	"slices"

	"github.com/memtree/memtree/evolution/gate"
	"github.com/memtree/memtree/tree"
)

// Rejection is a draft that a gate or a person refused. Its cases stay in use.
type Rejection struct {
	Key  string    `json:"key"` // key of the job
	Type tree.Type `json:"type"`
	Partition
	Members []string `json:"members"` // ids of the cases
	By      string   `json:"by"`      // the writer of the draft, model or rules; or the person who refused it
	Reasons []string `json:"reasons"` // sentences
	Title   string   `json:"title,omitempty"`
	Known   bool     `json:"known,omitempty"` // in a Plan: an earlier plan refused the draft already
}

func (j *job) rejection(key, by string, d *gate.Draft, why []string) Rejection {
	r := Rejection{
		Key: key, Type: j.Type, Partition: Partition{j.ErrorType, j.Direction},
		By: by, Reasons: why, Title: d.Title,
	}
	for _, n := range j.Members {
		r.Members = append(r.Members, n.ID)
	}
	return r
}

// readsLike reports whether two rejections of one job have the same title and reasons.
func (r Rejection) readsLike(other Rejection) bool {
	return r.Title == other.Title && slices.Equal(r.Reasons, other.Reasons)
}

// rejections returns the refused drafts of a stored value. It returns nil for an unreadable value.
func rejections(value []byte) []Rejection {
	var r jobRecord
	if json.Unmarshal(value, &r) != nil {
		return nil
	}
	return r.Refused
}
