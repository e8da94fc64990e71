package taxonomy

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// maxBrackets is how deep [ and { may nest. The YAML parser recurses, so nesting
// costs stack.
const maxBrackets = 32

// decode reads an overlay. It walks the syntax tree itself, because only the tree has the line of every field. A field
// that cannot be read becomes a ParseError and decoding continues. The error is set only when the file is not YAML at
// all, or is hostile.
func decode(file string, b []byte) (document, []*ParseError, error) {
	d := &decoder{merger: merger{file: file}}
	if problem := hostile(b); problem != "" {
		return document{}, nil, &ParseError{File: file, Problem: problem}
	}
	f, err := parse(b)
	if err != nil {
		return document{}, nil, syntaxError(file, err)
	}
	var doc document
	switch {
	case len(f.Docs) > 1:
		d.bad(0, "", "has %d YAML documents; put all into one", len(f.Docs))
	case len(f.Docs) == 1 && f.Docs[0].Body != nil:
		doc = d.document(f.Docs[0].Body)
	}
	return doc, d.problems, nil
}

// hostile returns why b must not be passed to the YAML parser, or "". The limits bound the parser's time and stack.
func hostile(b []byte) string {
	if len(b) > maxOverlay {
		return fmt.Sprintf("has %d bytes; the most is %d", len(b), maxOverlay)
	}
	if i := bytes.IndexByte(b, 0); i >= 0 {
		return fmt.Sprintf("has a NUL character at byte %d; remove it", i)
	}
	depth := 0
	for line := range bytes.Lines(b) {
		if len(line) > maxLine {
			return fmt.Sprintf("has a line of %d bytes; the most is %d, put it into several", len(line), maxLine)
		}
		rest := bytes.TrimLeft(line, " \t-?:&!|>")
		lead := line[:len(line)-len(rest)]
		nested := bytes.Count(lead, []byte("-")) + bytes.Count(lead, []byte("?"))
		if nested > 8 && len(bytes.TrimSpace(rest)) > 0 {
			return "nests lists deeper than 8 in one line"
		}
		for _, c := range line {
			switch c {
			case '[', '{':
				if depth++; depth > maxBrackets {
					return fmt.Sprintf("nests brackets deeper than %d", maxBrackets)
				}
			case ']', '}':
				depth = max(depth-1, 0)
			}
		}
	}
	return ""
}

// parse calls the YAML parser and turns a panic of it into an error, because its
// input comes from outside.
func parse(b []byte) (f *ast.File, err error) {
	defer func() {
		if r := recover(); r != nil {
			f, err = nil, fmt.Errorf("cannot be read as YAML: %v", r)
		}
	}()
	return parser.ParseBytes(b, 0)
}

func syntaxError(file string, err error) error {
	e := &ParseError{File: file, Problem: "is not YAML: " + err.Error()}
	if y, ok := errors.AsType[yaml.Error](err); ok {
		e.Problem = "is not YAML: " + y.GetMessage() + "; look at the indentation and the quotes there"
		if t := y.GetToken(); t != nil && t.Position != nil {
			e.Line = t.Position.Line
		}
	}
	return e
}

// decoder reads the syntax tree. Its methods that return a func(string, ast.Node) make readers for [decoder.fields]: a
// reader receives the path of its field, for errors, and the node of the value.
type decoder struct{ merger }

// line returns the line of a node from 1, 0 when the parser does not report it.
func line(n ast.Node) int {
	if n == nil || n.GetToken() == nil || n.GetToken().Position == nil {
		return 0
	}
	return n.GetToken().Position.Line
}

