package midscene

import (
	"bytes"
	"cmp"
	"fmt"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/memtree/memtree/enhance"
)

// contextKey is the field that Midscene puts before a step's prompt.
const contextKey = "context"

// scriptSurvey is the parsed content of a script, with positions.
type scriptSurvey struct {
	name  string
	src   []byte
	lines []scriptLine
	root  ast.Node
	steps []aiStep
	nodes []ast.Node // the mapping of each step; nil for an alias

	anchors   anchors
	inherited map[string]string // by API: the context that Midscene uses for a step without one
	route     string            // of the page; "" once it may have changed
}

// look parses a script as it is.
func look(name string, src []byte) (*scriptSurvey, error) {
	root, err := parse(name, src)
	if err != nil {
		return nil, err
	}
	v := &scriptSurvey{name: name, src: src, lines: linesOf(src), root: root, anchors: anchors{}}
	ast.Walk(v.anchors, root)
	v.inherit()
	v.begin()
	return v, v.tasks()
}

func (v *scriptSurvey) wrong(n ast.Node, field, problem string) error {
	return &ScriptError{v.name, lineOf(n), field, problem}
}

func lineOf(n ast.Node) int {
	if n == nil || n.GetToken() == nil || n.GetToken().Position == nil {
		return 0
	}
	return n.GetToken().Position.Line
}

func (v *scriptSurvey) tasks() error {
	if _, _, ok := pairs(v.root); !ok {
		return v.wrong(v.root, "", "is no script of Midscene: it has no fields")
	}
	tasks := field(v.root, "tasks")
	if tasks == nil {
		return v.wrong(nil, "tasks", "is missing; a script of Midscene has tasks with a flow of steps")
	}
	all, ok := items(tasks)
	if !ok {
		return v.wrong(tasks, "tasks", "is no list; give each task a dash")
	}
	for i, task := range all {
		if err := v.task(task, fmt.Sprintf("tasks[%d]", i)); err != nil {
			return err
		}
	}
	return nil
}

func (v *scriptSurvey) task(task ast.Node, at string) error {
	if _, _, ok := pairs(task); !ok {
		return v.wrong(task, at, "is no task; give it a name and a flow")
	}
	name, _ := v.anchors.text(field(task, "name"))
	flow := field(task, "flow")
	if flow == nil {
		return v.wrong(task, at+".flow", "is missing; it is the list of steps")
	}
	steps, ok := items(flow)
	if !ok {
		return v.wrong(flow, at+".flow", "is no list; give each step a dash")
	}
	for i, n := range steps {
		s := aiStep{Task: name, Number: i + 1, Field: fmt.Sprintf("%s.flow[%d]", at, i), Line: lineOf(n)}
		if err := v.step(n, s); err != nil {
			return err
		}
	}
	return nil
}

// step reads one item of a flow.
func (v *scriptSurvey) step(n ast.Node, s aiStep) error {
	if _, ok := n.(*ast.AliasNode); ok {
		s.Left, n = leftAlias, v.anchors.of(n)
	}
	fields, braces, ok := pairs(n)
	if !ok {
		return v.wrong(n, s.Field, "is no step; a step has fields, such as aiAssert")
	}
	s.key, s.API = kindOf(fields)
	if s.API == "" {
		if !stays(fields) {
			v.route = ""
		}
		return nil
	}
	s.Route, s.Own = v.route, v.inherited[s.API]
	if s.API == "aiAct" {
		v.route = "" // it may open any page
	}
	if braces && s.Left == "" {
		s.Left = leftFlow
	}
	v.fill(&s, fields)
	if a, ok := n.(*ast.AnchorNode); ok {
		n = a.Value
	}
	if s.Left == leftAlias {
		n = nil
	}
	v.steps, v.nodes = append(v.steps, s), append(v.nodes, n)
	return nil
}

// kindOf returns the field that makes a step one with guidance, and Midscene's name of the call.
func kindOf(fields []yamlField) (key, api string) {
	for _, a := range apis {
		for _, f := range fields {
			if f.key == a.key {
				return a.key, a.api
			}
		}
	}
	return "", ""
}

// stays reports whether a step does not leave the page.
func stays(fields []yamlField) bool {
	for _, f := range fields {
		if looking[f.key] {
			return true
		}
	}
	return false
}

// fill reads the fields of a step.
func (v *scriptSurvey) fill(s *aiStep, fields []yamlField) {
	instruction := ""
	for _, f := range fields {
		switch f.key {
		case s.key:
			s.Prompt, _ = v.promptOf(f.value)
			if s.Left != leftAlias {
				s.Line, s.at, s.col = f.line, f.line-1, f.col
			}
			if !v.usual(f) && s.Left == "" {
				s.Left = leftLayout
			}
		case "instruction":
			instruction, _ = v.promptOf(f.value)
		}
	}
	if s.API == "aiAct" && instruction != "" {
		s.Prompt = instruction
	}
	for _, f := range fields {
		if f.key == contextKey {
			v.fillContext(s, f)
		}
	}
	switch {
	case s.Left != "":
	case strings.TrimSpace(s.Prompt) == "":
		s.Left = leftPrompt
	case strings.Contains(s.Own, enhance.Open):
		s.Left = leftTold
	}
}

// fillContext reads the context of a step.
func (v *scriptSurvey) fillContext(s *aiStep, f yamlField) {
	left := ""
	switch n := f.value.(type) {
	case *ast.AnchorNode, *ast.TagNode:
		left = leftAnchor
	case *ast.NullNode:
		s.Own = ""
	default:
		text, ok := v.anchors.text(n)
		if s.Own = text; !ok {
			left = leftText
		}
	}
	if left == "" && (!v.usual(f) || f.col != s.col) {
		left = leftLayout
	}
	if s.Left != "" || left != "" {
		s.Left = cmp.Or(s.Left, left)
		return
	}
	rest, at, _ := v.lines[f.line-1].keyed(f.col, f.key)
	s.own = &scriptSpan{at, f.line - 1, valueEnd(v.lines, f.line-1, f.col, rest)}
}

// usual reports whether a field is on its line in the usual layout.
func (v *scriptSurvey) usual(f yamlField) bool {
	if !f.plain || f.line < 1 || f.line > len(v.lines) {
		return false
	}
	_, _, ok := v.lines[f.line-1].keyed(f.col, f.key)
	return ok
}

// shaped returns the content of a script, with other contexts for some steps, by their index.
func (v *scriptSurvey) shaped(told map[int]string) string {
	contexts := map[ast.Node]string{}
	for i, text := range told {
		contexts[v.nodes[i]] = text
	}
	var b strings.Builder
	shape(&b, v.root, contexts)
	return b.String()
}

// eol is the line break of a script.
func (v *scriptSurvey) eol() string {
	if bytes.Contains(v.src, []byte("\r\n")) {
		return "\r\n"
	}
	return "\n"
}
