package transfer

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"

	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/tree"
)

// MergeFiles is a merge driver for git. base, ours and theirs are the paths of three versions of one file of an export
// in the form Folder. MergeFiles writes the merged file to ours.
//
// If both sides have a node, MergeFiles unites the two versions by fixed rules: a contradiction is no error, and the
// order of merges does not matter. If one side removed a node or a fact, MergeFiles removes it unless the other side
// changed it. If the file is the manifest, MergeFiles sets Manifest.Merged and leaves out the counts, which do not
// follow from the manifests alone.
//
// MergeFiles returns the nodes in which both sides contradict each other, sorted by id, for people to check. After an
// error ours is unchanged.
func MergeFiles(base, ours, theirs string) ([]NodePlan, error) {
	if isManifest(ours) || isManifest(theirs) {
		return nil, mergeManifests(base, ours, theirs)
	}
	var sides [3]map[string]tree.Node
	for i, path := range []string{base, ours, theirs} {
		var err error
		if sides[i], err = readLines(path); err != nil {
			return nil, err
		}
	}
	o, a, b := sides[0], sides[1], sides[2]
	conflicts := []NodePlan{}
	for id, n := range b {
		m, both := a[id]
		was, known := o[id]
		switch {
		case both:
			if c := contradictions(&m, &n); len(c) > 0 {
				conflicts = append(conflicts, NodePlan{ID: id, Type: n.Type, ErrorType: n.ErrorType, Class: Conflicting,
					Says: nameOf(&n), Conflicts: c})
			}
			a[id] = entomb(merge(m, n))
		case !known || !equalNodes(&was, &n):
			a[id] = n
		}
	}
	for id, was := range o {
		if _, there := b[id]; !there {
			if m, ok := a[id]; ok && equalNodes(&was, &m) {
				delete(a, id)
			}
		}
	}
	slices.SortFunc(conflicts, func(x, y NodePlan) int { return cmp.Compare(x.ID, y.ID) })
	return conflicts, writeNodes(ours, a)
}

// mergeManifests writes a manifest with the facts of both sides, except those that one side removed.
func mergeManifests(base, ours, theirs string) error {
	m, facts, removed := noNodes(), map[string]ledger.Statement{}, map[string]bool{}
	m.Merged = true
	was := factsOf(base)
	for _, side := range []map[string]ledger.Statement{factsOf(ours), factsOf(theirs)} {
		maps.Copy(facts, side)
		for id := range was {
			_, there := side[id]
			removed[id] = removed[id] || !there
		}
	}
	for id, s := range facts {
		if !removed[id] {
			m.Facts = append(m.Facts, s)
		}
	}
	slices.SortFunc(m.Facts, byID)
	if err := m.check(); err != nil {
		return &UnusableError{Entry: manifestName, Problem: err.Error()}
	}
	return writeManifest(ours, m)
}

// factsOf returns the facts in a manifest by id; none if it is no manifest.
func factsOf(path string) map[string]ledger.Statement {
	out := map[string]ledger.Statement{}
	m, ok := manifestAt(path)
	for i := range m.Facts {
		if ok {
			out[m.Facts[i].ID()] = m.Facts[i]
		}
	}
	return out
}

// writeManifest replaces a manifest.
func writeManifest(path string, m Manifest) error {
	return writeWhole(path, []byte("{"), func(w io.Writer) error {
		b, err := json.MarshalIndent(m, "", "  ")
		if err != nil {
			return fmt.Errorf("write the manifest: %w", err)
		}
		_, err = w.Write(append(b, '\n'))
		return err
	})
}

// writeNodes replaces a file of the folder form, with the nodes sorted by id.
func writeNodes(path string, nodes map[string]tree.Node) error {
	return writeWhole(path, []byte("{"), func(w io.Writer) error {
		var buf bytes.Buffer
		for _, id := range slices.Sorted(maps.Keys(nodes)) {
			n := nodes[id]
			buf.Reset()
			if err := encode(&buf, &n); err != nil {
				return err
			}
			if _, err := w.Write(buf.Bytes()); err != nil {
				return err
			}
		}
		return nil
	})
}

// isManifest reports whether a file is a manifest, by its content. Git passes temporary files with other names.
func isManifest(path string) bool {
	_, ok := manifestAt(path)
	return ok
}

func manifestAt(path string) (m Manifest, ok bool) {
	b, err := readSmall(path, maxManifest)
	return m, err == nil && json.Unmarshal(b, &m) == nil && m.Format == formatName
}

// readLines reads a file of the folder form, in canonical form and by id. An empty file has no
// nodes.
func readLines(path string) (map[string]tree.Node, error) {
	f, err := os.Open(path) //nolint:gosec // git names the file
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // only read
	out := map[string]tree.Node{}
	in := newReading(allowed, func(n tree.Node) error {
		if err := tree.Check(&n); err != nil {
			return &UnusableError{Problem: fmt.Sprintf("has a node that is against a law: %v", err)}
		}
		out[n.ID] = canonical(n)
		return nil
	})
	errorType, err := firstType(f)
	if err != nil || errorType == "" { // empty: the file was added on one side
		return out, err
	}
	return out, in.nodes(path, errorType, io.LimitReader(f, allowed.bytes))
}

// firstType reads the error type of the first node in a file, and seeks back to its start. The error type is in the
// name of the file, but git does not pass that. It is "" for an empty file.
func firstType(f *os.File) (string, error) {
	in := newReading(allowed, nil)
	in.lines.Reset(f)
	line, err := in.line()
	switch {
	case errors.Is(err, io.EOF) && len(line) == 0:
		return "", nil
	case err != nil:
		return "", &UnusableError{Problem: "is no file of nodes"}
	}
	var n struct {
		ErrorType string `json:"errorType"`
	}
	if err := json.Unmarshal(line, &n); err != nil || !typeName().MatchString(n.ErrorType) {
		return "", &UnusableError{Problem: "is no file of nodes"}
	}
	_, err = f.Seek(0, io.SeekStart)
	return n.ErrorType, err
}
