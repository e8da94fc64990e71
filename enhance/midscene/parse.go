package midscene

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// deepest is the maximum nesting of brackets, and of dashes on one line, in a script.
const deepest = 200

// parse reads a script as YAML. Input that makes the YAML parser panic is an error too.
func parse(name string, src []byte) (doc ast.Node, err error) {
	defer func() {
		if r := recover(); r != nil {
			doc, err = nil, &ScriptError{File: name, Problem: "is no YAML that can be read"}
		}
	}()
	if n := nested(string(src)); n > 0 {
		return nil, &ScriptError{name, n, "", fmt.Sprintf("nests deeper than %d", deepest)}
	}
	f, err := parser.ParseBytes(src, 0)
	if err != nil {
		e := &ScriptError{File: name, Problem: "is no YAML: " + firstLine(err.Error())}
		if y, ok := errors.AsType[yaml.Error](err); ok {
			e.Problem = "is no YAML: " + firstLine(y.GetMessage())
			if t := y.GetToken(); t != nil && t.Position != nil {
				e.Line = t.Position.Line
			}
		}
		return nil, e
	}
	if len(f.Docs) == 0 || f.Docs[0].Body == nil {
		return nil, &ScriptError{File: name, Problem: "is empty"}
	}
	if len(f.Docs) > 1 {
		return nil, &ScriptError{File: name, Problem: "has several documents; Midscene reads one"}
	}
	return f.Docs[0].Body, nil
}

func firstLine(s string) string {
	s, _, _ = strings.Cut(strings.TrimSpace(s), "\n")
	return s
}

// nested returns the line from which brackets, or dashes on one line, nest too deep, and 0 for none: the YAML parser
// recurses for each.
func nested(s string) int {
	n, open := 0, 0
	for l := range strings.SplitSeq(s, "\n") {
		n++
		lead := l[:len(l)-len(strings.TrimLeft(l, " \t-?:&!|>"))]
		for _, c := range l {
			switch c {
			case '[', '{':
				open++
			case ']', '}':
				open = max(open-1, 0)
			}
			if open > deepest {
				return n
			}
		}
		if strings.Count(lead, "-")+strings.Count(lead, "?") > deepest {
			return n
		}
	}
	return 0
}

// yamlField is a field of a mapping.
type yamlField struct {
	key   string
	line  int  // from 1
	col   int  // cells before the key
	plain bool // the key is a text without anchor or tag
	value ast.Node
}

// pairs returns the fields of a mapping, and whether it is written in braces. It is false for any other node.
func pairs(n ast.Node) (out []yamlField, braces, ok bool) {
	if a, is := n.(*ast.AnchorNode); is {
		n = a.Value
	}
	var values []*ast.MappingValueNode
	switch n := n.(type) {
	case *ast.MappingNode:
		values, braces = n.Values, n.IsFlowStyle
	case *ast.MappingValueNode:
		values = []*ast.MappingValueNode{n}
	default:
		return nil, false, false
	}
	for _, v := range values {
		p := yamlField{value: v.Value}
		if t := v.Key.GetToken(); t != nil && t.Position != nil {
			p.line, p.col = t.Position.Line, t.Position.Column-1
		}
		if s, is := v.Key.(*ast.StringNode); is {
			p.key, p.plain = s.Value, true
		} else {
			p.key = v.Key.String()
		}
		out = append(out, p)
	}
	return out, braces, true
}

// field returns a field of a mapping, nil if it does not exist.
func field(n ast.Node, key string) ast.Node {
	all, _, _ := pairs(n)
	for _, p := range all {
		if p.key == key {
			return p.value
		}
	}
	return nil
}

// items returns the items of a list. It is false for any other node.
func items(n ast.Node) ([]ast.Node, bool) {
	if a, ok := n.(*ast.AnchorNode); ok {
		n = a.Value
	}
	s, ok := n.(*ast.SequenceNode)
	if !ok {
		return nil, false
	}
	return s.Values, true
}

// anchors maps the names of anchors to their nodes.
type anchors map[string]ast.Node

// Visit records an anchor.
func (a anchors) Visit(n ast.Node) ast.Visitor {
	if n, ok := n.(*ast.AnchorNode); ok && n.Name != nil {
		a[n.Name.GetToken().Value] = n.Value
	}
	return a
}

// text returns the text of a scalar. It is false for any other node.
func (a anchors) text(n ast.Node) (string, bool) {
	switch n := n.(type) {
	case *ast.StringNode:
		return n.Value, true
	case *ast.LiteralNode:
		if n.Value == nil {
			return "", true
		}
		return n.Value.Value, true
	case *ast.AnchorNode:
		if _, again := n.Value.(*ast.AnchorNode); again {
			return "", false
		}
		return a.text(n.Value)
	case *ast.AliasNode:
		switch to := a.of(n).(type) {
		case *ast.StringNode, *ast.LiteralNode:
			return a.text(to)
		}
	}
	return "", false
}

// of returns the node of an alias, nil for none.
func (a anchors) of(n ast.Node) ast.Node {
	if n, ok := n.(*ast.AliasNode); ok && n.Value != nil && n.Value.GetToken() != nil {
		return a[n.Value.GetToken().Value]
	}
	return nil
}

// shape writes the content of a part of a script, without comments and layout. Aliases stay names, so that it is never
// much longer than the script. For a mapping in told it writes the context of told.
func shape(b *strings.Builder, n ast.Node, told map[ast.Node]string) {
	switch n := n.(type) {
	case nil:
		b.WriteString("null")
	case *ast.MappingNode, *ast.MappingValueNode:
		fields, _, _ := pairs(n)
		context, ok := told[n]
		b.WriteByte('{')
		for _, f := range fields {
			if ok && f.key == contextKey {
				continue
			}
			b.WriteString(strconv.Quote(f.key) + ":")
			shape(b, f.value, told)
			b.WriteByte(',')
		}
		if ok {
			fmt.Fprintf(b, "%s=%q", contextKey, context)
		}
		b.WriteByte('}')
	case *ast.SequenceNode:
		b.WriteByte('[')
		for _, v := range n.Values {
			shape(b, v, told)
			b.WriteByte(',')
		}
		b.WriteByte(']')
	case *ast.AnchorNode:
		fmt.Fprintf(b, "&%s ", n.Name)
		shape(b, n.Value, told)
	case *ast.TagNode:
		b.WriteString(n.Start.Value + " ")
		shape(b, n.Value, told)
	case *ast.LiteralNode, *ast.StringNode:
		text, _ := anchors(nil).text(n)
		b.WriteString(strconv.Quote(text))
	default:
		b.WriteString(strings.TrimSpace(n.String()))
	}
}
