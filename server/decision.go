package server

import (
	"cmp"
	"context"
	"errors"

	"github.com/memtree/memtree/curation"
	"github.com/memtree/memtree/evolution"
	"github.com/memtree/memtree/evolution/gate"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/transfer"
	"github.com/memtree/memtree/tree"
)

// Speaker is the part of a request that names the person who decides, and why. It is embedded in decisions.
type Speaker struct {
	By     string `json:"by,omitempty" maxLength:"200" doc:"The person who decides; left out: the name of the token"`
	Why    string `json:"why,omitempty" maxLength:"1000" doc:"A sentence; it is stored"`
	DryRun bool   `json:"dryRun,omitempty" doc:"Return what would change, write nothing"`
	Over   bool   `json:"over,omitempty" doc:"Decide although another person decided otherwise, or take their decision back"` //nolint:lll // a tag cannot be broken
}

func (w *Speaker) options(ctx context.Context) curation.Options {
	return curation.Options{By: cmp.Or(w.By, callerOf(ctx).name()), Why: w.Why, DryRun: w.DryRun, Over: w.Over}
}

// forgetBody is a Speaker with the option to purge.
type forgetBody struct {
	Speaker
	Purge bool `json:"purge,omitempty" doc:"Remove the bytes too: this cannot be taken back"`
}

// editBody is a Speaker with the text of a lesson.
type editBody struct {
	Speaker
	Lesson gate.Draft `json:"lesson" doc:"What the lesson says from now on; it has to pass the gates"`
}

// teach is a Speaker with a lesson without cases.
type teach struct {
	Speaker
	Lesson    string             `json:"lesson" minLength:"1" maxLength:"2000" doc:"What to do, in one or two sentences"`
	When      []string           `json:"when" minItems:"1" maxItems:"8" doc:"For which tests, in words that these use"`
	Product   string             `json:"product,omitempty" maxLength:"1024" doc:"Only for this product"`
	For       []string           `json:"for,omitempty" maxItems:"20" doc:"Tests that get it in any case: prompts or ids"`
	NotFor    []string           `json:"notFor,omitempty" maxItems:"20" doc:"Tests that never get it"`
	Direction taxonomy.Direction `json:"direction,omitempty" enum:"false_pass,false_fail,other" doc:"It guards against"`
}

// aboutBody is a Speaker with the checks of a case.
type aboutBody struct {
	Speaker
	Not []string `json:"not,omitempty" maxItems:"32" doc:"Checks that the case is not about"`
	Is  []string `json:"is,omitempty" maxItems:"32" doc:"Checks that the case is about"`
}

// truth is the ground truth of an evaluation.
type truth struct {
	Speaker
	Evaluation  string             `json:"evaluation" minLength:"1" maxLength:"1024" doc:"Its id, or the beginning of it"`
	GroundTruth tree.Raw           `json:"groundTruth,omitempty" doc:"Any JSON"`
	Correct     *bool              `json:"correct,omitempty" doc:"Whether the agent was right, where nothing else says"`
	Direction   taxonomy.Direction `json:"direction,omitempty" enum:"false_pass,false_fail,other"`
	Reason      string             `json:"reason,omitempty" maxLength:"1048576" doc:"What the evaluator says about it now"`
}

type memoryDecision[B any] struct {
	InTree
	ID   string `path:"id" maxLength:"64" doc:"Of the memory"`
	Body B
}

// decided is the answer to a decision.
type decided = reply[curation.DecisionResult]

// decider is a decision method of curation for one memory.
type decider func(c *curation.Curation, ctx context.Context, id string, o curation.Options) (curation.DecisionResult,
	error)

func (s *Server) forget(ctx context.Context, in *memoryDecision[forgetBody]) (*decided, error) {
	o := in.Body.options(ctx)
	o.Purge = in.Body.Purge
	return speak(ctx, in.ID, o, (*curation.Curation).Forget)
}

func (s *Server) forgetFact(ctx context.Context, in *memoryDecision[forgetBody]) (*decided, error) {
	o := in.Body.options(ctx)
	o.Purge = in.Body.Purge
	return speak(ctx, in.ID, o, (*curation.Curation).ForgetFact)
}

func (s *Server) edit(ctx context.Context, in *memoryDecision[editBody]) (*decided, error) {
	return speak(ctx, in.ID, in.Body.options(ctx),
		func(c *curation.Curation, ctx context.Context, id string, o curation.Options) (curation.DecisionResult, error) {
			return c.Edit(ctx, id, in.Body.Lesson, o)
		})
}

func (s *Server) teach(ctx context.Context, in *given[teach]) (*decided, error) {
	b := &in.Body
	l := curation.TaughtLesson{Lesson: b.Lesson, When: b.When, Product: b.Product, For: b.For, NotFor: b.NotFor,
		Direction: b.Direction}
	return speak(ctx, "", b.options(ctx),
		func(c *curation.Curation, ctx context.Context, _ string, o curation.Options) (curation.DecisionResult, error) {
			return c.Teach(ctx, l, o)
		})
}

