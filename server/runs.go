package server

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/run"
	"github.com/memtree/memtree/tree"
)

// runStart is a run to begin.
type runStart struct {
	ID      string `json:"id,omitempty" maxLength:"1024" doc:"Left out: one is made"`
	Goal    string `json:"goal" minLength:"1" maxLength:"4096" doc:"What the run is for, in a sentence"`
	Product string `json:"product,omitempty" maxLength:"1024"`
	Build   string `json:"build,omitempty" maxLength:"1024"`
	Test    string `json:"test,omitempty" maxLength:"1024" doc:"Of a run that is a test"`
	By      string `json:"by,omitempty" maxLength:"1024" doc:"The agent; left out: the token"`
}

// startRun begins a run.
func (s *Server) startRun(ctx context.Context, in *given[runStart]) (*reply[run.Run], error) {
	t := treeIn(ctx)
	if err := t.writable(); err != nil {
		return nil, err
	}
	b := &in.Body
	r, err := t.Runs().Start(ctx, ledger.Work{Run: b.ID, Text: b.Goal, Product: b.Product, Build: b.Build, Test: b.Test,
		By: agentOr(ctx, b.By)})
	return &reply[run.Run]{r}, renamed(err, func(field string) string {
		return cmp.Or(map[string]string{"text": "goal", "run": "id"}[field], field)
	})
}

// agentOr returns the name that a request gives, or that of its token.
func agentOr(ctx context.Context, name string) string {
	if name != "" {
		return name
	}
	if c := callerOf(ctx); c.token != nil {
		return c.token.Name
	}
	return ""
}

// runUpdate is one update of a run, see ledger.Work.
type runUpdate struct {
	Kind   ledger.WorkKind `json:"kind" enum:"task,note,decision,error,finding,visit,tested,value,end,feedback"`
	Text   string          `json:"text,omitempty" maxLength:"4096"`
	Page   string          `json:"page,omitempty" maxLength:"2048" doc:"An address or a route"`
	Name   string          `json:"name,omitempty" maxLength:"1024" doc:"Of an element that was tested, or of a value"`
	Task   string          `json:"task,omitempty" maxLength:"1024" doc:"Id of a task"`
	State  string          `json:"state,omitempty" maxLength:"32" doc:"Of a task, a finding or an end"`
	Key    string          `json:"key,omitempty" maxLength:"1024" doc:"An update whose key the run has changes nothing"`
	Rating int             `json:"rating,omitempty" minimum:"0" maximum:"5" doc:"Of feedback, from 1"`
}

type runUpdates struct {
	Updates []runUpdate `json:"updates" minItems:"1" maxItems:"1000" doc:"In order; all are saved, or none"`
	By      string      `json:"by,omitempty" maxLength:"1024" doc:"The agent; left out: the token"`
}

type runUpdatesInput struct {
	InTree
	ID   string `path:"id" maxLength:"1024"`
	Body runUpdates
}

// updateRun adds updates to a run.
func (s *Server) updateRun(ctx context.Context, in *runUpdatesInput) (*reply[run.Accepted], error) {
	t := treeIn(ctx)
	if err := t.writable(); err != nil {
		return nil, err
	}
	list := make([]ledger.Work, len(in.Body.Updates))
	for i, u := range in.Body.Updates {
		list[i] = ledger.Work{Run: in.ID, Kind: u.Kind, By: agentOr(ctx, in.Body.By), Text: u.Text, Page: u.Page,
			Name: u.Name,
			Task: u.Task, State: u.State, Key: u.Key, Rating: u.Rating}
	}
	did, err := t.Runs().Add(ctx, list)
	return &reply[run.Accepted]{did}, runError(renamed(err, func(field string) string {
		if of := []string{"kind", "text", "page", "name", "task", "state", "key", "rating"}; slices.Contains(of, field) {
			return "updates[0]." + field // the error of a single update does not number it
		}
		if strings.HasSuffix(field, "].run") {
			return "run" // all updates are of the run in the path
		}
		return field
	}))
}

type runInput struct {
	InTree
	ID string `path:"id" maxLength:"1024"`
}

// oneRun answers with a run.
func (s *Server) oneRun(ctx context.Context, in *runInput) (*reply[run.Run], error) {
	r, err := treeIn(ctx).Runs().Get(ctx, in.ID)
	return &reply[run.Run]{r}, runError(err)
}

type resumeInput struct {
	InTree
	ID string `path:"id" maxLength:"1024"`
	By string `query:"by" maxLength:"1024" doc:"The agent that goes on; left out: the token"`
}

// resumeRun answers with what an agent needs to go on with a run.
func (s *Server) resumeRun(ctx context.Context, in *resumeInput) (*reply[run.Resumption], error) {
	r, err := treeIn(ctx).Runs().Resume(ctx, in.ID, agentOr(ctx, in.By))
	return &reply[run.Resumption]{r}, runError(err)
}

// runError returns the error of a route of one run.
func runError(err error) error {
	if f, ok := errors.AsType[*tree.FieldError](err); ok && f.Field == "run" {
		return input(badPart{"path.id", f.Problem})
	}
	if errors.Is(err, tree.ErrNotFound) {
		return newProblem(http.StatusNotFound, typeNotFound, absentFrom(inTreePath+"/runs"))
	}
	return err
}

type runsInput struct {
	InTree
	State   run.State `query:"state" enum:"open,ended,success,partial,failure" doc:"Left out: all"`
	Product string    `query:"product" maxLength:"1024"`
	By      string    `query:"by" maxLength:"1024" doc:"One of its agents"`
	Words   string    `query:"words" maxLength:"1000" doc:"In the goal or a note"`
	Like    string    `query:"like" maxLength:"4096" doc:"Ended runs whose goal is like this one, the likest first"`
	Limit   int       `query:"limit" minimum:"1" maximum:"200" default:"20"`
}

// runList is a list of runs.
type runList struct {
	Runs []run.Episode `json:"runs" doc:"Those under way first; with like the likest first"`
}

// runs lists runs.
func (s *Server) runs(ctx context.Context, in *runsInput) (*reply[runList], error) {
	found, err := treeIn(ctx).Runs().Find(ctx,
		run.Filter{State: in.State, Product: in.Product, Agent: in.By, Words: in.Words, Like: in.Like}, in.Limit)
	return &reply[runList]{runList{append([]run.Episode{}, found...)}}, err
}
