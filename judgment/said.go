package judgment

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Said is a judgment taken apart: the verdict as it is spelled, and what stands
// beside it.
type Said struct {
	Verdict string // lower case, at most maxVerdict bytes; "" when there is none
	Beside  string // every other text of the judgment and the names below it, in the order of names
}

const (
	maxVerdict   = 32      // bytes; a verdict is a label, what is longer is prose
	maxBeside    = 1 << 16 // bytes
	maxReasoning = 3000    // bytes
)

// Read takes a judgment apart. The verdict of an object is the best of the fields
// that hold one; where it has none of them, its first short text or boolean in
// the order of names. The verdict of a text is the label it begins with.
func Read(v any) Said {
	switch v := v.(type) {
	case map[string]any:
		return readObject(v)
	case string:
		return readText(v)
	default:
		return Said{Verdict: spelling(v)}
	}
}

func readObject(o map[string]any) Said {
	names := slices.Sorted(maps.Keys(o))
	holder := verdictName(o, names)
	var s Said
	if holder != "" {
		s.Verdict = spelling(o[holder])
	}
	var b strings.Builder
	for _, k := range names {
		if k != holder {
			write(&b, o[k])
		}
	}
	s.Beside = b.String()
	return s
}

// verdictName returns the name of the field that holds an object's verdict. Of
// two spellings of one name the folded one is better.
func verdictName(o map[string]any, names []string) string {
	best, rank := "", len(fieldOrder)
	first := ""
	for _, k := range names {
		if spelling(o[k]) == "" {
			continue
		}
		if first == "" {
			first = k
		}
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
func readText(s string) Said {
	head, rest, _ := cutHead(s)
	if IsVerdictField(head) && Word(head) == Unread { // "verdict", and not "passed", which may be the verdict itself
		if named, more, _ := cutHead(rest); spelling(named) != "" {
			return Said{Verdict: spelling(named), Beside: more}
		}
	}
	if v := spelling(head); v != "" {
		return Said{Verdict: v, Beside: s[len(head):]}
	}
	if v := spelling(s); v != "" {
		return Said{Verdict: v}
	}
	return Said{Beside: s}
}

// spelling returns the spelling of a value that can be a verdict, "" for any other.
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

// reasonFields are where a judgment keeps its reasoning, folded.
const reasonFields = " reason reasoning rationale explanation explain analysis thought thoughts evidence message comment description details summary matchinganalysis rawoutput output text 原因 理由 分析 说明 依据 描述 "

// Reasoning collects the words a judgment gives for its verdict: all of a text,
// the reasoning fields of an object; at most their first 3,000 bytes.
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

// defectLists are where a judgment lists the defects it found, folded.
const defectLists = " defects defectdetails defectlist founddefects bugs buglist issues issuelist problems errors findings 缺陷 缺陷列表 缺陷详情 问题 问题列表 "

// IsDefectList reports whether a field of this name lists defects.
func IsDefectList(name string) bool { return among(defectLists, Fold(name)) }

// Defects returns the defects a value lists, in the order of the fields' names.
// told is false where it has no such list; an empty list says that there is none.
func Defects(v any) (list []any, told bool) {
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

// firstBytes cuts a text to n bytes, after a whole character.
func firstBytes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
