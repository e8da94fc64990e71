package jsonstore

import (
	"slices"
	"strings"

	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// An index stores status and direction as their positions in these lists, from 1; 0 means any other value. Append new
// values at the end, because indexes on disk hold the positions.
func statuses() []string {
	return []string{
		string(tree.Probation), string(tree.Active), string(tree.Quarantined), string(tree.Retired), string(tree.Archived),
	}
}

func directions() []string {
	return []string{string(taxonomy.FalsePass), string(taxonomy.FalseFail), string(taxonomy.Other)}
}

func codeOf(list []string, word string) uint8 {
	return uint8(slices.Index(list, word) + 1) //nolint:gosec // the lists are short
}

// filter is a store.Filter in codes: the part that an index can decide without reading the node.
type filter struct{ level, status, direction uint8 }

// filterOf returns the codes of f. The error type is not included: it selects the folder.
func filterOf(f store.Filter) filter {
	c := filter{level: uint8(min(max(f.Level, 0), 255))} //nolint:gosec // bounded
	if f.Status != "" {
		c.status = codeOf(statuses(), string(f.Status))
	}
	if f.Direction != "" {
		c.direction = codeOf(directions(), string(f.Direction))
	}
	return c
}

// mayMatch reports whether a node with m may match. Unknown codes match.
func (f filter) mayMatch(m meta) bool {
	differ := func(want, have uint8) bool { return want != 0 && have != 0 && want != have }
	return !differ(f.level, m.level) && !differ(f.status, m.status) && !differ(f.direction, m.direction)
}

// safeID reports whether s is a valid id of a node: 1 to 64 letters, digits and _.
func safeID(s string) bool {
	return s != "" && len(s) <= 64 && strings.IndexFunc(s, func(r rune) bool {
		return r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	}) < 0
}

// slug reports whether s is a valid error type, which also names a folder.
func slug(s string) bool { return safeID(s) && s == strings.ToLower(s) }
