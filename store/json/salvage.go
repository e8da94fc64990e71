package jsonstore

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
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

// wait puts an evaluation into the outbox.
func (st *state) wait(at string, key fingerprint, in piece) {
	st.outbox = st.outbox.put(at, item{key: key, at: in})
	st.byKey = st.byKey.put(string(key[:])+at, none{})
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

// count makes the totals those of what is there.
func (s *salvage) count() error {
	st := s.state
	st.entries = nil
	for _, seq := range slices.Sorted(maps.Keys(s.entries)) {
		st.entries = append(st.entries, record{seq: seq, at: s.entries[seq]})
		st.Entries = max(st.Entries, seq)
	}
	if len(s.Lost) > 0 {
		if err := s.forget(); err != nil {
			return err
		}
	}
	st.Nodes, st.Evaluations, st.Dead = st.top.nodes.n, st.top.known.n, len(st.dead)
	s.Kept = Kept{Nodes: st.Nodes, Evaluations: st.outbox.n, Entries: len(st.entries), Letters: st.Dead, Version: st.Version}
	defer func() { st.base.Counts = st.counts }()
	if !s.Whole() { // what was derived from it, and who remembers a version, must not go on
		st.Version++
		st.Changed = st.Version
	}
	slices.SortStableFunc(s.Lost, func(a, b Loss) int { return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Offset, b.Offset)) })
	slices.Sort(s.Again)
	return nil
}

// forget makes evaluations unknown of which the ledger says that they became a
// case, and the case is not there: recorded again, they make it again.
func (s *salvage) forget() error {
	for _, r := range s.state.entries {
		raw, err := r.at.read()
		if err != nil {
			return err
		}
		var e tree.Entry
		if err := decode(raw, &e); err != nil || e.Verdict == nil || e.Verdict.Node == "" {
			continue // only its number is known
		}
		if _, ok := s.state.top.nodes.get(e.Verdict.Node); ok {
			continue
		}
		h := hashOf(e.Verdict.Evaluation)
		if s.state.knowsKey(string(h[:])) {
			s.state.top.known = s.state.top.known.del(string(h[:]))
			s.Forgotten++
		}
	}
	return nil
}

// origin returns the origin that most nodes have, or else what was read.
func (s *salvage) origin(read tree.Origin) (tree.Origin, error) {
	times := map[string]int{}
	for _, n := range s.state.top.nodes.from("") {
		raw, err := n.at.read()
		if err != nil {
			return read, err
		}
		var node tree.Node
		if err := decode(raw, &node); err != nil {
			return read, err
		}
		times[node.Origin.ID]++
	}
	best := ""
	for _, id := range slices.Sorted(maps.Keys(times)) {
		if id != "" && times[id] > times[best] {
			best = id
		}
	}
	if best != "" {
		read.ID = best
	}
	if len(read.Label) > tree.MaxName {
		read.Label = ""
	}
	if read.ID == "" || len(read.ID) > tree.MaxName {
		read.ID = "o_" + tree.Hash(fmt.Sprint(s.seq), s.prev.String())
	}
	return read, nil
}

// commit sets aside what is damaged and writes what is whole as a new snapshot.
func (s *salvage) commit(f format) error {
	d := s.disk
	if err := d.fs.RemoveAll(d.name(derivedFolder)); err != nil {
		return fmt.Errorf("remove %s: %w", derivedFolder, err) // it was made from what is lost
	}
	if err := s.setAside(); err != nil {
		return err
	}
	if err := d.writeFormat(f); err != nil {
		return err
	}
	if s.small() {
		return d.removeIfThere(shutdownName) // the journal speaks for itself
	}
	number := s.highest + 1
	j, err := d.begin(number, s.seq, s.prev)
	if err != nil {
		return err
	}
	if err := j.file.Close(); err != nil {
		return fmt.Errorf("close %s: %w", journalName(number), err)
	}
	if err := d.fs.RemoveAll(d.name(tempMark + snapshotName(number))); err != nil {
		return err
	}
	if err := d.fs.RemoveAll(d.name(snapshotName(number))); err != nil {
		return err // no manifest ever named it
	}
	w, err := d.snapshot(s.state, number, s.seq, s.prev)
	if err != nil {
		return err
	}
	b, err := w.out.encode()
	if err == nil {
		err = d.replace(manifestName(number), b)
	}
	if err != nil {
		return err
	}
	s.Kept.Version = s.state.Version
	return s.clear(&w.out)
}

// clear removes what the new snapshot replaces.
func (s *salvage) clear(m *manifest) error {
	names, err := s.disk.names(".")
	if err != nil {
		return fmt.Errorf("read the folder: %w", err)
	}
	for _, n := range numbered(names, "manifest.", ".json") {
		if n < m.Number {
			s.disk.discard(manifestName(n))
		}
	}
	s.release()
	g := newGeneration(s.disk, m, nil)
	defer g.release()
	return s.disk.sweep(g)
}

// setAside keeps the damaged bytes in broken/.
func (s *salvage) setAside() error {
	aside := func(name string, off, size int64) error {
		b, err := s.bytes(name, off, size)
		if err != nil || len(b) == 0 {
			return err
		}
		to, err := s.disk.setAside(fmt.Sprintf("%s.%d", strings.ReplaceAll(name, "/", "."), off), b)
		s.Moved = append(s.Moved, to)
		return err
	}
	for _, l := range s.Lost {
		if err := aside(l.File, l.Offset, l.Bytes); err != nil {
			return err
		}
	}
	for _, name := range s.Again {
		if err := aside(name, 0, 1<<40); err != nil {
			return err
		}
	}
	if t := s.torn; t != nil {
		if err := aside(journalName(t.number), t.off, t.size); err != nil {
			return err
		}
		return s.disk.cut(journalName(t.number), t.off)
	}
	return nil
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
