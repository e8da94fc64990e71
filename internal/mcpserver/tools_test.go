package mcpserver_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/curation"
	"github.com/memtree/memtree/enhance"
	"github.com/memtree/memtree/internal/mcpserver"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/tree"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const all = mcpserver.Write | mcpserver.Propose

// client is an agent's program, beside the memory that it talks to.
type client struct {
	*mcp.ClientSession
	m *memtree.Memory
	t *testing.T
}

// dial serves a memory with the runs to a client that may do what is given.
func dial(t *testing.T, may mcpserver.May, lang string, runs ...memtree.Evaluation) *client {
	t.Helper()
	m, err := memtree.Open(t.Context(), "", &memtree.Options{InMemory: true, Deadline: time.Minute})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, m.Close()) })
	if len(runs) > 0 {
		_, err = m.RecordAll(t.Context(), runs)
		require.NoError(t, err)
	}
	require.NoError(t, m.Wait(t.Context()))
	return dialTo(t, m, &mcpserver.Options{May: may, Lang: lang})
}

func dialTo(t *testing.T, m *memtree.Memory, o *mcpserver.Options) *client {
	t.Helper()
	here, there := mcp.NewInMemoryTransports()
	ss, err := mcpserver.New(m, o).Connect(t.Context(), there, nil)
	require.NoError(t, err)
	cs, err := mcp.NewClient(&mcp.Implementation{Name: "agent"}, nil).Connect(t.Context(), here, nil)
	require.NoError(t, err)
	t.Cleanup(func() { _ = cs.Close(); _ = ss.Wait() })
	return &client{cs, m, t}
}

// call calls a tool and returns what an agent reads. The structured answer goes to out.
func (c *client) call(name string, in map[string]any, out any) string {
	c.t.Helper()
	r := c.result(name, in)
	require.False(c.t, r.IsError, said(r))
	if out != nil {
		b, err := json.Marshal(r.StructuredContent)
		require.NoError(c.t, err)
		require.NoError(c.t, json.Unmarshal(b, out))
	}
	return said(r)
}

// refused calls a tool that must answer with an error, and returns its sentence.
func (c *client) refused(name string, in map[string]any) string {
	c.t.Helper()
	r := c.result(name, in)
	require.True(c.t, r.IsError, said(r))
	require.Nil(c.t, r.StructuredContent)
	return said(r)
}

func (c *client) result(name string, in map[string]any) *mcp.CallToolResult {
	c.t.Helper()
	r, err := c.CallTool(c.t.Context(), &mcp.CallToolParams{Name: name, Arguments: in})
	require.NoError(c.t, err, "an error is an answer, not a failure of the protocol")
	require.Len(c.t, r.Content, 1)
	return r
}

func said(r *mcp.CallToolResult) string { return r.Content[0].(*mcp.TextContent).Text }

// wrong is a run that was judged wrongly: the total of a page was not added up.
func wrong(i int) memtree.Evaluation {
	return memtree.Evaluation{
		ID: fmt.Sprintf("r%d", i), CaseID: fmt.Sprintf("CART_%d", i), At: time.Date(2026, 3, 1+i, 9, 0, 0, 0, time.UTC),
		Prompt: fmt.Sprintf("Open the cart with %d items and check that the order total is right", i+2),
		Scene:  tree.Scene{Type: "list", Route: "/cart"}, Scope: tree.Scope{Product: "shop"},
		Judgment: tree.Raw(`{"passed":true,"reason":"The total is shown"}`), GroundTruth: tree.Raw(`{"passed":false}`),
		Reason: "The agent did not add up the prices of the lines and compare the sum with the order total." +
			fmt.Sprintf(" The cart had %d items.", i+2),
	}
}

func names[T any](list []T, name func(T) string) string {
	out := make([]string, len(list))
	for i, x := range list {
		out[i] = name(x)
	}
	return strings.Join(out, " ")
}

