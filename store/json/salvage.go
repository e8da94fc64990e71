package jsonstore

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/tree"
)

// salvage holds everything readable of a store, line by line, regardless of other damage, and everything unreadable.
// Its state holds places, not bodies.
type salvage struct {
	Repair
	disk    *disk
	base    *manifest // read from its file, or assembled
	state   *state
	entries map[uint64]piece // the ledger, by sequence number
	letters map[store.Hash]bool
	highest int    // highest number of a journal or manifest
	seq     uint64 // of the last line that can be read
	prev    link
	files   map[string]*handle
	torn    *gap // the end of the last journal, if it was never acknowledged
}

// salvage reads a store for Fsck. It changes nothing.
func (d *disk) salvage() (*salvage, error) {
	s := &salvage{disk: d, entries: map[uint64]piece{}, letters: map[store.Hash]bool{}, files: map[string]*handle{}}
	s.Lost, s.Again = []Loss{}, []string{}
	if err := s.readBase(); err != nil {
		s.release()
		return nil, err
	}
	if err := s.readJournals(); err != nil {
		s.release()
		return nil, err
	}
	if err := s.readSmall(); err != nil {
		s.release()
		return nil, err
	}
	if err := s.count(); err != nil {
		s.release()
		return nil, err
	}
	for _, h := range s.files {
		s.state.base.adopt(h) // released with the state
	}
	return s, nil
}

// release closes the files. The next read opens them again.
func (s *salvage) release() {
	for _, h := range s.files {
		h.closeFile()
	}
}

// file returns the handle of a file whose length is not checked.
func (s *salvage) file(name string) *handle {
	h := s.files[name]
	if h == nil {
		h = &handle{disk: s.disk, number: -1, ref: fileRef{Name: name}}
		s.files[name] = h
	}
	return h
}

func (s *salvage) noteLoss(l Loss) { s.Lost = append(s.Lost, l) }

// noteRebuildable records a damaged file that can be built again completely.
func (s *salvage) noteRebuildable(name string) {
	if !slices.Contains(s.Again, name) {
		s.Again = append(s.Again, name)
	}
}

// readBase reads the files of the last snapshot.
func (s *salvage) readBase() error {
	m, err := s.manifest()
	if err != nil {
		return err
	}
	s.base = m
	s.state = &state{base: newGeneration(s.disk, &manifest{Prev: link{}.String()}, nil), counts: m.Counts}
	s.seq, s.prev = m.Seq, m.link()
	for i := range m.Branches {
		b := &m.Branches[i]
		if err := s.lines(&b.linesRef, LostNodes, s.node(b.ErrorType)); err != nil {
			return err
		}
	}
	for i := range m.Ledger {
		if err := s.lines(&m.Ledger[i], LostEntries, s.entry); err != nil {
			return err
		}
	}
	for i := range m.Dead {
		if err := s.lines(&m.Dead[i], LostLetters, s.letter); err != nil {
			return err
		}
	}
	for i := range m.Known {
		if err := s.keys(&m.Known[i]); err != nil {
			return err
		}
	}
	if m.Outbox != nil {
		return s.lines(m.Outbox, LostEvaluations, s.evaluation)
	}
	return nil
}

// node returns a keeper for the lines of a branch. If several files have a node, the highest revision is used.
func (s *salvage) node(branch string) keeper {
	return func(at piece, l indexed, raw []byte) error {
		n, err := parseNode(raw)
		if err != nil {
			return err
		}
		if n.branch.Value() != branch {
			return errJSON
		}
		n.at, n.change = at, l.tag
		s.putNode(n)
		return nil
	}
}

// putNode stores a node, unless a higher revision of it is stored.
func (s *salvage) putNode(n *nodeEntry) {
	if old, ok := s.state.top.nodes.get(n.id); !ok || old.meta.revision <= n.meta.revision {
		s.state.top.nodes = s.state.top.nodes.put(n.id, n)
	}
}

// entry stores a line of the ledger.
func (s *salvage) entry(at piece, _ indexed, raw []byte) error {
	seq, err := entrySeq(raw)
	if err == nil {
		s.entries[seq] = at
	}
	return err
}

// entrySeq returns the sequence number in the JSON of a ledger entry.
func entrySeq(raw []byte) (seq uint64, err error) {
	problem := errJSON
	err = members(raw, func(k string, v []byte, _ int) bool {
		if k == "seq" {
			seq, problem = number(v)
		}
		return k != "seq"
	})
	if err == nil {
		err = problem
	}
	return seq, err
}

// letter stores a dead letter.
func (s *salvage) letter(at piece, _ indexed, raw []byte) error {
	var d store.DeadLetter
	if err := decode(raw, &d); err != nil {
		return err
	}
	s.putLetter(raw, at)
	s.relearn(&d.Evaluation)
	return nil
}

// putLetter stores a dead letter once. No two dead letters are equal, but two snapshots may hold the same one.
func (s *salvage) putLetter(raw []byte, at piece) {
	if h := store.HashOf(string(raw)); !s.letters[h] {
		s.letters[h] = true
		s.state.dead = append(s.state.dead, record{seq: uint64(len(s.state.dead)) + 1, at: at})
	}
}

