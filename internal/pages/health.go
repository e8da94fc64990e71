package pages

import (
	"cmp"
	"net/http"
	"slices"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/tree"
)

// healthData is the state of the memory.
type healthData struct {
	memtree.Health
	store.Info
	Damaged, Halted string
	Levels          []typeCount
	Night           *Night
	Waits           []waits
}

type typeCount struct {
	Type tree.Type
	N    int
}

func (s *Site) health(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	d := healthData{Health: v.Memory.Health(), Night: v.Night}
	var err error
	if d.Info, err = v.Memory.Tree().Info(r.Context()); err != nil {
		return err
	}
	if d.Damage != nil {
		d.Damaged = d.Damage.Error()
	}
	if d.Model != nil {
		d.Halted = d.Model.Error()
	}
	looked, err := surveyOf(r.Context(), v.Memory, v.Lang)
	if err != nil {
		return err
	}
	if d.Waits, err = s.speech(v.Lang).waiting(r.Context(), v.Memory, looked.waits); err != nil {
		return err
	}
	for t, count := range looked.live {
		d.Levels = append(d.Levels, typeCount{t, count})
	}
	slices.SortFunc(d.Levels, func(a, b typeCount) int { return cmp.Compare(a.Type, b.Type) })
	return s.render(w, http.StatusOK, s.page(r, v, "health", s.speech(v.Lang).say("Health"), &d))
}