func (d *decoder) document(n ast.Node) document {
	var doc document
	d.fields(n, "", map[string]func(string, ast.Node){
		"groups": func(f string, n ast.Node) {
			each(d, n, f, &doc.groups, func(f string, n ast.Node, g *errorGroup) {
				d.fields(n, f, map[string]func(string, ast.Node){"id": d.name(&g.ID), "name": d.text(&g.Name, maxName)})
			})
		},
		"errorTypes": func(f string, n ast.Node) {
			each(d, n, f, &doc.errors, d.errorType)
		},
		"sceneTypes": func(f string, n ast.Node) {
			each(d, n, f, &doc.scenes, d.sceneType)
		},
		"checks": func(f string, n ast.Node) {
			each(d, n, f, &doc.checks, d.check)
		},
		"evolution": func(f string, n ast.Node) {
			each(d, n, f, &doc.evolution, d.evolution)
		},
		"prices": func(f string, n ast.Node) {
			each(d, n, f, &doc.prices, d.price)
		},
		"withoutModel": d.list(&doc.withoutModel, maxName),
	})
	return doc
}

func (d *decoder) errorType(f string, n ast.Node, e *ErrorType) {
	d.fields(n, f, map[string]func(string, ast.Node){
		"id": d.name(&e.ID), "group": d.name(&e.Group),
		"name": d.text(&e.Name, maxName), "description": d.text(&e.Description, maxSentence),
		"checklist": d.text(&e.Checklist, maxSentence), "brief": d.text(&e.Brief, maxSentence),
		"cues": d.cues(&e.Cues),
	})
}

// cues reads a list of {weight, say: phrases} and appends a Cue for each phrase.
func (d *decoder) cues(out *[]Cue) func(string, ast.Node) {
	return func(f string, n ast.Node) {
		var cues []at[Cue]
		each(d, n, f, &cues, func(f string, n ast.Node, c *Cue) {
			var say []string
			d.fields(n, f, map[string]func(string, ast.Node){"weight": d.weight(&c.Weight), "say": d.words(&say)})
			if len(say) == 0 {
				d.bad(line(n), f+".say", "is missing; list the phrases of this weight")
			}
			for _, s := range say {
				*out = append(*out, Cue{Phrase: s, Weight: c.Weight})
			}
		})
	}
}

func (d *decoder) sceneType(f string, n ast.Node, s *SceneType) {
	d.fields(n, f, map[string]func(string, ast.Node){
		"id": d.name(&s.ID), "parent": d.name(&s.Parent), "name": d.text(&s.Name, maxName),
		"checklist": d.text(&s.Checklist, maxSentence), "aliases": d.words(&s.Aliases),
	})
}

// each reads a list and calls read for each entry with its path, such as
// errorTypes[2]. It appends what read fills in to out, with its line.
func each[T any](d *decoder, n ast.Node, field string, out *[]at[T], read func(string, ast.Node, *T)) {
	list, ok := n.(*ast.SequenceNode)
	if !ok {
		d.bad(line(n), field, "is %s; write a list, each entry beginning with -", kind(n))
		return
	}
	for i, v := range list.Values {
		a := at[T]{line: line(v), field: fmt.Sprintf("%s[%d]", field, i)}
		if m, ok := v.(*ast.MappingNode); ok && len(m.Values) > 0 {
			a.line = line(m.Values[0].Key)
		}
		read(a.field, v, &a.value)
		*out = append(*out, a)
	}
}

// fields reads a mapping: it calls the reader of each key. An unknown or repeated key is a problem.
func (d *decoder) fields(n ast.Node, field string, known map[string]func(string, ast.Node)) {
	var pairs []*ast.MappingValueNode
	switch n := n.(type) {
	case *ast.MappingNode:
		pairs = n.Values
	case *ast.MappingValueNode:
		pairs = []*ast.MappingValueNode{n}
	default:
		d.bad(line(n), field, "is %s; write fields, each name: value", kind(n))
		return
	}
	seen := map[string]int{}
	for _, p := range pairs {
		key, ok := p.Key.(*ast.StringNode)
		if !ok {
			d.bad(line(p.Key), field, "has a field that is %s; merge keys and other keys than words are not read", kind(p.Key))
			continue
		}
		path := key.Value
		if field != "" {
			path = field + "." + key.Value
		}
		read := known[key.Value]
		switch first, twice := seen[key.Value]; {
		case read == nil:
			d.bad(line(key), quote(path), "is no field here; use %s", names(known))
		case twice:
			d.bad(line(key), path, "is given again, as in line %d; keep one", first)
		default:
			seen[key.Value] = line(key)
			read(path, p.Value)
		}
	}
}

