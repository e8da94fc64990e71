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

// Evolved is what learning changed in a tree; with RunOptions.DryRun, what it would change.
type Evolved struct {
	Plans     []Plan           `json:"plans"`     // by partition, sorted
	Forgotten []Forgotten      `json:"forgotten"` // memories taken out of use
	Revived   []string         `json:"revived"`   // ids of cases taken back into use
	Anew      []string         `json:"anew"`      // ids of lessons retired by a person's decision; some are written again
	Judged    []effect.Revised `json:"judged"`    // memories whose status changed because of their effect
	Again     int              `json:"again"`     // cases that a model analysed because it had failed before
	Calls     int              `json:"calls"`     // calls of the model
	Usage     llm.Usage        `json:"usage"`     // tokens of the calls of the model
	Cost      float64          `json:"cost"`      // price of the tokens, by RunOptions.Price
	Waiting   int              `json:"waiting"`   // jobs left for later: a bound or DryRun stopped them, or no answer came
}

// Changed returns the number of changes of memories in v.
func (v *Evolved) Changed() int {
	n := len(v.Forgotten) + len(v.Revived) + len(v.Anew) + len(v.Judged) + v.Again
	for i := range v.Plans {
		n += len(v.Plans[i].Changes)
	}
	return n
}

// Proposals returns the proposals in v that wait for a person, in the order of v.Plans; an empty slice for none.
func (v *Evolved) Proposals() []Proposal {
	out := []Proposal{}
	for _, p := range v.Plans {
		out = append(out, p.Proposals...)
	}
	return out
}

// Add adds plan p to v. If v has a plan for the partition, p is another try: Add joins the changes, calls and usage of
// both and takes the rest from p.
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

// After returns a Scanner that reads v as if changes were applied. Its Scan omits nodes that changes add, and filters
// by the nodes before the changes.
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
