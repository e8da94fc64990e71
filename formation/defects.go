package formation

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/memtree/memtree/fact"
	"github.com/memtree/memtree/internal/judgment"
	"github.com/memtree/memtree/tree"
)

// defect is one entry of a ground truth's list of defects, and the path of its field.
type defect struct {
	text, at string
	fields   map[string]any // of an entry that is an object
}

// defectTexts are the folded names of fields in which an object describes a defect.
var defectTexts = strings.Fields("description detail details text message summary title what name desc 描述 详情 说明")

// maxDefects bounds how many entries of a list are read.
const maxDefects = 1000

// defectsOf reads the defects that a ground truth lists: in a list of texts or
// objects, or in one text that lists them as fact.Items reads it.
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
			out = addDefects(out, v, at)
		case []any:
			for i, x := range v[:min(len(v), maxDefects)] {
				at := fmt.Sprintf("%s[%d]", at, i)
				switch x := x.(type) {
				case string:
					out = addEntry(out, x, at)
				case map[string]any:
					out = addDefect(out, defect{defectText(x), at, x})
				}
			}
		}
	}
	return out
}

// Defects returns the defects that a ground truth lists, none if it lists none.
func Defects(truth tree.Raw) (out []string) {
	for _, d := range defectsOf(judgment.Decode(truth)) {
		out = append(out, d.text)
	}
	return out
}

// addEntry appends an entry of a list: one defect, unless it is itself a list, of lines or numbers.
func addEntry(list []defect, s, at string) []defect {
	if s = strings.TrimSpace(s); strings.ContainsRune(s, '\n') || strings.HasPrefix(strings.TrimLeft(s, "（("), "1") {
		return addDefects(list, s, at)
	}
	return addDefect(list, defect{text: s, at: at})
}

// addDefects appends the defects that a text lists.
func addDefects(list []defect, s, at string) []defect {
	for _, one := range fact.Items(firstBytes(s, maxNote)) {
		list = addDefect(list, defect{text: one, at: at})
	}
	return list
}

// addDefect appends a defect, unless its text has no letter or is a bare verdict.
func addDefect(list []defect, d defect) []defect {
	d.text = strings.TrimSpace(firstBytes(d.text, maxReasoning))
	if d.text == "" || !strings.ContainsFunc(d.text, isLetter) || judgment.Word(d.text) != judgment.Unread {
		return list
	}
	return append(list, d)
}

func defectText(o map[string]any) string {
	var parts []string
	for _, k := range slices.Sorted(maps.Keys(o)) {
		if s, ok := o[k].(string); ok && slices.Contains(defectTexts, judgment.Fold(k)) {
			parts = append(parts, s)
		}
	}
	for _, names := range [][]string{expectedFields, actualFields} {
		if s := fieldOf(o, names); s != "" {
			parts = append(parts, s)
		}
	}
	return strings.Join(parts, " ")
}
