package jsonstore

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
)

// wholeLine is a line of a journal that verifies by itself.
type wholeLine struct {
	number    int
	off, size int64
	seq       uint64
	prev      link // of the line before
	link      link // of this one
	json      place
}

// gap is bytes of a journal that are no line.
type gap struct {
	number    int
	off, size int64
}

// readJournals applies every line that verifies, in order, also behind one that
// does not: a batch holds all of what it changes, so that one can be missing.
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
	s.tell(ordered, gaps, shut, lost)
	return nil
}

// wholeLines returns the lines in b that verify, and what is between them.
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
		lines = append(lines, wholeLine{n, int64(i), int64(size), f.seq, f.prev, linkOf(line), at})
		i += size
		from = i
	}
	between(len(b))
	return lines, gaps
}

// inOrder returns the lines after the base by their number, each once.
func (s *salvage) inOrder(all []wholeLine) []wholeLine {
	all = slices.DeleteFunc(slices.Clone(all), func(l wholeLine) bool { return l.seq <= s.base.Seq })
	slices.SortStableFunc(all, func(a, b wholeLine) int { return cmp.Compare(a.seq, b.seq) })
	return slices.CompactFunc(all, func(a, b wholeLine) bool { return a.seq == b.seq })
}

// apply applies the lines and returns those that make no sense.
func (s *salvage) apply(lines []wholeLine) (senseless []wholeLine) {
	for _, l := range lines {
		h := s.file(journalName(l.number))
		raw, err := h.value(l.json)
		if err == nil {
			err = s.applyLine(raw, piece{h, l.json})
		}
		if err != nil {
			senseless = append(senseless, l)
		}
		s.seq, s.prev = l.seq, l.link
	}
	return senseless
}

// applyLine is state.apply for a journal of which lines may be missing: what is
// finished need not be there, and of a node the highest revision counts.
func (s *salvage) applyLine(b []byte, in piece) error {
	var problem error
	err := members(b, func(key string, v []byte, at int) bool {
		each := func(f func([]byte, piece) error) {
			problem = elements(v, func(e []byte, i int) error { return f(e, in.part(at+i, e)) })
		}
		switch key {
		case "version":
			var version uint64
			version, problem = number(v)
			s.state.Version = max(s.state.Version, version)
		case "changes":
			each(s.changed)
		case "done":
			each(s.done)
		case "dead":
			each(s.deadLetter)
		case "entries":
			each(func(e []byte, in piece) error { return s.entry(in, indexed{}, e) })
		case "accept":
			each(s.accepted)
		}
		return problem == nil
	})
	if problem != nil {
		return problem
	}
	return err
}

func (s *salvage) changed(change []byte, in piece) error {
	n, err := parseChange(change, in)
	if err == nil {
		s.putNode(n)
	}
	return err
}

func (s *salvage) done(k []byte, _ piece) error {
	key, err := unquote(k)
	if err == nil {
		s.state.leave(key)
	}
	return err
}

// deadLetter is applyDead where the evaluation need not wait.
func (s *salvage) deadLetter(letter []byte, at piece) error {
	var d struct {
		Key string `json:"key"`
	}
	if err := decode(letter, &d); err != nil {
		return err
	}
	s.state.leave(d.Key)
	s.putLetter(letter, at)
	return nil
}

// accepted is applyAccept where the evaluation may be known, from a snapshot
// that no manifest names.
func (s *salvage) accepted(accept []byte, in piece) error {
	next := *s.state
	if err := next.applyAccept(accept, in); err != nil {
		return err
	}
	var a struct {
		Key string `json:"key"`
	}
	if err := decode(accept, &a); err != nil {
		return err
	}
	h := hashOf(a.Key)
	now, _ := next.top.known.get(string(h[:]))
	if before, ok := s.state.top.known.get(string(h[:])); ok && (before.digest == now.digest || before.before == now.digest) {
		return nil
	}
	s.state = &next
	return nil
}

// leave takes the oldest evaluation with a key out of the outbox, if one waits.
func (st *state) leave(key string) {
	h := hashOf(key)
	if at, ok := st.pending(h); ok {
		st.outbox = st.outbox.del(at)
		st.byKey = st.byKey.del(string(h[:]) + at)
	}
}

// tell says which batches are lost: those of which the number is missing.
func (s *salvage) tell(lines []wholeLine, gaps []gap, shut shutdown, senseless []wholeLine) {
	for _, l := range senseless {
		s.lose(Loss{Kind: LostBatches, File: journalName(l.number), Offset: l.off, Bytes: l.size, Count: 1})
	}
	last := s.base.Seq
	at := wholeLine{number: s.base.Number}
	for _, l := range lines {
		if l.seq > last+1 {
			s.loseBetween(at, l, gaps, int(l.seq-last-1)) //nolint:gosec // a count of lines
		}
		last, at = l.seq, l
	}
	s.tellEnd(last, at, gaps, shut)
}

// loseBetween loses the batches between two lines that can be read, with the
// bytes that stand between them.
func (s *salvage) loseBetween(a, b wholeLine, gaps []gap, count int) {
	found := false
	for _, g := range gaps {
		after := g.number > a.number || g.number == a.number && g.off >= a.off
		before := g.number < b.number || g.number == b.number && g.off < b.off
		if after && before && g.off == 0 && count > 0 { // its first line, which holds nothing
			count--
			if count == 0 {
				s.again(journalName(g.number))
				return
			}
		}
		if after && before {
			s.lose(Loss{Kind: LostBatches, File: journalName(g.number), Offset: g.off, Bytes: g.size, Count: count})
			found, count = true, 0
		}
	}
	if !found {
		s.lose(Loss{Kind: LostBatches, File: journalName(b.number), Offset: b.off, Count: count})
	}
}

// tellEnd looks behind the last line: what the record of a clean close misses,
// and what was begun, is lost; else nobody was told of it.
func (s *salvage) tellEnd(last uint64, at wholeLine, gaps []gap, shut shutdown) {
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
	begun := last == s.base.Seq // its first line was durable before anything said so
	if begun && l.Count > 0 {
		l.Count-- // that line holds nothing
	}
	switch {
	case begun && l.Count == 0 && shut.Journal >= s.base.Number && shut.Seq == last+1:
		s.again(l.File)
	case begun || l.Count > 0:
		s.lose(l)
	case tail != nil:
		s.Torn, s.torn = tail.size, tail
	}
}
