package mcpserver

import (
	"cmp"
	"context"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/memtree/memtree/brief"
	"github.com/memtree/memtree/curation"
)

type aboutIn struct {
	Case string   `json:"case" limit:"64" jsonschema:"id of the case, c_…"`
	Not  []string `json:"not,omitempty" limit:"8" jsonschema:"checks that it is not about"`
	Is   []string `json:"is,omitempty" limit:"8" jsonschema:"checks that it is about"`
	Why  string   `json:"why,omitempty" limit:"400" jsonschema:"why, in a sentence; people read it"`
}

type aboutOut struct {
	Case string   `json:"case"`
	Now  []string `json:"checks" jsonschema:"the checks that the case is about now"`
	Next string   `json:"next"`
}

func (o aboutOut) text() string { return o.Next }

func aboutTool() *mcp.Tool {
	return &mcp.Tool{
		Name: "correct_case",
		Description: "At a person's word, say that a case is not about a check that memory read from it, or is about " +
			"another. " +
			"Checks are those of memtree://taxonomy; get_memory shows what a case missed. What people wrote of the run stays, " +
			"and lessons that stand on the case are written anew. A person can take it back.",
		Annotations: &mcp.ToolAnnotations{
			Title: "Correct what a case is about", DestructiveHint: new(false), IdempotentHint: true,
		},
	}
}

func (s *server) correctCase(ctx context.Context, c toolCall, in aboutIn) (aboutOut, error) {
	o := curation.AboutOptions{Not: in.Not, Is: in.Is}
	o.By, o.Why = proposedBy+cmp.Or(c.client, "an agent"), in.Why
	if _, err := s.m.Curation().About(ctx, in.Case, o); err != nil {
		return aboutOut{}, err
	}
	n, err := s.m.Tree().Get(ctx, in.Case)
	if err != nil {
		return aboutOut{}, err
	}
	lang := s.langOf("", in.Why)
	return aboutOut{Case: n.ID, Now: append([]string{}, brief.Checks(&n)...), Next: fmt.Sprintf(inLang(lang,
		"Noted of %s. A person can take it back: memtree undo %s.", "已记下 %s 的更正。可由人撤回：memtree undo %s。"), n.ID, n.ID)}, nil
}