func TestToolsByWhatTheCallerMay(t *testing.T) {
	const read = "assess_verdict find_element get_guidance get_memory list_facts list_review_queue memory_stats " +
		"recall_runs resume_run search_memories"
	for may, want := range map[mcpserver.May]string{
		0: read,
		mcpserver.Write: "assess_verdict find_element get_context get_guidance get_memory list_facts list_review_queue " +
			"memory_stats read_runs read_tests recall_runs record_case record_outcome resume_run search_memories start_run " +
			"submit_brief update_run write_lessons",
		all | mcpserver.Correct: "assess_verdict correct_case find_element get_context get_guidance get_memory list_facts " +
			"list_review_queue memory_stats propose_memory read_runs read_tests recall_runs record_case record_outcome " +
			"remember resume_run search_memories start_run submit_brief update_run write_lessons",
	} {
		c := dial(t, may, "en")
		r, err := c.ListTools(t.Context(), nil)
		require.NoError(t, err)
		require.Equal(t, want, names(r.Tools, func(x *mcp.Tool) string { return x.Name }))
		for _, x := range r.Tools {
			require.NotEmpty(t, x.Description)
			require.NotEmpty(t, x.Annotations.Title)
			require.False(t, *x.Annotations.OpenWorldHint)
			writes := strings.HasPrefix(x.Name, "record") || slices.Contains([]string{"propose_memory", "remember",
				"get_context", "read_tests", "submit_brief", "write_lessons", "correct_case", "start_run", "update_run"}, x.Name) ||
				x.Name == "get_guidance" && may != 0
			require.Equal(t, !writes, x.Annotations.ReadOnlyHint, x.Name)
			if writes {
				require.False(t, *x.Annotations.DestructiveHint)
			}
		}
		_, err = c.CallTool(t.Context(), &mcp.CallToolParams{Name: "forget"})
		require.Error(t, err)
		if may == 0 {
			_, err = c.CallTool(t.Context(), &mcp.CallToolParams{Name: "record_outcome", Arguments: map[string]any{}})
			require.Error(t, err, "what is not listed cannot be called")
		}
	}
}

func TestTitlesAreInTheLanguageOfPeople(t *testing.T) {
	c := dial(t, all, "zh")
	r, err := c.ListTools(t.Context(), nil)
	require.NoError(t, err)
	for _, x := range r.Tools {
		require.Regexp(t, `\p{Han}`, x.Title, x.Name)
	}
	p, err := c.ListPrompts(t.Context(), nil)
	require.NoError(t, err)
	for _, x := range p.Prompts {
		require.Regexp(t, `\p{Han}`, x.Title+x.Description, x.Name)
	}
}

// TestLoop walks once around: ask, judge, record, learn that it was wrong, be warned.
func TestLoop(t *testing.T) {
	c := dial(t, all, "en")
	task := map[string]any{"prompt": "Check that the order total is right", "scene": map[string]any{"route": "/cart"}}
	var g struct {
		Guidance, Trial, Next string
		Memories              []struct{ ID, Type string }
	}
	require.Contains(t, c.call("get_guidance", task, &g), "No memory fits")
	require.Empty(t, g.Guidance)
	require.NotEmpty(t, g.Trial)

	run := map[string]any{"prompt": task["prompt"], "scene": task["scene"], "judgment": map[string]any{"passed": true},
		"trial": g.Trial}
	var o struct {
		Recorded, Labelled bool
		ID                 string
	}
	require.Contains(t, c.call("record_outcome", run, &o), "without a truth")
	require.True(t, o.Recorded && !o.Labelled)
	require.Contains(t, c.call("record_outcome", run, &o), "recorded before")
	require.False(t, o.Recorded)

	run["ground_truth"] = map[string]any{"passed": false}
	run["note"] = "The agent did not add up the prices of the lines and compare the sum with the total."
	var k struct {
		Recorded bool
		Case     *struct{ ID, Direction string }
		Missed   []struct{ Check string }
	}
	c.call("record_case", run, &k)
	require.True(t, k.Recorded)
	require.NotNil(t, k.Case)
	require.Equal(t, "false_pass", k.Case.Direction)
	require.Equal(t, "recompute", k.Missed[0].Check)
	require.Contains(t, c.call("record_case", run, &k), "recorded before")

	text := c.call("get_guidance", task, &g)
	require.Contains(t, text, "<memory-context>")
	require.True(t, strings.HasPrefix(g.Guidance, enhance.Open) && strings.HasSuffix(g.Guidance, enhance.Close))
	require.Equal(t, k.Case.ID, g.Memories[0].ID)
	direct, err := c.m.Explain(t.Context(), memtree.Query{Prompt: "Check that the order total is right",
		Scene: tree.Scene{Route: "/cart"}})
	require.NoError(t, err)
	require.Equal(t, direct.Text, g.Guidance, "the block is that of Guide, byte for byte")
}

