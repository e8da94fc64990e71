// Package transfer moves nodes between trees: it writes nodes to a file or a folder and reads them back, merges
// versions of two trees, plans the changes of an import, and reports the differences of two trees.
//
// It proposes changes, as lists of tree.Change; only an Exchange writes, through its memory. FORMAT.md describes the
// bytes of a file. Reading treats every file as hostile: names come from an allow-list, and lines, counts, bytes and
// the compression ratio have limits. It refuses an incomplete file.
//
// Where to look:
//   - export_choice.go, redact.go, write.go, folder.go, seed.go: the selected nodes, and how they are written
//   - read.go, folder_read.go, file.go, spool.go: reading
//   - import_plan.go, import_links.go, import_batches.go: the changes of an import
//   - merge.go, decision.go, driver.go, diff.go: two trees; promote.go: out of quarantine; sign.go: signatures
//   - seed_adopt.go: nodes of the form Seed; exchange.go: Export, Import and Promote of a memory
package transfer

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"sync"

	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/tree"
)

// The name and version of the format of FORMAT.md in a manifest. A reader refuses another major version. A greater
// minor version may have added members; a reader ignores them.
const (
	formatName = "memtree-transfer"
	major      = 1
	minor      = 3
)

// Manifest lists the content of an export, so that a reader detects missing parts. It is the last entry of an archive,
// and the file manifest.json of a folder.
type Manifest struct {
	Format  string         `json:"format"`  // name of the format
	Major   int            `json:"major"`   // a reader refuses another major version
	Minor   int            `json:"minor"`   // a reader ignores what later minor versions add
	Nodes   int            `json:"nodes"`   // number of nodes
	Levels  map[string]int `json:"levels"`  // nodes by type
	Origins map[string]int `json:"origins"` // nodes by origin id
	Types   []typeSum      `json:"types"`   // sorted by error type

	Beside

	// Merged is set in the manifest of a folder that git merged, see MergeFiles. Such a manifest has no counts and no
	// hashes, and a reader does not check them.
	Merged bool `json:"merged,omitempty"`
}

// Beside is what an export holds beside nodes. It is in the manifest, so older readers ignore it.
type Beside struct {
	// Risk is the tree's tally of right and wrong verdicts; nil unless requested.
	Risk *ledger.Tally `json:"risk,omitempty"`
	// Facts are the statements about products that are in use, sorted by id, each once. Importing makes them proposals.
	Facts []ledger.Statement `json:"facts,omitempty"`
}

// check returns an error that completes a sentence about the manifest. It does not check the statements: an import
// names those that break a law, and takes the others.
func (b *Beside) check() error {
	if b.Risk != nil {
		if err := b.Risk.Check(); err != nil {
			return err
		}
	}
	if len(b.Facts) > maxFacts {
		return fmt.Errorf("has %d facts; the most is %d: export one product, or leave the facts out and export "+
			"them to a file of their own", len(b.Facts), maxFacts)
	}
	last := ""
	for i := range b.Facts {
		id := b.Facts[i].ID()
		if id <= last {
			return fmt.Errorf("has fact %s, which is there twice or out of order", id)
		}
		last = id
	}
	return nil
}

// byID is the order of facts in a file.
func byID(a, b ledger.Statement) int { return cmp.Compare(a.ID(), b.ID()) }

// typeSum holds the number and a hash of the nodes of one error type in a file.
type typeSum struct {
	ErrorType string `json:"errorType"`
	Nodes     int    `json:"nodes"`
	Bytes     int64  `json:"bytes"`  // of its lines, line ends included
	SHA256    string `json:"sha256"` // of its lines, in hex
}

// limits bound the reading of one file.
type limits struct {
	nodes int   // in all
	bytes int64 // in all, unpacked
	line  int   // one node
	ratio int64 // unpacked to packed bytes; checked after ratioFree unpacked bytes
}

// allowed are the limits for one file.
var allowed = limits{nodes: 250_000, bytes: 1 << 30, line: 4 << 20, ratio: 200}

const (
	maxTypes    = 1024
	maxOrigins  = 10_000
	maxManifest = 12 << 20
	maxFacts    = 10_000
	ratioFree   = 16 << 20
)

// UnusableError is why a file or folder was refused. None of the nodes read from it may be used.
type UnusableError struct {
	Entry   string // file inside the export; "" for all of it
	Line    int    // from 1; 0 for the whole entry
	Problem string // what is wrong: the rest of a sentence that begins with the place
}

