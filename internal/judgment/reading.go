package judgment

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

const (
	maxVerdict   = 32      // bytes; a longer text is prose, not a verdict
	maxBeside    = 1 << 16 // bytes after which no further text is added
	maxReasoning = 3000    // bytes
)

// Read splits judgment v into its verdict and the rest. verdict is the verdict in lower case, as it is spelled, of at
// most 32 bytes; "" if there is none. For an object it is the value of the first field of fieldOrder that the object
// has, else its first short text or boolean in the order of field names. For a text it is the label with which the text
// begins.
//
// beside is the rest of a text. For an object it is its other texts and numbers and the names of inner fields, one a
// line, in the order of field names; Read adds no more after 64 KiB.
func Read(v any) (verdict, beside string) {
	switch v := v.(type) {
	case map[string]any:
		return readObject(v)
	case string:
		return readText(v)
	default:
		return spelling(v), ""
	}
}

func readObject(o map[string]any) (verdict, beside string) {
	names := slices.Sorted(maps.Keys(o))
	holder := verdictName(o, names)
	if holder != "" {
		verdict = spelling(o[holder])
	}
	var b strings.Builder
	for _, k := range names {
		if k != holder {
			write(&b, o[k])
		}
	}
	return verdict, b.String()
}

// verdictName returns the name of the field that holds an object's verdict, "" if none does. When a name appears in
// two spellings, the folded one wins. names are the object's names, sorted.
func verdictName(o map[string]any, names []string) string {
	best, rank := "", len(fieldOrder)
	first := ""
	for _, k := range names {
		if spelling(o[k]) == "" {
			continue
		}
		first = cmp.Or(first, k)
		f := Fold(k)
		if !among(fieldOrder, f) {
			continue
		}
		if at := strings.Index(fieldOrder, " "+f+" "); at < rank || at == rank && k == f {
			best, rank = k, at
		}
	}
	if best == "" {
		return first
	}
	return best
}

// readText reads a judgment that is one text: a label, or a label set off from
// the prose that follows it ("FAIL: the button …", "结论：通过。…").
func readText(s string) (verdict, beside string) {
	head, rest, _ := cutHead(s)
	if IsVerdictField(head) && Word(head) == Unread { // "verdict"; but "passed" may be the verdict itself
		if value, more, _ := cutHead(rest); spelling(value) != "" {
			return spelling(value), more
		}
	}
	if v := spelling(head); v != "" {
		return v, s[len(head):]
	}
	if v := spelling(s); v != "" {
		return v, ""
	}
	return "", s
}

// spelling returns a value that can be a verdict in lower case, without white space
// and stops around it. It returns "" for any other value.
func spelling(v any) string {
	switch v := v.(type) {
	case bool:
		return strconv.FormatBool(v)
	case string:
		if s := strings.ToLower(strings.Trim(v, " \t\r\n.!。！")); len(s) <= maxVerdict {
			return s
		}
	}
	return ""
}

// write adds the texts in v and the names of its fields to b, a line each.
func write(b *strings.Builder, v any) {
	if b.Len() > maxBeside {
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

// reasonFields lists the names, folded, of fields that hold the reasoning of a judgment.
const reasonFields = " reason reasoning rationale explanation explain analysis thought thoughts evidence message " +
	"comment description details summary matchinganalysis rawoutput output text 原因 理由 分析 说明 依据 描述 "

// Reasoning returns the reasons that judgment v gives, at most 3,000 bytes. For a text this is the whole text, for an
// object the texts of its fields with reasons, in the order of their names, one a line.
func Reasoning(v any) string {
	switch v := v.(type) {
	case string:
		return firstBytes(v, maxReasoning)
	case map[string]any:
		var parts []string
		for _, k := range slices.Sorted(maps.Keys(v)) {
			if s, ok := v[k].(string); ok && among(reasonFields, Fold(k)) {
				parts = append(parts, s)
			}
		}
		return firstBytes(strings.Join(parts, "\n"), maxReasoning)
	}
	return ""
}

// defectLists lists the names, folded, of fields in which a judgment lists defects.
const defectLists = " defects defectdetails defectlist founddefects bugs buglist issues issuelist problems errors " +
	"findings 缺陷 缺陷列表 缺陷详情 问题 问题列表 "

// IsDefectList reports whether name, in any spelling, is the name of a field that lists defects.
func IsDefectList(name string) bool { return among(defectLists, Fold(name)) }

// defects returns the defects a value lists, in the order of the fields' names. told is false when it has no such
// list. An empty list means no defect.
func defects(v any) (list []any, told bool) {
	o, ok := v.(map[string]any)
	if !ok {
		return nil, false
	}
	for _, k := range slices.Sorted(maps.Keys(o)) {
		if l, isList := o[k].([]any); isList && among(defectLists, Fold(k)) {
			list, told = append(list, l...), true
		}
	}
	return list, told
}

// firstBytes returns at most the first n bytes of a text, cut after a whole
// character.
func firstBytes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
