package pages

import (
	"cmp"
	"net/http"
	"slices"

	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/transfer"
	"github.com/memtree/memtree/tree"
)

// listed is the number of memories on a page.
const listed = 25

// memoriesData is a page of the list of memories.
type memoriesData struct {
	sieve
	Scenes []taxonomy.SceneType
	Nodes  []tree.Node
	Next   string // address of the next page; "" if this is the last
	Cases  int    // number of cases in use; set only for an empty list of experiences
}

// sieve selects the memories of the list. "" matches all, except for State, where it selects those in use.
type sieve struct {
	choosing
	Level, Scene, State, Check string
}

func sieveOf(r *http.Request, v *Visitor) (sieve, error) {
	can, err := remembered(r.Context(), v)
	if err != nil {
		return sieve{}, err
	}
	c, err := choose(r, v, can)
	x := sieve{c, field(r, "level"), field(r, "scene"), field(r, "state"), field(r, "check")}
	if x.Level == "" && r.URL.RawQuery == "" {
		x.Level = "experience"
	}
	return x, err
}

// after returns the address of the page that begins after a memory.
func (x *sieve) after(id string) string {
	return x.address("after", id, "level", x.Level, "scene", x.Scene, "state", x.State, "check", x.Check)
}

// lets reports whether a memory is listed; shown is its form for the visitor.
func (x *sieve) lets(t *taxonomy.Taxonomy, n, shown *tree.Node) bool {
	if x.Check != "" && !missed(n, x.Check) || !x.HasNode(n) && !x.HasNode(shown) {
		return false
	}
	if x.Scene != "" {
		if is, _ := t.SceneType(n.Scene.Type); is.ID != x.Scene && is.Parent != x.Scene {
			return false
		}
	}
	return x.inState(n)
}

func (x *sieve) inState(n *tree.Node) bool {
	switch x.State {
	case "":
		return n.Live()
	case "pinned":
		return n.Mark == tree.Pinned
	case "banned":
		return n.Mark == tree.Banned
	case "waiting":
		return transfer.Waits(n)
	case "out":
		return !n.Live() && !transfer.Waits(n)
	}
	return true
}

// filter returns the part of the selection that the store applies.
func (x *sieve) filter(after string) store.Filter {
	f := x.Filter()
	f.Level, f.After = tree.Type(x.Level).Level(), after
	return f
}

func (s *Site) memories(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	t := v.Memory.Taxonomy()
	x, err := sieveOf(r, v)
	if err != nil {
		return err
	}
	d := memoriesData{sieve: x, Scenes: t.SceneTypes()}
	for n, err := range v.Memory.Tree().Scan(r.Context(), d.filter(field(r, "after"))) {
		if err != nil {
			return err
		}
		shown := v.shown(&n)
		if !d.lets(t, &n, &shown) {
			continue
		}
		if len(d.Nodes) == listed {
			d.Next = d.after(d.Nodes[listed-1].ID)
			break
		}
		d.Nodes = append(d.Nodes, shown)
	}
	if len(d.Nodes) == 0 && r.URL.RawQuery == "" {
		for n, err := range v.Memory.Tree().Scan(r.Context(), store.Filter{Level: tree.Case.Level()}) {
			if err != nil {
				return err
			}
			if n.Live() {
				d.Cases++
			}
		}
	}
	slices.SortStableFunc(d.Nodes, func(a, b tree.Node) int { return cmp.Compare(len(b.Children), len(a.Children)) })
	return s.render(w, http.StatusOK, s.page(r, v, "memories", s.speech(v.Lang).say("Memories"), &d))
}
