package knowledge

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/memtree/memtree/internal/whole"
)

// saved is a base as it is saved: JSON, sealed.
type saved struct {
	Facts  []*factRecord `json:"facts"`  // sorted by id
	Trials []*trial      `json:"trials"` // the oldest first
	Early  []early       `json:"early"`  // likewise
	Read   []string      `json:"read"`   // cases, sorted
}

// version is that of the rules: a base that other rules made is folded anew.
const version = 3

// Save writes the facts to w. The same ledger gives the same bytes.
func (b *Base) Save(w io.Writer) error {
	s := saved{Facts: []*factRecord{}, Trials: []*trial{}, Early: append([]early{}, b.early...),
		Read: slices.Sorted(maps.Keys(b.read))}
	for _, id := range slices.Sorted(maps.Keys(b.facts)) {
		s.Facts = append(s.Facts, b.facts[id])
	}
	for _, id := range b.order {
		if t := b.trials[id]; t != nil {
			s.Trials = append(s.Trials, t)
		}
	}
	if err := whole.SaveJSON(w, version, s); err != nil {
		return fmt.Errorf("save what is known: %w", err)
	}
	return nil
}

// Load reads the facts that Save wrote. Data that is damaged or of another version is an error.
func Load(from io.Reader) (*Base, error) {
	var s saved
	if err := whole.LoadJSON(from, version, &s); err != nil {
		return nil, fmt.Errorf("load what is known: %w", err)
	}
	b := NewBase()
	b.early = s.Early
	for _, id := range s.Read {
		b.read[id] = true
	}
	for _, r := range s.Facts {
		if r == nil || len(r.Tests) != len(r.Cases) || b.facts[r.ID] != nil {
			return nil, errors.New("load what is known: it has a fact that cannot be")
		}
		b.facts[r.ID] = r
		if r.Backed {
			b.enter(r)
			shape := shapeOf(&r.Statement)
			b.alike[shape] = append(b.alike[shape], r.ID)
		}
	}
	for _, t := range s.Trials {
		if t == nil || b.trials[t.ID] != nil {
			return nil, errors.New("load what is known: it has a run that cannot be")
		}
		b.trials[t.ID] = t
		b.order = append(b.order, t.ID)
	}
	return b, nil
}