func (d *decoder) name(out *string) func(string, ast.Node) {
	return func(f string, n ast.Node) { *out = d.scalar(f, n, maxName) }
}

// text reads {en: …, zh: …}, or one text for both.
func (d *decoder) text(out *Text, limit int) func(string, ast.Node) {
	return func(f string, n ast.Node) {
		switch n.(type) {
		case *ast.MappingNode, *ast.MappingValueNode:
			d.fields(n, f, map[string]func(string, ast.Node){
				"en": func(f string, n ast.Node) { out.EN = d.scalar(f, n, limit) },
				"zh": func(f string, n ast.Node) { out.ZH = d.scalar(f, n, limit) },
			})
		default:
			s := d.scalar(f, n, limit)
			*out = Text{EN: s, ZH: s}
		}
	}
}

func (d *decoder) words(out *[]string) func(string, ast.Node) { return d.list(out, maxPhrase) }

// list reads a list of texts of at most limit bytes each.
func (d *decoder) list(out *[]string, limit int) func(string, ast.Node) {
	return func(f string, n ast.Node) {
		list, ok := n.(*ast.SequenceNode)
		if !ok {
			d.bad(line(n), f, "is %s; write a list such as [one, two]", kind(n))
			return
		}
		if len(list.Values) > maxCues {
			d.bad(line(n), f, "has %d entries; the most is %d", len(list.Values), maxCues)
			return
		}
		for i, v := range list.Values {
			*out = append(*out, d.scalar(fmt.Sprintf("%s[%d]", f, i), v, limit))
		}
	}
}

func (d *decoder) weight(out *float64) func(string, ast.Node) {
	return func(f string, n ast.Node) {
		v, err := strconv.ParseFloat(n.GetToken().Value, 64)
		switch n.(type) {
		case *ast.IntegerNode, *ast.FloatNode:
		default:
			err = strconv.ErrSyntax
		}
		if err != nil {
			d.bad(line(n), f, "is %s; write a number from 0 to 10", kind(n))
			return
		}
		if p := weightProblem(v); p != "" {
			d.bad(line(n), f, "%s", p)
			return
		}
		*out = v
	}
}

// scalar reads a text of one line and at most limit bytes. It keeps the spelling of a number or boolean. It returns ""
// after a problem.
func (d *decoder) scalar(f string, n ast.Node, limit int) string {
	var s string
	switch n := n.(type) {
	case *ast.StringNode:
		s = n.Value
	case *ast.LiteralNode:
		s = strings.TrimSpace(n.Value.Value)
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
		s = n.GetToken().Value
	default:
		d.bad(line(n), f, "is %s; write a text", kind(n))
		return ""
	}
	if p := textProblem(s, limit); p != "" {
		d.bad(line(n), f, "%s", p)
		return ""
	}
	return s
}

// kind names the kind of a node for an error message.
func kind(n ast.Node) string {
	switch n.(type) {
	case nil, *ast.NullNode:
		return "empty"
	case *ast.StringNode, *ast.LiteralNode:
		return "a text"
	case *ast.IntegerNode, *ast.FloatNode, *ast.InfinityNode, *ast.NanNode:
		return "a number"
	case *ast.BoolNode:
		return "true or false"
	case *ast.SequenceNode:
		return "a list"
	case *ast.MappingNode, *ast.MappingValueNode:
		return "a set of fields"
	case *ast.AnchorNode, *ast.AliasNode, *ast.MergeKeyNode:
		return "an anchor or alias, which are not read (write it out)"
	case *ast.TagNode:
		return "a tagged value, which is not read (leave the tag out)"
	default:
		return "something else"
	}
}

func names(known map[string]func(string, ast.Node)) string {
	list := slices.Sorted(maps.Keys(known))
	return strings.Join(list, ", ")
}
