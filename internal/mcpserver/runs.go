package mcpserver

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/memtree/memtree/internal/guard"
	"github.com/memtree/memtree/ledger"
	agentrun "github.com/memtree/memtree/run"
	"github.com/memtree/memtree/tree"
)

// Limits on runs in an answer.
const (
	usualRuns = 5
	mostRuns  = 50
	mostTasks = 50 // of a run
	mostNotes = 20 // of a run, of each kind
)

type startRunIn struct {
	Goal    string `json:"goal"              limit:"4000" jsonschema:"what the run is for, in a sentence"`
	ID      string `json:"id,omitempty"      limit:"250"  jsonschema:"left out: one is made"`
	Product string `json:"product,omitempty" limit:"250"`
	Build   string `json:"build,omitempty"   limit:"250"`
	Test    string `json:"test,omitempty"    limit:"250"`
	By      string `json:"by,omitempty"      limit:"100"  jsonschema:"your name; left out: that of your client"`
}

type startRunOut struct {
	ID   string `json:"id"`
	Next string `json:"next"`
}

func (o startRunOut) text() string { return o.Next }

func startRunTool() *mcp.Tool {
	return &mcp.Tool{
		Name: "start_run",
		Description: "Begin a run towards a goal, such as an exploration. Hand what you plan, see, decide and find to " +
			"update_run as you go: it outlives your session, and resume_run goes on after a crash.",
		Annotations: &mcp.ToolAnnotations{Title: "Begin a run", DestructiveHint: new(false)},
	}
}

func (s *server) startRun(ctx context.Context, c toolCall, in startRunIn) (startRunOut, error) {
	r, err := s.m.Runs().Start(ctx, ledger.Work{Run: in.ID, Text: in.Goal, Product: in.Product, Build: in.Build,
		Test: in.Test, By: cmp.Or(in.By, c.client)})
	if f, ok := errors.AsType[*tree.FieldError](err); ok {
		name := cmp.Or(map[string]string{"text": "goal", "run": "id"}[f.Field], f.Field)
		return startRunOut{}, &tree.FieldError{Field: name, Problem: f.Problem}
	}
	if err != nil {
		return startRunOut{}, err
	}
	return startRunOut{r.ID, inLang(s.langOf("", in.Goal),
		"Begun as "+r.ID+". Hand in updates with update_run; end it with one of the kind end.",
		"已开始，编号 "+r.ID+"。用 update_run 交入更新；以 end 类更新结束。")}, nil
}

type updateRunIn struct {
	Run     string   `json:"run"          limit:"250" jsonschema:"its id, from start_run"`
	Updates []update `json:"updates"      limit:"200" jsonschema:"all are saved, or none"`
	By      string   `json:"by,omitempty" limit:"100" jsonschema:"your name; left out: that of your client"`
}

type update struct {
	Kind   string `json:"kind"             enum:"task,note,decision,error,finding,visit,tested,value,end,feedback"`
	Text   string `json:"text,omitempty"   limit:"4000" jsonschema:"what was seen, decided or found; of an end why"`
	Page   string `json:"page,omitempty"   limit:"1000" jsonschema:"an address or a route"`
	Name   string `json:"name,omitempty"   limit:"250"  jsonschema:"of an element that was tested, or of a value"`
	Task   string `json:"task,omitempty"   limit:"250"  jsonschema:"id of a task, such as 1"`
	State  string `json:"state,omitempty"  limit:"20"   jsonschema:"task: open, doing, done, failed, dropped; finding: critical to low; end: success, partial, failure"` //nolint:lll // a tag cannot be broken
	Key    string `json:"key,omitempty"    limit:"250"  jsonschema:"an update with a known key changes nothing"`
	Rating int    `json:"rating,omitempty" limit:"5"    jsonschema:"of feedback, 1 to 5"`
}

type updateRunOut struct {
	agentrun.Accepted
	Next string `json:"next,omitempty"`
}

