package jsonstore

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"maps"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/spf13/afero"

	"github.com/memtree/memtree/store"
)

// snapshotter writes the files of one snapshot into a temporary folder, which is renamed when everything in it is
// durable. It reads an immutable state, and runs concurrently with the writer.
type snapshotter struct {
	disk   *disk
	from   *state
	out    manifest
	temp   string // folder being written
	folder string // its final name
	made   map[string]bool
	moved  []moved // the evaluations of the outbox
}

// moved is an evaluation of the outbox and its place in the snapshot.
type moved struct {
	arrival uint64
	place   place
}

// snapshot writes the content of st as the snapshot with the given number, whose journal follows
// the line with seq and prev. The caller writes the manifest, which commits it.
func (d *disk) snapshot(st *state, number int, seq uint64, prev link) (*snapshotter, error) {
	w := &snapshotter{
		disk: d, from: st, folder: snapshotName(number), temp: tempMark + snapshotName(number),
		out:  manifest{Number: number, Seq: seq, Prev: prev.String(), Counts: st.counts},
		made: map[string]bool{},
	}
	err := w.write()
	if err == nil && len(w.made) > 0 {
		err = w.settle()
	}
	if err != nil {
		return nil, fmt.Errorf("snapshot %d: %w", number, errors.Join(err, d.fs.RemoveAll(d.name(w.temp))))
	}
	return w, nil
}

// write writes all changed files, and reuses the unchanged ones of the base.
func (w *snapshotter) write() error {
	dirty, err := w.dirty()
	if err != nil {
		return err
	}
	for _, branch := range dirty {
		if err := w.branch(branch); err != nil {
			return err
		}
	}
	for _, b := range w.from.base.Branches {
		if _, found := slices.BinarySearch(dirty, b.ErrorType); !found {
			w.out.Branches = append(w.out.Branches, b)
		}
	}
	slices.SortFunc(w.out.Branches, func(a, b branchRef) int { return strings.Compare(a.ErrorType, b.ErrorType) })
	if err := w.outbox(); err != nil {
		return err
	}
	if w.out.Ledger, err = w.segment("ledger", w.from.base.Ledger, w.from.entries, cleanEntry); err != nil {
		return err
	}
	if w.out.Dead, err = w.segment("dead", w.from.base.Dead, w.from.dead, cleanLetter); err != nil {
		return err
	}
	return w.known()
}

// settle makes the entries of the folders durable and gives the snapshot its name.
func (w *snapshotter) settle() error {
	for _, folder := range slices.Backward(slices.Sorted(maps.Keys(w.made))) { // the inner ones first
		if err := w.disk.syncDir(path.Join(w.temp, folder)); err != nil {
			return err
		}
	}
	if err := w.disk.fs.Rename(w.disk.name(w.temp), w.disk.name(w.folder)); err != nil {
		return err
	}
	return w.disk.syncDir(".")
}

// dirty returns the branches whose nodes have changed since the base, sorted.
func (w *snapshotter) dirty() ([]string, error) {
	set := map[string]bool{}
	for id, n := range w.from.top.nodes.from("") {
		set[n.branch.Value()] = true
		if n.meta.revision == 1 {
			continue
		}
		old, _, ok, err := w.from.base.find(id)
		if err != nil {
			return nil, err
		}
		if ok {
			set[old.ErrorType] = true // the node may have moved to another branch
		}
	}
	return slices.Sorted(maps.Keys(set)), nil
}

// branch writes the nodes of one error type, from the base and from the layers, sorted by id.
func (w *snapshotter) branch(errorType string) error {
	l, err := w.lines(errorType, "nodes")
	if err != nil {
		return err
	}
	src := w.from.nodes(errorType, filter{})
	for {
		n, err := src.next()
		if err != nil {
			return errors.Join(err, l.drop())
		}
		if n == nil {
			break
		}
		if err := l.add(n.raw, n.meta.pack(), n.change); err != nil {
			return errors.Join(err, l.drop())
		}
		l.ids = append(l.ids, idRecord(n.id, l.index.count-1))
	}
	ref, err := l.finish()
	if err == nil && ref.Count > 0 {
		w.out.Branches = append(w.out.Branches, branchRef{errorType, ref})
	}
	return err
}

// outbox writes the waiting evaluations, unless the base has a file with exactly those.
func (w *snapshotter) outbox() error {
	if w.from.outbox.n == 0 {
		return nil
	}
	if old := w.from.base.Outbox; old != nil && old.Count == w.from.outbox.n &&
		w.from.Arrivals == w.from.base.Counts.Arrivals {
		w.out.Outbox = old
		return nil
	}
	l, err := w.lines("", "outbox")
	if err != nil {
		return err
	}
	w.moved = make([]moved, 0, w.from.outbox.n)
	for at, it := range w.from.outbox.from("") {
		raw, err := w.from.raw(it)
		if err == nil {
			w.moved = append(w.moved, moved{fromOrder(at), placeOf(l.off, raw)})
			err = l.add(raw, fromOrder(at), it.key)
		}
		if err != nil {
			return errors.Join(err, l.drop())
		}
	}
	ref, err := l.finish()
	w.out.Outbox = &ref
	return err
}

