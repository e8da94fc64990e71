package evolution

import (
	"context"
	"iter"
	"slices"

	"github.com/memtree/memtree/effect"
	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/tree"
)

// Evolved is the result of an Evolve; with DryRun, what it would be.
type Evolved struct {
	Plans     []Plan           `json:"plans"`     // by partition, sorted
	Forgotten []Forgotten      `json:"forgotten"` // archived memories
	Revived   []string         `json:"revived"`   // cases taken back into use
	Anew      []string         `json:"anew"`      // lessons retired by a person's decision, some to be written again
	Judged    []effect.Revised `json:"judged"`    // memories shown from now on, or no longer, because of their effect
	Again     int              `json:"again"`     // cases read by the model after earlier failures
	Calls     int              `json:"calls"`
	Usage     llm.Usage        `json:"usage"`
	Cost      float64          `json:"cost"`    // by Price
	Waiting   int              `json:"waiting"` // jobs left for another Evolve because of MaxCalls, MaxCost or DryRun
}

// Changed returns the number of changes of memories.
func (v *Evolved) Changed() int {
	n := len(v.Forgotten) + len(v.Revived) + len(v.Anew) + len(v.Judged) + v.Again
	for i := range v.Plans {
		n += len(v.Plans[i].Changes)
	}
	return n
}

// Proposals returns the proposals that wait for a person, by partition, in the order of the plans.
func (v *Evolved) Proposals() []Proposal {
	out := []Proposal{}
	for _, p := range v.Plans {
		out = append(out, p.Proposals...)
	}
	return out
}

// Add joins the result of another try for a partition with the earlier one.
func (v *Evolved) Add(p Plan) {
	v.Calls += p.Calls
	v.Usage = v.Usage.Add(p.Usage)
	i := slices.IndexFunc(v.Plans, func(o Plan) bool { return o.Partition == p.Partition })
	if i < 0 {
		v.Waiting += p.Waiting
		v.Plans = append(v.Plans, p)
		return
	}
	old := v.Plans[i]
	v.Waiting += p.Waiting - old.Waiting
	p.Changes, p.Calls, p.Usage = append(old.Changes, p.Changes...), p.Calls+old.Calls, p.Usage.Add(old.Usage)
	v.Plans[i] = p
}

// After returns a tree with changes applied.
func After(v Scanner, changes []tree.Change) Scanner { return after{v, changes} }

type after struct {
	Scanner
	changes []tree.Change
}

// Scan implements Scanner.
func (a after) Scan(ctx context.Context, f store.Filter) iter.Seq2[tree.Node, error] {
	changed := map[string]tree.Node{}
	for _, c := range a.changes {
		changed[c.Node.ID] = c.Node
	}
	return func(yield func(tree.Node, error) bool) {
		for n, err := range a.Scanner.Scan(ctx, f) {
			if c, ok := changed[n.ID]; ok && err == nil {
				n = c.Clone()
			}
			if !yield(n, err) {
				return
			}
		}
	}
}
