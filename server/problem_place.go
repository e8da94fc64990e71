package server

import (
	"reflect"
	"strings"

	"github.com/memtree/memtree/tree"
)

// parts are the names of the parts of a request, as the specification has them.
type parts struct {
	query, path, body map[string]bool
	hasBody, anyBody  bool // anyBody: the body is no object with fixed names
}

// partsOf returns the parts of the requests of an input type.
func partsOf(t reflect.Type) *parts {
	p := &parts{query: map[string]bool{}, path: map[string]bool{}, body: map[string]bool{}}
	for _, f := range reflect.VisibleFields(t) {
		if name := f.Tag.Get("query"); name != "" {
			p.query[name] = true
		}
		if name := f.Tag.Get("path"); name != "" {
			p.path[name] = true
		}
		if f.Name == "Body" || f.Name == "RawBody" {
			p.hasBody, p.anyBody = true, f.Type.Kind() != reflect.Struct
			if !p.anyBody {
				p.fields(f.Type)
			}
		}
	}
	return p
}

func (p *parts) fields(t reflect.Type) {
	for _, f := range reflect.VisibleFields(t) {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); f.IsExported() && name != "" && name != "-" {
			p.body[name] = true
		}
	}
}

// place returns the unusable part of a request that a field of memtree's own types is. The names of a request may be
// shorter: scope.product is product where the request has no scope. If the request has no such part, the message has
// the name.
func (p *parts) place(f *tree.FieldError) badPart {
	if p.anyBody || p.hasBody && strings.HasPrefix(f.Field, "[") {
		return badPart{place(f.Field), f.Problem}
	}
	for _, field := range []string{f.Field, f.Field[strings.LastIndexByte(f.Field, '.')+1:]} {
		name := field
		if i := strings.IndexAny(field, ".["); i >= 0 {
			name = field[:i]
		}
		switch {
		case p.body[name]:
			return badPart{"body." + field, f.Problem}
		case p.query[name]:
			return badPart{"query." + field, f.Problem}
		case p.path[name]:
			return badPart{"path." + field, f.Problem}
		}
	}
	where := "query"
	if p.hasBody {
		where = "body"
	}
	return badPart{where, f.Field + " " + f.Problem}
}
