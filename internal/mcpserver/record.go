package mcpserver

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/tree"
)

// formingWait is how long record_case waits for its case, so that the answer can include what memory understood. The
// case is also made if that takes longer.
const formingWait = 2 * time.Second

type outcomeIn struct {
	run
	Trial       string          `json:"trial,omitempty" limit:"250"`
	GroundTruth json.RawMessage `json:"ground_truth,omitempty"`
	Correct     *bool           `json:"correct,omitempty"`
	Direction   string          `json:"direction,omitempty" enum:"false_pass,false_fail,other"`
	Note        string          `json:"note,omitempty" limit:"300000"`
}

type outcomeOut struct {
	Recorded bool   `json:"recorded" jsonschema:"the run is durable; false: it was recorded before, and nothing changed"`
	Labelled bool   `json:"labelled" jsonschema:"it says what was true, so memory learns from it"`
	ID       string `json:"id" jsonschema:"of the run in memory"`
	Next     string `json:"next"`
}

func (o outcomeOut) text() string { return o.Next + " (" + plain(o.ID) + ")" }

func outcomeTool() *mcp.Tool {
	return &mcp.Tool{
		Name: "record_outcome",
		Description: "Call this after every test you judged, with your judgment and the trial id of get_guidance. If the " +
			"truth is known (a person, an oracle or a fixed expectation said it, not you), send ground_truth or correct too: " +
			"memory learns from nothing else. Never send your own opinion as the truth. Recording the same run twice changes " +
			"nothing.",
		Annotations: &mcp.ToolAnnotations{Title: "Record the outcome of a test", DestructiveHint: new(false),
			IdempotentHint: true},
	}
}

func (s *server) recordOutcome(ctx context.Context, c toolCall, in outcomeIn) (outcomeOut, error) {
	e := in.evaluation(c)
	e.Trial, e.GroundTruth, e.Correct = in.Trial, unquoted(in.GroundTruth), in.Correct
	e.Direction, e.Reason = directionOf(in.Direction), in.Note
	receipt, err := s.record(ctx, e)
	if err != nil {
		return outcomeOut{}, err
	}
	lang := s.langOf("", in.Prompt)
	out := outcomeOut{Recorded: receipt.Status == store.Accepted, Labelled: e.Labelled(), ID: receipt.Key}
	switch {
	case !out.Recorded:
		out.Next = sameRun(lang)
	case out.Labelled:
		out.Next = inLang(lang, "Recorded, with its truth.", "已记录，含真值。")
	default:
		out.Next = inLang(lang, "Recorded without a truth. When it becomes known, send the same call with ground_truth or "+
			"correct.", "已记录，尚无真值。得知真值后，请带上 ground_truth 或 correct 再次发送同一调用。")
	}
	return out, nil
}

func sameRun(lang string) string {
	return inLang(lang, "This run was recorded before, and nothing changed. If it was another run of the test, give it a "+
		"run_id of its own.", "这次运行以前已记录，没有任何改变。如果是同一测试的另一次运行，请给它单独的 run_id。")
}

// record records a run.
func (s *server) record(ctx context.Context, e tree.Evaluation) (store.Receipt, error) {
	receipts, err := s.m.RecordAll(ctx, []tree.Evaluation{e})
	if err != nil {
		return store.Receipt{}, err
	}
	if err := receipts[0].Err(); err != nil {
		return store.Receipt{}, err
	}
	return receipts[0], nil
}

type caseIn struct {
	run
	GroundTruth json.RawMessage `json:"ground_truth,omitempty"`
	Direction   string          `json:"direction,omitempty" enum:"false_pass,false_fail,other"`
	Note        string          `json:"note" limit:"300000"`
	Trial       string          `json:"trial,omitempty" limit:"250"`
}

