package jsonstore

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/tree"
)

// replay reads the journals after a base. It writes nothing; its findings are handled after everything is read.
type replay struct {
	disk     *disk
	state    *state
	file     *handle  // the journal with the last line
	number   int      // of that journal
	size     int64    // bytes of its valid lines
	seq      uint64   // of the last line
	prev     link     // of the last line
	lines    int      // lines read, in all journals
	recorded shutdown // record of the last clean close

	clean  bool                // the store was closed with exactly these bytes
	torn   []tail              // bytes that cannot belong to an acknowledged batch
	damage *store.CorruptError // damage to acknowledged bytes
	pieced bool                // the state was assembled line by line, see pieceForReading
}

// tail is the end of a journal, from the first bad byte on.
type tail struct {
	number int
	off    int64
	bytes  []byte
}

// replayFrom reads the journals from number on, until one is missing. seq and prev are those of the line before. If
// keep is set, the files remain open, because a writer may rename others over them before they are read again.
func (d *disk) replayFrom(st *state, number int, seq uint64, prev link, keep bool) (*replay, error) {
	r := &replay{disk: d, state: st, number: number, seq: seq, prev: prev}
	last, err := d.readShutdown()
	if err != nil {
		return nil, err
	}
	for n := number; ; n++ {
		h := d.journalHandle(n)
		end, size, err := r.scan(h, 0)
		if !keep || end == 0 {
			h.closeFile()
		}
		if errors.Is(err, fs.ErrNotExist) {
			r.noteMissing(n, number, last)
			r.recorded = last
			r.clean = r.damage == nil && last.Journal == r.number && last.Bytes == r.size && last.Seq == r.seq
			return r, nil
		}
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", journalName(n), err)
		}
		if err := r.classifyEnd(n, n == number, end, size, last); err != nil {
			return nil, err
		}
		if r.damage != nil || len(r.torn) > 0 {
			return r, nil //nolint:nilerr // callers decide about the damage
		}
	}
}

// noteMissing records damage if journal n should exist and does not.
func (r *replay) noteMissing(n, first int, last shutdown) {
	if n == first || last.Journal >= n {
		r.damage = &store.CorruptError{File: journalName(n), Lost: "the file is not there, and with it every batch it held"}
	}
}

// scanAhead is the number of bytes of a journal that are read at once, unless a line is
// longer.
const scanAhead = 1 << 20

// scan applies the lines of a journal from an offset on, and stops at the first invalid one. It returns the offset of
// that line, and the length of the journal.
func (r *replay) scan(h *handle, from int64) (end, size int64, err error) {
	if size, err = h.size(); err != nil {
		return from, 0, err
	}
	end = from
	var buf []byte // reused: the state keeps no part of it
	// The read size grows only for a longer line, until that line is read.
	for want := int64(scanAhead); end < size && r.damage == nil; {
		n := min(want, size-end)
		if int64(len(buf)) < n {
			buf = make([]byte, n)
		}
		b := buf[:n]
		got, err := h.ReadAt(b, end)
		if err != nil && !errors.Is(err, io.EOF) {
			return end, size, err
		}
		before := end
		end = r.read(h, end, b[:got])
		switch {
		case end > before:
			want = scanAhead
		case got < len(b) || int64(got) == size-end || want > int64(maxFrame+maxLine):
			return end, size, nil // reading more would not complete the line
		default:
			want *= 2
		}
	}
	return end, size, nil
}

// read applies the lines in b, which begins at start in the journal, and stops at the first invalid one. It returns the
// offset of that line in the journal.
func (r *replay) read(h *handle, start int64, b []byte) int64 {
	n := h.number
	off := 0
	for off < len(b) {
		f, size, ok := parseFrame(b[off:])
		// A line whose synced is behind the line itself cannot have been written here.
		if !ok || !r.follows(&f) || f.synced > start+int64(off) {
			break
		}
		if start+int64(off) == 0 && !isFirstLine(f.json, n) {
			break
		}
		json := start + int64(off+size-1-len(f.json))
		next, err := r.state.apply(f.json, piece{h, place{off: json}})
		if err != nil {
			r.damage = &store.CorruptError{File: journalName(n), Offset: start + int64(off),
				Lost: "the batch there is whole but makes no sense: " + err.Error()}
			break
		}
		r.state = next.nextGroup()
		r.number, r.seq, r.prev = n, f.seq, linkOf(b[off:off+size])
		r.lines++
		off += size
		r.size = start + int64(off)
	}
	if off > 0 { // then r.state is a new state, not shared
		r.state.journaled += int64(off)
		if r.file != h {
			r.file = h
			r.state.base.adopt(h)
		}
	}
	return start + int64(off)
}

// follows reports whether a line is the next one of the chain.
func (r *replay) follows(f *frame) bool {
	return f.seq == r.seq+1 && f.prev == r.prev
}

// isFirstLine reports whether the JSON is that of the first line of journal n.
func isFirstLine(json []byte, n int) bool {
	return bytes.Equal(json, fmt.Appendf(nil, `{"begin":{"journal":%d}}`, n))
}

