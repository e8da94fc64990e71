package report

import (
	"bytes"
	"encoding/json"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/memtree/memtree/tree"
)

// row is a run of a table or a mapping: values by the names of the fields.
type row struct {
	names  []string
	values []tree.Raw
}

func (r *row) set(name string, v tree.Raw) {
	if len(v) == 0 || v.Null() {
		return
	}
	if i := slices.Index(r.names, name); i >= 0 {
		r.values[i] = v
		return
	}
	r.names, r.values = append(r.names, name), append(r.values, v)
}

// object returns the row as JSON. A name with a full stop, such as scene.id, is a field of an object.
func (r *row) object() []byte {
	var b bytes.Buffer
	b.WriteByte('{')
	done := map[string]bool{}
	member := func(name string, v tree.Raw) {
		if b.Bytes()[b.Len()-1] != '{' {
			b.WriteByte(',')
		}
		b.Write(tree.Quote(name))
		b.WriteByte(':')
		b.Write(v)
	}
	for i, name := range r.names {
		outer, _, nested := strings.Cut(name, ".")
		switch {
		case !nested:
			member(name, r.values[i])
		case !done[outer]:
			done[outer] = true
			var in row
			for k, other := range r.names {
				if at, inner, ok := strings.Cut(other, "."); ok && at == outer {
					in.set(inner, r.values[k])
				}
			}
			member(outer, in.object())
		}
	}
	b.WriteByte('}')
	return b.Bytes()
}

// typed converts a cell to the JSON type of its field.
func typed(field, cell string) tree.Raw {
	switch field {
	case "attempt", "position", "scope.position":
		if n, err := strconv.ParseFloat(cell, 64); err == nil && n == math.Trunc(n) && math.Abs(n) < 1e9 {
			return tree.Raw(strconv.Itoa(int(n)))
		}
	case "correct":
		switch strings.ToLower(cell) {
		case "true", "yes", "right", "1", "对", "是", "正确":
			return tree.Raw("true")
		case "false", "no", "wrong", "0", "错", "否", "错误":
			return tree.Raw("false")
		}
	case "at":
		return timeCell(cell)
	case "judgment", "ground_truth", "suite_tests", "scope.suite_tests":
		if v := tree.Raw(cell); cell != "" && strings.ContainsAny(cell[:1], "{[") && json.Valid(v) {
			return v
		}
	}
	return tree.Quote(cell)
}

// dateForms are the time formats of spreadsheets.
var dateForms = []string{
	"2006-1-2 15:04:05", "2006-1-2 15:04", "2006-1-2", "2006/1/2 15:04:05", "2006/1/2 15:04", "2006/1/2",
	"2006-1-2T15:04:05.999999999", "2006年1月2日 15:04:05", "2006年1月2日 15:04", "2006年1月2日",
}

var number = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^-?\d{1,15}(\.\d{1,9})?$`)
})

// A workbook stores a time as days since the end of 1899. These bounds are of the years 1954 to 2119; as seconds since
// 1970 such numbers would be of its first day.
const (
	firstDay, lastDay = 20_000, 80_000
	daysTo1970        = 25_569
)

// timeCell reads the time in a cell. Without a zone it is UTC, so that a file means the same on every machine.
func timeCell(cell string) tree.Raw {
	if number().MatchString(cell) {
		if n, err := strconv.ParseFloat(cell, 64); err == nil && n >= firstDay && n < lastDay {
			seconds := math.Round((n - daysTo1970) * 24 * 60 * 60)
			return tree.Quote(time.Unix(int64(seconds), 0).UTC().Format(time.RFC3339))
		}
		return tree.Raw(cell)
	}
	for _, form := range dateForms {
		if t, err := time.Parse(form, cell); err == nil {
			return tree.Quote(t.UTC().Format(time.RFC3339Nano))
		}
	}
	return tree.Quote(cell)
}
