package jsonstore

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"sync"
)

// keeper receives a trusted line, its place and its index record. It returns an error if the line is invalid.
type keeper func(at piece, l indexed, raw []byte) error

// lines passes all trusted lines of a snapshot file to keep. A line is trusted if the file's hash matches the manifest
// or the line's own checksum matches the index. So either the file or its index may be damaged without loss. If both
// are damaged at a line, that line is lost, and its bytes are recorded for broken/.
func (s *salvage) lines(ref *linesRef, kind lossKind, keep keeper) error {
	data, err := s.readWhole(ref.Data.Name)
	if err != nil {
		return err
	}
	index, err := s.readWhole(ref.Index.Name)
	if err != nil {
		return err
	}
	records, badIndex := readIndex(index, ref.Count)
	sound := hashed(index, ref.Index)
	// An intact file needs no index. Only otherwise does the index decide, line by line.
	if hashed(data, ref.Data) {
		if badIndex > 0 || !sound {
			s.noteRebuildable(ref.Index.Name)
		}
		return s.splitLines(ref, data, records, keep)
	}
	l := lineSalvage{s: s, ref: ref, kind: kind, data: data, keep: keep, unknown: badIndex}
	if badIndex == 0 && !sound && ref.Index.Sum != "" {
		s.noteRebuildable(ref.Index.Name)
	}
	return l.run(records)
}

// hashed reports whether a file has the length and hash in the manifest.
func hashed(b []byte, ref fileRef) bool {
	sum := sha256.Sum256(b)
	return int64(len(b)) == ref.Bytes && hex.EncodeToString(sum[:]) == ref.Sum
}

// readIndex returns the index records by line, nil for those on damaged pages, and the number
// of lines whose records are on damaged pages.
func readIndex(b []byte, count int) ([]*indexed, int) {
	out, bad := make([]*indexed, count), 0
	for n := range pages(count, lineSize) {
		first := n * perPage(lineSize)
		t := table{from: bytes.NewReader(slicePart(b, int64(n)*pageSize, pageSize)), start: -int64(n) * pageSize,
			size:  lineSize,
			count: count}
		page, err := t.page(n)
		if err != nil {
			bad += min(perPage(lineSize), count-first)
			continue
		}
		for i := 0; i*lineSize < len(page); i++ {
			l := parseIndexed(page[i*lineSize:])
			out[first+i] = &l
		}
	}
	return out, bad
}

// splitLines passes on all lines of a file whose hash is right.
func (s *salvage) splitLines(ref *linesRef, data []byte, records []*indexed, keep keeper) error {
	last, off := uint64(0), int64(0)
	for i := 0; len(data) > 0; i++ {
		line, rest, _ := bytes.Cut(data, []byte("\n"))
		l := indexed{num: last + 1}
		if i < len(records) && records[i] != nil {
			l = *records[i]
		}
		if err := keep(piece{s.file(ref.Data.Name), placeOf(off, line)}, l, line); err != nil {
			s.noteLoss(Loss{Kind: LostNodes, File: ref.Data.Name, Offset: off, Bytes: int64(len(line)) + 1, Count: 1})
		}
		last, data, off = l.num, rest, off+int64(len(line))+1
	}
	return nil
}

// lineSalvage reads a damaged file with the help of its index.
type lineSalvage struct {
	s       *salvage
	ref     *linesRef
	kind    lossKind
	data    []byte
	keep    keeper
	unknown int // lines whose index records are damaged too
}

// run passes the lines with a correct checksum to keep, and records the others as lost.
func (l *lineSalvage) run(records []*indexed) error {
	next := int64(0) // up to here, every byte is accounted for
	for i, r := range records {
		if r == nil {
			continue
		}
		if r.off > next { // lines whose index records are damaged
			before := 0
			for k := i - 1; k >= 0 && records[k] == nil; k-- {
				before++
			}
			l.noteLoss(next, r.off-next, before)
			l.unknown -= before
		}
		next = r.off + int64(r.len) + 1
		line := slicePart(l.data, r.off, int64(r.len)+1)
		if int64(len(line)) == int64(r.len)+1 {
			if raw, err := r.check(l.ref, line); err == nil &&
				l.keep(piece{l.s.file(l.ref.Data.Name), r.place}, *r, raw) == nil {
				continue
			}
		}
		l.noteLoss(r.off, int64(r.len)+1, 1)
	}
	if l.unknown > 0 {
		l.noteLoss(next, max(0, int64(len(l.data))-next), l.unknown)
	} else if next < int64(len(l.data)) {
		l.s.noteRebuildable(l.ref.Data.Name) // bytes were added to the file
	}
	return nil
}