type caseOut struct {
	About    string       `json:"about"`
	Recorded bool         `json:"recorded" jsonschema:"the run is durable; false: it was recorded before, and nothing changed"` //nolint:lll // a tag cannot be broken
	ID       string       `json:"id" jsonschema:"of the run in memory"`
	Case     *givenMemory `json:"case,omitempty"`
	Missed   []missed     `json:"missed"`
	Next     string       `json:"next"`
}

func (o caseOut) text() string { return fenced(o) }

func caseTool() *mcp.Tool {
	return &mcp.Tool{
		Name: "record_case",
		Description: "Call this when you learn that a judgment of a test was wrong: send the run as it was judged, what " +
			"was true, and a note on what was not checked. Memory makes a case of it and warns the next run that is like it. " +
			"The answer says what memory understood. Somebody or something other than the judging agent must have established " +
			"that it was wrong. Recording the same run twice changes nothing.",
		Annotations: &mcp.ToolAnnotations{Title: "Record a wrong " +
			"judgment", DestructiveHint: new(false), IdempotentHint: true},
	}
}

func (s *server) recordCase(ctx context.Context, c toolCall, in caseIn) (caseOut, error) {
	e := in.evaluation(c)
	e.Trial, e.GroundTruth, e.Direction, e.Reason = in.Trial, unquoted(in.GroundTruth), directionOf(in.Direction), in.Note
	e.Correct = new(false)
	switch {
	case strings.TrimSpace(in.Note) == "":
		return caseOut{}, &tree.FieldError{Field: "note", Problem: "is empty; say what the agent did not check"}
	case e.GroundTruth.Null() && in.Direction == "":
		return caseOut{}, &tree.FieldError{Field: "ground_truth", Problem: "is missing, and so is direction; say what was " +
			"true, or that it was " + directions}
	}
	before, err := s.m.Tree().Info(ctx)
	if err != nil {
		return caseOut{}, err
	}
	receipt, err := s.record(ctx, e)
	if err != nil {
		return caseOut{}, err
	}
	lang := s.langOf("", in.Prompt)
	out := caseOut{About: asData, Recorded: receipt.Status == store.Accepted, ID: plain(receipt.Key), Missed: []missed{}}
	if !out.Recorded {
		out.Next = sameRun(lang)
		return out, nil
	}
	n := s.caseOf(ctx, before.Version, receipt.Key)
	switch {
	case n == nil:
		out.Next = inLang(lang, "Recorded. Memory is still reading it.", "已记录，记忆尚在读取。")
		return out, nil
	case len(n.Says()) == 0:
		out.Next = inLang(lang, "Recorded, but the note names no kind of check that memory knows, so the case warns in few "+
			"places. Say in the note what should have been looked at, and record it under another run_id.",
			"已记录，但说明中没有记忆所知的检查种类，因此这个案例很少能起提醒作用。请在说明中写明应当看什么，并换一个 run_id 再记录。")
	default:
		out.Next = inLang(lang, "Recorded. The next run that is like it is warned.", "已记录。下一次相似的运行会得到提醒。")
	}
	g := givenOf(n)
	out.Case, out.Missed = &g, s.evidence(n.CaseData, truthsOf(n), lang).Missed
	return out, nil
}

// caseOf waits until the evaluation with this key is a case, and returns it; nil if that takes too long, or if memory
// made no case of it. version is that of the store before.
func (s *server) caseOf(ctx context.Context, version uint64, key string) *tree.Node {
	ctx, cancel := context.WithTimeout(ctx, formingWait)
	defer cancel()
	for {
		info, err := s.m.Tree().Info(ctx)
		if err != nil {
			return nil
		}
		for commit, err := range s.m.Tree().Changes(ctx, version) {
			if err != nil {
				return nil
			}
			version = commit.Version
			for i := range commit.Changes {
				n := &commit.Changes[i].Node
				if n.CaseData != nil && slices.ContainsFunc(n.Occurrences, func(o tree.Occurrence) bool {
					return o.Evaluation == key
				}) {
					return n
				}
			}
		}
		if info.Outbox == 0 {
			return nil
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(5 * time.Millisecond):
		}
	}
}
