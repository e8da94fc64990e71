package server

import (
	"context"
	"fmt"
	"slices"

	"github.com/memtree/memtree/curation"
	"github.com/memtree/memtree/find"
	"github.com/memtree/memtree/inbox"
	"github.com/memtree/memtree/taxonomy"
)

// Choosing is the part of a request that filters memories or runs; they have to match all fields that are set.
type Choosing struct {
	Product   string             `query:"product" maxLength:"1024"`
	Suite     string             `query:"suite" maxLength:"1024"`
	Run       string             `query:"run" maxLength:"1024" doc:"Id of the run"`
	Since     string             `query:"since" maxLength:"40" doc:"First day, UTC, such as 2026-01-28, or time, RFC 3339"`
	Until     string             `query:"until" maxLength:"40" doc:"Last day or time, as since"`
	Direction taxonomy.Direction `query:"direction" enum:"false_pass,false_fail,other"`
	Type      string             `query:"type" maxLength:"64" doc:"Error type; of a run, that its test was misjudged so before"` //nolint:lll // a tag cannot be broken
	Words     string             `query:"words" maxLength:"1024" doc:"Each of them occurs"`
}

func (c *Choosing) query() (find.Query, error) {
	q := find.Query{Product: c.Product, Suite: c.Suite, Run: c.Run, Since: c.Since, Until: c.Until,
		Direction: c.Direction, ErrorType: c.Type, Words: c.Words}
	return q, q.Check()
}

type inboxInput struct {
	InTree
	Choosing
	Above float64 `query:"above" minimum:"0" maximum:"1" doc:"Least risk"`
	From  int     `query:"from" minimum:"0" doc:"How many come before"`
	Limit int     `query:"limit" minimum:"1" maximum:"200" default:"50"`
}

// inbox lists the runs that wait for a label.
func (s *Server) inbox(ctx context.Context, in *inboxInput) (*reply[inbox.Inbox], error) {
	q, err := in.query()
	if err != nil {
		return nil, err
	}
	q.Above = in.Above
	box, err := treeIn(ctx).Inbox().Find(ctx, q, in.From, in.Limit)
	return &reply[inbox.Inbox]{box}, err
}

// label is a label for runs: whether they were right.
type label struct {
	Speaker
	Evaluations []string           `json:"evaluations" minItems:"1" maxItems:"2000" doc:"Their ids"`
	Correct     bool               `json:"correct" doc:"Whether the agent was right; unused with environment"`
	Direction   taxonomy.Direction `json:"direction,omitempty" enum:"false_pass,false_fail,other,environment" doc:"Left out: as each can be; environment: the runs show nothing about their judge"` //nolint:lll // a tag cannot be broken
	Reason      string             `json:"reason,omitempty" maxLength:"65536" doc:"What was missed"`
}

// label labels runs together; earlier decisions of a person are unchanged.
func (s *Server) label(ctx context.Context, in *given[label]) (*reply[curation.Labelled], error) {
	t, b := treeIn(ctx), &in.Body
	if err := t.writable(); err != nil {
		return nil, err
	}
	truth := curation.Truth{Correct: &b.Correct, Direction: b.Direction, Reason: b.Reason}
	if b.Direction == taxonomy.Environment {
		truth.Correct = nil
	}
	d, err := t.Curation().Label(ctx, b.Evaluations, truth, b.options(ctx))
	if err == nil && len(d.Verdicts)+len(d.Decided) == 0 {
		places := make([]badPart, 0, len(d.Unkept))
		for _, id := range d.Unkept {
			places = append(places, badPart{
				fmt.Sprintf("body.evaluations[%d]", slices.Index(b.Evaluations, id)),
				fmt.Sprintf("is %.80q, and no run with this id is kept here; …/inbox lists those that wait; "+
					"a run without a label is kept again once it is recorded again under the same id", id),
			})
		}
		err = input(places...)
	}
	return &reply[curation.Labelled]{d}, err
}
