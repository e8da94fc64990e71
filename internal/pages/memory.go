package pages

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/memtree/memtree/brief"
	"github.com/memtree/memtree/curation"
	"github.com/memtree/memtree/internal/judgment"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// memoryData is one memory with its evidence.
type memoryData struct {
	*tree.Node
	Said     string             // its text in guidance, for a case before its very test
	Left     []string           // its refused advice, and who refused it
	Type     taxonomy.ErrorType // of error
	Above    []tree.Node        // its parents, or the memory that replaced it
	Below    []tree.Node        // the memories it rests on
	Hidden   int                // how many more it rests on
	Judgment outcomeView        // of the agent
	Truth    outcomeView
	History  []curation.Past
	Editable bool
	Missed   []taxonomy.Check // of a case: its checks; for a check of the tree's own only the id
	Checks   []taxonomy.Check // of a case: other checks that it could be about
}

// outcomeView is the content of a judgment or a truth.
type outcomeView struct {
	Says  judgment.Polarity
	Words string // its text; the whole text if the verdict cannot be separated
}

func outcomeOf(raw tree.Raw) outcomeView {
	read := judgment.Decode(raw)
	_, beside := judgment.Read(read)
	out := outcomeView{judgment.PolarityOf(read), beside}
	if out.Words == "" && (!out.Passes() && !out.Fails() || strings.ContainsAny(raw.Text(), "{[")) {
		out.Words = raw.Text()
	}
	return out
}

// judged returns the agent's judgment of a case, which stores the text of a judgment that was a JSON string.
func judged(n *tree.Node) outcomeView {
	raw := tree.Raw(n.CaseData.AgentJudgment)
	if raw.Check() != nil {
		raw = tree.Quote(n.CaseData.AgentJudgment)
	}
	return outcomeOf(raw)
}

// truthOfCase returns the truth of a case. If a person only labelled the verdict, it follows from the direction.
func truthOfCase(n *tree.Node) outcomeView {
	if truth := n.CaseData.TestCase.GroundTruth; !truth.Null() {
		return outcomeOf(truth)
	}
	switch n.Direction {
	case taxonomy.FalsePass:
		return outcomeView{Says: judgment.Fails}
	case taxonomy.FalseFail:
		return outcomeView{Says: judgment.Passes}
	default:
		return outcomeView{Says: judgment.Unread}
	}
}

// Passes reports whether the outcome is a pass.
func (o outcomeView) Passes() bool { return o.Says == judgment.Passes }

// Fails reports whether the outcome is a fail. An unreadable outcome is neither.
func (o outcomeView) Fails() bool { return o.Says == judgment.Fails }

// kinMost is the maximum number of related memories shown.
const kinMost = 40

func (s *Site) memory(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	ctx := r.Context()
	n, err := v.Memory.Tree().Get(ctx, r.PathValue("id"))
	if err != nil {
		return err
	}
	said, left := v.Memory.Curation().Given(&n, v.Lang)
	n = v.shown(&n)
	d := memoryData{Said: said, Node: &n, Editable: v.Admin && n.Type != tree.Case && n.Live()}
	for i := range left {
		d.Left = append(d.Left, s.speech(v.Lang).Refusal(v.Memory.Taxonomy(), &left[i]))
	}
	d.Type, _ = v.Memory.Taxonomy().ErrorType(n.ErrorType)
	if c := n.CaseData; c != nil {
		d.Judgment, d.Truth = judged(&n), truthOfCase(&n)
	}
	d.Missed, d.Checks = choicesOf(v.Memory.Taxonomy(), &n)
	if d.Above, err = v.kin(ctx, []string{n.Parent, n.SupersededBy}); err != nil {
		return err
	}
	shown := n.Children[:min(kinMost, len(n.Children))]
	d.Hidden = len(n.Children) - len(shown)
	if d.Below, err = v.kin(ctx, shown); err != nil {
		return err
	}
	if d.History, err = v.Memory.Curation().History(ctx, n.ID); err != nil {
		return err
	}
	return s.render(w, http.StatusOK, s.page(r, v, "memory", cmp.Or(n.Content.Title, n.Content.Guidance, n.ID), &d))
}

// choicesOf returns the checks of a case, and those that it could be about.
func choicesOf(tax *taxonomy.Taxonomy, n *tree.Node) (about, others []taxonomy.Check) {
	if n.CaseData == nil {
		return nil, nil
	}
	ids := brief.Checks(n)
	for _, id := range ids {
		c, known := tax.Check(id)
		if !known {
			c = taxonomy.Check{ID: id, Name: taxonomy.Text{EN: taxonomy.OwnName(id), ZH: taxonomy.OwnName(id)}}
		}
		about = append(about, c)
	}
	for _, c := range tax.Checks() {
		if c.Speaks(n.Direction) && !slices.Contains(ids, c.ID) {
			others = append(others, c)
		}
	}
	return about, others
}

// chosen returns the values of a field of a form that are not empty.
func chosen(r *http.Request, name string) []string {
	return slices.DeleteFunc(slices.Clone(r.PostForm[name]), func(s string) bool { return s == "" })
}

// kin returns memories by their ids, without deleted ones.
func (v *Visitor) kin(ctx context.Context, ids []string) (out []tree.Node, err error) {
	for _, id := range ids {
		if id == "" {
			continue
		}
		k, err := v.Memory.Tree().Get(ctx, id)
		switch {
		case err == nil:
			out = append(out, v.shown(&k))
		case !errors.Is(err, tree.ErrNotFound):
			return nil, err
		}
	}
	return out, nil
}

// word applies a person's decision on a memory.
func (s *Site) word(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	id, c := r.PathValue("id"), v.Memory.Curation()
	o := curation.Options{By: v.Who, Why: field(r, "why"), Over: field(r, "over") != ""}
	var err error
	switch field(r, "word") {
	case "pin":
		_, err = c.Pin(r.Context(), id, o)
	case "ban":
		if field(r, "sure") == "" {
			return s.sureToBan(w, r, v, id)
		}
		_, err = c.Ban(r.Context(), id, o)
	case "forget":
		_, err = c.Forget(r.Context(), id, o)
	case "about":
		_, err = c.About(r.Context(), id, curation.AboutOptions{Options: o, Not: chosen(r, "not"), Is: chosen(r, "is")})
	default:
		err = &tree.FieldError{Field: "word", Problem: "is none of pin, ban, forget and about; choose one"}
	}
	if err != nil {
		return s.over(w, r, v, err)
	}
	return seeOther(w, r, v, "memories/"+id)
}

// sureToBan asks for a confirmation and names how far a ban reaches.
func (s *Site) sureToBan(w http.ResponseWriter, r *http.Request, v *Visitor, id string) error {
	n, err := v.Memory.Tree().Get(r.Context(), id)
	if err != nil {
		return err
	}
	said, fields := s.speech(v.Lang), url.Values{"sure": {"1"}}
	maps.Copy(fields, r.PostForm)
	sentence := said.say("Ban “%s”? It is given no more.", s.title(r, v, id))
	if n.Type != tree.Case {
		sentence = said.say("Ban “%s”? Its advice is given no more, nor by its %d cases, and is not learned again.",
			s.title(r, v, id), len(n.Children))
	}
	return s.question(w, r, v, http.StatusOK, &confirmation{
		Sentence: sentence, Yes: said.say("Ban it"), To: r.URL.Path, From: r.URL.Path, Fields: fields,
	})
}
