package main

import (
	"cmp"
	"context"
	"errors"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/effect"
	"github.com/memtree/memtree/enhance"
	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// finding is a report, as --json prints it.
type finding struct {
	*effect.Report
	Verdict string      `json:"verdict"` // in the language of the user
	Next    string      `json:"next"`    // the recommended action
	Helpful []effective `json:"helpful"`
	Harmful []effective `json:"harmful"`
	all     []effective // memories that were included in a run, by id
}

// effective is a memory with its effect, its title and its state.
type effective struct {
	effect.Effect
	Title     string             `json:"title,omitempty"`
	ErrorType string             `json:"errorType,omitempty"`
	Direction taxonomy.Direction `json:"direction,omitempty"`
	Status    tree.Status        `json:"status,omitempty"` // "" if it no longer exists
	Mark      tree.Mark          `json:"mark,omitempty"`
	Origin    tree.Origin        `json:"origin,omitzero"`
	Held      *tree.Held         `json:"held,omitempty"` // why it is held back
}

// name looks up the memories of a report.
func (f *finding) name(ctx context.Context, m *memtree.Memory, lang string) error {
	words := enhance.NewWording(m.Taxonomy())
	f.Helpful, f.Harmful, f.all = []effective{}, []effective{}, make([]effective, 0, len(f.Memories))
	at := map[string]int{}
	for _, e := range f.Memories {
		x := effective{Effect: e}
		n, err := m.Tree().Get(ctx, e.ID)
		switch {
		case err == nil:
			w := words.Shown(&n, lang)
			x.Title = text.Line(cmp.Or(w.Content.Title, w.Content.Description))
			x.Status, x.Mark, x.Origin = n.Status, n.Mark, n.Origin
			x.ErrorType, x.Direction = n.ErrorType, n.Direction
			if n.HeldBack() {
				x.Held = n.Credit.Held
			}
		case !errors.Is(err, tree.ErrNotFound):
			return err
		}
		at[e.ID] = len(f.all)
		f.all = append(f.all, x)
	}
	for _, e := range f.Report.Helpful {
		f.Helpful = append(f.Helpful, f.all[at[e.ID]])
	}
	for _, e := range f.Report.Harmful {
		f.Harmful = append(f.Harmful, f.all[at[e.ID]])
	}
	return nil
}

// loose returns the number of memories that are likely to harm and still in use.
func (f *finding) loose() (n int) {
	for i := range f.Harmful {
		if x := &f.Harmful[i]; effect.Given(x.Status, x.Mark) {
			n++
		}
	}
	return n
}
