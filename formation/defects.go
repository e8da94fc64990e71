package formation

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/memtree/memtree/judgment"
)

// defect is one entry of a ground truth's list of defects, and the path of its field.
type defect struct{ text, at string }

// defectTexts are the folded names of fields in which an object describes a defect.
var defectTexts = strings.Fields("description detail details text message summary title what name desc 描述 详情 说明")

// maxDefects bounds how many entries of a list are read.
const maxDefects = 1000

// defectsOf reads the defects that a ground truth lists: in a list of texts or
// objects, or in a text with a defect on each line.
func defectsOf(truth any) []defect {
	o, ok := truth.(map[string]any)
	if !ok {
		return nil
	}
	var out []defect
	for _, k := range slices.Sorted(maps.Keys(o)) {
		if !judgment.IsDefectList(k) {
			continue
		}
		at := "ground_truth." + inline(k)
		switch v := o[k].(type) {
		case string:
			for s := range strings.SplitSeq(firstBytes(v, maxNote), "\n") {
				out = addDefect(out, s, at)
			}
		case []any:
			for i, x := range v[:min(len(v), maxDefects)] {
				out = addDefect(out, defectText(x), fmt.Sprintf("%s[%d]", at, i))
			}
		}
	}
	return out
}

// addDefect appends a defect, unless its text has no words or is a bare verdict.
func addDefect(list []defect, s, at string) []defect {
	s = strings.TrimSpace(firstBytes(s, maxReasoning))
	if s == "" || !strings.ContainsFunc(s, isLetter) || judgment.Word(s) != judgment.Unread {
		return list
	}
	return append(list, defect{s, at})
}

func defectText(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case map[string]any:
		var parts []string
		for _, k := range slices.Sorted(maps.Keys(v)) {
			if s, ok := v[k].(string); ok && slices.Contains(defectTexts, judgment.Fold(k)) {
				parts = append(parts, s)
			}
		}
		return strings.Join(parts, " ")
	}
	return ""
}
