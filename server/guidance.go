package server

import (
	"context"
	"time"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/assertion"
	"github.com/memtree/memtree/enhance"
	"github.com/memtree/memtree/internal/token"
	"github.com/memtree/memtree/tree"
)

// Question describes a run that is about to begin. Only Prompt is required.
type Question struct {
	Prompt       string     `json:"prompt" minLength:"1" maxLength:"1048576" doc:"What the agent is asked to test"`
	Scene        tree.Scene `json:"scene,omitzero" doc:"Where in the product"`
	Scope        tree.Scope `json:"scope,omitzero" doc:"Which product, suite and test"`
	Observation  string     `json:"observation,omitempty" maxLength:"1048576" doc:"What can be seen now"`
	Lang         string     `json:"lang,omitempty" enum:"zh,en" doc:"Of the guidance; left out: the prompt's"`
	Agent        tree.Agent `json:"agent,omitzero" doc:"Who will run, for the ledger"`
	RunID        string     `json:"runId,omitempty" maxLength:"1024" doc:"Which run; about one left out no chance decides"`
	Trial        string     `json:"trial,omitempty" maxLength:"1024" doc:"Of an earlier answer for this run"`
	Step         string     `json:"step,omitempty" maxLength:"1048576" doc:"What is to be done next within a run"`
	StepNumber   int        `json:"stepNumber,omitempty" minimum:"1" maximum:"1048576" doc:"From 1"`
	Exclude      []string   `json:"exclude,omitempty" maxItems:"1000" doc:"Ids of memories that must not be used"`
	ReadMS       int        `json:"readMs,omitempty" minimum:"0" maximum:"600000" doc:"Wait so long for a reader"`
	ExcludeTests []string   `json:"excludeTests,omitempty" maxItems:"1000" doc:"Tests whose memories must not be used"`
}

// query converts it to the query of the root package.
func (q *Question) query() (memtree.Query, error) {
	out := memtree.Query{
		Prompt: q.Prompt, Scene: q.Scene, Scope: q.Scope, Observation: q.Observation, Lang: q.Lang, Agent: q.Agent,
		RunID: q.RunID, Trial: q.Trial, Step: q.Step, StepNumber: q.StepNumber, Exclude: q.Exclude,
		ExcludeTests: q.ExcludeTests, Read: time.Duration(q.ReadMS) * time.Millisecond,
	}
	return out, out.Check()
}

// contextQuestion is a question with a budget.
type contextQuestion struct {
	Question
	Budget int `json:"budget,omitempty" minimum:"100" maximum:"100000" default:"1500" doc:"Most tokens of the text"`
}

// context answers with guidance, facts and places within a budget.
func (s *Server) context(ctx context.Context, in *given[contextQuestion]) (*reply[enhance.Context], error) {
	q, err := in.Body.query()
	if err != nil {
		return nil, err
	}
	x, err := treeIn(ctx).Context(ctx, q, in.Body.Budget)
	return &reply[enhance.Context]{x}, err
}

// checks are the checks that were missed before, for programs that make them on their own.
type checks struct {
	Checks []assertion.Assertion `json:"checks" doc:"Those with code first"`
}

// checks answers with assertions.
func (s *Server) checks(ctx context.Context, in *given[Question]) (*reply[checks], error) {
	q, err := in.Body.query()
	if err != nil {
		return nil, err
	}
	all, err := treeIn(ctx).Checks(ctx, q)
	return &reply[checks]{checks{all}}, err
}

// guide answers with guidance. A caller with read permission only leaves no trial.
func (s *Server) guide(ctx context.Context, in *given[Question]) (*reply[memtree.Guidance], error) {
	q, err := in.Body.query()
	if err != nil {
		return nil, err
	}
	t := treeIn(ctx)
	if allow(ctx, token.Write) == nil {
		ctx, part := s.step(ctx, "guide")
		g, err := t.Guide(ctx, q)
		part.count("memories", len(g.Items))
		part.end(err)
		return &reply[memtree.Guidance]{g}, err
	}
	if q.RunID != "" || q.Trial != "" {
		return nil, lacksScope(token.Write)
	}
	x, err := t.Explain(ctx, q)
	return &reply[memtree.Guidance]{x.Guidance}, err
}