// TestNoteWithoutCheck: the answer states that memory understood nothing, and its advice on what to do works.
func TestNoteWithoutCheck(t *testing.T) {
	c := dial(t, all, "en")
	run := map[string]any{"prompt": "Open the help page and look around", "judgment": "pass", "direction": "false_pass",
		"note": "It was bad."}
	var k struct {
		Missed []struct{ Check string }
		Next   string
	}
	c.call("record_case", run, &k)
	require.Empty(t, k.Missed)
	require.Contains(t, k.Next, "names no kind of check")
	run["run_id"] = "again"
	run["note"] = "The agent did not count the items in the list and compare the number with the badge."
	c.call("record_case", run, &k)
	require.Equal(t, "recompute", k.Missed[0].Check)
	require.NotContains(t, k.Next, "names no kind of check")
}

func TestReaderLeavesNoTrial(t *testing.T) {
	c := dial(t, 0, "en", wrong(1))
	var g struct{ Guidance, Trial, Next string }
	c.call("get_guidance", map[string]any{"prompt": wrong(1).Prompt, "run_id": "n1"}, &g)
	require.NotEmpty(t, g.Guidance)
	require.Empty(t, g.Trial)
	require.NotContains(t, g.Next, "record_outcome")
	require.NoError(t, c.m.Wait(t.Context()))
	for e, err := range c.m.Tree().Ledger(t.Context(), 0) {
		require.NoError(t, err)
		require.Nil(t, e.Trial)
	}
}

func TestSearchAndMemory(t *testing.T) {
	c := dial(t, 0, "en", wrong(1), wrong(2), wrong(3))
	_, err := c.m.Evolve(t.Context(), nil)
	require.NoError(t, err)
	var s struct {
		Memories []struct {
			ID, Type, Says string
			Fits           bool
		}
	}
	require.True(t, strings.HasPrefix(c.call("search_memories", map[string]any{"query": "order total of the cart"}, &s),
		enhance.Open), "what is quoted stands in the fence")
	require.NotEmpty(t, s.Memories)
	require.Contains(t, s.Memories[0].Says, "Add up")
	require.True(t, s.Memories[0].Fits)
	c.call("search_memories", map[string]any{"query": "order total of the cart", "limit": 1}, &s)
	require.Len(t, s.Memories, 1)

	var lesson, kase memory
	for n, err := range c.m.Tree().Scan(t.Context(), store.Filter{Level: 2}) {
		require.NoError(t, err)
		c.call("get_memory", map[string]any{"id": n.ID}, &lesson)
	}
	require.Equal(t, "experience", lesson.Type)
	require.Equal(t, 3, lesson.ChildCount)
	require.Len(t, lesson.Children, 3)
	require.Contains(t, c.call("get_memory", map[string]any{"id": lesson.Children[0].ID, "lang": "zh"}, &kase), "重新计算")
	require.Equal(t, lesson.ID, kase.Parent.ID)
	require.Contains(t, kase.Evidence.Judgment, `"The total is shown"`)
	require.Contains(t, kase.Evidence.Note, "did not add up")
}

type memory struct {
	ID, Type, Status string
	Says             []string
	ChildCount       int `json:"child_count"`
	Children         []struct{ ID string }
	Parent           *struct{ ID string }
	Evidence         struct{ Prompt, Judgment, Note string }
}

func (c *client) first(level int) tree.Node {
	c.t.Helper()
	for n, err := range c.m.Tree().Scan(c.t.Context(), store.Filter{Level: level}) {
		require.NoError(c.t, err)
		return n
	}
	c.t.Fatal("nothing is remembered")
	return tree.Node{}
}

