package server

import (
	"context"

	"github.com/memtree/memtree/curation"
	"github.com/memtree/memtree/knowledge"
	"github.com/memtree/memtree/ledger"
)

// factsInput selects facts.
type factsInput struct {
	InTree
	Product string `query:"product" maxLength:"1024" doc:"Only those of this product"`
	Kind    string `query:"kind" enum:"behaviour,rule,format,intended,known_bug,pattern,preference"`
	State   string `query:"state" enum:"disputed,proposed,active,superseded,archived,all" doc:"Left out: in use, or put to people; all: those out of use too"` //nolint:lll // a tag cannot be broken
	Words   string `query:"words" maxLength:"1000" doc:"The statement mentions them"`
	Open    bool   `query:"open" doc:"Only those that a person should decide on"`
	From    int    `query:"from" minimum:"0" doc:"How many to pass over"`
	Limit   int    `query:"limit" minimum:"1" maximum:"1000" default:"100"`
}

// factPage is a part of a list of facts.
type factPage struct {
	Facts []knowledge.Fact `json:"facts" doc:"What people disagree on first, then what was given to most runs"`
	Total int              `json:"total" doc:"How many there are in all"`
}

func (s *Server) facts(ctx context.Context, in *factsInput) (*reply[factPage], error) {
	x := knowledge.Filter{Product: in.Product, Kind: ledger.FactKind(in.Kind), Words: in.Words, Open: in.Open}
	if in.State == "all" {
		x.Out = true
	} else {
		x.State = knowledge.FactState(in.State)
	}
	all, err := treeIn(ctx).Knowledge().List(ctx, x)
	if err != nil {
		return nil, err
	}
	page := all[min(in.From, len(all)):min(in.From+in.Limit, len(all))]
	return &reply[factPage]{factPage{append([]knowledge.Fact{}, page...), len(all)}}, nil
}

// FactStatement is the part of a request that states a fact about a product.
type FactStatement struct {
	Statement string          `json:"statement" minLength:"1" maxLength:"260" doc:"What holds, one sentence of at most 260 columns: 260 characters, 130 of Chinese"` //nolint:lll // a tag cannot be broken
	Kind      ledger.FactKind `json:"kind,omitempty" enum:"behaviour,rule,format,intended,known_bug,pattern,preference"`
	Product   string          `json:"product,omitempty" maxLength:"1024" doc:"Only for this product"`
	Pages     []string        `json:"pages,omitempty" maxItems:"8" doc:"Only on these pages: routes or names"`
	Test      string          `json:"test,omitempty" maxLength:"1024" doc:"Only for the test with this id"`
	Builds    []string        `json:"builds,omitempty" maxItems:"8" doc:"Only for these builds"`
	Fixed     string          `json:"fixed,omitempty" maxLength:"1024" doc:"Of a known bug: the build in which it is fixed"` //nolint:lll // a tag cannot be broken
}

func (b *FactStatement) put(s *ledger.Statement) {
	s.Text, s.Kind, s.Pages, s.Builds, s.Fixed = b.Statement, b.Kind, b.Pages, b.Builds, b.Fixed
	s.Scope.Product, s.Scope.Test = b.Product, b.Test
}

// stateBody is a Speaker with a statement.
type stateBody struct {
	Speaker
	FactStatement
}

func (s *Server) stateFact(ctx context.Context, in *given[stateBody]) (*decided, error) {
	return speak(ctx, "", in.Body.options(ctx),
		func(c *curation.Curation, ctx context.Context, _ string, o curation.Options) (curation.DecisionResult, error) {
			var x ledger.Statement
			in.Body.put(&x)
			return c.KnowFact(ctx, x, o)
		})
}

func (s *Server) editFact(ctx context.Context, in *memoryDecision[stateBody]) (*decided, error) {
	return speak(ctx, in.ID, in.Body.options(ctx),
		func(c *curation.Curation, ctx context.Context, id string, o curation.Options) (curation.DecisionResult, error) {
			return c.EditFact(ctx, id, in.Body.put, o)
		})
}
