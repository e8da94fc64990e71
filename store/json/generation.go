package jsonstore

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/spf13/afero"

	"github.com/memtree/memtree/store"
)

// Sizes of the records of the three tables, in bytes.
const (
	lineSize  = 40 // offset 8, length 4, crc32c 4, number 8, tag 16
	idSize    = 20 // hash of the id 16, line 4
	knownSize = 36 // hash of the key 16, digest 8, digest before 8, flags 4
)

// generation holds the files of one snapshot and the journals since. A file is opened when it is first read, and
// remains open while a generation that contains it is in use. Every read is checked.
type generation struct {
	*manifest
	refs    atomic.Int64 // one of the store and one of each reader; at 0 the files are closed
	handles map[string]*handle
	pages   sync.Pool // buffers of one page, so that a lookup allocates none

	mu       sync.Mutex
	journals []*handle // grows while the generation is the base
}

// newGeneration returns the generation of a manifest. It shares with before, which may be
// nil, the handles of the files that both have.
func newGeneration(d *disk, m *manifest, before *generation) *generation {
	g := &generation{manifest: m, handles: map[string]*handle{}}
	g.refs.Store(1)
	for _, f := range m.files() {
		h := &handle{disk: d, ref: f}
		if before != nil && before.handles[f.Name] != nil {
			h = before.handles[f.Name]
		}
		h.refs.Add(1)
		g.handles[f.Name] = h
	}
	for _, h := range before.since(m.Number) {
		g.adopt(h)
	}
	return g
}

// adopt keeps a journal open as long as the generation is used.
func (g *generation) adopt(h *handle) {
	g.mu.Lock()
	defer g.mu.Unlock()
	h.refs.Add(1)
	g.journals = append(g.journals, h)
}

// since returns the journals from number on; g may be nil.
func (g *generation) since(number int) []*handle {
	if g == nil {
		return nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(g.journals), func(h *handle) bool { return h.number < number })
}

