package pages

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/memtree/memtree/curation"
	"github.com/memtree/memtree/knowledge"
	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/tree"
)

// factsData is a page of the list of facts, with a form for a new one.
type factsData struct {
	knowledge.Filter
	Shown    string // which states the list shows: "", open or out
	Products []string
	Facts    []knowledge.Fact
	Next     string // address of the next page; "" if this is the last
	New      ledger.Statement
	Refused  string // why the new statement was refused
	Decided  string // the decision that was just made
}

// Here returns the address of the list, for a decision that returns to it.
func (d *factsData) Here() string {
	return "?" + url.Values{"in": {d.Product}, "words": {d.Words}, "state": {d.Shown}}.Encode()
}

// Kinds returns the kinds of facts.
func (*factsData) Kinds() []ledger.FactKind { return ledger.FactKinds() }

// facts lists what is known of the products: what people have to decide on first.
func (s *Site) facts(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	return s.listFacts(w, r, v, http.StatusOK, &factsData{New: statementOf(r)})
}

func (s *Site) listFacts(w http.ResponseWriter, r *http.Request, v *Visitor, status int, d *factsData) error {
	d.Filter = knowledge.Filter{Product: r.URL.Query().Get("in"), Words: r.URL.Query().Get("words")}
	if d.Shown = r.URL.Query().Get("state"); d.Shown == "open" {
		d.Open = true
	} else if d.Shown == "out" {
		d.Out = true
	}
	if done := r.URL.Query().Get("done"); done != "" {
		d.Decided = s.speech(v.Lang).Decision(tree.DecisionKind(done))
	}
	all, err := v.Memory.Knowledge().List(r.Context(), d.Filter)
	if err != nil {
		return err
	}
	named, err := v.Memory.Knowledge().List(r.Context(), knowledge.Filter{Out: true})
	if err != nil {
		return err
	}
	for i := range named {
		if p := named[i].Scope.Product; p != "" {
			d.Products = append(d.Products, p)
		}
	}
	slices.Sort(d.Products)
	d.Products = slices.Compact(d.Products)
	from := min(atoi(r.URL.Query().Get("from")), len(all))
	d.Facts = all[from:min(from+listed, len(all))]
	if from+listed < len(all) {
		d.Next = "?" + url.Values{"in": {d.Product}, "words": {d.Words}, "state": {d.Shown},
			"from": {strconv.Itoa(from + listed)}}.Encode()
	}
	return s.render(w, status, s.page(r, v, "facts", s.speech(v.Lang).say("Facts"), d))
}

// state adds a fact that a person states, or shows why not and keeps the input.
func (s *Site) state(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	d := factsData{New: statementOf(r)}
	done, err := v.Memory.Curation().KnowFact(r.Context(), d.New, curation.Options{By: v.Who, Why: field(r, "why")})
	if err == nil {
		return seeOther(w, r, v, "facts/"+done.Fact.ID)
	}
	if d.Refused, err = s.refusedFact(v, err); err != nil {
		return err
	}
	return s.listFacts(w, r, v, http.StatusUnprocessableEntity, &d)
}

// refusedFact returns why a decision on a fact was refused, as a sentence, or any other error.
func (s *Site) refusedFact(v *Visitor, err error) (string, error) {
	var refused *curation.RefusedError
	var wrong *tree.FieldError
	switch {
	case errors.As(err, &refused) && refused.Why == curation.Already:
		return s.speech(v.Lang).say("Nothing was changed: it was decided so already."), nil
	case errors.As(err, &refused) && refused.Why == curation.Uncontested:
		return s.speech(v.Lang).refused(refused), nil
	case errors.As(err, &wrong):
		return s.speech(v.Lang).wrongField(wrong), nil
	}
	return "", err
}

func statementOf(r *http.Request) ledger.Statement {
	return ledger.Statement{Text: field(r, "statement"), Kind: ledger.FactKind(field(r, "kind")),
		Pages: lines(field(r, "pages")), Fixed: field(r, "fixed"),
		Scope: tree.Scope{Product: field(r, "product"), Test: field(r, "test")}}
}

// factData is a fact with its evidence.
type factData struct {
	knowledge.Fact
	New     ledger.Statement // the statement in the form
	Refused string
	Behind  []tree.Node      // the cases whose notes state it
	Hidden  int              // number of such cases that are not in Behind
	Others  []knowledge.Fact // facts that contradict this one, or replaced it
	History []curation.Past
}

// Kinds returns the kinds of facts.
func (*factData) Kinds() []ledger.FactKind { return ledger.FactKinds() }

func (s *Site) fact(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	return s.showFact(w, r, v, http.StatusOK, &factData{})
}

func (s *Site) showFact(w http.ResponseWriter, r *http.Request, v *Visitor, status int, d *factData) (err error) {
	ctx, facts := r.Context(), v.Memory.Knowledge()
	if d.Fact, err = facts.Get(ctx, r.PathValue("id")); err != nil {
		return err
	}
	if d.Refused == "" {
		d.New = d.Statement
	}
	shown := d.Cases[:min(kinMost, len(d.Cases))]
	d.Hidden = len(d.Cases) - len(shown)
	if d.Behind, err = v.kin(ctx, shown); err != nil {
		return err
	}
	for _, id := range append(slices.Clone(d.Against), d.SupersededBy) {
		if f, err := facts.Get(ctx, id); err == nil {
			d.Others = append(d.Others, f)
		}
	}
	if d.History, err = v.Memory.Curation().History(ctx, d.ID); err != nil {
		return err
	}
	return s.render(w, status, s.page(r, v, "fact", d.Text, d))
}

// judgeFact applies a person's decision on a fact.
func (s *Site) judgeFact(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	id, c, ctx := r.PathValue("id"), v.Memory.Curation(), r.Context()
	o := curation.Options{By: v.Who, Why: field(r, "why"), Over: field(r, "over") != ""}
	d := factData{New: statementOf(r)}
	var done curation.DecisionResult
	var err error
	switch field(r, "word") {
	case "confirm":
		done, err = c.ConfirmFact(ctx, id, o)
	case "contradict":
		done, err = c.ContradictFact(ctx, id, o)
	case "settle":
		done, err = c.SettleFact(ctx, id, o)
	case "forget":
		done, err = c.ForgetFact(ctx, id, o)
	case "edit":
		done, err = c.EditFact(ctx, id, func(is *ledger.Statement) {
			is.Text, is.Kind, is.Pages, is.Fixed = d.New.Text, d.New.Kind, d.New.Pages, d.New.Fixed
			is.Scope.Product, is.Scope.Test = d.New.Scope.Product, d.New.Scope.Test
		}, o)
	default:
		return &tree.FieldError{Field: "word",
			Problem: "is none of confirm, contradict, settle, forget and edit; choose one"}
	}
	if err != nil {
		said, err := s.refusedFact(v, err)
		if err != nil {
			return s.over(w, r, v, err)
		}
		d.Refused = said
		return s.showFact(w, r, v, http.StatusUnprocessableEntity, &d)
	}
	if list := field(r, "list"); strings.HasPrefix(list, "?") {
		q, _ := url.ParseQuery(list[1:])
		return seeOther(w, r, v, "facts", "in", q.Get("in"), "words", q.Get("words"), "state", q.Get("state"), "from",
			q.Get("from"), "done", string(done.Action.Kind))
	}
	return seeOther(w, r, v, "facts/"+done.Fact.ID)
}

// pageOf returns the page of a memory or a fact.
func pageOf(id string) string {
	if ledger.IsFact(id) {
		return "facts/" + id
	}
	return "memories/" + id
}
