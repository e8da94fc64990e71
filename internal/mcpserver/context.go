package mcpserver

import (
	"cmp"
	"context"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/appmap"
	"github.com/memtree/memtree/enhance"
	"github.com/memtree/memtree/tree"
)

// usualContext is the budget of get_context where none is given, in tokens.
const usualContext = 1500

type contextIn struct {
	Prompt string `json:"prompt"           limit:"300000" jsonschema:"the task as the testing agent is given it"`
	Step   string `json:"step,omitempty"   limit:"20000"  jsonschema:"within a run: what is to be done next"`
	Scene  scene  `json:"scene,omitzero"`
	Scope  scope  `json:"scope,omitzero"                  jsonschema:"which product, suite and test"`
	Lang   string `json:"lang,omitempty"   enum:"en,zh"`
	RunID  string `json:"run_id,omitempty" limit:"250"`
	Budget int    `json:"budget,omitempty" limit:"100000" jsonschema:"most tokens of the text, from 100; left out: 1500"`
}

type contextOut struct {
	Context string                `json:"context"`
	Trial   string                `json:"trial,omitempty" jsonschema:"hand it to record_outcome after the test"`
	Tokens  int                   `json:"tokens"`
	Parts   []enhance.ContextPart `json:"parts"           jsonschema:"ring, id and reason of each part"`
}

func (o contextOut) text() string { return o.Context }

func contextTool() *mcp.Tool {
	return &mcp.Tool{
		Name: "get_context",
		Description: "In place of get_guidance: what to look at, what is known of the product, and where things are with " +
			"selectors that worked, within a budget of tokens. Put the text behind your task, and go by what you see. Hand " +
			"the trial id to record_outcome afterwards.",
		Annotations: &mcp.ToolAnnotations{Title: "Get context before a test", DestructiveHint: new(false)},
	}
}

func (s *server) getContext(ctx context.Context, c toolCall, in contextIn) (contextOut, error) {
	if strings.TrimSpace(in.Prompt) == "" {
		return contextOut{}, &tree.FieldError{Field: "prompt", Problem: "is empty; send the task of the test"}
	}
	q := memtree.Query{Prompt: in.Prompt, Step: in.Step, Scene: in.Scene.tree(), Scope: in.Scope.tree(), Lang: in.Lang,
		Agent: tree.Agent{Name: c.client}, RunID: in.RunID}
	if err := q.Check(); err != nil {
		return contextOut{}, err
	}
	x, err := s.m.Context(ctx, q, cmp.Or(in.Budget, usualContext))
	return contextOut{x.Text, x.Trial, x.Tokens, append([]enhance.ContextPart{}, x.Parts...)}, err
}

type elementIn struct {
	What    string `json:"what"              limit:"500" jsonschema:"the element, as one would call it"`
	Product string `json:"product,omitempty" limit:"250"`
	Page    string `json:"page,omitempty"    limit:"2000" jsonschema:"an address or a route; left out: all pages"`
	Do      string `json:"do,omitempty"      limit:"60"   jsonschema:"click, fill, …; left out: any"`
	All     bool   `json:"all,omitempty"                  jsonschema:"also selectors that are not proven"`
}

type elementOut struct {
	About string                 `json:"about"`
	Found []appmap.FoundSelector `json:"found" jsonschema:"the best first"`
}

func (o elementOut) text() string { return fenced(o) }

func elementTool() *mcp.Tool {
	return &mcp.Tool{
		Name:        "find_element",
		Description: "Find selectors that worked for an element in earlier runs, by what it is called.",
		Annotations: &mcp.ToolAnnotations{Title: "Find an element", ReadOnlyHint: true, IdempotentHint: true},
	}
}

func (s *server) findElement(ctx context.Context, _ toolCall, in elementIn) (elementOut, error) {
	if strings.TrimSpace(in.What) == "" {
		return elementOut{}, &tree.FieldError{Field: "what", Problem: "is empty; name the element"}
	}
	q := appmap.SelectorQuery{Text: in.What, Product: in.Product, Page: in.Page, Do: in.Do}
	if in.All {
		q.Least = -1
	}
	out := elementOut{About: asData, Found: []appmap.FoundSelector{}}
	err := s.m.Map().Read(ctx, func(x *appmap.Map) {
		for _, f := range x.Find(q) {
			f.Name, f.Selector = plain(f.Name), plain(f.Selector)
			out.Found = append(out.Found, f)
		}
	})
	return out, err
}
