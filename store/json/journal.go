package jsonstore

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/afero"

	"github.com/memtree/memtree/store"
)

// journal is the file that lines are appended to. Only the writer uses it.
type journal struct {
	number int
	file   afero.File
	reader *handle // for all other readers of the file
	size   int64   // lines up to here are written and durable
	seq    uint64  // of the last line
	prev   link    // of the last line
	dirty  bool    // there may be bytes of a failed write after size

	before int64    // bytes of the journals between the base and this one
	begun  position // the last line before this journal
}

// position is a line's place in the chain: its number and link.
type position struct {
	seq  uint64
	prev link
}

func journalName(n int) string { return fmt.Sprintf("journal.%06d.jsonl", n) }

// lines holds framed lines that are not written yet.
type lines struct {
	buf    []byte
	seq    uint64
	prev   link
	synced int64
}

func (j *journal) lines() *lines {
	return &lines{seq: j.seq, prev: j.prev, synced: j.size}
}

// add appends a line and returns the offset of its JSON in the buffer.
func (l *lines) add(json []byte) int {
	l.seq++
	f := frame{seq: l.seq, prev: l.prev, synced: l.synced, json: json}
	start := len(l.buf)
	l.buf = f.appendTo(l.buf)
	l.prev = linkOf(l.buf[start:])
	return len(l.buf) - 1 - len(json)
}

// append writes lines and makes them durable. After ErrFull the journal is unchanged, and the next append may succeed.
// After any other error the journal cannot be trusted.
func (j *journal) append(l *lines) error {
	if j.dirty {
		if err := j.file.Truncate(j.size); err != nil {
			return failure("truncate", j.number, err)
		}
		j.dirty = false
	}
	if _, err := j.file.WriteAt(l.buf, j.size); err != nil {
		j.dirty = true
		if isDiskFull(err) {
			return fmt.Errorf("write %s: %w: %w", journalName(j.number), store.ErrFull, err)
		}
		return failure("write", j.number, err)
	}
	if err := j.file.Sync(); err != nil {
		return failure("sync", j.number, err)
	}
	j.size += int64(len(l.buf))
	j.seq, j.prev = l.seq, l.prev
	return nil
}

func failure(op string, number int, err error) error {
	return fmt.Errorf("%s %s: %w: %w", op, journalName(number), store.ErrFailed, err)
}

// begin creates journal n durably. Its first line contains the number. It follows the line with the given seq and link.
func (d *disk) begin(n int, seq uint64, prev link) (_ *journal, err error) {
	f, err := d.fs.OpenFile(d.name(journalName(n)), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return nil, fmt.Errorf("create %s: %w", journalName(n), err)
	}
	j := &journal{number: n, file: f, reader: d.journalHandle(n), seq: seq, prev: prev}
	l := j.lines()
	l.add(fmt.Appendf(nil, `{"begin":{"journal":%d}}`, n))
	if err := j.append(l); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	if err := d.syncDir("."); err != nil {
		return nil, errors.Join(failure("sync the folder of", n, err), f.Close())
	}
	return j, nil
}

// resume opens the journal of reader for appending after size.
func (d *disk) resume(reader *handle, size int64, seq uint64, prev link) (*journal, error) {
	n := reader.number
	f, err := d.fs.OpenFile(d.name(journalName(n)), os.O_RDWR, 0o644)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", journalName(n), err)
	}
	return &journal{number: n, file: f, reader: reader, size: size, seq: seq, prev: prev}, nil
}

// rewriteJournal replaces a journal by a copy of its first size bytes.
func (d *disk) rewriteJournal(reader *handle, size int64) error {
	name := journalName(reader.number)
	w, err := d.create(name)
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	if _, err = io.CopyBuffer(w, io.NewSectionReader(reader, 0, size), make([]byte, min(size, scanAhead))); err != nil {
		return fmt.Errorf("write %s: %w", name, errors.Join(err, w.drop()))
	}
	reader.closeFile() // its next read opens the new file
	if err := w.commit(); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	if err := d.syncDir("."); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}

// bytes returns the content of a journal after from. The file may grow meanwhile.
func (d *disk) bytes(n int, from int64) (_ []byte, err error) {
	f, err := d.open(journalName(n))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return nil, fmt.Errorf("%s is a folder, not a file", journalName(n))
	}
	if info.Size() <= from {
		return nil, nil
	}
	b := make([]byte, info.Size()-from)
	got, err := f.ReadAt(b, from)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return b[:got], err
}
