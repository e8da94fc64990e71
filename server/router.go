package server

import (
	"cmp"
	"encoding/json"
	"net/http"
	"path"
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/memtree/memtree/appmap"
	"github.com/memtree/memtree/assertion"
	"github.com/memtree/memtree/brief"
	"github.com/memtree/memtree/curation"
	"github.com/memtree/memtree/evolution"
	"github.com/memtree/memtree/retrieval"
	"github.com/memtree/memtree/run"
	"github.com/memtree/memtree/tree"
)

// router puts the guard before every route that huma serves. It prevents a route without a row in the table from being
// served.
type router struct{ s *Server }

func (r router) HandleFunc(pattern string, h func(http.ResponseWriter, *http.Request)) {
	r.s.handle(pattern, h)
}

func (r router) ServeHTTP(w http.ResponseWriter, q *http.Request) { r.s.mux.ServeHTTP(w, q) }

// handle serves a route of the table; its pattern is method and path.
func (s *Server) handle(pattern string, h http.HandlerFunc) {
	for i := range routes {
		if routes[i].method+" "+routes[i].path == pattern {
			s.mux.HandleFunc(pattern, s.guard.inner(&routes[i], h))
			return
		}
	}
	panic("the table of routes has no " + pattern) // a programming error, found by every test
}

// specification is the head of the OpenAPI document.
func specification(version string) huma.Config {
	teachHuma()
	schemas := huma.NewMapRegistry("#/components/schemas/", schemaNames())
	schemas.RegisterTypeAlias(reflect.TypeFor[tree.Raw](), reflect.TypeFor[json.RawMessage]())
	schemas.RegisterTypeAlias(reflect.TypeFor[evolved](), reflect.TypeFor[evolution.Evolved]())
	schemas.RegisterTypeAlias(reflect.TypeFor[retrieval.Signals](), reflect.TypeFor[map[string]signal]())
	return huma.Config{
		OpenAPI: &huma.OpenAPI{
			OpenAPI: "3.1.0",
			Info: &huma.Info{
				Title: "memtree", Version: version,
				Description: "A memory for AI agents that test software: how they judged wrongly, and the lesson before the " +
					"next run. Errors are problems of RFC 9457; `type` is a word for programs, `detail` says what to do. " +
					"x-scope is what a token needs, x-max-body-bytes how long a body may be. Beyond a limit the answer is " +
					"429 or 503 with Retry-After.",
			},
			Components: &huma.Components{
				Schemas: schemas,
				SecuritySchemes: map[string]*huma.SecurityScheme{
					"token": {Type: "http", Scheme: "bearer", Description: "From `memtree token add`"},
				},
			},
		},
		Formats:       map[string]huma.Format{"application/json": huma.DefaultJSONFormat, "json": huma.DefaultJSONFormat},
		DefaultFormat: "application/json",
	}
}

// published are the schemas that keep their name in the specification while their Go type has another one: clients
// are generated from it.
var published = map[reflect.Type]string{
	reflect.TypeFor[relative]():                "Kin",
	reflect.TypeFor[badPart]():                 "Place",
	reflect.TypeFor[JobView]():                 "Job",
	reflect.TypeFor[appmap.FoundSelector]():    "Found",
	reflect.TypeFor[appmap.RequirementTest]():  "Check",
	reflect.TypeFor[appmap.WayStep]():          "Step",
	reflect.TypeFor[assertion.PageCheck]():     "Look",
	reflect.TypeFor[brief.BookStats]():         "Known",
	reflect.TypeFor[brief.ReadResult]():        "Report",
	reflect.TypeFor[curation.DecisionResult](): "Result",
	reflect.TypeFor[curation.KnownVerdict]():   "CurationKnown",
	reflect.TypeFor[run.Accepted]():            "RunAdded",
}

// schemaNames names the types in a specification. The second of two with one name is prefixed with its package.
func schemaNames() func(t reflect.Type, hint string) string {
	of := map[string]reflect.Type{}
	return func(t reflect.Type, hint string) string {
		for t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		name := cmp.Or(published[t], huma.DefaultSchemaNamer(t, hint))
		if t.Name() == "" || of[name] == t {
			return name
		}
		if of[name] != nil {
			pkg := path.Base(t.PkgPath())
			return strings.ToUpper(pkg[:1]) + pkg[1:] + name
		}
		of[name] = t
		return name
	}
}

// signal is one of retrieval.Signals in its JSON form.
type signal struct {
	Raw          float64 `json:"raw"`
	Calibrated   float64 `json:"calibrated"`
	Weight       float64 `json:"weight"`
	Contribution float64 `json:"contribution"`
}
