package evolution

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// causesJob is the cache key of what is kept of the causes of a direction. Another model is asked anew.
func (p *planner) causesJob(d taxonomy.Direction) string {
	return "causes_" + tree.Hash(p.e.o.Model, string(d))
}

// keyOf returns a key of a question about causes.
func keyOf(batch []cause) string {
	parts := make([]string, 0, 2*len(batch))
	for _, c := range batch {
		parts = append(parts, c.node.ID, c.key)
	}
	return "causes_" + tree.Hash(parts...)
}

// recallCauses reads what is kept of the causes of a direction. What cannot be read is nothing.
func (p *planner) recallCauses(d taxonomy.Direction) *causesAsked {
	kept := &causesAsked{Found: map[string]map[string]string{}}
	job := p.causesJob(d)
	if b, ok := p.e.o.Cache.Get(job); ok {
		var r causesAsked
		if json.Unmarshal(b, &r) == nil && r.Job == job && r.Found != nil {
			kept = &r
		}
	}
	kept.Job = job
	for id, of := range kept.Found {
		for key, check := range of {
			if check != "" && !taxonomy.IsOwn(check) {
				delete(of, key) // somebody else wrote it
			}
		}
		if n := p.s.nodes[id]; n == nil || !n.Live() {
			delete(kept.Found, id)
		}
	}
	return kept
}

// set keeps what came of a cause.
func (k *causesAsked) set(c cause, check string) {
	if k.Found[c.node.ID] == nil {
		k.Found[c.node.ID] = map[string]string{}
	}
	k.Found[c.node.ID][c.key] = check
}

func (p *planner) rememberCauses(ctx context.Context, d taxonomy.Direction, kept *causesAsked) error {
	b, err := json.Marshal(kept)
	if err == nil {
		err = p.e.o.Cache.Put(ctx, p.causesJob(d), b)
	}
	if err != nil {
		return fmt.Errorf("keep what came of causes: %w", err)
	}
	return nil
}
