package jsonstore

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/memtree/memtree/tree"
)

// replay is reading journals from a base on. It writes nothing: what it found
// is decided upon when all of it is known.
type replay struct {
	disk     *disk
	state    *state
	file     *handle  // of the journal the last line is in
	number   int      // of that journal
	size     int64    // of its valid lines
	seq      uint64   // of the last line
	prev     link     // of the last line
	lines    int      // read, in all journals
	recorded shutdown // by the last clean close

	clean  bool               // the store was closed with just these bytes
	torn   []tail             // bytes that no acknowledged batch can have been in
	damage *tree.CorruptError // bytes that one was in
	pieced bool               // the state was pieced together, line by line
}

// tail is the end of a journal from the first bad byte on.
type tail struct {
	number int
	off    int64
	bytes  []byte
}

// replayFrom reads the journals from number on, until one is not there. The
// line before the first has the given seq and link. Their files stay open if keep
// says so: who writes them may rename another into their place first.
func (d *disk) replayFrom(st *state, number int, seq uint64, prev link, keep bool) (*replay, error) {
	r := &replay{disk: d, state: st, number: number, seq: seq, prev: prev}
	last, err := d.readShutdown()
	if err != nil {
		return nil, err
	}
	for n := number; ; n++ {
		h := d.reading(n)
		end, size, err := r.scan(h, 0)
		if !keep || end == 0 {
			h.rest()
		}
		if errors.Is(err, fs.ErrNotExist) {
			r.missing(n, number, last)
			r.recorded = last
			r.clean = r.damage == nil && last.Journal == r.number && last.Bytes == r.size && last.Seq == r.seq
			return r, nil
		}
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", journalName(n), err)
		}
		if err := r.judge(n, n == number, end, size, last); err != nil {
			return nil, err
		}
		if r.damage != nil || len(r.torn) > 0 {
			return r, nil //nolint:nilerr // damage is told by whoever asks for it
		}
	}
}

// missing notes that journal n is not there, where it should be.
func (r *replay) missing(n, first int, last shutdown) {
	if n == first || last.Journal >= n {
		r.damage = &tree.CorruptError{File: journalName(n), Lost: "the file is not there, and with it every batch it held"}
	}
}

// scanAhead is how much of a journal is read at once, in bytes, if its lines are
// not longer.
const scanAhead = 1 << 20

// scan applies the lines of a journal from an offset on, up to the first that is
// not one. It returns the offset of that, and how long the journal was.
func (r *replay) scan(h *handle, from int64) (end, size int64, err error) {
	if size, err = h.size(); err != nil {
		return from, 0, err
	}
	end = from
	var buf []byte // the state keeps nothing of it
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
		case got < len(b) || int64(got) == size-end || want > int64(maxFrame+MaxLine):
			return end, size, nil // more of it would not make it a line
		default:
			want *= 2
		}
	}
	return end, size, nil
}

// read applies the lines in b, which stands at start in a journal, up to the
// first that is not one, and returns the offset of that in the journal.
func (r *replay) read(h *handle, start int64, b []byte) int64 {
	n := h.number
	off := 0
	for off < len(b) {
		f, size, ok := parseFrame(b[off:])
		if !ok || !r.follows(&f) || f.synced > start+int64(off) {
			break
		}
		if start+int64(off) == 0 && !begins(f.json, n) {
			break
		}
		json := start + int64(off+size-1-len(f.json))
		next, err := r.state.apply(f.json, piece{h, place{off: json}})
		if err != nil {
			r.damage = &tree.CorruptError{File: journalName(n), Offset: start + int64(off), Lost: "the batch there is whole but makes no sense: " + err.Error()}
			break
		}
		r.state = next.fresh()
		r.number, r.seq, r.prev = n, f.seq, linkOf(b[off:off+size])
		r.lines++
		off += size
		r.size = start + int64(off)
	}
	if off > 0 { // then the state is a new one, that nobody has seen
		r.state.journaled += int64(off)
		if r.file != h {
			r.file = h
			r.state.base.adopt(h)
		}
	}
	return start + int64(off)
}

// follows reports whether a line is the next of the chain.
func (r *replay) follows(f *frame) bool {
	return f.seq == r.seq+1 && f.prev == r.prev
}

