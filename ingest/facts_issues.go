package ingest

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/memtree/memtree/ledger"
)

// statementObjects reads JSON lines, or a JSON array.
func statementObjects(name string, b []byte, o StatementOptions) (out []FileStatement, problems error) {
	take := func(at string, raw json.RawMessage) error {
		r, ok, err := statementObject(at, raw, o)
		if err != nil || !ok {
			problems = errors.Join(problems, err)
			return nil
		}
		out, err = addStatement(out, r)
		return err
	}
	if bytes.TrimSpace(b)[0] == '[' {
		var list []json.RawMessage
		if err := json.Unmarshal(b, &list); err != nil {
			return nil, badStatement(name, "is no JSON: %v", err)
		}
		for i, raw := range list {
			if err := take(fmt.Sprintf("%s, element %d", name, i+1), raw); err != nil {
				return out, errors.Join(problems, err)
			}
		}
		return out, problems
	}
	lines := bufio.NewScanner(bytes.NewReader(b))
	lines.Buffer(nil, mostStatementLine)
	for n := 1; lines.Scan(); n++ {
		if line := bytes.TrimSpace(lines.Bytes()); len(line) > 0 {
			if err := take(fmt.Sprintf("%s, line %d", name, n), bytes.Clone(line)); err != nil {
				return out, errors.Join(problems, err)
			}
		}
	}
	if err := lines.Err(); err != nil {
		problems = errors.Join(problems, badStatement(name, "has a line of more than %d bytes", mostStatementLine))
	}
	return out, problems
}

// statementObject reads a fact of memtree's own form, or an issue.
func statementObject(at string, raw json.RawMessage, o StatementOptions) (FileStatement, bool, error) {
	var own struct {
		ledger.Statement
		Product string `json:"product"`
		Test    string `json:"test"`
		Page    string `json:"page"`
	}
	if json.Unmarshal(raw, &own) == nil && own.Text != "" && len(o.Columns) == 0 {
		r := FileStatement{own.Statement, at}
		for _, f := range []struct {
			to   *string
			from []string
		}{
			{&r.Scope.Product, []string{own.Product, o.Product}}, {&r.Scope.Test, []string{own.Test}},
		} {
			for _, v := range f.from {
				if *f.to == "" {
					*f.to = v
				}
			}
		}
		if own.Page != "" && len(r.Pages) == 0 {
			r.Pages = []string{own.Page}
		}
		return r, true, nil
	}
	var fields map[string]any
	if err := json.Unmarshal(raw, &fields); err != nil {
		return FileStatement{}, false, badStatement(at, "is no JSON object: %v", err)
	}
	values := map[string]string{}
	for k, v := range fields {
		values[strings.ToLower(k)] = asText(v)
	}
	return issue(at, o, issueColumnsOf(o, values))
}

// asText returns the text of a value: itself, its name, or those of the elements of a list.
func asText(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case float64:
		return strings.TrimSuffix(fmt.Sprintf("%.6f", v), ".000000")
	case map[string]any:
		for _, k := range []string{"name", "title", "key"} {
			if s, ok := v[k].(string); ok {
				return s
			}
		}
	case []any:
		if len(v) > 0 {
			return asText(v[0])
		}
	}
	return ""
}

// issueColumnsOf returns a function that finds a column's value, by the name that was set or by its usual names.
func issueColumnsOf(o StatementOptions, values map[string]string) func(column string) string {
	usual := IssueColumns()
	return func(column string) string {
		if name := o.Columns[column]; name != "" {
			return strings.TrimSpace(values[strings.ToLower(name)])
		}
		for _, name := range usual[column] {
			if v := strings.TrimSpace(values[name]); v != "" {
				return v
			}
		}
		return ""
	}
}

// issueTable reads a list of issues with a head.
func issueTable(name string, b []byte, o StatementOptions) (out []FileStatement, problems error) {
	r := csv.NewReader(bytes.NewReader(b))
	r.FieldsPerRecord, r.LazyQuotes = -1, true
	if head, _, _ := bytes.Cut(b, []byte("\n")); bytes.Count(head, []byte(";")) > bytes.Count(head, []byte(",")) {
		r.Comma = ';'
	} else if bytes.Count(head, []byte("\t")) > bytes.Count(head, []byte(",")) {
		r.Comma = '\t'
	}
	head, err := r.Read()
	if err != nil {
		return nil, badStatement(name, "is no table: %v", err)
	}
	for i := range head {
		head[i] = strings.ToLower(strings.TrimSpace(head[i]))
	}
	for column, is := range o.Columns {
		if !slices.Contains(head, strings.ToLower(is)) {
			return nil, badStatement(name, "has no column %q for %s; its columns are %s", is, column, strings.Join(head, ", "))
		}
	}
	for {
		row, err := r.Read()
		if errors.Is(err, io.EOF) {
			return out, problems
		}
		line, _ := r.FieldPos(0)
		at := fmt.Sprintf("%s, line %d", name, line)
		if err != nil {
			return out, errors.Join(problems, badStatement(at, "is no row: %v", err))
		}
		values := map[string]string{}
		for i, v := range row[:min(len(row), len(head))] {
			if values[head[i]] == "" { // a tracker writes one column for each of several values
				values[head[i]] = v
			}
		}
		one, ok, err := issue(at, o, issueColumnsOf(o, values))
		if err != nil || !ok {
			problems = errors.Join(problems, err)
			continue
		}
		if out, err = addStatement(out, one); err != nil {
			return out, errors.Join(problems, err)
		}
	}
}
