package mcpserver

import (
	"context"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/effect"
	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/tree"
)

type guidanceIn struct {
	Prompt      string `json:"prompt" limit:"300000" jsonschema:"the task as the testing agent is given it, in full"`
	Scene       scene  `json:"scene,omitzero"`
	Scope       scope  `json:"scope,omitzero" jsonschema:"which product, suite and test"`
	Observation string `json:"observation,omitempty" limit:"300000"`
	Lang        string `json:"lang,omitempty" enum:"en,zh"`
	RunID       string `json:"run_id,omitempty" limit:"250"`
	Step        string `json:"step,omitempty" limit:"20000" jsonschema:"within a run: what is to be done next"`
	Trial       string `json:"trial,omitempty" limit:"250"`
}

type guidanceOut struct {
	Guidance string        `json:"guidance"`
	Trial    string        `json:"trial,omitempty" jsonschema:"hand it to record_outcome after the test"`
	Next     string        `json:"next" jsonschema:"what to do now"`
	Memories []givenMemory `json:"memories" jsonschema:"the memories in the guidance"`
}

// givenMemory identifies a memory in an answer.
type givenMemory struct {
	ID        string `json:"id" jsonschema:"for get_memory"`
	Type      string `json:"type" jsonschema:"case, experience or strategy"`
	ErrorType string `json:"error_type"`
	Direction string `json:"direction"`
}

func (s *server) guidanceTool() *mcp.Tool {
	t := &mcp.Tool{
		Name: "get_guidance",
		Description: "Call this before you run or judge a test of software. It returns what testing agents overlooked " +
			"before in tests like this one: a short block of what to check, or nothing when no memory fits (that is normal). " +
			"Put the block behind your task. It names what to look at, never the result: go by what you see.",
		Annotations: &mcp.ToolAnnotations{Title: "Get guidance before a test", ReadOnlyHint: true, IdempotentHint: true},
	}
	if s.may(Write) {
		t.Description += " Keep the trial id and hand it to record_outcome afterwards, also when the block is empty."
		t.Annotations.ReadOnlyHint, t.Annotations.IdempotentHint = false, false
		t.Annotations.DestructiveHint = new(false)
	}
	return t
}

func (s *server) getGuidance(ctx context.Context, c toolCall, in guidanceIn) (guidanceOut, error) {
	if strings.TrimSpace(in.Prompt) == "" {
		return guidanceOut{}, &tree.FieldError{Field: "prompt", Problem: "is empty; send the task of the test"}
	}
	q := memtree.Query{
		Prompt: in.Prompt, Scene: in.Scene.tree(), Scope: in.Scope.tree(), Observation: in.Observation, Lang: in.Lang,
		Agent: tree.Agent{Name: c.client}, RunID: in.RunID, Step: in.Step, Trial: in.Trial,
	}
	g, err := s.ask(ctx, q)
	if err != nil {
		return guidanceOut{}, err
	}
	lang := in.Lang
	if lang == "" {
		lang = text.Lang(in.Prompt)
	}
	out := guidanceOut{Guidance: g.Text, Trial: g.Trial, Next: s.next(&g, lang), Memories: []givenMemory{}}
	for _, i := range g.Items {
		out.Memories = append(out.Memories, givenMemory{i.ID, string(i.Type), i.ErrorType, string(i.Direction)})
	}
	return out, nil
}

// ask requests guidance. For a caller without write permission it records no trial.
func (s *server) ask(ctx context.Context, q memtree.Query) (memtree.Guidance, error) {
	if err := q.Check(); err != nil {
		return memtree.Guidance{}, err
	}
	if s.may(Write) {
		return s.m.Guide(ctx, q)
	}
	x, err := s.m.Explain(ctx, q)
	return x.Guidance, err
}

// next returns what to do with an answer.
func (s *server) next(g *memtree.Guidance, lang string) string {
	var out string
	switch {
	case g.Withheld == effect.ByChance:
		out = inLang(lang, "A memory fits and is held back: chance holds this run out, so that runs with memory can be "+
			"compared with it. Do the task as it is.",
			"有匹配的记忆，但本次运行被随机留作对照，因此不给出；请按原任务执行。")
	case g.Withheld == effect.ByBreaker:
		out = inLang(lang, "A memory fits and is held back, because memory did more harm than good lately. Do the task as "+
			"it is.", "有匹配的记忆，但近来记忆弊大于利，因此不给出；请按原任务执行。")
	case g.Text == "":
		out = inLang(lang, "No memory fits. Do the task as it is.", "没有匹配的记忆；请按原任务执行。")
	default:
		out = inLang(lang, "Put the guidance behind the task, do what the task says, and check what the guidance names.",
			"请把提示放在任务之后，按任务执行，并检查提示所列的内容。")
	}
	if g.Text == "" && g.Unformed > 0 {
		out += " " + fmt.Sprintf(inLang(lang, "Recorded runs that memory is still reading: %d.",
			"记忆尚在读取的已记录运行：%d 次。"), g.Unformed)
	}
	if g.Note != "" {
		out += " (" + plain(g.Note) + ")"
	}
	if g.Trial != "" {
		out += " " + fmt.Sprintf(inLang(lang, "Afterwards call record_outcome with trial %s.",
			"完成后请调用 record_outcome，并附上 trial %s。"), g.Trial)
	}
	return out
}

// text returns the block for agents that receive no structured content.
func (o guidanceOut) text() string {
	if o.Guidance == "" {
		return o.Next
	}
	return o.Guidance + "\n\n" + o.Next
}