// segment writes the records since the base to one more file, and merges into it the last files that are at most twice
// as large. So there are few files, and each line is rewritten only a logarithmic number of times. A purge rewrites all
// of them, cleaned.
func (w *snapshotter) segment(
	name string, before []linesRef, records []record, clean func(*store.Purge, []byte) ([]byte, error),
) (_ []linesRef, err error) {
	purge := w.from.purge
	if len(records) == 0 && (purge == nil || len(before) == 0) {
		return before, nil
	}
	cleaned := func(raw []byte, err error) ([]byte, error) {
		if err != nil || purge == nil {
			return raw, err
		}
		return clean(purge, raw)
	}
	keep, count := len(before), len(records)
	if purge != nil {
		keep = 0
	}
	for keep > 0 && before[keep-1].Count <= 2*count {
		keep--
		count += before[keep].Count
	}
	l, err := w.lines("", name)
	if err != nil {
		return nil, err
	}
	first, last := uint64(0), uint64(0)
	if len(records) > 0 {
		first, last = records[0].seq, records[len(records)-1].seq
	} else {
		last = before[len(before)-1].Last
	}
	if keep < len(before) {
		first = before[keep].First
	}
	for i := range before[keep:] {
		if err := w.copyLines(l, &before[keep+i], cleaned); err != nil {
			return nil, errors.Join(err, l.drop())
		}
	}
	for _, r := range records {
		raw, err := cleaned(r.at.read())
		if err == nil {
			err = l.add(raw, r.seq, store.Hash{})
		}
		if err != nil {
			return nil, errors.Join(err, l.drop())
		}
	}
	ref, err := l.finish()
	ref.First, ref.Last = first, last
	return append(slices.Clone(before[:keep]), ref), err
}

// copyLines adds all lines of a file of the base to l, passed through cleaned.
func (w *snapshotter) copyLines(
	l *lineFile, from *linesRef, cleaned func([]byte, error) ([]byte, error),
) error {
	r := blockReader{gen: w.from.base, ref: from}
	for {
		at, ok, err := r.index()
		if err != nil || !ok {
			return err
		}
		raw, err := cleaned(r.read(at.place))
		if err == nil {
			err = l.add(raw, at.num, at.tag)
		}
		if err != nil {
			return err
		}
	}
}

// lineFile is a file of lines with its index, being written.
type lineFile struct {
	data, side *output
	index      *tableWriter
	off        int64
	ids        [][idSize]byte // records of the second table of the index, for a branch
}

// idRecord returns the record that finds a line by the hash of a node's id.
func idRecord(id string, line int) (rec [idSize]byte) {
	h := store.HashOf(id)
	copy(rec[:], h[:])
	binary.BigEndian.PutUint32(rec[len(h):], uint32(line)) //nolint:gosec // bounded by maxCount
	return rec
}

// lines begins a file of lines and its index.
func (w *snapshotter) lines(folder, name string) (*lineFile, error) {
	data, err := w.create(path.Join(folder, name+".jsonl"))
	if err != nil {
		return nil, err
	}
	side, err := w.create(path.Join(folder, name+".index"))
	if err != nil {
		return nil, errors.Join(err, data.file.Close())
	}
	return &lineFile{data: data, side: side, index: newTable(side, lineSize)}, nil
}

// add writes a line and its index record.
func (l *lineFile) add(raw []byte, num uint64, tag store.Hash) error {
	at := placeOf(l.off, raw)
	if _, err := l.data.Write(raw); err != nil {
		return err
	}
	if _, err := l.data.Write([]byte{'\n'}); err != nil {
		return err
	}
	l.off += int64(len(raw)) + 1
	return l.index.add(indexed{at, num, tag}.bytes())
}

func (l *lineFile) drop() error { return errors.Join(l.data.file.Close(), l.side.file.Close()) }

// finish writes the rest of the index and makes both files durable.
func (l *lineFile) finish() (linesRef, error) {
	err := l.index.flush()
	slices.SortFunc(l.ids, func(a, b [idSize]byte) int { return bytes.Compare(a[:16], b[:16]) })
	ids := newTable(l.side, idSize)
	for _, rec := range l.ids {
		if err == nil {
			err = ids.add(rec[:])
		}
	}
	if err == nil {
		err = ids.flush()
	}
	if err != nil {
		return linesRef{}, errors.Join(err, l.drop())
	}
	ref := linesRef{Count: l.index.count}
	var errData, errSide error
	ref.Data, errData = l.data.finish()
	ref.Index, errSide = l.side.finish()
	return ref, errors.Join(errData, errSide)
}

// output is one file of a snapshot, being written.
type output struct {
	*bufio.Writer
	file afero.File
	sum  hash.Hash
	size *counter
	name string
}

type counter int64

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}

// create begins a file of the snapshot, in the temporary folder.
func (w *snapshotter) create(name string) (*output, error) {
	folder := path.Dir(name)
	if !w.made[folder] {
		if err := w.disk.fs.MkdirAll(w.disk.name(path.Join(w.temp, folder)), 0o755); err != nil {
			return nil, err
		}
		w.made["."], w.made[folder] = true, true
	}
	f, err := w.disk.fs.OpenFile(w.disk.name(path.Join(w.temp, name)), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return nil, err
	}
	o := &output{file: f, sum: sha256.New(), size: new(counter), name: path.Join(w.folder, name)}
	o.Writer = bufio.NewWriterSize(io.MultiWriter(f, o.sum, o.size), 256<<10)
	return o, nil
}

// finish makes the file durable and closes it.
func (o *output) finish() (fileRef, error) {
	err := o.Flush()
	if err == nil {
		err = o.file.Sync()
	}
	err = errors.Join(err, o.file.Close())
	return fileRef{Name: o.name, Bytes: int64(*o.size), Sum: hex.EncodeToString(o.sum.Sum(nil))}, err
}
