package mcpserver

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/memtree/memtree/curation"
	"github.com/memtree/memtree/evolution/gate"
	"github.com/memtree/memtree/internal/guard"
	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/transfer"
	"github.com/memtree/memtree/tree"
)

// Limits on proposals: the maximum number of cases of one, and of proposals that wait for a person.
const (
	mostCases   = 20
	mostWaiting = 200
)

// proposedBy begins the origin of a proposal.
const proposedBy = "proposed by "

type proposeIn struct {
	Lesson  string   `json:"lesson"            limit:"600"`
	Cases   []string `json:"cases,omitempty"   limit:"20"  jsonschema:"left out: the lesson rests on none, and needs when"`
	When    []string `json:"when,omitempty"    limit:"4"`
	Mistake string   `json:"mistake,omitempty" limit:"400" jsonschema:"the mistake, in a sentence"`
	Title   string   `json:"title,omitempty"   limit:"100" jsonschema:"a short name"`
	By      string   `json:"by,omitempty"      limit:"100" jsonschema:"who proposes it; left out: your own client"`
}

type proposeOut struct {
	ID       string `json:"id"       jsonschema:"of the proposal, for get_memory and list_review_queue"`
	Proposed bool   `json:"proposed" jsonschema:"false: the same was proposed before, and nothing changed"`
	Next     string `json:"next"`
}

func (o proposeOut) text() string { return o.Next }

func proposeTool() *mcp.Tool {
	return &mcp.Tool{
		Name: "propose_memory",
		Description: "Propose a lesson to the people who run memtree. It rests on cases that memory has, or says in when " +
			"for which tests it is; it is held against the same rules as every lesson (a refusal says which), and then waits " +
			"in quarantine: no agent is given it before a person agrees. For one wrong judgment use record_case " +
			"instead; memory learns lessons from cases by itself.",
		Annotations: &mcp.ToolAnnotations{Title: "Propose a lesson", DestructiveHint: new(false), IdempotentHint: true},
	}
}

func (s *server) proposeMemory(ctx context.Context, c toolCall, in proposeIn) (proposeOut, error) {
	cases, err := s.casesOf(ctx, in.Cases)
	if err != nil {
		return proposeOut{}, err
	}
	n, err := s.draft(&in, cases, cmp.Or(in.By, c.client, "an agent"))
	if err != nil {
		return proposeOut{}, err
	}
	lang := s.langOf("", in.Lesson)
	out := proposeOut{ID: n.ID, Next: fmt.Sprintf(inLang(lang, "Proposed as %s. It waits in quarantine until a "+
		"person says "+
		"memtree promote %s.", "已提议，编号 %s。它在隔离区等待，直到有人执行 memtree promote %s。"), n.ID, n.ID)}
	old, err := s.m.Tree().Get(ctx, n.ID)
	switch {
	case err == nil && !transfer.Waits(&old):
		return proposeOut{}, fmt.Errorf("this very lesson was proposed before and decided on: it is %s", statusOf(&old))
	case err == nil:
		return out, nil
	case !errors.Is(err, tree.ErrNotFound):
		return proposeOut{}, err
	}
	var no *curation.RefusedError
	switch err := s.m.Curation().Repeated(ctx, &n); {
	case errors.As(err, &no):
		return proposeOut{}, fmt.Errorf("memory does not take it: %s banned or rejected the same advice (%s)",
			cmp.Or(no.By, "a person"), no.ID)
	case err != nil:
		return proposeOut{}, err
	}
	if waiting, err := transfer.Waiting(ctx, s.m.Tree()); err != nil {
		return proposeOut{}, err
	} else if len(waiting) >= mostWaiting {
		return proposeOut{}, fmt.Errorf("%d memories wait for a person already; nothing more is taken before somebody has "+
			"looked at them (list_review_queue)", len(waiting))
	}
	plan, err := s.m.Transfer().Import(ctx, one(n), nil)
	if err != nil {
		return proposeOut{}, err
	}
	if plan.Counts[transfer.New] != 1 {
		return proposeOut{}, fmt.Errorf("memory does not take it: %s", refusal(&plan))
	}
	out.Proposed = true
	return out, nil
}

