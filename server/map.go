package server

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/memtree/memtree/appmap"
	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/tree"
)

// OfProduct is the part of a request that names a tree and a product in it.
type OfProduct struct {
	InTree
	Product string `query:"product" maxLength:"1024" doc:"Left out: where there is one product alone"`
}

// mapped reads the map of the tree that a request names. read must keep no reference to it.
func mapped[T any](ctx context.Context, read func(*appmap.Map) (T, error)) (out T, err error) {
	asked := treeIn(ctx).Map().Read(ctx, func(x *appmap.Map) { out, err = read(x) })
	return out, cmp.Or(asked, err)
}

type findInput struct {
	OfProduct
	Text  string `query:"text" required:"true" minLength:"1" maxLength:"1000" doc:"What is looked for"`
	Page  string `query:"page" maxLength:"2048" doc:"An address or a route; left out: all pages"`
	Do    string `query:"do" maxLength:"64" doc:"click, fill, …; left out: any"`
	All   bool   `query:"all" doc:"Also selectors that are not proven, and elements that nobody has acted on"`
	Limit int    `query:"limit" minimum:"1" maximum:"50" default:"5"`
}

// elements are selectors that fit a question.
type elements struct {
	Found []appmap.FoundSelector `json:"found" doc:"The best first"`
}

// findElement answers with selectors that worked.
func (s *Server) findElement(ctx context.Context, in *findInput) (*reply[elements], error) {
	q := appmap.SelectorQuery{Text: in.Text, Product: in.Product, Page: in.Page, Do: in.Do, Limit: in.Limit}
	if in.All {
		q.Least = -1
	}
	return mapped(ctx, func(x *appmap.Map) (*reply[elements], error) {
		return &reply[elements]{elements{append([]appmap.FoundSelector{}, x.Find(q)...)}}, nil
	})
}

// coverage answers with how much of a product tests touch.
func (s *Server) coverage(ctx context.Context, in *OfProduct) (*reply[appmap.Coverage], error) {
	return mapped(ctx, func(x *appmap.Map) (*reply[appmap.Coverage], error) {
		return &reply[appmap.Coverage]{x.Coverage(in.Product)}, nil
	})
}

type gapsInput struct {
	OfProduct
	Limit int `query:"limit" minimum:"1" maximum:"1000" default:"100"`
}

// gaps are what no test touches.
type gaps struct {
	All  int          `json:"all" doc:"How many there are"`
	Gaps []appmap.Gap `json:"gaps" doc:"The riskiest first"`
}

// gaps answers with what no test touches, on the pages with the most wrong verdicts first.
func (s *Server) gaps(ctx context.Context, in *gapsInput) (*reply[gaps], error) {
	wrong, err := appmap.WrongOnPages(ctx, treeIn(ctx).Tree(), in.Product)
	if err != nil {
		return nil, err
	}
	return mapped(ctx, func(x *appmap.Map) (*reply[gaps], error) {
		all := x.Gaps(in.Product, func(page string) float64 { return wrong[page] })
		return &reply[gaps]{gaps{len(all), append([]appmap.Gap{}, all[:min(in.Limit, len(all))]...)}}, nil
	})
}

type pathInput struct {
	OfProduct
	From string `query:"from" maxLength:"2048" doc:"An address or a route; left out: the start"`
	To   string `query:"to" required:"true" minLength:"1" maxLength:"2048" doc:"An address or a route"`
}

// way leads from one page to another.
type way struct {
	Found bool             `json:"found"`
	Steps []appmap.WayStep `json:"steps" doc:"In order; none where both are one page"`
}

// path answers with the best known way between two pages.
func (s *Server) path(ctx context.Context, in *pathInput) (*reply[way], error) {
	return mapped(ctx, func(x *appmap.Map) (*reply[way], error) {
		steps, found := x.Path(in.Product, in.From, in.To)
		return &reply[way]{way{found, append([]appmap.WayStep{}, steps...)}}, nil
	})
}

type pageInput struct {
	OfProduct
	Page string `query:"page" required:"true" minLength:"1" maxLength:"2048" doc:"An address or a route"`
}

// page answers with what is known of one page.
func (s *Server) page(ctx context.Context, in *pageInput) (*reply[appmap.Page], error) {
	return mapped(ctx, func(x *appmap.Map) (*reply[appmap.Page], error) {
		p, found := x.Page(in.Product, in.Page)
		if !found {
			return nil, fmt.Errorf("the map has no page %.80q: %w", appmap.PageOf(in.Page), tree.ErrNotFound)
		}
		return &reply[appmap.Page]{p}, nil
	})
}

// requirements are those of a product, with their tests.
type requirements struct {
	Requirements []appmap.Requirement `json:"requirements" doc:"By code"`
}

// requirements answers with the requirements of a product and the tests that check them.
func (s *Server) requirements(ctx context.Context, in *OfProduct) (*reply[requirements], error) {
	tests := treeIn(ctx).Briefs().Prompts(in.Product)
	return mapped(ctx, func(x *appmap.Map) (*reply[requirements], error) {
		all := x.Requirements(in.Product, tests)
		return &reply[requirements]{requirements{append([]appmap.Requirement{}, all...)}}, nil
	})
}

// walk is what a run or an exploration saw, see ledger.Walk.
type walk struct {
	Product string            `json:"product,omitempty" maxLength:"1024"`
	Build   string            `json:"build,omitempty" maxLength:"1024"`
	Source  string            `json:"source" minLength:"1" maxLength:"1024" doc:"The tool or agent that saw it"`
	Run     string            `json:"run,omitempty" maxLength:"1024" doc:"The run that it is part of"`
	Part    int               `json:"part,omitempty" minimum:"0" doc:"Its number within the run, from 0"`
	Test    string            `json:"test,omitempty" maxLength:"1024" doc:"The test that ran; left out: an exploration"`
	Seen    []ledger.Sighting `json:"seen" minItems:"1" maxItems:"500" doc:"In order"`
}

// addWalk adds what a run or an exploration saw to the map.
func (s *Server) addWalk(ctx context.Context, in *given[walk]) (*reply[appmap.Added], error) {
	t := treeIn(ctx)
	if err := t.writable(); err != nil {
		return nil, err
	}
	b := &in.Body
	w := ledger.Walk{
		Product: b.Product, Build: b.Build, Source: b.Source, Run: b.Run, Part: b.Part, Test: b.Test, Seen: b.Seen,
	}
	did, err := t.Map().Add(ctx, w)
	return &reply[appmap.Added]{did}, renamed(err, func(field string) string { return strings.TrimPrefix(field, "walk.") })
}
