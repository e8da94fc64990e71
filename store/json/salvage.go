package jsonstore

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/memtree/memtree/tree"
)

// salvage is all that can be read of a store, line by line, whatever is damaged
// beside it, and what cannot. Its state keeps places, not bodies.
type salvage struct {
	Repair
	disk    *disk
	base    *manifest // read, or pieced together
	state   *state
	entries map[uint64]piece // the ledger by number
	letters map[fingerprint]bool
	highest int    // number of a journal or manifest
	seq     uint64 // of the last line that can be read
	prev    link
	files   map[string]*handle
	torn    *gap // the end of the last journal, that nobody was told of
}

// salvage reads a store as Fsck does. It changes nothing.
func (d *disk) salvage() (*salvage, error) {
	s := &salvage{disk: d, entries: map[uint64]piece{}, letters: map[fingerprint]bool{}, files: map[string]*handle{}}
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
		s.state.base.adopt(h) // who releases it closes them
	}
	return s, nil
}

// release closes the files; they are opened again when they are next read.
func (s *salvage) release() {
	for _, h := range s.files {
		h.rest()
	}
}

// file returns the handle of a file, for reading whatever it has.
func (s *salvage) file(name string) *handle {
	h := s.files[name]
	if h == nil {
		h = &handle{disk: s.disk, number: -1, ref: fileRef{Name: name}}
		s.files[name] = h
	}
	return h
}

func (s *salvage) lose(l Loss) { s.Lost = append(s.Lost, l) }

// again notes a file of which all can be made again.
func (s *salvage) again(name string) {
	if !slices.Contains(s.Again, name) {
		s.Again = append(s.Again, name)
	}
}

// readBase reads the last snapshot.
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

// node keeps a line of a branch. A node that several files have is what its
// highest revision says.
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

func (s *salvage) putNode(n *nodeEntry) {
	if old, ok := s.state.top.nodes.get(n.id); !ok || old.meta.revision <= n.meta.revision {
		s.state.top.nodes = s.state.top.nodes.put(n.id, n)
	}
}

func (s *salvage) entry(at piece, _ indexed, raw []byte) error {
	seq, err := entrySeq(raw)
	if err == nil {
		s.entries[seq] = at
	}
	return err
}

// entrySeq returns the number of a ledger entry, which its JSON has.
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

func (s *salvage) letter(at piece, _ indexed, raw []byte) error {
	var d tree.DeadLetter
	if err := decode(raw, &d); err != nil {
		return err
	}
	s.putLetter(raw, at)
	s.relearn(&d.Evaluation)
	return nil
}

// putLetter keeps a dead letter once: there are never two alike, but two
// snapshots may have one.
func (s *salvage) putLetter(raw []byte, at piece) {
	if h := hashOf(string(raw)); !s.letters[h] {
		s.letters[h] = true
		s.state.dead = append(s.state.dead, record{seq: uint64(len(s.state.dead)) + 1, at: at})
	}
}

func (s *salvage) evaluation(at piece, l indexed, raw []byte) error {
	var e tree.Evaluation
	if err := decode(raw, &e); err != nil {
		return err
	}
	s.relearn(&e)
	s.state.wait(order(l.num), hashOf(e.Key()), at)
	s.state.Arrivals = max(s.state.Arrivals, l.num)
	return nil
}

// relearn makes an evaluation known where the table that knew it is damaged.
func (s *salvage) relearn(e *tree.Evaluation) {
	h := hashOf(e.Key())
	if _, ok := s.state.top.known.get(string(h[:])); !ok {
		s.state.top.known = s.state.top.known.put(string(h[:]), knownEntry{digest: digestOf(e), labelled: e.Labelled()})
	}
}

// keys reads a table of known keys, page by page; what a newer table says
// counts.
func (s *salvage) keys(ref *tableRef) error {
	b, err := s.whole(ref.Table.Name)
	if err != nil {
		return err
	}
	lost := 0
	for n := range pages(ref.Count, knownSize) {
		held := min(perPage(knownSize), ref.Count-n*perPage(knownSize))
		t := table{from: strings.NewReader(string(part(b, int64(n)*pageSize, pageSize))), start: -int64(n) * pageSize, size: knownSize, count: ref.Count}
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
		s.lose(Loss{Kind: LostKeys, File: ref.Table.Name, Bytes: int64(len(b)), Count: lost})
	}
	return nil
}

func (st *state) knowsKey(key string) bool {
	_, ok := st.top.known.get(key)
	return ok
}

// whole returns what a file has; nothing where it is not there.
func (s *salvage) whole(name string) ([]byte, error) {
	b, err := s.disk.read(name, 1<<40)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	return b, nil
}

// part returns what is there of size bytes at off.
func part(b []byte, off, size int64) []byte {
	if off < 0 || off >= int64(len(b)) {
		return nil
	}
	return b[off:min(int64(len(b)), off+size)]
}

// bytes returns what is there of a part of a file.
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

// small reports whether only files are damaged that hold nothing of their own.
func (s *salvage) small() bool {
	return len(s.Lost) == 0 && !slices.ContainsFunc(s.Again, func(name string) bool {
		return name != formatName && name != shutdownName && !strings.HasPrefix(name, derivedFolder+"/")
	})
}

// readSmall looks at the files that hold nothing of their own.
func (s *salvage) readSmall() error {
	b, err := s.whole(shutdownName)
	if err != nil {
		return err
	}
	if _, ok := parseShutdown(b); !ok && s.disk.exists(shutdownName) {
		s.again(shutdownName)
	}
	names, err := s.disk.names(derivedFolder)
	if err != nil {
		return fmt.Errorf("read %s: %w", derivedFolder, err)
	}
	for _, n := range names {
		name := derivedFolder + "/" + n
		b, err := s.whole(name)
		if err != nil {
			return err
		}
		if !isTemp(n) && !wholeDerived(b) {
			s.again(name)
		}
	}
	return nil
}

// refused makes sure that what Open refuses is repaired, whatever it is.
func (s *salvage) refused() error {
	r, err := s.disk.recover(false)
	var damage *tree.CorruptError
	if err == nil {
		defer r.state.base.release()
		damage = r.damage
	} else if !errors.As(err, &damage) {
		return err
	}
	if damage != nil && s.small() {
		s.again(damage.File)
	}
	return nil
}

// folderOf returns the snapshot a file is in, 0 for none.
func folderOf(name string) int {
	top, _, _ := strings.Cut(path.Clean(name), "/")
	if n := numbered([]string{top}, "snapshot.", ""); len(n) == 1 {
		return n[0]
	}
	return 0
}
