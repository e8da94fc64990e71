package mcpserver

import (
	"context"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/internal/byhand"
	"github.com/memtree/memtree/tree"
)

func runsTool() *mcp.Tool {
	return &mcp.Tool{
		Name: "read_runs",
		Description: "Be the reader of what went wrong: get the next question about wrong verdicts that no model has read, " +
			"or about groups of them that may share one lesson. Answer it yourself and hand the answer to write_lessons. " +
			"Call it again until nothing is left. It changes nothing. It shows what was true of these tests, so do it in a " +
			"session in which you run none of them.",
		Annotations: &mcp.ToolAnnotations{Title: "Read wrong verdicts", ReadOnlyHint: true, IdempotentHint: true},
	}
}

// readRuns returns the next prompt of an Evolve that changes nothing.
func (s *server) readRuns(ctx context.Context, c toolCall, _ struct{}) (readOut, error) {
	hand := byhand.New(c.client)
	if _, err := s.m.Evolve(ctx, &memtree.EvolveOptions{DryRun: true, Reader: hand}); err != nil {
		return readOut{}, err
	}
	return s.question(hand, "write_lessons"), nil
}

type lessonsOut struct {
	Cases   int      `json:"cases"   jsonschema:"wrong verdicts that are read now"`
	Lessons int      `json:"lessons" jsonschema:"lessons that were written or written anew"`
	Refused []string `json:"refused" jsonschema:"why drafts were refused"`
	Next    string   `json:"next"`
}

func lessonsTool() *mcp.Tool {
	return &mcp.Tool{
		Name: "write_lessons",
		Description: "Hand in your answer to a question of read_runs. Each part is checked as any model's answer is: what " +
			"it names has to be in the evidence, and a lesson may not order a verdict or give one away.",
		Annotations: &mcp.ToolAnnotations{
			Title:           "Hand in what you learned",
			DestructiveHint: new(false),
			IdempotentHint:  true,
		},
	}
}

// writeLessons evolves with one answer. Prompts without an answer remain open.
func (s *server) writeLessons(ctx context.Context, c toolCall, in submitIn) (lessonsOut, error) {
	a := answerOf(c, &in)
	hand := byhand.New(a.By, a)
	did, err := s.m.Evolve(ctx, &memtree.EvolveOptions{Reader: hand})
	if err != nil {
		return lessonsOut{}, err
	}
	if slices.Contains(hand.Unused(), in.Question) {
		return lessonsOut{}, errNotOpen
	}
	if why := hand.Wrong(); len(why) > 0 {
		return lessonsOut{}, wrongAnswer(why)
	}
	out := lessonsOut{Cases: did.Again, Refused: []string{}, Next: s.say("Call read_runs for the next question.",
		"请调用 read_runs 取下一个问题。")}
	for i := range did.Plans {
		p := &did.Plans[i]
		for _, c := range p.Changes {
			if c.Node.Type == tree.Experience && (c.Op == tree.OpAdd || c.Op == tree.OpRevise) {
				out.Lessons++
			}
		}
		for _, r := range p.Rejections {
			if !r.Known {
				out.Refused = append(out.Refused, r.Reasons...)
			}
		}
	}
	if len(hand.Open()) == 0 {
		out.Next = s.nothingLeft()
	}
	return out, nil
}