// begins reports whether a line is the first of journal n.
func begins(json []byte, n int) bool {
	return bytes.Equal(json, fmt.Appendf(nil, `{"begin":{"journal":%d}}`, n))
}

// judge decides what ended the reading of journal n at end: nothing, a torn
// write, or damage.
//
// A line says up to where the file was durable when it was written. If one that
// verifies, in this journal behind end or in the next one, says that what
// stands at end was, then it was acknowledged and is lost. So it is if the
// store was closed with a longer journal. Else nobody can have been told that
// the bytes at end are safe.
func (r *replay) judge(n int, first bool, end, size int64, last shutdown) error {
	if r.damage != nil {
		return nil //nolint:nilerr // it is noted already
	}
	var b []byte // from end on
	if end < size {
		var err error
		if b, err = r.disk.bytes(n, end); err != nil {
			return fmt.Errorf("read %s: %w", journalName(n), err)
		}
		size = end + int64(len(b))
	}
	lost := lookAhead(b)
	if first && end == 0 { // it was begun before anything said so
		lost = size + 1
	}
	if f, _, ok := parseFrame(b); !first && end == 0 && ok && f.seq > r.seq {
		lost = size // it follows lines that the journal before no longer has
	}
	if last.Journal == n && last.Bytes > end {
		lost = max(lost, last.Bytes)
	}
	if end < size {
		next, err := r.disk.bytes(n+1, 0)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("read %s: %w", journalName(n+1), err)
		}
		if last.Journal > n || opens(next, n+1) || lookAhead(next) > 0 {
			lost = max(lost, size)
		}
	}
	switch {
	case lost > end:
		r.damage = &tree.CorruptError{
			File: journalName(n), Offset: end,
			Lost: fmt.Sprintf("%d bytes of acknowledged batches after batch %d cannot be read", lost-end, r.seq),
		}
	case end < size:
		r.torn = append(r.torn, tail{n, end, b})
	case end == 0: // created, and not begun
		r.torn = append(r.torn, tail{number: n})
	}
	return nil
}

// opens reports whether a journal's first line verifies.
func opens(b []byte, n int) bool {
	f, _, ok := parseFrame(b)
	return ok && begins(f.json, n)
}

// lookAhead returns the greatest synced of the lines in b that verify by
// themselves; -1 for none.
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
			return int64(len(b)) // lines within lines: nobody's torn write looks so
		}
	}
	return most
}

// shutdown is shutdown.json, the record of a clean close: the journal was
// durable up to here. A later journal, or a longer one, makes it history.
type shutdown struct {
	Journal int    `json:"journal"`
	Bytes   int64  `json:"bytes"`
	Seq     uint64 `json:"seq"`
	Sum     string `json:"sum"` // of the three, see sum
}

const shutdownName = "shutdown.json"

func (s shutdown) sum() string {
	return tree.Hash(fmt.Sprintf("shutdown %d %d %d", s.Journal, s.Bytes, s.Seq))
}

// parseShutdown reads shutdown.json; false for what we would not have written.
func parseShutdown(b []byte) (shutdown, bool) {
	var s shutdown
	if json.Unmarshal(b, &s) != nil || s.Sum != s.sum() {
		return shutdown{}, false
	}
	return s, true
}

// readShutdown returns the record of the last clean close, zero for none. A
// damaged one is as good as none: the journal still speaks for itself.
func (d *disk) readShutdown() (shutdown, error) {
	b, err := d.read(shutdownName, 4<<10)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return shutdown{}, fmt.Errorf("read %s: %w", shutdownName, err)
	}
	s, _ := parseShutdown(b)
	return s, nil
}

// setAside keeps torn tails in broken/, and removes a journal that was not
// begun to the end. It can be interrupted and done again.
func (r *replay) setAside() error {
	for _, t := range r.torn {
		if len(t.bytes) > 0 {
			if _, err := r.disk.setAside(fmt.Sprintf("%s.%d", journalName(t.number), t.off), t.bytes); err != nil {
				return err
			}
		}
		if t.off > 0 {
			continue // it is cut off when the journal is written again
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

// setAside keeps bytes that do not belong to the store any more, for a person
// to look at, and returns where. Nothing deletes them: where other bytes have
// the name, a number is added.
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
