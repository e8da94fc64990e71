package server

import (
	"encoding/json"
	"fmt"
	"net/http"
	"path"
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// register serves every route.
func (s *Server) register() {
	for i := range routes {
		if r := &routes[i]; r.serve != nil {
			r.serve(s, r)
		}
	}
	s.plain("metrics", "text/plain", s.metrics)
	s.plain("profile", "application/octet-stream", profile)
	s.agents()
	s.describeEvaluations()
	s.describeStreams()
	s.openAnswers()
	s.allowNull()
	s.serveSpec()
	s.pages()
}

// Spec returns the OpenAPI document of the service as indented JSON.
func (s *Server) Spec() ([]byte, error) {
	b, err := json.MarshalIndent(s.api.OpenAPI(), "", "  ")
	if err != nil {
		return nil, fmt.Errorf("write the specification: %w", err)
	}
	return append(b, '\n'), nil
}

// serveSpec serves the document, once it is complete.
func (s *Server) serveSpec() {
	b, err := s.Spec()
	if err != nil {
		panic(err) // a programming error, found by every test
	}
	s.handle("GET /openapi.json", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/openapi+json")
		_, _ = w.Write(b)
	})
}

// describeStreams adds the streams to the specification.
func (s *Server) describeStreams() {
	bytes := &huma.Schema{Type: huma.TypeString, Format: "binary"}
	event := &huma.Schema{Type: huma.TypeObject, Required: []string{"event", "data"}, Properties: map[string]*huma.Schema{
		"event": {Type: huma.TypeString, Enum: []any{"progress", "end"}},
		"data":  {Type: huma.TypeString, Description: "A Job as JSON"},
	}}
	s.describeBody("import", "application/octet-stream", bytes)
	s.describeAnswer("export", "application/octet-stream", bytes)
	s.describeAnswer("jobEvents", "text/event-stream", event)
}

// describeAnswer adds the answer of a stream to the specification.
func (s *Server) describeAnswer(id, contentType string, schema *huma.Schema) {
	s.api.OpenAPI().Paths[routeOf(id).path].Get.Responses["200"] = &huma.Response{
		Description: "OK", Content: map[string]*huma.MediaType{contentType: {Schema: schema}},
	}
}

// plain serves a route of the table without huma, and adds it to the specification.
func (s *Server) plain(id, contentType string, h http.HandlerFunc) {
	r := routeOf(id)
	op := r.operation()
	text := &huma.Schema{Type: huma.TypeString}
	problem := s.api.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[problem](), true, "Problem")
	op.Responses = map[string]*huma.Response{
		"200": {Description: "OK", Content: map[string]*huma.MediaType{contentType: {Schema: text}}},
		"default": {Description: "Error", Content: map[string]*huma.MediaType{
			"application/problem+json": {Schema: problem},
		}},
	}
	for _, name := range []string{"name", "tree"} {
		if strings.Contains(r.path, "{"+name+"}") {
			op.Parameters = append(op.Parameters, &huma.Param{Name: name, In: "path", Required: true, Schema: text})
		}
	}
	s.api.OpenAPI().AddOperation(&op)
	s.handle(r.method+" "+r.path, h)
}

// openAnswers allows additional properties in the schemas of answers, because later versions add fields. Schemas of
// requests stay closed.
func (s *Server) openAnswers() {
	closed := map[string]bool{}
	schemas := s.api.OpenAPI().Components.Schemas
	for _, item := range s.api.OpenAPI().Paths {
		if item.Post != nil && item.Post.RequestBody != nil {
			for _, media := range item.Post.RequestBody.Content {
				closeOver(schemas, media.Schema, closed)
			}
		}
	}
	for name, schema := range schemas.Map() {
		if !closed[name] && schema.AdditionalProperties == false {
			schema.AdditionalProperties = nil
		}
	}
}

// allowNull marks objects that may be null as nullable: huma does so only for scalar values.
func (s *Server) allowNull() {
	schemas := s.api.OpenAPI().Components.Schemas
	for name, schema := range schemas.Map() {
		t := schemas.TypeFromRef("#/components/schemas/" + name)
		for _, f := range reflect.VisibleFields(t) {
			field, options, _ := strings.Cut(f.Tag.Get("json"), ",")
			p := schema.Properties[field]
			if f.Type.Kind() == reflect.Pointer && p != nil && p.Ref != "" && !strings.Contains(options, "omitempty") {
				schema.Properties[field] = &huma.Schema{AnyOf: []*huma.Schema{{Ref: p.Ref}, {Type: "null"}}}
			}
		}
	}
}

// closeOver collects the names of the schemas that one refers to.
func closeOver(r huma.Registry, s *huma.Schema, names map[string]bool) {
	if s == nil {
		return
	}
	if s.Ref != "" {
		name := path.Base(s.Ref)
		if !names[name] {
			names[name] = true
			closeOver(r, r.SchemaFromRef(s.Ref), names)
		}
		return
	}
	closeOver(r, s.Items, names)
	for _, p := range s.Properties {
		closeOver(r, p, names)
	}
}
