package jsonstore

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"

	"github.com/memtree/memtree/store"
)

// wholeLine is a line of a journal that is valid by itself.
type wholeLine struct {
	number    int
	off, size int64
	seq       uint64
	link      link
	json      place
}

// gap is bytes of a journal that are not a valid line.
type gap struct {
	number    int
	off, size int64
}

// readJournals applies every valid line in order, including those behind a damaged one. That is possible because a
// batch holds whole nodes, so it does not depend on the batches before it.
func (s *salvage) readJournals() error {
	names, err := s.disk.names(".")
	if err != nil {
		return fmt.Errorf("read the folder: %w", err)
	}
	shut, err := s.disk.readShutdown()
	if err != nil {
		return err
	}
	var all []wholeLine
	var gaps []gap
	for _, n := range numbered(names, "journal.", ".jsonl") {
		if n < s.base.Number {
			continue
		}
		b, err := s.disk.bytes(n, 0)
		if err != nil {
			return fmt.Errorf("read %s: %w", journalName(n), err)
		}
		l, g := wholeLines(b, n)
		all, gaps = append(all, l...), append(gaps, g...)
	}
	ordered := s.inOrder(all)
	lost := s.apply(ordered)
	s.noteLostBatches(ordered, gaps, shut, lost)
	return nil
}

// wholeLines returns the valid lines in b, and the gaps between them.
func wholeLines(b []byte, n int) (lines []wholeLine, gaps []gap) {
	from, i := 0, 0
	between := func(to int) {
		if to > from {
			gaps = append(gaps, gap{n, int64(from), int64(to - from)})
		}
	}
	for i < len(b) {
		j := bytes.Index(b[i:], []byte(frameMark))
		if j < 0 {
			break
		}
		i += j
		f, size, ok := parseFrame(b[i:])
		if !ok {
			i++
			continue
		}
		between(i)
		line := b[i : i+size]
		at := placeOf(int64(i+size-1-len(f.json)), f.json)
		lines = append(lines, wholeLine{n, int64(i), int64(size), f.seq, linkOf(line), at})
		i += size
		from = i
	}
	between(len(b))
	return lines, gaps
}

// inOrder returns the lines after the base, sorted by sequence number, without repetitions.
func (s *salvage) inOrder(all []wholeLine) []wholeLine {
	all = slices.DeleteFunc(slices.Clone(all), func(l wholeLine) bool { return l.seq <= s.base.Seq })
	slices.SortStableFunc(all, func(a, b wholeLine) int { return cmp.Compare(a.seq, b.seq) })
	return slices.CompactFunc(all, func(a, b wholeLine) bool { return a.seq == b.seq })
}

// apply applies the lines and returns those that cannot be applied.
func (s *salvage) apply(lines []wholeLine) (senseless []wholeLine) {
	for _, l := range lines {
		h := s.file(journalName(l.number))
		raw, err := h.value(l.json)
		if err == nil {
			err = applyLine(raw, piece{h, l.json}, s)
		}
		if err != nil {
			senseless = append(senseless, l)
		}
		s.seq, s.prev = l.seq, l.link
	}
	return senseless
}

func (s *salvage) applyVersion(v uint64) { s.state.Version = max(s.state.Version, v) }

// applyChanges stores each node, unless a higher revision is stored.
func (s *salvage) applyChanges(_ *handle, list []changed) {
	for _, l := range list {
		s.putNode(l.node)
	}
}

// applyDone removes an evaluation from the outbox. It may be missing there.
func (s *salvage) applyDone(key store.Hash) error {
	s.state.leaveOutbox(key)
	return nil
}

func (s *salvage) applyDead(key store.Hash, letter []byte, at piece) error {
	s.state.leaveOutbox(key)
	s.putLetter(letter, at)
	return nil
}

func (s *salvage) applyEntry(entry []byte, at piece) error { return s.entry(at, indexed{}, entry) }

// applyAccept ignores an evaluation known from a snapshot that no manifest lists.
func (s *salvage) applyAccept(a acceptance) {
	before, ok := s.state.top.known.get(string(a.key[:]))
	if !ok || before.Digest != a.known.Digest && before.Before != a.known.Digest {
		s.state.applyAccept(a)
	}
}

// noteLostBatches records which batches are lost: those whose sequence numbers are missing.
func (s *salvage) noteLostBatches(lines []wholeLine, gaps []gap, shut shutdown, senseless []wholeLine) {
	for _, l := range senseless {
		s.noteLoss(Loss{Kind: LostBatches, File: journalName(l.number), Offset: l.off, Bytes: l.size, Count: 1})
	}
	last := s.base.Seq
	at := wholeLine{number: s.base.Number}
	for _, l := range lines {
		if l.seq > last+1 {
			s.loseBetween(at, l, gaps, int(l.seq-last-1)) //nolint:gosec // a count of lines
		}
		last, at = l.seq, l
	}
	s.noteLostEnd(last, at, gaps, shut)
}

// loseBetween records the loss of count batches between the lines a and b, with the bytes of
// the gaps there.
func (s *salvage) loseBetween(a, b wholeLine, gaps []gap, count int) {
	found := false
	for _, g := range gaps {
		after := g.number > a.number || g.number == a.number && g.off >= a.off
		before := g.number < b.number || g.number == b.number && g.off < b.off
		if after && before && g.off == 0 && count > 0 { // the first line of a journal, which is no batch
			count--
			if count == 0 {
				s.noteRebuildable(journalName(g.number))
				return
			}
		}
		if after && before {
			s.noteLoss(Loss{Kind: LostBatches, File: journalName(g.number), Offset: g.off, Bytes: g.size, Count: count})
			found, count = true, 0
		}
	}
	if !found {
		s.noteLoss(Loss{Kind: LostBatches, File: journalName(b.number), Offset: b.off, Count: count})
	}
}

// noteLostEnd records what is lost after the last line: what existed according to the record of a clean close, and a
// journal that was started. Anything else there was never acknowledged.
func (s *salvage) noteLostEnd(last uint64, at wholeLine, gaps []gap, shut shutdown) {
	l := Loss{Kind: LostBatches, File: journalName(at.number), Offset: at.off + at.size}
	var tail *gap
	for i, g := range gaps {
		if g.number > at.number || g.number == at.number && g.off >= l.Offset {
			tail = &gaps[i]
			l.File, l.Offset, l.Bytes = journalName(g.number), g.off, g.size
			break
		}
	}
	if shut.Seq > last && shut.Journal >= s.base.Number {
		l.Count = int(shut.Seq - last) //nolint:gosec // a count of lines
	}
	begun := last == s.base.Seq // the journal's first line, which is missing, was durable
	if begun && l.Count > 0 {
		l.Count-- // that line is no batch
	}
	switch {
	case begun && l.Count == 0 && shut.Journal >= s.base.Number && shut.Seq == last+1:
		s.noteRebuildable(l.File)
	case begun || l.Count > 0:
		s.noteLoss(l)
	case tail != nil:
		s.Torn, s.torn = tail.size, tail
	}
}
