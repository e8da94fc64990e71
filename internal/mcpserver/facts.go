package mcpserver

import (
	"cmp"
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/memtree/memtree/internal/guard"
	"github.com/memtree/memtree/knowledge"
	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/tree"
)

// Limits on facts in an answer.
const (
	usualFacts = 20
	mostFacts  = 100
)

type factsIn struct {
	Product string `json:"product,omitempty" limit:"250"`
	Words   string `json:"words,omitempty"   limit:"250" jsonschema:"the statement mentions them"`
	Limit   int    `json:"limit,omitempty"   limit:"100" jsonschema:"how many to return; left out: 20"`
}

type factsOut struct {
	About string      `json:"about"`
	Found int         `json:"found" jsonschema:"how many there are; the first of them follow"`
	Facts []agentFact `json:"facts" jsonschema:"what people disagree on first, then what was given to most runs"`
}

// agentFact is a fact for an agent.
type agentFact struct {
	ID        string   `json:"id"`
	Statement string   `json:"statement"`
	Kind      string   `json:"kind"`
	Product   string   `json:"product,omitempty"`
	Pages     []string `json:"pages,omitempty"  jsonschema:"left out: on all"`
	State     string   `json:"state"            jsonschema:"active: it is given before tests"`
	Trust     float64  `json:"trust"            jsonschema:"0 to 1"`
}

func (o factsOut) text() string { return fenced(o) }

func factsTool() *mcp.Tool {
	return &mcp.Tool{
		Name: "list_facts",
		Description: "List what is known of the product under test: rules, formats, delays, what looks like a defect and " +
			"is meant so. get_guidance gives those that a test needs by itself.",
		Annotations: &mcp.ToolAnnotations{Title: "List facts", ReadOnlyHint: true, IdempotentHint: true},
	}
}

func (s *server) listFacts(ctx context.Context, _ toolCall, in factsIn) (factsOut, error) {
	all, err := s.m.Knowledge().List(ctx, knowledge.Filter{Product: in.Product, Words: in.Words})
	if err != nil {
		return factsOut{}, err
	}
	out := factsOut{About: asData, Found: len(all), Facts: []agentFact{}}
	for i := range all[:min(cmp.Or(in.Limit, usualFacts), mostFacts, len(all))] {
		f := &all[i]
		out.Facts = append(out.Facts, agentFact{f.ID, quote(f.Text, guard.Truths{}, mostSnippet), string(f.Kind),
			f.Scope.Product, f.Pages, string(f.State), rounded(f.Trust)})
	}
	return out, nil
}

type rememberIn struct {
	Statement string   `json:"statement"         limit:"260" jsonschema:"what holds, one sentence, at most 130 characters of Chinese; no verdict, no order"` //nolint:lll // a tag cannot be broken
	Kind      string   `json:"kind,omitempty"    enum:"behaviour,rule,format,intended,known_bug,pattern,preference"`
	Product   string   `json:"product,omitempty" limit:"250"`
	Pages     []string `json:"pages,omitempty"   limit:"8"   jsonschema:"routes or names; left out: it holds on all pages"`
	By        string   `json:"by,omitempty"      limit:"100" jsonschema:"who proposes it; left out: your own client"`
}

type rememberOut struct {
	ID    string `json:"id"    jsonschema:"of the fact, for list_facts"`
	State string `json:"state" jsonschema:"proposed until a person confirms it"`
	Added bool   `json:"added" jsonschema:"false: it was there before, and nothing changed"`
	Next  string `json:"next"`
}

func (o rememberOut) text() string { return o.Next }

func rememberTool() *mcp.Tool {
	return &mcp.Tool{
		Name: "remember",
		Description: "Propose a fact about the product under test that testers know and agents do not, such as “A seat is " +
			"held for 15 minutes.” It waits in quarantine: no agent is given it before a person confirms it. For a wrong " +
			"judgment use record_case, for advice propose_memory.",
		Annotations: &mcp.ToolAnnotations{Title: "Propose a fact", DestructiveHint: new(false), IdempotentHint: true},
	}
}

func (s *server) remember(ctx context.Context, c toolCall, in rememberIn) (rememberOut, error) {
	f, added, err := s.m.Knowledge().Propose(ctx, ledger.Statement{
		Text: in.Statement, Kind: ledger.FactKind(in.Kind), Pages: in.Pages, Scope: tree.Scope{Product: in.Product},
	}, cmp.Or(in.By, c.client, "an agent"))
	if err != nil {
		return rememberOut{}, err
	}
	out := rememberOut{ID: f.ID, State: string(f.State), Added: added}
	lang := s.langOf("", in.Statement)
	switch {
	case added:
		out.Next = inLang(lang, "Proposed. No agent is given it before a person confirms it: memtree know confirm "+f.ID+".",
			"已提议。在有人确认之前不会给出：memtree know confirm "+f.ID+"。")
	case f.State == knowledge.Active:
		out.Next = inLang(lang, "It is known already, and given before the tests that need it.", "已是已知的事实，会在需要它的用例之前给出。")
	default:
		out.Next = inLang(lang, "It is there already; a person has to decide on it.", "这条已经有了，等人决定。")
	}
	return out, nil
}
