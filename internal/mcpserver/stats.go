package mcpserver

import (
	"context"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/tree"
)

type statsIn struct {
	Lang string `json:"lang,omitempty" enum:"en,zh" jsonschema:"language of the sentences"`
}

type statsOut struct {
	Cases       int            `json:"cases" jsonschema:"wrong judgements remembered"`
	Experiences int            `json:"experiences" jsonschema:"lessons of several cases"`
	Strategies  int            `json:"strategies" jsonschema:"lessons of several experiences"`
	Statuses    map[string]int `json:"statuses" jsonschema:"memories by status; probation and active are in use"`
	ErrorTypes  map[string]int `json:"error_types" jsonschema:"memories by how it was misjudged"`
	Directions  map[string]int `json:"directions" jsonschema:"memories by which way it was misjudged"`
	Runs        int            `json:"runs" jsonschema:"runs recorded, ever"`
	Waiting     int            `json:"waiting" jsonschema:"of them, those that memory is still reading"`
	SetAside    int            `json:"set_aside" jsonschema:"of them, those that could not be read"`
	Effect      string         `json:"effect" jsonschema:"whether memory helps, in a sentence"`
	Notes       []string       `json:"notes" jsonschema:"what people who run memtree should know"`
}

func statsTool() *mcp.Tool {
	return &mcp.Tool{
		Name: "memory_stats",
		Description: "How much memory holds, how many runs were recorded, whether memory helps, and what is not as it " +
			"should be.",
		Annotations: &mcp.ToolAnnotations{Title: "Count what memory holds", ReadOnlyHint: true, IdempotentHint: true},
	}
}

func (s *server) memoryStats(ctx context.Context, _ toolCall, in statsIn) (statsOut, error) {
	lang := s.langOf(in.Lang, "")
	info, err := s.m.Tree().Info(ctx)
	if err != nil {
		return statsOut{}, err
	}
	counts, err := tree.Count(s.m.Tree().Scan(ctx, store.Filter{}))
	if err != nil {
		return statsOut{}, err
	}
	report, err := s.m.Effect(ctx)
	if err != nil {
		return statsOut{}, err
	}
	out := statsOut{
		Cases: counts.Levels[string(tree.Case)], Experiences: counts.Levels[string(tree.Experience)],
		Strategies: counts.Levels[string(tree.Strategy)], Statuses: counts.Statuses, ErrorTypes: counts.Types,
		Directions: counts.Directions, Runs: info.Evaluations, Waiting: info.Outbox, SetAside: info.Dead,
		Effect: report.Verdict.In(lang), Notes: []string{},
	}
	h := s.m.Health()
	if h.Note != "" {
		out.Notes = append(out.Notes, plain(h.Note))
	}
	for _, err := range []error{h.Model, h.Damage} {
		if err != nil {
			out.Notes = append(out.Notes, plain(err.Error()))
		}
	}
	if info.Dead > 0 {
		out.Notes = append(out.Notes, fmt.Sprintf(inLang(lang, "Runs that could not be read: %d; memtree stats says why.",
			"无法读取的运行：%d 次；memtree stats 会说明原因。"), info.Dead))
	}
	return out, nil
}