// one yields n alone.
func one(n tree.Node) iter.Seq2[tree.Node, error] {
	return func(yield func(tree.Node, error) bool) { yield(n, nil) }
}

// refusal returns why an import of one node changed nothing.
func refusal(p *transfer.ImportPlan) string {
	for i := range p.Items {
		if p.Items[i].Why != "" {
			return plain(p.Items[i].Why)
		}
	}
	return "it changes nothing"
}

// casesOf reads the cases with the ids.
func (s *server) casesOf(ctx context.Context, ids []string) ([]*tree.Node, error) {
	ids = slices.Compact(slices.Sorted(slices.Values(ids)))
	out := make([]*tree.Node, 0, len(ids))
	for _, id := range ids {
		n, err := s.m.Tree().Get(ctx, id)
		switch {
		case errors.Is(err, tree.ErrNotFound):
			return nil, &tree.FieldError{Field: "cases", Problem: fmt.Sprintf("names %.80q, which is no memory here", id)}
		case err != nil:
			return nil, err
		case n.CaseData == nil || !n.Live():
			return nil, &tree.FieldError{Field: "cases", Problem: fmt.Sprintf("names %s, which is no case in use; it is a %s, "+
				"and %s", id, n.Type, statusOf(&n))}
		case len(out) > 0 && n.Direction != out[0].Direction:
			return nil, &tree.FieldError{Field: "cases", Problem: fmt.Sprintf("are of two directions: %s is %s and %s is %s; a "+
				"lesson is about one", out[0].ID, out[0].Direction, id, n.Direction)}
		}
		out = append(out, &n)
	}
	return out, nil
}

// draft makes the proposed lesson, or returns why it is invalid.
func (s *server) draft(in *proposeIn, cases []*tree.Node, by string) (tree.Node, error) {
	check, errorType := "", ""
	if len(cases) > 0 {
		check = sharedCheck(cases)
		errorType = s.sharedType(cases, check)
	}
	if errorType == "" {
		return s.untyped(in, cases, by)
	}
	ids := make([]string, len(cases))
	tests := map[string]bool{}
	for i, c := range cases {
		ids[i], tests[c.CaseData.TestCase.CaseID] = c.ID, true
	}
	first := cases[0]
	n := tree.Node{
		Type: tree.Experience, Level: tree.Experience.Level(), ErrorType: errorType, Direction: first.Direction,
		Children: ids, Lang: langOf(cases), Status: tree.Quarantined, Revision: 1, Occurrences: []tree.Occurrence{},
		Scope:      tree.Scope{Product: sharedProduct(cases)},
		Origin:     tree.Origin{Label: proposedBy + text.Clip(text.Line(by), 100)},
		Provenance: tree.Provenance{By: "import", Analyst: "model", Cites: ids},
	}
	n.Metadata.CreatedAt, n.Metadata.UpdatedAt = lastOf(cases), lastOf(cases)
	d := gate.Draft{Title: in.Title, Description: in.Mistake, AppliesWhen: in.When,
		Lessons: []tree.Lesson{{Kind: check, Check: in.Lesson, Mistake: in.Mistake, Cites: ids, From: tree.FromModel,
			Tests: len(tests), Times: len(ids)}}}
	d.Clean()
	n.Content = tree.Content{Confidence: 0.5, Title: d.Title, Description: d.Description, AppliesWhen: d.AppliesWhen,
		Lessons: d.Lessons}
	s.words.Fill(&n) // fills the texts that the catalogue supplies
	d.Title, d.Description, d.AppliesWhen = n.Content.Title, n.Content.Description, n.Content.AppliesWhen
	about := gate.Subject{Type: n.Type, ErrorType: n.ErrorType, Direction: n.Direction, Lang: n.Lang, Check: check,
		Members: cases, Shown: cases, Strict: true}
	gates := gate.New(s.m.Taxonomy(), guard.Instructs, guard.Forces)
	if why := gates.Refuses(&about, &d); len(why) > 0 {
		return tree.Node{}, fmt.Errorf("the lesson does not hold, so nothing was proposed; mend it and propose it "+
			"again:\n- %s",
			strings.Join(why, "\n- "))
	}
	n.ID = tree.GroupID(n.Type, n.ErrorType, n.Direction, append([]string{d.Lessons[0].ID}, ids...))
	return n, nil
}

