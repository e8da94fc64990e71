package mcpserver

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/memtree/memtree/brief"
	"github.com/memtree/memtree/internal/byhand"
	"github.com/memtree/memtree/llm/meter"
)

// plannedTest is a test that will be run.
type plannedTest struct {
	Prompt string `json:"prompt"         limit:"20000" jsonschema:"the task of the test, in full"`
	Scene  scene  `json:"scene,omitzero"`
	Scope  scope  `json:"scope,omitzero"               jsonschema:"which product, suite and test"`
}

type readIn struct {
	Tests []plannedTest `json:"tests,omitempty" limit:"200" jsonschema:"left out: those of the last 30 days"`
}

// readOut is a prompt for the client's own model.
type readOut struct {
	Question string          `json:"question,omitempty" jsonschema:"its id, for the answer; empty: nothing is left"`
	System   string          `json:"system,omitempty"`
	Prompt   string          `json:"prompt,omitempty"   jsonschema:"what to read and how to answer"`
	Schema   json.RawMessage `json:"schema,omitempty"   jsonschema:"JSON Schema of the answer"`
	Left     int             `json:"left"               jsonschema:"further questions after this one"`
	Next     string          `json:"next"`
}

func (o readOut) text() string {
	if o.Question == "" {
		return o.Next
	}
	return o.Next + "\n\n" + o.System + "\n\n" + o.Prompt
}

func readTool() *mcp.Tool {
	return &mcp.Tool{
		Name: "read_tests",
		Description: "Be the reader: get the coming tests that are not read yet, with what memory knows, as one " +
			"question. Answer it yourself and hand the answer to submit_brief. Then get_guidance gives, before each of " +
			"these tests, what you picked, in your words. Call it again until nothing is left.",
		Annotations: &mcp.ToolAnnotations{Title: "Read coming tests", DestructiveHint: new(false), IdempotentHint: true},
	}
}

func (s *server) readTests(ctx context.Context, c toolCall, in readIn) (readOut, error) {
	tests := make([]brief.UpcomingTest, len(in.Tests))
	for i := range tests {
		x := &in.Tests[i]
		tests[i] = brief.TestOf(x.Prompt, x.Scene.tree(), x.Scope.tree())
	}
	if err := s.m.Briefs().Expect(tests); err != nil {
		return readOut{}, err
	}
	hand := byhand.New(c.client)
	// nil requests all open prompts, not only those of in.Tests, so that submit_brief finds the same ones.
	if _, err := s.m.Briefs().Read(ctx, nil, &brief.ReadOptions{Reading: meter.Reading{Reader: hand}}); err != nil {
		return readOut{}, err
	}
	return s.question(hand, "submit_brief"), nil
}

// question returns the first open prompt. tool is the tool that accepts its answer.
func (s *server) question(hand *byhand.PreparedReader, tool string) readOut {
	open := hand.Open()
	if len(open) == 0 {
		return readOut{Next: s.nothingLeft()}
	}
	q := open[0]
	return readOut{Question: q.ID, System: q.System, Prompt: q.Prompt, Schema: q.Schema, Left: len(open) - 1,
		Next: fmt.Sprintf(s.say("Answer this question and hand the answer to %s with the question %s.",
			"请回答这个问题，并用 %s 提交答案，附上问题编号 %s。"), tool, q.ID)}
}

func (s *server) nothingLeft() string {
	return s.say("Nothing is left to read.", "没有需要读的内容了。")
}

// answerOf returns the submitted answer, by the client unless in.By names another.
func answerOf(c toolCall, in *submitIn) byhand.Reply {
	by := cmp.Or(in.By, c.client, "an agent")
	return byhand.Reply{ID: in.Question, By: by, Answer: json.RawMessage(unquoted(in.Answer))}
}

type submitIn struct {
	Question string          `json:"question"     limit:"64"  jsonschema:"the id that came with the question"`
	Answer   json.RawMessage `json:"answer"                   jsonschema:"the JSON object that the question asks for"`
	By       string          `json:"by,omitempty" limit:"100" jsonschema:"who read: your model; left out: your own client"`
}

type submitOut struct {
	Read    int      `json:"read"    jsonschema:"tests that are read now"`
	Told    int      `json:"told"    jsonschema:"those of them with a memory"`
	Refused []string `json:"refused" jsonschema:"why picks were refused"`
	Unsaid  []string `json:"unsaid"  jsonschema:"sentences that were refused, and why; the memory's own are given"`
	Next    string   `json:"next"`
}

func submitTool() *mcp.Tool {
	return &mcp.Tool{
		Name: "submit_brief",
		Description: "Hand in your answer to a question of read_tests. Each pick is checked: the memory has to be in the " +
			"question, and the words you quote in the test. What is refused is named, and those tests are asked again once.",
		Annotations: &mcp.ToolAnnotations{Title: "Hand in what you read", DestructiveHint: new(false), IdempotentHint: true},
	}
}

// errNotOpen is the error for an answer to a prompt that is no longer open.
var errNotOpen = errors.New("this question is not open: it was answered, or tests or memories have changed since; " +
	"ask for the next question again")

// wrongAnswer is the error for an answer that does not fit its schema.
func wrongAnswer(why []string) error {
	return fmt.Errorf("the answer cannot be used: %s; correct it and hand it in again for the same question",
		strings.Join(why, "; "))
}

func (s *server) submitBrief(ctx context.Context, c toolCall, in submitIn) (submitOut, error) {
	a := answerOf(c, &in)
	hand := byhand.New(a.By, a)
	did, err := s.m.Briefs().Read(ctx, nil, &brief.ReadOptions{Reading: meter.Reading{Reader: hand}})
	if err != nil {
		return submitOut{}, err
	}
	if len(hand.Unused()) > 0 {
		return submitOut{}, errNotOpen
	}
	if why := hand.Wrong(); did.ReadCounts.Tests == 0 && len(did.Refused) == 0 && len(why) > 0 {
		return submitOut{}, wrongAnswer(why)
	}
	if did.ReadCounts.Tests == 0 && len(did.Refused) == 0 && did.Why != "" {
		return submitOut{}, fmt.Errorf("the answer cannot be read: %s", did.Why)
	}
	out := submitOut{Read: did.ReadCounts.Tests, Told: did.Told, Refused: did.Refused, Unsaid: did.Unsaid,
		Next: s.say("Call read_tests for the next question.", "请调用 read_tests 取下一个问题。")}
	if out.Refused == nil {
		out.Refused = []string{}
	}
	if out.Unsaid == nil {
		out.Unsaid = []string{}
	}
	if len(hand.Open()) == 0 {
		out.Next = s.nothingLeft()
	}
	return out, nil
}