// nodeID matches the id at the start of a node's JSON, which may be damaged further on.
var nodeID = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\{"id":"([A-Za-z0-9_]{1,64})"`) })

// noteLoss records a loss, with the node's id if that can be read.
func (l *lineSalvage) noteLoss(off, size int64, count int) {
	b := slicePart(l.data, off, size)
	loss := Loss{Kind: l.kind, File: l.ref.Data.Name, Offset: off, Bytes: int64(len(b)), Count: count}
	if m := nodeID().FindSubmatch(b); m != nil && l.kind == LostNodes && count == 1 {
		loss.Name = string(m[1])
	}
	l.s.noteLoss(loss)
}

// manifest returns the last manifest, or one assembled from the existing files.
func (s *salvage) manifest() (*manifest, error) {
	names, err := s.disk.names(".")
	if err != nil {
		return nil, fmt.Errorf("read the folder: %w", err)
	}
	numbers := numbered(names, "manifest.", ".json")
	journals := numbered(names, "journal.", ".jsonl")
	for _, n := range append(slices.Clone(numbers), journals...) {
		s.highest = max(s.highest, n)
	}
	var best *manifest // the highest that can be read
	for _, n := range slices.Backward(numbers) {
		b, err := s.disk.read(manifestName(n), maxManifest)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("read %s: %w", manifestName(n), err)
		}
		if m, err := parseManifest(b); err == nil && m.Number == n {
			best = m
			break
		}
		s.noteRebuildable(manifestName(n))
	}
	switch {
	case best != nil && (len(s.Again) == 0 || s.disk.complete(best)) && s.present(best):
		return best, nil
	case best == nil && len(numbers) == 0 && !s.disk.hasSnapshots(names):
		return &manifest{Number: 1, Prev: link{}.String()}, nil
	}
	return s.pieceTogether(names, best, journals)
}

// present reports whether every file of a manifest exists, whatever its content.
func (s *salvage) present(m *manifest) bool {
	return !slices.ContainsFunc(m.files(), func(f fileRef) bool { return !s.disk.exists(f.Name) })
}

func (d *disk) hasSnapshots(names []string) bool {
	return slices.ContainsFunc(names, func(n string) bool { return folderOf(n) > 0 && d.exists(n) })
}

// pieceTogether assembles a manifest from the files of the snapshots: the newest of each branch and of the outbox, and
// all of the ledger, the dead letters and the known keys. before is the last readable manifest, or nil.
func (s *salvage) pieceTogether(names []string, before *manifest, journals []int) (*manifest, error) {
	m := &manifest{Number: s.highest, Prev: link{}.String()}
	if before != nil {
		m.Counts, m.Seq, m.Prev = before.Counts, before.Seq, before.Prev
	}
	if len(journals) > 0 {
		m.Number = journals[0]
		if err := s.followJournal(m); err != nil {
			return nil, err
		}
	}
	p := piecing{salvage: s, m: m, before: before, newest: before != nil && len(s.Again) == 0,
		branches: map[string]branchRef{}}
	for _, n := range numbered(names, "snapshot.", "") {
		if err := p.folder(snapshotName(n)); err != nil {
			return nil, err
		}
	}
	p.finish()
	return m, nil
}

// followJournal sets seq and link of the manifest to those that the first line of its journal follows.
func (s *salvage) followJournal(m *manifest) error {
	b, err := s.disk.bytes(m.Number, 0)
	if err != nil {
		return err
	}
	if f, _, ok := parseFrame(b); ok && f.seq > 0 {
		m.Seq, m.Prev = f.seq-1, f.prev.String()
	}
	return nil
}