// untyped makes a proposed lesson that cites no cases, or cases without a common error type: these become the tests
// that it is for.
func (s *server) untyped(in *proposeIn, cases []*tree.Node, by string) (tree.Node, error) {
	l := curation.TaughtLesson{Lesson: in.Lesson, When: in.When}
	if len(cases) > 0 {
		l.Product, l.Direction = sharedProduct(cases), cases[0].Direction
	} else if len(in.When) == 0 {
		return tree.Node{}, &tree.FieldError{Field: "when", Problem: "is missing; say for which tests the lesson is, or " +
			"name cases: search_memories finds their ids, and record_case makes a case of a wrong judgment"}
	}
	for _, c := range cases {
		l.For = append(l.For, cmp.Or(c.CaseData.TestCase.CaseID, text.Clip(c.CaseData.TestCase.Prompt, maxQuote)))
	}
	n, _, err := s.m.Curation().Draft(l, text.Clip(text.Line(by), 100), lastOf(cases))
	if refused, ok := errors.AsType[*curation.GateError](err); ok {
		return tree.Node{}, fmt.Errorf("the lesson does not hold, so nothing was proposed; mend it and propose it "+
			"again:\n- %s", strings.Join(refused.Reasons, "\n- "))
	}
	if err != nil {
		return tree.Node{}, err
	}
	n.Status, n.Revision, n.Content.Confidence = tree.Quarantined, 1, 0.5
	n.Origin = tree.Origin{Label: proposedBy + n.Taught.By}
	n.Provenance = tree.Provenance{By: "import", Analyst: "model"}
	for i := range n.Content.Lessons {
		n.Content.Lessons[i].From = tree.FromModel
	}
	return n, nil
}

// sharedCheck returns the id of a check that all cases missed; "" for none.
func sharedCheck(cases []*tree.Node) string {
	for _, m := range cases[0].CaseData.Misses {
		if m.Check != "" && !slices.ContainsFunc(cases, func(n *tree.Node) bool { return !n.Has(m.Check) }) {
			return m.Check
		}
	}
	return ""
}

// sharedType returns the error type of a lesson of the cases: that of the check, else one that all of them concern; ""
// for none.
func (s *server) sharedType(cases []*tree.Node, check string) string {
	candidates := []string{}
	if c, ok := s.m.Taxonomy().Check(check); ok {
		candidates = append(candidates, c.ErrorType())
	}
	for _, n := range cases {
		candidates = append(candidates, n.ErrorType)
	}
	for _, t := range candidates {
		if !slices.ContainsFunc(cases, func(n *tree.Node) bool { return !n.Concerns(t) }) {
			return t
		}
	}
	return ""
}

// sharedProduct returns the product that all cases are of; "" if they are of several.
func sharedProduct(cases []*tree.Node) string {
	p := cases[0].Scope.Product
	if slices.ContainsFunc(cases, func(n *tree.Node) bool { return n.Scope.Product != p }) {
		return ""
	}
	return p
}

// langOf returns the language of most cases.
func langOf(cases []*tree.Node) string {
	chinese := 0
	for _, n := range cases {
		if n.Lang == "zh" {
			chinese++
		}
	}
	if 2*chinese > len(cases) {
		return "zh"
	}
	return "en"
}

// lastOf returns the last update of the cases. With it, the same proposal made twice has the same bytes.
func lastOf(cases []*tree.Node) (last time.Time) {
	for _, n := range cases {
		if n.Metadata.UpdatedAt.After(last) {
			last = n.Metadata.UpdatedAt
		}
	}
	return last
}
