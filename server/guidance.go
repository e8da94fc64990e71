package server

import (
	"context"
	"time"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/assertion"
	"github.com/memtree/memtree/internal/token"
	"github.com/memtree/memtree/tree"
)

// question describes a run that is about to begin. Only Prompt is required.
type question struct {
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
func (q *question) query() (memtree.Query, error) {
	// The limits on an evaluation apply to a query too.
	e := tree.Evaluation{
		Prompt: q.Prompt, Scene: q.Scene, Scope: q.Scope, Observation: q.Observation, Agent: q.Agent, RunID: q.RunID,
		Trial: q.Trial, Judgment: tree.Raw(`"-"`),
	}
	if err := e.Check(); err != nil {
		return memtree.Query{}, err
	}
	return memtree.Query{
		Prompt: q.Prompt, Scene: q.Scene, Scope: q.Scope, Observation: q.Observation, Lang: q.Lang, Agent: q.Agent,
		RunID: q.RunID, Trial: q.Trial, Step: q.Step, StepNumber: q.StepNumber, Exclude: q.Exclude,
		ExcludeTests: q.ExcludeTests, Read: time.Duration(q.ReadMS) * time.Millisecond,
	}, nil
}

type questionInput struct {
	InTree
	Body question
}

type checksOutput struct{ Body checks }

// checks are the checks that were missed before, for programs that make them on their own.
type checks struct {
	Checks []assertion.Assertion `json:"checks" doc:"Those with code first"`
}

// checks answers with assertions.
func (s *Server) checks(ctx context.Context, in *questionInput) (*checksOutput, error) {
	q, err := in.Body.query()
	if err != nil {
		return nil, err
	}
	all, err := treeIn(ctx).Checks(ctx, q)
	return &checksOutput{checks{all}}, err
}

type guidanceOutput struct{ Body memtree.Guidance }

// guide answers with guidance. A caller with read permission only leaves no trial.
func (s *Server) guide(ctx context.Context, in *questionInput) (*guidanceOutput, error) {
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
		return &guidanceOutput{g}, err
	}
	if q.RunID != "" || q.Trial != "" {
		return nil, lacksScope(token.Write)
	}
	x, err := t.Explain(ctx, q)
	return &guidanceOutput{x.Guidance}, err
}
