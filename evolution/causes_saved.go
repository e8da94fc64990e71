package evolution

import (
	"encoding/json"

	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// causesJob is the cache key of the results of the causes of a direction. The key changes with the model and with the
// checks of the team, so that the causes are sent again.
func (p *planner) causesJob(d taxonomy.Direction) string {
	parts := []string{p.e.o.Model, string(d)}
	for _, c := range p.e.o.Taxonomy.TeamChecks() {
		parts = append(parts, c.ID, c.Name.EN, c.Name.ZH)
	}
	return "causes_" + tree.Hash(parts...)
}

// keyOf returns a key of a call about causes.
func keyOf(batch []cause) string {
	parts := make([]string, 0, 2*len(batch))
	for _, c := range batch {
		parts = append(parts, c.node.ID, c.key)
	}
	return "causes_" + tree.Hash(parts...)
}

// recallCauses reads the stored results of the causes of a direction. Unreadable data is treated as missing.
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
			if _, known := p.e.o.Taxonomy.Check(check); check != "" && !known && !taxonomy.IsOwn(check) {
				delete(of, key) // its overlay was removed, or the entry is foreign
			}
		}
		if n := p.s.nodes[id]; n == nil || !n.Live() {
			delete(kept.Found, id)
		}
	}
	return kept
}

// set stores the result of a cause.
func (k *causesAsked) set(c cause, check string) {
	if k.Found[c.node.ID] == nil {
		k.Found[c.node.ID] = map[string]string{}
	}
	k.Found[c.node.ID][c.key] = check
}
