package server

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"github.com/memtree/memtree/ingest"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/tree"
)

type recordInput struct {
	InTree
	RawBody []byte
}

// recorded is the result of recording the evaluations of a request.
type recorded struct {
	Accepted  int       `json:"accepted" doc:"Durable now"`
	Duplicate int       `json:"duplicate" doc:"Recorded before with the same content"`
	Receipts  []receipt `json:"receipts" doc:"One for each evaluation, in order"`
}

// receipt is the result for one evaluation.
type receipt struct {
	ID     string              `json:"id"`
	Status store.ReceiptStatus `json:"status" enum:"accepted,duplicate,contradiction"`
	Stored string              `json:"stored,omitempty" enum:"here" doc:"here: on this server, until the database is back"`
}

func receiptOf(r store.Receipt) receipt {
	out := receipt{ID: r.Key, Status: r.Status}
	if r.Here {
		out.Stored = "here"
	}
	return out
}

// record accepts judged runs.
func (s *Server) record(ctx context.Context, in *recordInput) (*reply[recorded], error) {
	es, err := readEvaluations(in.RawBody, mostEvaluations)
	if err != nil {
		return nil, err
	}
	t := treeIn(ctx)
	if err := t.writable(); err != nil {
		return nil, err
	}
	inStep, part := s.step(ctx, "record")
	receipts, err := t.RecordAll(inStep, es)
	part.count("evaluations", len(es))
	part.end(err)
	if err != nil {
		return nil, err
	}
	out := &reply[recorded]{recorded{Receipts: make([]receipt, 0, len(receipts))}}
	var taken []badPart
	for i, r := range receipts {
		out.Body.Receipts = append(out.Body.Receipts, receiptOf(r))
		switch r.Status {
		case store.Accepted:
			out.Body.Accepted++
		case store.Duplicate:
			out.Body.Duplicate++
		case store.Contradiction:
			why := line(r.Key) + " was recorded before with other content; give each run its own id"
			if r.By != "" {
				why = line(r.Key) + ": " + line(r.Err().Error())
			}
			taken = append(taken, badPart{fmt.Sprintf("body[%d].id", i), why})
		}
	}
	if len(taken) > 0 {
		p := newProblem(http.StatusConflict, typeTaken, fmt.Sprintf("%s. Of the others %d were accepted and %d were there "+
			"before.", taken[0].Message, out.Body.Accepted, out.Body.Duplicate))
		p.Errors = taken[:min(mostPlaces, len(taken))]
		return nil, p
	}
	return out, nil
}

// readEvaluations reads the evaluations of a body. It reports every unusable one.
func readEvaluations(body []byte, most int) ([]tree.Evaluation, error) {
	var es []tree.Evaluation
	var bad []badPart
	n := 0
	for e, err := range ingest.Read("the body", bytes.NewReader(body)) {
		var at *ingest.LineError
		var whole *ingest.FileError
		switch {
		case errors.As(err, &whole):
			return nil, input(badPart{"body", whole.Problem})
		case errors.As(err, &at):
			where := fmt.Sprintf("body[%d]", n)
			if most == 1 {
				where = "body" // it is one object
			}
			bad = append(bad, badPart{where + dot(at.Field), fmt.Sprintf("%s (line %d)", at.Problem, at.Line)})
		case err != nil:
			return nil, fmt.Errorf("read the body: %w", err)
		default:
			es = append(es, e)
		}
		if n++; n > most {
			return nil, input(badPart{"body", fmt.Sprintf("has more than %d evaluations, which is the most of this route",
				most)})
		}
		if len(bad) == mostPlaces {
			break
		}
	}
	if len(bad) > 0 {
		return nil, input(bad...)
	}
	return es, nil
}

func dot(field string) string {
	if field == "" {
		return ""
	}
	return "." + field
}

// describeEvaluations describes the bodies of evaluations in the specification: ingest reads
// them, not huma.
func (s *Server) describeEvaluations() {
	schemas := s.api.OpenAPI().Components.Schemas
	one := schemas.Schema(reflect.TypeFor[tree.Evaluation](), true, "Evaluation")
	e := schemas.SchemaFromRef(one.Ref)
	e.AdditionalProperties = true // other tools' keys are ignored
	e.Required = []string{"prompt", "judgment"}
	least, most := 1, mostEvaluations
	s.describeBody("risk", "application/json", one)
	many := &huma.Schema{Type: huma.TypeArray, Items: one, MinItems: &least, MaxItems: &most}
	s.describeBody("record", "application/json", many)
}

// describeBody adds a body to the specification that huma does not read.
func (s *Server) describeBody(id, contentType string, schema *huma.Schema) {
	s.api.OpenAPI().Paths[routeOf(id).path].Post.RequestBody = &huma.RequestBody{
		Required: true, Content: map[string]*huma.MediaType{contentType: {Schema: schema}},
	}
}