func (o updateRunOut) text() string {
	said := "Saved."
	switch {
	case o.Updates == 0:
		said = fmt.Sprintf("Nothing was saved: by their keys, the run had %d of these updates already.", o.Known)
	case o.Known > 0:
		said = fmt.Sprintf("Saved: %d. By their keys, the run had %d already.", o.Updates, o.Known)
	}
	return cmp.Or(o.Next, said)
}

func updateRunTool() *mcp.Tool {
	return &mcp.Tool{
		Name: "update_run",
		Description: "Hand in what happened in a run: tasks with their state, notes, decisions, errors, findings with a " +
			"severity, pages visited, elements tested, values to keep until the end, and the end with success, partial or " +
			"failure. Each is durable when this answers.",
		Annotations: &mcp.ToolAnnotations{Title: "Update a run", DestructiveHint: new(false)},
	}
}

func (s *server) updateRun(ctx context.Context, c toolCall, in updateRunIn) (updateRunOut, error) {
	if len(in.Updates) == 0 {
		return updateRunOut{}, &tree.FieldError{Field: "updates", Problem: "is empty; send at least one"}
	}
	list := make([]ledger.Work, len(in.Updates))
	for i, u := range in.Updates {
		list[i] = ledger.Work{Run: in.Run, Kind: ledger.WorkKind(u.Kind), By: cmp.Or(in.By, c.client), Text: u.Text,
			Page: u.Page,
			Name: u.Name, Task: u.Task, State: u.State, Key: u.Key, Rating: u.Rating}
	}
	did, err := s.m.Runs().Add(ctx, list)
	out := updateRunOut{Accepted: did}
	if did.Beside != "" {
		out.Next = s.say(plain(did.Beside)+" writes to this run too; agree on who does what.",
			plain(did.Beside)+" 也在写这次运行；请先分工。")
	}
	if len(did.Taken) > 0 {
		tasks := plain(strings.Join(did.Taken, ", "))
		out.Next = s.say("Another agent took these tasks at the same moment; take others: "+tasks,
			"另一个智能体同时领了这些任务，请做别的："+tasks)
	}
	return out, err
}

type resumeRunIn struct {
	Run string `json:"run"          limit:"250" jsonschema:"its id"`
	By  string `json:"by,omitempty" limit:"100" jsonschema:"your name; left out: that of your client"`
}

// aRun is a run for an agent.
type aRun struct {
	ID       string            `json:"id"`
	Goal     string            `json:"goal"`
	State    string            `json:"state"              jsonschema:"open, success, partial or failure"`
	Why      string            `json:"why,omitempty"      jsonschema:"how it ended"`
	Product  string            `json:"product,omitempty"`
	Next     []aTask           `json:"next,omitempty"     jsonschema:"tasks that are left, those under way first"`
	Findings []string          `json:"findings,omitempty" jsonschema:"the latest ones"`
	Errors   []string          `json:"errors,omitempty"`
	Decided  []string          `json:"decided,omitempty"`
	Seen     []string          `json:"seen,omitempty"`
	Visited  []string          `json:"visited,omitempty"  jsonschema:"pages, the latest last"`
	Values   map[string]string `json:"values,omitempty"`
	Rating   float64           `json:"rating,omitempty"   jsonschema:"what people thought of it, 1 to 5"`
	Score    float64           `json:"score,omitempty"    jsonschema:"how like the goal it is, 0 to 1"`
}

type aTask struct {
	ID    string `json:"id"`
	Text  string `json:"text,omitempty"`
	State string `json:"state"`
}

type resumeRunOut struct {
	About  string `json:"about"`
	Run    aRun   `json:"run"`
	Idle   int    `json:"idle"             jsonschema:"seconds since the last update"`
	Beside string `json:"beside,omitempty" jsonschema:"another agent that wrote to it within the last 5 minutes"`
}

func (o resumeRunOut) text() string { return fenced(o) }

