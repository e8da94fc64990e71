package pages

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/text"
	"github.com/memtree/memtree/transfer"
	"github.com/memtree/memtree/tree"
)

// listed is how many memories a page lists.
const listed = 50

// memoriesData is a page of the list of memories.
type memoriesData struct {
	sieve
	Types  []taxonomy.ErrorType
	Scenes []taxonomy.SceneType
	Nodes  []tree.Node
	Next   string // address of the next page; "" if this is the last
}

// sieve says which memories are listed. "" lets all through, but for State, where it is those in use.
type sieve struct{ Level, ErrorType, Way, Scene, State, Words, Check string }

func sieveOf(r *http.Request) sieve {
	x := sieve{
		field(r, "level"), field(r, "type"), field(r, "way"), field(r, "scene"), field(r, "state"), field(r, "words"),
		field(r, "check"),
	}
	if x.Level == "" && r.URL.RawQuery == "" {
		x.Level = "experience"
	}
	return x
}

// after is the address of the page that begins after a memory.
func (x *sieve) after(id string) string {
	q := url.Values{"after": {id}}
	for name, value := range map[string]string{
		"level": x.Level, "type": x.ErrorType, "way": x.Way, "scene": x.Scene, "state": x.State, "words": x.Words,
		"check": x.Check,
	} {
		if value != "" {
			q.Set(name, value)
		}
	}
	return "?" + q.Encode()
}

// lets reports whether a memory is of the scene and the state, of those that filter lets through.
func (x *sieve) lets(t *taxonomy.Taxonomy, n *tree.Node) bool {
	if x.Check != "" && !missed(n, x.Check) {
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

// filter is what the store selects by itself.
func (x *sieve) filter(after string) tree.Filter {
	levels := map[string]int{"case": 1, "experience": 2, "strategy": 3}
	return tree.Filter{
		Level: levels[x.Level], ErrorType: x.ErrorType, Direction: taxonomy.Direction(x.Way), After: after,
	}
}

// has reports whether all words stand in what a memory says, in its id, its route or its task.
func has(n *tree.Node, words string) bool {
	if words == "" {
		return true
	}
	c := &n.Content
	all := []string{n.ID, c.Title, c.Description, c.Guidance, n.Scene.ID, n.Scene.Route}
	for i := range c.Lessons {
		all = append(all, c.Lessons[i].Check, c.Lessons[i].Instead, c.Lessons[i].Mistake)
		all = append(all, c.Lessons[i].What...)
	}
	if d := n.CaseData; d != nil {
		all = append(all, d.TestCase.Prompt, d.EvaluatorReason, d.ErrorReason)
	}
	in := strings.ToLower(text.Line(strings.Join(all, " ")))
	for w := range strings.FieldsSeq(strings.ToLower(words)) {
		if !strings.Contains(in, w) {
			return false
		}
	}
	return true
}

func (s *Site) memories(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	t := v.Memory.Taxonomy()
	d := memoriesData{sieve: sieveOf(r), Types: t.ErrorTypes(), Scenes: t.SceneTypes()}
	for n, err := range v.Memory.Tree().Scan(r.Context(), d.filter(field(r, "after"))) {
		if err != nil {
			return err
		}
		if !d.lets(t, &n) {
			continue
		}
		shown := v.shown(&n)
		if !has(&n, d.Words) && !has(&shown, d.Words) {
			continue
		}
		if len(d.Nodes) == listed {
			d.Next = d.after(d.Nodes[listed-1].ID)
			break
		}
		d.Nodes = append(d.Nodes, shown)
	}
	slices.SortStableFunc(d.Nodes, func(a, b tree.Node) int { return cmp.Compare(len(b.Children), len(a.Children)) })
	return s.render(w, http.StatusOK, s.page(r, v, "memories", s.speech(v.Lang).say("Memories"), &d))
}
