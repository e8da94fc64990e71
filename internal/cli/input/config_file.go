package input

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// mostConfig is how many bytes a config file may have, and mostNested how many brackets and list
// marks a line may begin with: the parser recurses.
const (
	mostConfig = 16 << 10
	mostNested = 16
)

// configEntry is one key of a config file with its values.
type configEntry struct {
	key    string
	values []string // several for a list
	list   bool
	line   int
}

// configError is a mistake in a config file. Field is "" where it is about no key.
type configError struct {
	line           int
	field, problem string
}

func (e *configError) Error() string { return e.problem }

// parseConfig reads keys with a text, a number, a boolean or a list of these. It does not check which keys exist or
// what they accept.
func parseConfig(b []byte) (entries []configEntry, err error) {
	if len(b) > mostConfig {
		return nil, &configError{problem: fmt.Sprintf("has %d bytes; the most is %d", len(b), mostConfig)}
	}
	for l := range strings.SplitSeq(string(b), "\n") {
		if strings.Count(l, "[")+strings.Count(l, "{")+strings.Count(l, "- ")+strings.Count(l, "? ") > mostNested {
			return nil, &configError{problem: "has a line with too many lists in it"}
		}
	}
	defer func() { // the parser reads untrusted bytes
		if broke := recover(); broke != nil {
			entries, err = nil, &configError{problem: "cannot be read as YAML"}
		}
	}()
	f, err := parser.ParseBytes(b, 0)
	if err != nil {
		e := &configError{problem: "is not YAML: " + err.Error()}
		if y, ok := errors.AsType[yaml.Error](err); ok {
			e.problem = "is not YAML: " + y.GetMessage()
			if t := y.GetToken(); t != nil && t.Position != nil {
				e.line = t.Position.Line
			}
		}
		return nil, e
	}
	for i, doc := range f.Docs {
		if i > 0 && doc.Body != nil {
			return nil, &configError{problem: "has several YAML documents; put all into one"}
		}
		if entries, err = keysOf(doc.Body); err != nil {
			return nil, err
		}
	}
	return entries, nil
}

func keysOf(n ast.Node) ([]configEntry, error) {
	var pairs []*ast.MappingValueNode
	switch n := n.(type) {
	case nil, *ast.NullNode, *ast.CommentGroupNode:
		return nil, nil
	case *ast.MappingNode:
		pairs = n.Values
	case *ast.MappingValueNode:
		pairs = []*ast.MappingValueNode{n}
	default:
		const problem = "is no list of keys; write one a line, as KEY: VALUE"
		return nil, &configError{line: n.GetToken().Position.Line, problem: problem}
	}
	out := make([]configEntry, 0, len(pairs))
	for _, p := range pairs {
		e := configEntry{key: p.Key.GetToken().Value, line: p.Key.GetToken().Position.Line}
		list, isList := p.Value.(*ast.SequenceNode)
		values := []ast.Node{p.Value}
		if isList {
			values = list.Values
		}
		e.list = isList
		for _, v := range values {
			text, ok := scalarOf(v)
			if !ok {
				return nil, &configError{e.line, e.key, "takes a text, a number, true, false, or a list of texts"}
			}
			e.values = append(e.values, text)
		}
		out = append(out, e)
	}
	return out, nil
}

// scalarOf returns a value as written in the file.
func scalarOf(n ast.Node) (string, bool) {
	switch n := n.(type) {
	case *ast.StringNode:
		return n.Value, true
	case *ast.LiteralNode:
		return n.Value.Value, true
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
		return n.GetToken().Value, true
	}
	return "", false
}

// configPath finds the config file: --config, MEMTREE_CONFIG, or its place in the user's folder. named reports
// whether the user named the file; then it must exist.
func configPath(args []string, getenv func(string) string) (path string, named bool) {
	path = getenv("MEMTREE_CONFIG")
	for i, arg := range args {
		if arg == "--" {
			break
		}
		if v, ok := strings.CutPrefix(arg, "--config="); ok {
			path = v
		} else if arg == "--config" && i+1 < len(args) {
			path = args[i+1]
		}
	}
	if path != "" {
		return path, true
	}
	home := getenv("XDG_CONFIG_HOME")
	if home == "" && runtime.GOOS == "windows" {
		home = getenv("AppData")
	}
	if home == "" && getenv("HOME") != "" {
		home = getenv("HOME") + "/.config"
	}
	if home == "" {
		return "", false
	}
	return home + "/memtree/config.yaml", false
}

// openToOthers reports whether every user of the machine may read a file.
func openToOthers(path string) bool {
	info, err := os.Stat(path)
	return err == nil && runtime.GOOS != "windows" && info.Mode().Perm()&0o004 != 0
}