func resumeRunTool() *mcp.Tool {
	return &mcp.Tool{
		Name: "resume_run",
		Description: "What you need to go on with a run that was cut off: its goal, the tasks that are left, what was " +
			"found, decided and seen, the pages visited and the values.",
		Annotations: &mcp.ToolAnnotations{Title: "Resume a run", ReadOnlyHint: true, IdempotentHint: true},
	}
}

func (s *server) resumeRun(ctx context.Context, c toolCall, in resumeRunIn) (resumeRunOut, error) {
	r, err := s.m.Runs().Resume(ctx, in.Run, cmp.Or(in.By, c.client))
	if errors.Is(err, tree.ErrNotFound) {
		return resumeRunOut{}, &tree.FieldError{Field: "run", Problem: fmt.Sprintf("is %.80q, and no run of the last 30 "+
			"days is named so; begin one with start_run", in.Run)}
	}
	if err != nil {
		return resumeRunOut{}, err
	}
	r.Run.Tasks = r.Next // without what other agents do
	return resumeRunOut{asData, quotedRun(&r.Run), int(r.Idle.Seconds()), plain(r.Beside)}, nil
}

// quotedRun returns a run with its texts as data.
func quotedRun(r *agentrun.Run) aRun {
	q := func(s string) string { return quote(s, guard.Truths{}, maxQuote) }
	out := aRun{ID: plain(r.ID), Goal: q(r.Goal), State: string(r.State), Why: q(r.Why), Product: plain(r.Product),
		Rating: rounded(r.Rating())}
	next := r.Next()
	for _, t := range next[:min(len(next), mostTasks)] {
		out.Next = append(out.Next, aTask{plain(t.ID), q(t.Text), t.State})
	}
	for kind, to := range map[ledger.WorkKind]*[]string{ledger.WorkFinding: &out.Findings, ledger.WorkError: &out.Errors,
		ledger.WorkDecision: &out.Decided, ledger.WorkNote: &out.Seen} {
		all := r.Of(kind)
		for _, n := range all[max(0, len(all)-mostNotes):] {
			at := ""
			if n.Page != "" {
				at = " (" + plain(n.Page) + ")"
			}
			*to = append(*to, q(n.Text)+at)
		}
	}
	for _, v := range r.Visited[max(0, len(r.Visited)-mostTasks):] {
		out.Visited = append(out.Visited, plain(v.Page))
	}
	for name, value := range r.Values {
		if out.Values == nil {
			out.Values = map[string]string{}
		}
		out.Values[plain(name)] = q(value)
	}
	return out
}

type recallRunsIn struct {
	Goal    string `json:"goal"              limit:"4000" jsonschema:"what you are about to do"`
	Product string `json:"product,omitempty" limit:"250"`
	Outcome string `json:"outcome,omitempty" enum:"success,partial,failure"`
	Limit   int    `json:"limit,omitempty"   limit:"50"   jsonschema:"how many to return; left out: 5"`
}

type recallRunsOut struct {
	About string `json:"about"`
	Runs  []aRun `json:"runs"  jsonschema:"the likest first"`
}

func (o recallRunsOut) text() string { return fenced(o) }

func recallRunsTool() *mcp.Tool {
	return &mcp.Tool{
		Name: "recall_runs",
		Description: "Ended runs whose goal is like yours: what was found and what went wrong in them, and how they ended. " +
			"Look before you begin.",
		Annotations: &mcp.ToolAnnotations{Title: "Recall like runs", ReadOnlyHint: true, IdempotentHint: true},
	}
}

func (s *server) recallRuns(ctx context.Context, _ toolCall, in recallRunsIn) (recallRunsOut, error) {
	found, err := s.m.Runs().Like(ctx, in.Goal, agentrun.Filter{State: agentrun.State(in.Outcome), Product: in.Product},
		min(cmp.Or(in.Limit, usualRuns), mostRuns))
	out := recallRunsOut{About: asData, Runs: []aRun{}}
	for i := range found {
		r := quotedRun(&found[i].Run)
		r.Score = found[i].Score
		out.Runs = append(out.Runs, r)
	}
	return out, err
}