func (e *UnusableError) Error() string {
	switch {
	case e.Entry == "":
		return "the file " + e.Problem
	case e.Line == 0:
		return fmt.Sprintf("entry %.100q of the file %s", e.Entry, e.Problem)
	}
	return fmt.Sprintf("line %d of entry %q of the file %s", e.Line, e.Entry, e.Problem)
}

// byMistake is an order in which lessons that name a mistake come first. They are about these
// cases, where the others are about all cases of the type. Guidance begins with the first.
func byMistake(a, b tree.Lesson) int {
	switch {
	case (a.Mistake == "") == (b.Mistake == ""):
		return 0
	case a.Mistake == "":
		return 1
	}
	return -1
}

// canonical returns the exported form of n. Equal nodes have the same bytes in this form, and fields that only a store
// sets are reset (revision is 1, lastChange is empty).
func canonical(n tree.Node) tree.Node {
	n = n.Clone()
	n.Revision, n.LastChange = 1, ""
	if n.Decision != nil {
		n.Decision.Fresh, n.Decision.At = false, n.Decision.At.UTC()
	}
	n.Metadata.CreatedAt, n.Metadata.UpdatedAt = n.Metadata.CreatedAt.UTC(), n.Metadata.UpdatedAt.UTC()
	n.Children = sorted(n.Children)
	n.Content.AppliesWhen, n.Content.NotWhen = orNil(n.Content.AppliesWhen), orNil(n.Content.NotWhen)
	n.Content.Lessons = orNil(n.Content.Lessons)
	for i := range n.Content.Lessons {
		l := &n.Content.Lessons[i]
		l.Cites, l.What, l.Scenes = orNil(sorted(l.Cites)), orNil(sorted(l.What)), orNil(sorted(l.Scenes))
	}
	// This order does not depend on the order in which the lessons were merged.
	slices.SortFunc(n.Content.Lessons, func(a, b tree.Lesson) int {
		return cmp.Or(byMistake(a, b), len(b.Cites)-len(a.Cites), cmp.Compare(a.ID, b.ID))
	})
	n.Scope.SuiteTests = orNil(n.Scope.SuiteTests)
	n.Provenance.Cites, n.Provenance.Left = orNil(sorted(n.Provenance.Cites)), orNil(sorted(n.Provenance.Left))
	n.Provenance.Lost = orNil(sorted(n.Provenance.Lost))
	if n.Content.Other != nil {
		n.Content.Other.AppliesWhen = orNil(n.Content.Other.AppliesWhen)
	}
	if n.CaseData != nil {
		n.CaseData.TestCase.GroundTruth = n.CaseData.TestCase.GroundTruth.Canonical()
	}
	if n.Occurrences == nil {
		n.Occurrences = []tree.Occurrence{}
	}
	for i := range n.Occurrences {
		n.Occurrences[i].At = n.Occurrences[i].At.UTC()
	}
	slices.SortFunc(n.Occurrences, laterOccurrence)
	if len(n.Counters) == 0 {
		n.Counters = nil
	}
	if n.Elsewhere != nil {
		n.Elsewhere.IDs = orNil(sorted(n.Elsewhere.IDs))
	}
	return n
}

// sorted returns the distinct members of list in order, never nil.
func sorted(list []string) []string {
	out := slices.Compact(slices.Sorted(slices.Values(list)))
	if out == nil {
		out = []string{}
	}
	return out
}

// orNil returns nil for an empty list, so that both are encoded the same way.
func orNil[T any](list []T) []T {
	if len(list) == 0 {
		return nil
	}
	return list
}

// encode appends the line of a canonical node to buf.
func encode(buf *bytes.Buffer, n *tree.Node) error {
	enc := json.NewEncoder(buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(n); err != nil {
		return fmt.Errorf("encode node %s: %w", n.ID, err)
	}
	return nil
}

// spelled returns the encoded form of a node, for comparisons.
func spelled(n *tree.Node) string {
	var buf bytes.Buffer
	if err := encode(&buf, n); err != nil {
		return "" // only a Raw that tree.Check refuses does not encode
	}
	return buf.String()
}

// less is the order of nodes in a file.
func less(errorType, id, thanType, thanID string) bool {
	return cmp.Or(cmp.Compare(errorType, thanType), cmp.Compare(id, thanID)) < 0
}

// typeName matches a valid error type. Error types are names of files, so nothing else may come from a hostile file.
var typeName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z0-9_]{1,64}$`) })