func TestRisk(t *testing.T) {
	c := dial(t, 0, "en", wrong(1))
	var r struct {
		PWrong float64 `json:"p_wrong"`
		Enough bool
		Known  int
		Next   string
	}
	c.call("assess_verdict", map[string]any{"prompt": "x", "judgment": "pass"}, &r)
	require.False(t, r.Enough)
	require.Equal(t, 1, r.Known)
	require.Contains(t, r.Next, "No evidence yet")
	c.call("assess_verdict", map[string]any{"prompt": "检查金额", "judgment": "pass"}, &r)
	require.Contains(t, r.Next, "尚无证据")
	var runs []memtree.Evaluation
	for i := range 120 {
		e := wrong(i)
		e.At = time.Date(2026, 3, 1, 9, i, 0, 0, time.UTC)
		if i%2 == 0 { // this judge is right whenever it claims to have counted
			e.Judgment, e.GroundTruth = tree.Raw(`{"passed":true,"reason":"Counted every line and compared the sum"}`),
				tree.Raw(`{"passed":true}`)
			e.Reason = ""
		}
		runs = append(runs, e)
	}
	c = dial(t, 0, "en", runs...)
	var full struct {
		Enough  bool
		PWrong  float64 `json:"p_wrong"`
		Reasons []struct {
			Says   string
			Speaks string `json:"speaks_for"`
		}
	}
	c.call("assess_verdict", map[string]any{"prompt": wrong(1).Prompt, "scene": map[string]any{"route": "/cart"},
		"judgment": map[string]any{"passed": true, "reason": "The total is shown"}}, &full)
	require.True(t, full.Enough)
	require.Greater(t, full.PWrong, .6)
	require.Equal(t, "wrong", full.Reasons[0].Speaks)
}

func TestStats(t *testing.T) {
	c := dial(t, 0, "en", wrong(1), wrong(2))
	var s struct {
		Cases, Runs int
		Effect      string
	}
	c.call("memory_stats", nil, &s)
	require.Equal(t, 2, s.Cases)
	require.Equal(t, 2, s.Runs)
	require.NotEmpty(t, s.Effect)
	require.Regexp(t, `\p{Han}`, c.call("memory_stats", map[string]any{"lang": "zh"}, nil))
}

// TestManyAtOnce: calls at once record each run once.
func TestManyAtOnce(t *testing.T) {
	c := dial(t, all, "en")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	done := make(chan error)
	const n = 50
	for i := range n {
		go func() {
			_, err := c.CallTool(ctx, &mcp.CallToolParams{Name: "record_outcome", Arguments: map[string]any{
				"prompt": "x", "judgment": "pass", "correct": true, "run_id": fmt.Sprint("n", i%(n/2))}})
			done <- err
		}()
	}
	for range n {
		require.NoError(t, <-done)
	}
	info, err := c.m.Tree().Info(t.Context())
	require.NoError(t, err)
	require.Equal(t, n/2, info.Evaluations)
}

// A corrected case no longer has the check that it is not about, until the correction is taken back.
func TestCorrectCase(t *testing.T) {
	c := dial(t, all|mcpserver.Correct, "en", memtree.Evaluation{
		ID: "1", Prompt: "Check that the cart total equals the sum of the prices of its lines",
		Judgment: tree.Raw(`{"verdict":"pass"}`), GroundTruth: tree.Raw(`{"verdict":"fail"}`),
		Reason: "The total of the cart is wrong: the agent did not add up the prices of the lines and compare the sum " +
			"with the shown total number",
	})
	var found struct {
		Memories []struct {
			ID string `json:"id"`
		} `json:"memories"`
	}
	c.call("search_memories", map[string]any{"query": "cart total"}, &found)
	require.Len(t, found.Memories, 1)
	in := map[string]any{"case": found.Memories[0].ID, "not": []string{"recompute"}, "why": "the price was another"}
	var now struct {
		Checks []string `json:"checks"`
	}
	c.call("correct_case", in, &now)
	require.NotContains(t, now.Checks, "recompute")
	require.Contains(t, c.refused("correct_case", in), "said")
	require.Contains(t, c.refused("correct_case", map[string]any{"case": "c_zzz"}), `case names "c_zzz"`)
	d, err := c.m.Curation().Undo(t.Context(), "", curation.Options{Over: true})
	require.NoError(t, err)
	require.Equal(t, tree.DecisionAbout, d.Undone.Kind)
	in["not"] = []string{"nonsense"}
	require.Contains(t, c.refused("correct_case", in), "nonsense")
	about := curation.AboutOptions{Options: curation.Options{By: "ann"}, Not: []string{"recompute"}}
	_, err = c.m.Curation().About(t.Context(), found.Memories[0].ID, about)
	require.NoError(t, err)
	in["not"] = about.Not
	require.Contains(t, c.refused("correct_case", in), "only a person can decide all the same: memtree about c_")
}
