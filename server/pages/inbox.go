package pages

import (
	"cmp"
	"context"
	"maps"
	"net/http"
	"slices"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/curation"
	"github.com/memtree/memtree/effect/plot"
	"github.com/memtree/memtree/risk"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/transfer"
	"github.com/memtree/memtree/tree"
)

// shownVerdicts is how many verdicts the inbox shows at one time.
const shownVerdicts = 20

// inboxData is what the inbox shows: what goes wrong most, whether memory helps, what to do next.
type inboxData struct {
	Worst    []worst
	Help     string // whether memory helps, a sentence
	Lift     string // by how many points, where that is proven
	Drafts   int    // lessons that wait for a word
	Imports  int    // memories that wait for one
	Total    int
	Scored   int
	Expected float64
	Enough   bool // past errors predict new ones
	Known    int  // verdicts whose truth is known
	Verdicts []verdict
	Said     *tree.Verdict // of the evaluation that was labelled just now
}

// worst is a check that is missed often.
type worst struct {
	Title     string // of the mistake, else the name of the check
	Direction taxonomy.Direction
	Cases     int
	Node      string // the lesson about it, else one of its cases
}

// verdict is one row of the inbox.
type verdict struct {
	memtree.Unlabelled
	ID      string
	outcome // what the agent says of the thing it judged
	Reasons []string
}

func (s *Site) inbox(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	ctx, said := r.Context(), s.speech(v.Lang)
	box, err := v.Memory.Inbox(ctx, shownVerdicts)
	if err != nil {
		return err
	}
	report, err := v.Memory.Effect(ctx)
	if err != nil {
		return err
	}
	d := inboxData{Help: report.Verdict.In(v.Lang), Total: box.Total, Scored: box.Scored, Expected: box.Expected}
	if report.Proven {
		d.Lift = plot.Points(report.Lift.Lift)
	}
	if err := d.count(ctx, v.Memory); err != nil {
		return err
	}
	if d.Worst, err = worstOf(ctx, v.Memory, v.Lang); err != nil {
		return err
	}
	for i := range box.Waiting {
		u := &box.Waiting[i]
		d.Enough, d.Known = d.Enough || u.Risk.Enough, u.Risk.Known
		d.Verdicts = append(d.Verdicts, verdict{
			*u, u.Evaluation.Key(), outcomeOf(u.Evaluation.Judgment), said.reasons(&u.Risk),
		})
	}
	if id := field(r, "said"); id != "" {
		if now, err := v.Memory.Curation().Evaluation(ctx, id); err == nil && now.Labelled {
			d.Said = &now
		}
	}
	return s.render(w, http.StatusOK, s.page(r, v, "inbox", said.say("Inbox"), &d))
}

// count counts what else waits for a person.
func (d *inboxData) count(ctx context.Context, m *memtree.Memory) error {
	drafts, err := m.Review().Proposals(ctx)
	if err != nil {
		return err
	}
	waiting, err := transfer.Waiting(ctx, m.Tree())
	d.Drafts, d.Imports = len(drafts), len(waiting)
	return err
}

// scannedMost is how many memories are looked through for what goes wrong most.
const scannedMost = 2000

// worstOf returns the three checks that most cases missed, with the lesson about each.
func worstOf(ctx context.Context, m *memtree.Memory, lang string) ([]worst, error) {
	type key struct {
		kind string
		way  taxonomy.Direction
	}
	found, n := map[key]*worst{}, 0
	for node, err := range m.Tree().Scan(ctx, tree.Filter{}) {
		if err != nil {
			return nil, err
		}
		if !node.Live() || node.Type == tree.Strategy {
			continue
		}
		if n++; n > scannedMost {
			break
		}
		kind := ""
		switch {
		case node.Type == tree.Experience && len(node.Content.Lessons) > 0:
			kind = node.Content.Lessons[0].Kind
		case node.CaseData != nil && len(node.CaseData.Misses) > 0:
			kind = node.CaseData.Misses[0].Check
		}
		check, known := m.Taxonomy().Check(kind)
		if !known && !taxonomy.IsOwn(kind) {
			continue
		}
		k := key{kind, node.Direction}
		x := found[k]
		if x == nil {
			title := cmp.Or(check.Advice(node.Direction).Title.In(lang), check.Name.In(lang), taxonomy.OwnName(kind))
			x = &worst{Title: title, Direction: node.Direction, Node: node.ID}
			found[k] = x
		}
		if node.Type == tree.Experience {
			x.Node = node.ID
			if !known {
				x.Title = node.In(lang).Content.Title
			}
		} else {
			x.Cases++
		}
	}
	out := make([]worst, 0, len(found))
	for _, k := range slices.SortedFunc(maps.Keys(found), func(a, b key) int {
		return cmp.Or(cmp.Compare(found[b].Cases, found[a].Cases), cmp.Compare(a.kind, b.kind), cmp.Compare(a.way, b.way))
	}) {
		if found[k].Cases > 0 {
			out = append(out, *found[k])
		}
	}
	return out[:min(3, len(out))], nil
}

// reasons says what speaks for wrong, the strongest first, at most three.
func (s *speech) reasons(r *risk.Risk) (out []string) {
	for i := range r.Because {
		if b := &r.Because[i]; b.LogOdds > 0 && len(out) < 3 {
			out = append(out, s.reason(b))
		}
	}
	return out
}

func (s *speech) reason(r *risk.Reason) string {
	words := func() string { return joined(r.WholeWords(), s.say(", ")) }
	switch r.Signal {
	case "place":
		return s.say("such verdicts were often wrong here")
	case "truth":
		return s.say("what was true of this case before")
	case "judge":
		return s.say("this judge was often wrong")
	case "words":
		return s.say("words of its reason: %s", words())
	case "style":
		return s.say("its reason reads like wrong ones")
	case "seen":
		return s.say("words of what it saw: %s", words())
	case "reasons":
		return s.say("it was wrong before for such a reason")
	case "runs":
		return s.say("what was true of runs like it")
	case "facts":
		return s.say("the page itself says otherwise")
	default:
		return s.say("length and tone of the run and its reason")
	}
}

func joined(words []string, with string) (out string) {
	for i, w := range words {
		if i > 0 {
			out += with
		}
		out += w
	}
	return out
}

// label takes a person's word on a verdict.
func (s *Site) label(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	ctx, id := r.Context(), field(r, "evaluation")
	o := curation.Options{By: v.Who}
	if field(r, "truth") == "undo" {
		if _, err := v.Memory.Curation().Undo(ctx, id, o); err != nil {
			return err
		}
		return seeOther(w, r, v, "inbox")
	}
	truth, err := truthOf(field(r, "truth"), field(r, "reason"))
	if err != nil {
		return err
	}
	d, err := v.Memory.Curation().Relabel(ctx, id, truth, o)
	if err != nil {
		return err
	}
	return seeOther(w, r, v, "inbox", "said", d.Verdict.Evaluation)
}

// truthOf reads what a button says.
func truthOf(said, reason string) (curation.Truth, error) {
	right := said == "right"
	t := curation.Truth{Correct: &right, Reason: reason}
	switch said {
	case "right":
	case string(taxonomy.FalsePass), string(taxonomy.FalseFail), string(taxonomy.Other):
		t.Direction = taxonomy.Direction(said)
	default:
		return t, &tree.FieldError{Field: "truth", Problem: "is none of right, false_pass, false_fail and other; choose one"}
	}
	return t, nil
}