func (s *Server) about(ctx context.Context, in *memoryDecision[aboutBody]) (*decided, error) {
	return speak(ctx, in.ID, in.Body.options(ctx),
		func(c *curation.Curation, ctx context.Context, id string, o curation.Options) (curation.DecisionResult, error) {
			return c.About(ctx, id, curation.AboutOptions{Options: o, Not: in.Body.Not, Is: in.Body.Is})
		})
}

func speak(ctx context.Context, id string, o curation.Options, say decider) (*decided, error) {
	t := treeIn(ctx)
	if !o.DryRun {
		if err := t.writable(); err != nil {
			return nil, err
		}
	}
	d, err := say(t.Curation(), ctx, id, o)
	return &decided{d}, err
}

// relabel changes the label of an evaluation.
func (s *Server) relabel(ctx context.Context, in *given[truth]) (*decided, error) {
	t := treeIn(ctx)
	if err := t.writable(); err != nil {
		return nil, err
	}
	if err := in.Body.GroundTruth.Check(); err != nil {
		return nil, input(badPart{"body.groundTruth", err.Error()})
	}
	if in.Body.GroundTruth.Null() && in.Body.Correct == nil && in.Body.Direction == taxonomy.None {
		return nil, input(badPart{"body.groundTruth",
			"is missing; send what was true, or correct: whether the agent was right"})
	}
	if err := t.Wait(ctx); err != nil {
		return nil, err
	}
	d, err := t.Curation().Relabel(ctx, in.Body.Evaluation, curation.Truth{
		GroundTruth: in.Body.GroundTruth, Correct: in.Body.Correct, Direction: in.Body.Direction, Reason: in.Body.Reason,
	}, in.Body.options(ctx))
	if field, ok := errors.AsType[*tree.FieldError](err); ok && field.Field == "truth" {
		err = input(badPart{"body.groundTruth", field.Problem})
	}
	return &decided{d}, err
}

// promote selects imports to promote.
type promote struct {
	By        string   `json:"by,omitempty" maxLength:"200" doc:"The person who decides; left out: the name of the token"`
	IDs       []string `json:"ids,omitempty" maxItems:"1000"`
	ErrorType string   `json:"errorType,omitempty" maxLength:"64" doc:"All that wait of this error type"`
	Origin    string   `json:"origin,omitempty" maxLength:"200" doc:"All that wait of this origin, by its id or label"`
	DryRun    bool     `json:"dryRun,omitempty" doc:"Return what would change, write nothing"`
}

func (s *Server) promote(ctx context.Context, in *given[promote]) (*reply[transfer.Promotion], error) {
	t, b := treeIn(ctx), &in.Body
	if len(b.IDs) == 0 && b.ErrorType == "" && b.Origin == "" {
		return nil, input(badPart{"body", "names nothing to promote; give ids, errorType or origin"})
	}
	if !b.DryRun {
		if err := t.writable(); err != nil {
			return nil, err
		}
	}
	p, err := t.Transfer().Promote(ctx, &transfer.PromoteOptions{
		IDs: b.IDs, ErrorType: b.ErrorType, Origin: b.Origin, DryRun: b.DryRun, By: cmp.Or(b.By, callerOf(ctx).name()),
	})
	return &reply[transfer.Promotion]{p}, err
}

// queue is the queue of a person, and the refused drafts.
type queue struct {
	Proposals []evolution.Proposal  `json:"proposals" doc:"Lessons that wait for a word"`
	Rejected  []evolution.Rejection `json:"rejected" doc:"Drafts that a gate or a person refused, and why"`
}

func (s *Server) review(ctx context.Context, _ *InTree) (*reply[queue], error) {
	r := treeIn(ctx).Review()
	proposals, err := r.Proposals(ctx)
	if err != nil {
		return nil, err
	}
	rejected, err := r.Rejected(ctx)
	return &reply[queue]{queue{
		append([]evolution.Proposal{}, proposals...), append([]evolution.Rejection{}, rejected...),
	}}, err
}

// decision is a person's decision on proposals.
type decision struct {
	Accept []string `json:"accept,omitempty" maxItems:"1000" doc:"Keys of proposals"`
	Reject []string `json:"reject,omitempty" maxItems:"1000" doc:"Keys of proposals"`
	Why    string   `json:"why,omitempty" maxLength:"1000" doc:"Why they are rejected, a sentence"`
	By     string   `json:"by,omitempty"  maxLength:"200"  doc:"Who decides; the name of the token where it has one"`
}

func (s *Server) decide(ctx context.Context, in *given[decision]) (*reply[evolution.Evolved], error) {
	t := treeIn(ctx)
	if err := t.writable(); err != nil {
		return nil, err
	}
	v, err := t.Review().Decide(ctx, evolution.ReviewDecision{
		Accept: in.Body.Accept, Reject: in.Body.Reject, Why: in.Body.Why, By: cmp.Or(in.Body.By, callerOf(ctx).name()),
	})
	return &reply[evolution.Evolved]{v}, err
}
