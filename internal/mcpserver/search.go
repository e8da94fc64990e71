package mcpserver

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/enhance"
	"github.com/memtree/memtree/tree"
)

const (
	usualFound = 5
	mostFound  = 20

	mostSnippet = 300 // characters of a task or a note
)

type searchIn struct {
	Query string `json:"query" limit:"20000" jsonschema:"what to look for, in words: a task, a mistake, a control"`
	Scene scene  `json:"scene,omitzero" jsonschema:"where in the product"`
	Scope scope  `json:"scope,omitzero" jsonschema:"which product, suite and test"`
	Limit int    `json:"limit,omitempty" limit:"20" jsonschema:"how many to return; left out: 5"`
	Lang  string `json:"lang,omitempty" enum:"en,zh" jsonschema:"language of the lessons"`
}

type searchOut struct {
	About    string         `json:"about"`
	Found    int            `json:"found" jsonschema:"how many came near; the best of them follow"`
	Memories []searchResult `json:"memories" jsonschema:"first those that fit, each kind best first"`
}

type searchResult struct {
	givenMemory
	Says  string `json:"says,omitempty" jsonschema:"what it says to check"`
	Task  string `json:"task,omitempty" jsonschema:"of a case: what the agent had been asked to test"`
	Note  string `json:"note,omitempty" jsonschema:"of a case: what a person said of the mistake"`
	Fits  bool   `json:"fits" jsonschema:"get_guidance would give it for this query"`
	WhyNo string `json:"why_not,omitempty" jsonschema:"why get_guidance would not give it"`
}

func (o searchOut) text() string { return fenced(o) }

func searchTool() *mcp.Tool {
	return &mcp.Tool{
		Name: "search_memories",
		Description: "Look up what memory holds on a subject: cases (one wrong judgement each), experiences and strategies " +
			"(lessons of several cases), the nearest first. For the guidance of a test use get_guidance instead: it chooses " +
			"what is worth saying, and it keeps what came of it.",
		Annotations: &mcp.ToolAnnotations{Title: "Search memories", ReadOnlyHint: true, IdempotentHint: true},
	}
}

func (s *server) searchMemories(ctx context.Context, _ toolCall, in searchIn) (searchOut, error) {
	if strings.TrimSpace(in.Query) == "" {
		return searchOut{}, &tree.FieldError{Field: "query", Problem: "is empty; say in words what to look for"}
	}
	if in.Limit == 0 {
		in.Limit = usualFound
	}
	q := memtree.Query{Prompt: in.Query, Scene: in.Scene.tree(), Scope: in.Scope.tree(), Lang: in.Lang}
	x, err := s.m.Explain(ctx, q)
	if err != nil {
		return searchOut{}, err
	}
	// The memories that guidance would include come first: a lesson before the cases it covers.
	slices.SortStableFunc(x.Considered, func(a, b enhance.Considered) int {
		return cmp.Compare(min(1, len(a.Left.Reason)), min(1, len(b.Left.Reason)))
	})
	out := searchOut{About: asData, Found: len(x.Considered), Memories: []searchResult{}}
	for _, c := range x.Considered[:min(in.Limit, mostFound, len(x.Considered))] {
		f := searchResult{givenMemory: givenMemory{c.ID, string(c.Type), c.ErrorType, string(c.Direction)},
			Fits:  c.Left.Reason == "",
			WhyNo: plain(c.Left.Reason)}
		if n, err := s.m.Tree().Get(ctx, c.ID); err == nil {
			f.Says, _ = enhance.Say(&n, enhance.Options{Lang: s.langOf(in.Lang, in.Query), Words: s.words})
			if d := n.CaseData; d != nil {
				truths := truthsOf(&n)
				f.Task, f.Note = quote(d.TestCase.Prompt, truths, mostSnippet), quote(d.EvaluatorReason, truths, mostSnippet)
			}
		}
		out.Memories = append(out.Memories, f)
	}
	return out, nil
}