// classifyEnd decides why reading journal n stopped at end: at the end of the file, at a torn write, or at damage.
//
// Each line records up to which offset its file was durable when the line was written. If a valid line, after end in
// this journal or in the next one, records that the bytes at end were durable, then they were acknowledged and are
// lost. They are also lost if the store was closed with a longer journal. Otherwise they were never acknowledged.
func (r *replay) classifyEnd(n int, first bool, end, size int64, last shutdown) error {
	if r.damage != nil {
		return nil //nolint:nilerr // it is recorded in r
	}
	var b []byte // the bytes from end on
	if end < size {
		var err error
		if b, err = r.disk.bytes(n, end); err != nil {
			return fmt.Errorf("read %s: %w", journalName(n), err)
		}
		size = end + int64(len(b))
	}
	lost := lookAhead(b)
	if first && end == 0 { // its first line was durable before anything pointed to it
		lost = size + 1
	}
	if f, _, ok := parseFrame(b); !first && end == 0 && ok && f.seq > r.seq {
		lost = size // it follows lines that are missing in the previous journal
	}
	if last.Journal == n && last.Bytes > end {
		lost = max(lost, last.Bytes)
	}
	if end < size {
		next, err := r.disk.bytes(n+1, 0)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("read %s: %w", journalName(n+1), err)
		}
		if last.Journal > n || startsJournal(next, n+1) || lookAhead(next) > 0 {
			lost = max(lost, size)
		}
	}
	switch {
	case lost > end:
		r.damage = &store.CorruptError{
			File: journalName(n), Offset: end,
			Lost: fmt.Sprintf("%d bytes of acknowledged batches after batch %d cannot be read", lost-end, r.seq),
		}
	case end < size:
		r.torn = append(r.torn, tail{n, end, b})
	case end == 0: // the file was created, but its first line was not written
		r.torn = append(r.torn, tail{number: n})
	}
	return nil
}

// startsJournal reports whether b begins with the valid first line of journal n.
func startsJournal(b []byte, n int) bool {
	f, _, ok := parseFrame(b)
	return ok && isFirstLine(f.json, n)
}

// lookAhead returns the greatest synced of all lines in b that are valid by themselves, -1 if
// there are none.
func lookAhead(b []byte) int64 {
	most, work := int64(-1), 0
	for i := 0; i < len(b); i++ {
		j := bytes.Index(b[i:], []byte(frameMark))
		if j < 0 {
			break
		}
		i += j
		f, size, ok := parseFrame(b[i:])
		if ok {
			most = max(most, f.synced)
			i += size - 1
		} else if work += size; work > 16*len(b) {
			return int64(len(b)) // valid frames inside frames are not a torn write; this bounds the work
		}
	}
	return most
}

// shutdown is shutdown.json, the record of a clean close: the durable length of the journal. It is void once the
// journal is longer or a later one exists.
type shutdown struct {
	Journal int    `json:"journal"`
	Bytes   int64  `json:"bytes"`
	Seq     uint64 `json:"seq"`
	Sum     string `json:"sum"` // checksum of the other fields, see sum
}

const shutdownName = "shutdown.json"

func (s shutdown) sum() string {
	return tree.Hash(fmt.Sprintf("shutdown %d %d %d", s.Journal, s.Bytes, s.Seq))
}

// parseShutdown reads shutdown.json. It returns false for anything that this package would not write.
func parseShutdown(b []byte) (shutdown, bool) {
	var s shutdown
	if json.Unmarshal(b, &s) != nil || s.Sum != s.sum() {
		return shutdown{}, false
	}
	return s, true
}

// readShutdown returns the record of the last clean close, zero if there is none. A damaged record is ignored, because
// the journal holds most of the information.
func (d *disk) readShutdown() (shutdown, error) {
	b, err := d.read(shutdownName, 4<<10)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return shutdown{}, fmt.Errorf("read %s: %w", shutdownName, err)
	}
	s, _ := parseShutdown(b)
	return s, nil
}

// setAside copies torn tails to broken/ and removes a journal without a first line. It can
// be interrupted and repeated.
func (r *replay) setAside() error {
	for _, t := range r.torn {
		if len(t.bytes) > 0 {
			if _, err := r.disk.setAside(fmt.Sprintf("%s.%d", journalName(t.number), t.off), t.bytes); err != nil {
				return err
			}
		}
		if t.off > 0 {
			continue // finishRecovery cuts it off when it rewrites the journal
		}
		if err := r.disk.remove(journalName(t.number)); err != nil {
			return fmt.Errorf("remove %s: %w", journalName(t.number), err)
		}
		if err := r.disk.syncDir("."); err != nil {
			return fmt.Errorf("remove %s: %w", journalName(t.number), err)
		}
	}
	return nil
}

const brokenName = "broken"

// setAside copies bytes that no longer belong to the store to broken/, for inspection, and returns the name. Nothing
// deletes them. If other bytes have the name, it appends a number.
func (d *disk) setAside(name string, b []byte) (string, error) {
	if err := d.mkdir(brokenName); err != nil {
		return "", fmt.Errorf("set aside %s: %w", name, err)
	}
	to := brokenName + "/" + name
	for n := 2; ; n++ {
		have, err := d.read(to, 1<<40)
		if errors.Is(err, fs.ErrNotExist) {
			break
		}
		if err != nil {
			return "", fmt.Errorf("set aside %s: %w", name, err)
		}
		if bytes.Equal(have, b) {
			return to, nil
		}
		to = fmt.Sprintf("%s/%s-%d", brokenName, name, n)
	}
	if err := d.replace(to, b); err != nil {
		return "", fmt.Errorf("set aside: %w", err)
	}
	return to, nil
}