// acquire keeps the files open until release. It returns false if they are already closed.
func (g *generation) acquire() bool {
	for {
		n := g.refs.Load()
		if n == 0 {
			return false
		}
		if g.refs.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

// release ends one use. The last one closes the files and removes the doomed ones.
func (g *generation) release() {
	if g.refs.Add(-1) > 0 {
		return
	}
	for _, h := range g.since(0) {
		h.release()
	}
	for _, f := range g.files() {
		g.handles[f.Name].release()
	}
}

// handle is a file that one or more generations use.
type handle struct {
	disk   *disk
	ref    fileRef
	number int          // of a journal; 0 for a file of a snapshot, -1 for one under repair
	refs   atomic.Int64 // generations that use it
	doomed atomic.Bool  // the last generation to release it removes it
	mu     sync.Mutex
	file   afero.File
}

// ReadAt reads from the file and opens it if necessary.
func (h *handle) ReadAt(p []byte, off int64) (int, error) {
	h.mu.Lock()
	if err := h.open(); err != nil {
		h.mu.Unlock()
		return 0, err
	}
	f := h.file
	if !parallel(f) {
		defer h.mu.Unlock()
		return f.ReadAt(p, off)
	}
	h.mu.Unlock()
	return f.ReadAt(p, off)
}

// open opens the file, unless it is open. The caller holds the lock.
func (h *handle) open() error {
	if h.file != nil {
		return nil
	}
	f, err := h.disk.open(h.ref.Name)
	if err == nil && h.number == 0 {
		err = h.check(f)
	}
	if err == nil {
		h.file = f
	}
	return err
}

// check returns an error if the length of the file is not that in the manifest.
func (h *handle) check(f afero.File) error {
	info, err := f.Stat()
	if err == nil && info.Size() != h.ref.Bytes {
		err = fmt.Errorf("it has %d bytes instead of %d", info.Size(), h.ref.Bytes)
	}
	if err != nil {
		return errors.Join(err, f.Close())
	}
	return nil
}

// release ends the use by one generation.
func (h *handle) release() {
	if h.refs.Add(-1) > 0 {
		return
	}
	h.closeFile()
	if h.doomed.Load() {
		h.disk.discard(h.ref.Name)
	}
}

// damaged returns the error for a file of a snapshot that cannot be read at off.
func damaged(f fileRef, off int64, err error) error {
	lost := "what it holds there cannot be read: " + err.Error()
	if errors.Is(err, fs.ErrNotExist) {
		lost = "the file is not there"
	}
	return &unreadable{store.CorruptError{File: f.Name, Offset: off, Lost: lost}, err}
}

// unreadable is a *store.CorruptError with a cause, which its text contains only once.
type unreadable struct {
	corrupt store.CorruptError
	cause   error
}

func (u *unreadable) Error() string { return u.corrupt.Error() }

// Unwrap returns the *store.CorruptError, which callers look for, and the error of the disk.
func (u *unreadable) Unwrap() []error { return []error{&u.corrupt, u.cause} }

// place is the position of a line in a file: offset, length without the line feed, and CRC-32C.
type place struct {
	off int64
	len uint32
	crc uint32
}

// indexed is a record of the index of a file of lines. num is packed meta for nodes, the order of arrival for the
// outbox, and the sequence number otherwise. tag is the hash of the key of a node's last change, or of the key of an
// evaluation.
type indexed struct {
	place
	num uint64
	tag store.Hash
}

// bytes returns the record as stored in an index.
func (l indexed) bytes() []byte {
	b := binary.BigEndian.AppendUint64(make([]byte, 0, lineSize), uint64(l.off)) //nolint:gosec // not negative
	b = binary.BigEndian.AppendUint32(b, l.len)
	b = binary.BigEndian.AppendUint32(b, l.crc)
	b = binary.BigEndian.AppendUint64(b, l.num)
	return append(b, l.tag[:]...)
}

// parseIndexed reads a record of an index.
func parseIndexed(b []byte) indexed {
	return indexed{
		place: place{
			off: int64(binary.BigEndian.Uint64(b)), //nolint:gosec // as it was written
			len: binary.BigEndian.Uint32(b[8:]),
			crc: binary.BigEndian.Uint32(b[12:]),
		},
		num: binary.BigEndian.Uint64(b[16:]),
		tag: store.Hash(b[24:40]),
	}
}

// meta unpacks num of a node.
func (l indexed) meta() meta {
	//nolint:gosec // packed so
	return meta{revision: uint32(l.num >> 32), level: uint8(l.num >> 16), status: uint8(l.num >> 8),
		direction: uint8(l.num)}
}

// metaIn returns the meta of a node's record.
func metaIn(b []byte) meta { return indexed{num: binary.BigEndian.Uint64(b[16:])}.meta() }

func (m meta) pack() uint64 {
	return uint64(m.revision)<<32 | uint64(m.level)<<16 | uint64(m.status)<<8 | uint64(m.direction)
}

// index returns the index of a file of lines.
func (g *generation) index(l *linesRef) *table {
	return &table{from: g.handles[l.Index.Name], size: lineSize, count: l.Count, free: &g.pages}
}

// line returns the index record of line i.
func (g *generation) line(l *linesRef, i int) (indexed, error) {
	rec, err := g.index(l).at(i)
	if err != nil {
		return indexed{}, damaged(l.Index, int64(i/perPage(lineSize))*pageSize, err)
	}
	return parseIndexed(rec), nil
}

// find returns the branch and the index record of a node, false if there is none.
func (g *generation) find(id string) (*branchRef, indexed, bool, error) {
	key := store.HashOf(id)
	for i := range g.Branches {
		b := &g.Branches[i]
		ids := table{from: g.handles[b.Index.Name], start: int64(pages(b.Count, lineSize)) * pageSize, size: idSize,
			count: b.Count, free: &g.pages}
		rec, err := ids.search(key)
		if err != nil {
			return nil, indexed{}, false, damaged(b.Index, ids.start, err)
		}
		if rec != nil {
			l, err := g.line(&b.linesRef, int(binary.BigEndian.Uint32(rec[16:])))
			return b, l, err == nil, err
		}
	}
	return nil, indexed{}, false, nil
}

// read returns the line at a place of a file, after checking it.
func (g *generation) read(l *linesRef, at place) ([]byte, error) {
	if at.len > maxLine || at.off < 0 || at.off+int64(at.len) >= l.Data.Bytes {
		return nil, damaged(l.Data, at.off, errors.New("the index points outside it"))
	}
	b := make([]byte, at.len+1)
	if n, err := g.handles[l.Data.Name].ReadAt(b, at.off); n < len(b) {
		return nil, damaged(l.Data, at.off, err)
	}
	return at.check(l, b)
}

// check returns the line in b, which ends with the line feed, if its checksum is right.
func (p place) check(l *linesRef, b []byte) ([]byte, error) {
	if line := b[:p.len]; b[p.len] == '\n' && crc32.Checksum(line, castagnoli()) == p.crc {
		return line, nil
	}
	return nil, damaged(l.Data, p.off, errors.New("the checksum of the line is another"))
}

// knows returns the snapshot's record of an evaluation, false for none.
func (g *generation) knows(key store.Hash) (store.Known, bool, error) {
	for _, ref := range g.Known {
		t := table{from: g.handles[ref.Table.Name], size: knownSize, count: ref.Count, free: &g.pages}
		rec, err := t.search(key)
		if err != nil {
			return store.Known{}, false, damaged(ref.Table, 0, err)
		}
		if rec != nil {
			return parseKnown(rec), true, nil
		}
	}
	return store.Known{}, false, nil
}

func parseKnown(b []byte) store.Known {
	return store.Known{Digest: [8]byte(b[16:24]), Before: [8]byte(b[24:32]), Labelled: b[35]&1 == 1}
}

// knownRecord returns the record of a table of known keys.
func knownRecord(key store.Hash, k *store.Known) []byte {
	b := append(make([]byte, 0, knownSize), key[:]...)
	b = append(append(b, k.Digest[:]...), k.Before[:]...)
	var labelled byte
	if k.Labelled {
		labelled = 1
	}
	return append(b, 0, 0, 0, labelled)
}
