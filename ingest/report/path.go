package report

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"
)

// pathStep is a part of a path: a member's name, an element's index, or each element.
type pathStep struct {
	name string
	at   int // -1: by name
	each bool
}

// mostSteps bounds a path.
const mostSteps = 50

var errPath = errors.New(`write names with full stops between them, [] for each element, [0] for the first, ` +
	`["a.b"] for a name with a full stop`)

// parsePath reads a path; an empty one has no steps.
func parsePath(s string) ([]pathStep, error) {
	var out []pathStep
	for s = strings.TrimSpace(s); s != ""; {
		if len(out) == mostSteps {
			return nil, errPath
		}
		if s[0] == '[' {
			end := strings.IndexByte(s, ']')
			if strings.HasPrefix(s, `["`) {
				end = strings.Index(s, `"]`) + 1
			}
			if end < 1 {
				return nil, errPath
			}
			x, err := bracket(s[1:end])
			if err != nil {
				return nil, err
			}
			out, s = append(out, x), s[end+1:]
			if s, err = afterStep(s); err != nil {
				return nil, err
			}
			continue
		}
		end := strings.IndexAny(s, ".[")
		if end < 0 {
			end = len(s)
		}
		if end == 0 {
			return nil, errPath
		}
		out = append(out, pathStep{name: s[:end], at: -1})
		var err error
		if s, err = afterStep(s[end:]); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// afterStep removes the full stop between two steps.
func afterStep(s string) (string, error) {
	rest, stop := strings.CutPrefix(s, ".")
	if stop && rest == "" {
		return "", errPath
	}
	return rest, nil
}

func bracket(in string) (pathStep, error) {
	switch {
	case in == "", in == "*":
		return pathStep{each: true, at: -1}, nil
	case in[0] == '"':
		if len(in) < 2 || in[len(in)-1] != '"' {
			return pathStep{}, errPath
		}
		return pathStep{name: in[1 : len(in)-1], at: -1}, nil
	}
	n, err := strconv.Atoi(in)
	if err != nil || n < 0 {
		return pathStep{}, errPath
	}
	return pathStep{at: n}, nil
}

// find returns the value at a path within a value, nil for none. For each element it returns the first that has one.
func find(v json.RawMessage, path []pathStep) json.RawMessage {
	for i, s := range path {
		switch {
		case s.each || s.at >= 0:
			var all []json.RawMessage
			if json.Unmarshal(v, &all) != nil {
				return nil
			}
			if s.each {
				for _, x := range all {
					if got := find(x, path[i+1:]); got != nil {
						return got
					}
				}
				return nil
			}
			if s.at >= len(all) {
				return nil
			}
			v = all[s.at]
		default:
			var o map[string]json.RawMessage
			if json.Unmarshal(v, &o) != nil {
				return nil
			}
			if v = o[s.name]; v == nil {
				return nil
			}
		}
	}
	return v
}
