package risk

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/memtree/memtree/tree"
)

// said is a judgment taken apart: the verdict, which is one of a few values, and
// what the judge wrote beside it.
type said struct {
	value string // lower case, at most maxValue bytes; "" when there is none
	text  string
}

const (
	maxValue = 32      // a verdict is a label; what is longer is prose
	maxText  = 1 << 16 // bytes of a judge's text that are read
)

// verdictFields are where an object keeps its verdict, best first. Where it has
// none of them, its first short text or boolean in the order of names is taken.
var verdictFields = [...]string{
	"verdict", "conclusion", "result", "status", "outcome", "judgment", "judgement", "label", "decision",
	"passed", "pass", "success", "correct", "has_defect", "hasDefect", "结论", "判定", "判断", "结果", "是否通过", "测试结果",
}

// read takes a judgment apart. It never fails: what is not JSON is prose.
func read(r tree.Raw) said {
	if r.Null() || r.Check() != nil {
		return said{}
	}
	d := json.NewDecoder(bytes.NewReader(r))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return said{}
	}
	if o, ok := v.(map[string]any); ok {
		return readObject(o)
	}
	if s, ok := v.(string); ok {
		return readText(s)
	}
	return said{value: short(v)}
}

func readObject(o map[string]any) said {
	name := verdictField(o)
	var s said
	if name != "" {
		s.value = short(o[name])
	}
	var b strings.Builder
	for _, k := range slices.Sorted(maps.Keys(o)) {
		if k != name {
			write(&b, o[k])
		}
	}
	s.text = b.String()
	return s
}

func verdictField(o map[string]any) string {
	for _, f := range verdictFields {
		if short(o[f]) != "" {
			return f
		}
	}
	for _, k := range slices.Sorted(maps.Keys(o)) {
		if short(o[k]) != "" {
			return k
		}
	}
	return ""
}

// readText reads a judgment that is one text: a label, or a label set off from
// the prose that follows it ("FAIL: the button …").
func readText(s string) said {
	if at := strings.IndexAny(s[:min(len(s), maxValue+1)], ":,;.\n—–：，；。(（"); at > 0 {
		return said{value: short(s[:at]), text: s[at:]}
	}
	if v := short(s); v != "" {
		return said{value: v}
	}
	return said{text: s}
}

// short returns the spelling of a value that can be a verdict, "" for any other.
func short(v any) string {
	switch v := v.(type) {
	case bool:
		return strconv.FormatBool(v)
	case json.Number:
		return ""
	case string:
		if s := strings.ToLower(strings.Trim(v, " \t\r\n.!。！")); len(s) <= maxValue {
			return s
		}
	}
	return ""
}

// write adds the texts in v and the names of its fields to b, a line each.
func write(b *strings.Builder, v any) {
	if b.Len() > maxText {
		return
	}
	switch v := v.(type) {
	case string:
		b.WriteString(v)
		b.WriteByte('\n')
	case json.Number:
		b.WriteString(v.String())
		b.WriteByte('\n')
	case []any:
		for _, x := range v {
			write(b, x)
		}
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(v)) {
			b.WriteString(k)
			b.WriteByte('\n')
			write(b, v[k])
		}
	}
}