// evaluation stores an evaluation of the outbox.
func (s *salvage) evaluation(at piece, l indexed, raw []byte) error {
	var e tree.Evaluation
	if err := decode(raw, &e); err != nil {
		return err
	}
	s.relearn(&e)
	s.state.enterOutbox(order(l.num), store.HashOf(e.Key()), at)
	s.state.Arrivals = max(s.state.Arrivals, l.num)
	return nil
}

// relearn records the key of an evaluation again, in case the table of keys is damaged.
func (s *salvage) relearn(e *tree.Evaluation) {
	h := store.HashOf(e.Key())
	if _, ok := s.state.top.known.get(string(h[:])); !ok {
		known := store.Known{Digest: store.DigestOf(e), Labelled: e.Labelled()}
		s.state.top.known = s.state.top.known.put(string(h[:]), known)
	}
}

// keys reads a table of known keys page by page. Newer tables are read first, and their records win.
func (s *salvage) keys(ref *tableRef) error {
	b, err := s.readWhole(ref.Table.Name)
	if err != nil {
		return err
	}
	lost := 0
	for n := range pages(ref.Count, knownSize) {
		held := min(perPage(knownSize), ref.Count-n*perPage(knownSize))
		t := table{from: strings.NewReader(string(slicePart(b, int64(n)*pageSize, pageSize))), start: -int64(n) * pageSize,
			size: knownSize, count: ref.Count}
		page, err := t.page(n)
		if err != nil {
			lost += held
			continue
		}
		for ; len(page) > 0; page = page[knownSize:] {
			if key := string(page[:16]); !s.state.knowsKey(key) {
				s.state.top.known = s.state.top.known.put(key, parseKnown(page))
			}
		}
	}
	if lost > 0 {
		s.noteLoss(Loss{Kind: LostKeys, File: ref.Table.Name, Bytes: int64(len(b)), Count: lost})
	}
	return nil
}

func (st *state) knowsKey(key string) bool {
	_, ok := st.top.known.get(key)
	return ok
}

// readWhole returns the bytes of a file, none if it does not exist.
func (s *salvage) readWhole(name string) ([]byte, error) {
	b, err := s.disk.read(name, 1<<40)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	return b, nil
}

// slicePart returns the bytes of b from off on, at most size.
func slicePart(b []byte, off, size int64) []byte {
	if off < 0 || off >= int64(len(b)) {
		return nil
	}
	return b[off:min(int64(len(b)), off+size)]
}

// bytes returns the bytes of a file from off on, at most size; none if it does not exist.
func (s *salvage) bytes(name string, off, size int64) ([]byte, error) {
	f, err := s.disk.open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	var b []byte
	if err == nil && !info.IsDir() && off < info.Size() {
		b = make([]byte, min(size, info.Size()-off))
		var n int
		if n, err = f.ReadAt(b, off); errors.Is(err, io.EOF) {
			err = nil
		}
		b = b[:n]
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	return b, nil
}

// onlyRebuildable reports whether all damaged files can be built again.
func (s *salvage) onlyRebuildable() bool {
	return len(s.Lost) == 0 && !slices.ContainsFunc(s.Again, func(name string) bool {
		return name != formatName && name != shutdownName && !strings.HasPrefix(name, derivedFolder+"/")
	})
}

// readSmall checks the files that can be built again.
func (s *salvage) readSmall() error {
	b, err := s.readWhole(shutdownName)
	if err != nil {
		return err
	}
	if _, ok := parseShutdown(b); !ok && s.disk.exists(shutdownName) {
		s.noteRebuildable(shutdownName)
	}
	names, err := s.disk.names(derivedFolder)
	if err != nil {
		return fmt.Errorf("read %s: %w", derivedFolder, err)
	}
	for _, n := range names {
		name := derivedFolder + "/" + n
		b, err := s.readWhole(name)
		if err != nil {
			return err
		}
		held, _, ok := derivedFile(n)
		switch {
		case isTemp(n) || wholeDerived(b):
		case ok && store.HeldBeside(held):
			s.noteLoss(Loss{Kind: LostHeld, File: name, Bytes: int64(len(b)), Name: held})
		default:
			s.noteRebuildable(name)
		}
	}
	return nil
}

// noteRefused records damage that Open refuses and that salvage did not notice, so that it is repaired too.
func (s *salvage) noteRefused() error {
	r, err := s.disk.recover(false)
	var damage *store.CorruptError
	if err == nil {
		defer r.state.base.release()
		damage = r.damage
	} else if !errors.As(err, &damage) {
		return err
	}
	if damage != nil && s.onlyRebuildable() {
		s.noteRebuildable(damage.File)
	}
	return nil
}

// folderOf returns the number of the snapshot whose folder a file is in, 0 if none.
func folderOf(name string) int {
	top, _, _ := strings.Cut(path.Clean(name), "/")
	if n := numbered([]string{top}, "snapshot.", ""); len(n) == 1 {
		return n[0]
	}
	return 0
}
