package jsonstore

import (
	"bytes"
	"encoding/binary"
	"maps"
	"path"
	"slices"
)

// piecing assembles a manifest from the folders of snapshots, oldest first. A file keeps the hash that a manifest
// recorded. Lines of others are trusted only by their index.
type piecing struct {
	*salvage
	m        *manifest
	before   *manifest // the last readable one, or nil
	newest   bool      // before is the newest one: each file that it lists and that is missing is lost
	branches map[string]branchRef
}

// folder adds the files in the folder of a snapshot.
func (p *piecing) folder(folder string) error {
	names, err := p.disk.names(folder)
	if err != nil {
		return err
	}
	for _, n := range names {
		name := path.Join(folder, n)
		switch base, _, _ := cutExt(n); {
		case n == "known.table":
			ref, err := p.table(name)
			if err != nil {
				return err
			}
			p.m.Known = slices.Insert(p.m.Known, 0, ref) // newest first
		case n == "outbox.jsonl", n == "ledger.jsonl", n == "dead.jsonl":
			ref, err := p.linesRef(path.Join(folder, base))
			if err != nil {
				return err
			}
			switch base {
			case "outbox":
				p.m.Outbox = &ref
			case "ledger":
				p.m.Ledger = append(p.m.Ledger, ref)
			case "dead":
				p.m.Dead = append(p.m.Dead, ref)
			}
		case slug(n) && p.disk.exists(path.Join(name, "nodes.jsonl")):
			ref, err := p.linesRef(path.Join(name, "nodes"))
			if err != nil {
				return err
			}
			p.branches[n] = branchRef{n, ref}
		}
	}
	return nil
}

// finish adds missing files that the manifest before lists.
func (p *piecing) finish() {
	if p.before != nil {
		for _, b := range p.before.Branches {
			if _, ok := p.branches[b.ErrorType]; !ok {
				p.branches[b.ErrorType] = b
			}
		}
		p.m.Ledger = addMissing(p.m.Ledger, p.before.Ledger, linesName)
		p.m.Dead = addMissing(p.m.Dead, p.before.Dead, linesName)
	}
	if p.newest {
		p.m.Known = addMissing(p.m.Known, p.before.Known, tableName)
		if p.m.Outbox == nil {
			p.m.Outbox = p.before.Outbox
		}
	}
	for _, name := range slices.Sorted(maps.Keys(p.branches)) {
		p.m.Branches = append(p.m.Branches, p.branches[name])
	}
}

func linesName(l linesRef) string { return l.Data.Name }

func tableName(t tableRef) string { return t.Table.Name }

// addMissing returns have with those of before added whose files it lacks.
func addMissing[T any](have, before []T, name func(T) string) []T {
	for _, l := range before {
		if !slices.ContainsFunc(have, func(h T) bool { return name(h) == name(l) }) {
			have = append(have, l)
		}
	}
	return have
}

// recorded returns the reference with a name in the manifest before. A file never changes while a manifest lists it.
func (p *piecing) recorded(name string) (l linesRef, ok bool) {
	if p.before == nil {
		return l, false
	}
	all := slices.Concat(p.before.Ledger, p.before.Dead)
	for _, b := range p.before.Branches {
		all = append(all, b.linesRef)
	}
	if p.before.Outbox != nil {
		all = append(all, *p.before.Outbox)
	}
	i := slices.IndexFunc(all, func(l linesRef) bool { return l.Data.Name == name })
	if i < 0 {
		return l, false
	}
	return all[i], true
}

// linesRef describes the file of lines stem.jsonl and its index.
func (p *piecing) linesRef(stem string) (linesRef, error) {
	if l, ok := p.recorded(stem + ".jsonl"); ok {
		return l, nil
	}
	data, err := p.readWhole(stem + ".jsonl")
	if err != nil {
		return linesRef{}, err
	}
	index, err := p.readWhole(stem + ".index")
	if err != nil {
		return linesRef{}, err
	}
	count := countRecords(index, lineSize)
	if count == 0 {
		count = bytes.Count(data, []byte("\n"))
	}
	return linesRef{Count: count, Data: fileRef{Name: stem + ".jsonl"}, Index: fileRef{Name: stem + ".index"}}, nil
}

func (p *piecing) table(name string) (tableRef, error) {
	if p.before != nil {
		if i := slices.IndexFunc(p.before.Known, func(t tableRef) bool { return t.Table.Name == name }); i >= 0 {
			return p.before.Known[i], nil
		}
	}
	b, err := p.readWhole(name)
	return tableRef{Count: countRecords(b, knownSize), Table: fileRef{Name: name}}, err
}

// countRecords returns the number of records of the table at the start of b, as recorded in its pages. A damaged page
// counts as full if a valid one follows.
func countRecords(b []byte, size int) int {
	count, doubt := 0, 0
	for n := 0; len(b) >= pageSize; n, b = n+1, b[pageSize:] {
		here := int(binary.BigEndian.Uint32(b[pageSize-8:]))
		if binary.BigEndian.Uint32(b[pageSize-4:]) != pageSum(n, b) || here > perPage(size) {
			doubt += perPage(size)
			continue
		}
		count, doubt = count+doubt+here, 0
		if here < perPage(size) {
			break
		}
	}
	return count
}

// cutExt splits a name at its last dot.
func cutExt(name string) (stem, ext string, found bool) {
	ext = path.Ext(name)
	return name[:len(name)-len(ext)], ext, ext != ""
}
