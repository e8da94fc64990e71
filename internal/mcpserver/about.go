package mcpserver

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/memtree/memtree/brief"
	"github.com/memtree/memtree/curation"
	"github.com/memtree/memtree/tree"
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
	_, err := s.m.Curation().About(ctx, in.Case, o)
	if err := caseError(in.Case, err); err != nil {
		return aboutOut{}, err
	}
	n, err := s.m.Tree().Get(ctx, in.Case)
	if err != nil {
		return aboutOut{}, err
	}
	lang := s.langOf("", in.Why)
	return aboutOut{Case: n.ID, Now: append([]string{}, brief.Checks(&n)...), Next: fmt.Sprintf(inLang(lang,
		"Noted of %s. A person can take it back: memtree undo %s --over.",
		"已记下 %s 的更正。可由人撤回：memtree undo %s --over。"), n.ID, n.ID)}, nil
}

// caseError names the argument that an error of a correction is about, and what an agent can do.
func caseError(id string, err error) error {
	field, isField := errors.AsType[*tree.FieldError](err)
	refused, isRefused := errors.AsType[*curation.RefusedError](err)
	switch {
	case errors.Is(err, tree.ErrNotFound):
		return &tree.FieldError{Field: "case", Problem: fmt.Sprintf("names %.80q, which is no memory here; search_memories "+
			"gives whole ids", id)}
	case isField && field.Field == "id":
		return &tree.FieldError{Field: "case", Problem: field.Problem}
	case isRefused && refused.Why == curation.Theirs:
		return fmt.Errorf("%s decided otherwise about this case at %s; nothing was changed; only a person can decide all "+
			"the same: memtree about %s --over", plain(cmp.Or(refused.By, "a person")), refused.At.UTC().Format(time.RFC3339),
			refused.ID)
	}
	return err
}
