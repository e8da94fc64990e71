package jsonstore

import (
	"errors"
	"io"
)

// piece is the place of one value in a journal. Journals only grow at the end, so the value never changes and can be
// read during writes. The file exists as long as the generation is in use that was the base when the value was written,
// or a later one that still needs the file.
type piece struct {
	journal *handle // nil: not in a journal
	place
}

// part returns the piece of a value at an offset of p.
func (p piece) part(at int, value []byte) piece {
	return piece{p.journal, placeOf(p.off+int64(at), value)}
}

// read returns the JSON at the piece, after checking it.
func (p piece) read() ([]byte, error) { return p.journal.value(p.place) }

// placeOf returns the place of bytes at an offset.
func placeOf(off int64, b []byte) place {
	return place{off: off, len: uint32(len(b)), crc: checksum(b)} //nolint:gosec // bounded by maxLine
}

// journalHandle returns a handle for reading journal n. It does not open the file yet.
func (d *disk) journalHandle(n int) *handle {
	return &handle{disk: d, number: n, ref: fileRef{Name: journalName(n)}}
}

// value returns the bytes at a place of a journal, after checking them.
func (h *handle) value(at place) ([]byte, error) {
	b := make([]byte, at.len)
	n, err := h.ReadAt(b, at.off)
	switch {
	case n == len(b) && checksum(b) == at.crc:
		return b, nil
	case n == len(b):
		err = errors.New("its checksum is another than when it was written")
	case err == nil:
		err = io.ErrUnexpectedEOF
	}
	return nil, damaged(h.ref, at.off, err)
}

// size returns the present length of the file.
func (h *handle) size() (int64, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if err := h.open(); err != nil {
		return 0, err
	}
	info, err := h.file.Stat()
	if err == nil && info.IsDir() {
		err = errors.New("it is a folder, not a file")
	}
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// closeFile closes the file. The next read opens it again.
func (h *handle) closeFile() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.file != nil {
		_ = h.file.Close() // it was only read
		h.file = nil
	}
}
