package jsonstore

import (
	"slices"
	"strings"

	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// An index keeps status and direction as their place in these lists, from 1;
// 0 stands for any other word. New words go to the end.
func statuses() []string {
	return []string{
		string(tree.Probation), string(tree.Active), string(tree.Quarantined), string(tree.Retired), string(tree.Archived),
	}
}

func directions() []string {
	return []string{string(taxonomy.FalsePass), string(taxonomy.FalseFail), string(taxonomy.Other)}
}

func code(list []string, word string) uint8 {
	return uint8(slices.Index(list, word) + 1) //nolint:gosec // the lists are short
}

// filter is a tree.Filter in codes: what an index can say without the node.
type filter struct{ level, status, direction uint8 }

func filterOf(f tree.Filter) filter {
	c := filter{level: uint8(min(max(f.Level, 0), 255))} //nolint:gosec // bounded
	if f.Status != "" {
		c.status = code(statuses(), string(f.Status))
	}
	if f.Direction != "" {
		c.direction = code(directions(), string(f.Direction))
	}
	return c
}

// may reports whether a node with m may match; it errs on the side of true.
func (f filter) may(m meta) bool {
	differ := func(want, have uint8) bool { return want != 0 && have != 0 && want != have }
	return !differ(f.level, m.level) && !differ(f.status, m.status) && !differ(f.direction, m.direction)
}

// safeID reports whether s may be a node's id: 1 to 64 letters, digits and _.
func safeID(s string) bool {
	return s != "" && len(s) <= 64 && strings.IndexFunc(s, func(r rune) bool {
		return r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	}) < 0
}

// slug reports whether s may be an error type, and so a folder.
func slug(s string) bool { return safeID(s) && s == strings.ToLower(s) }
