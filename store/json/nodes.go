package jsonstore

import (
	"cmp"
	"errors"
	"fmt"
	"sort"
	"unique"

	"github.com/memtree/memtree/tree"
)

// nodeLine is a node with its JSON. The next call to its source may overwrite it.
type nodeLine struct {
	*nodeEntry
	raw []byte
}

// nodeSource yields nodes sorted by id, and nil at the end.
type nodeSource interface {
	next() (*nodeLine, error)
}

// nodes returns the nodes of a state that f may select: those of one error type, or all for "".
func (st *state) nodes(branch string, f filter) *merged { return st.nodesAfter(branch, f, "") }

// nodesAfter is nodes, except that it skips most nodes up to the id after without reading them.
func (st *state) nodesAfter(branch string, f filter, after string) *merged {
	m := &merged{}
	for i := range st.base.Branches {
		if b := &st.base.Branches[i]; branch == "" || b.ErrorType == branch {
			m.sources = append(m.sources, &branchSource{state: st, ref: b, name: unique.Make(b.ErrorType), filter: f,
				after: after, lines: blockReader{gen: st.base, ref: &b.linesRef}})
		}
	}
	m.sources = append(m.sources,
		&layerSource{cursor: st.top.nodes.cursor(after), branch: branch, filter: f},
		&layerSource{cursor: st.frozen.nodes.cursor(after), over: &st.top, branch: branch, filter: f})
	m.heads = make([]*nodeLine, len(m.sources))
	m.current = make([]bool, len(m.sources))
	return m
}

// merged merges sources without common ids. There are few, one for each error type and layer, so it compares all heads.
type merged struct {
	sources []nodeSource
	heads   []*nodeLine
	current []bool // heads[i] is read and not returned yet
	node    tree.Node
}

// next returns the node with the least id of all sources.
func (m *merged) next() (*nodeLine, error) {
	least := -1
	for i := range m.sources {
		if !m.current[i] {
			n, err := m.sources[i].next()
			if err != nil {
				return nil, err
			}
			m.heads[i], m.current[i] = n, true
		}
		if n := m.heads[i]; n != nil && (least < 0 || n.id < m.heads[least].id) {
			least = i
		}
	}
	if least < 0 {
		return nil, nil
	}
	m.current[least] = false
	return m.heads[least], nil
}

// layerSource yields the nodes of a layer, except those in the layer over it.
type layerSource struct {
	cursor *cursor[*nodeEntry]
	over   *journalLayer
	branch string
	filter filter
}

func (s *layerSource) next() (*nodeLine, error) {
	for t := s.cursor.next(); t != nil; t = s.cursor.next() {
		if s.over != nil {
			if _, ok := s.over.nodes.get(t.key); ok {
				continue
			}
		}
		if n := t.val; (s.branch == "" || n.branch.Value() == s.branch) && s.filter.mayMatch(n.meta) {
			raw, err := n.at.read()
			return &nodeLine{n, raw}, err
		}
	}
	return nil, nil
}

// branchSource yields the nodes of a file, except those in a layer.
type branchSource struct {
	state  *state
	ref    *branchRef
	name   unique.Handle[string]
	filter filter
	after  string // id up to which nodes are skipped; "": none, or already skipped
	lines  blockReader
	line   nodeLine // the last one
	entry  nodeEntry
}

// skip moves to the first line with an id above after. Lines are sorted by id. It looks at the last line first, because
// most files of an error type have cases alone when somebody asks for what comes behind these.
func (s *branchSource) skip() (err error) {
	above := func(i int) bool {
		s.lines.i, s.lines.page, s.lines.ahead, s.lines.space = i, nil, nil, nil
		x, ok, e := s.lines.index()
		var raw []byte
		if ok && e == nil {
			raw, e = s.lines.gen.read(s.lines.ref, x.place)
		}
		id := ""
		if e == nil {
			id, e = idOf(raw)
		}
		err = cmp.Or(err, e)
		return e != nil || id > s.after
	}
	at := s.ref.Count
	if at > 0 && above(at-1) {
		at = sort.Search(at-1, above)
	}
	s.lines.i, s.lines.page, s.lines.ahead, s.after = at, nil, nil, ""
	return err
}

func (s *branchSource) next() (*nodeLine, error) {
	if s.after != "" {
		if err := s.skip(); err != nil {
			return nil, err
		}
	}
	for {
		rec, err := s.lines.record()
		if rec == nil || err != nil {
			return nil, err
		}
		m := metaIn(rec)
		if !s.filter.mayMatch(m) {
			continue
		}
		at := parseIndexed(rec)
		raw, err := s.lines.read(at.place)
		if err != nil {
			return nil, err
		}
		s.entry = nodeEntry{branch: s.name, meta: m, change: at.tag}
		s.line = nodeLine{&s.entry, raw}
		n := &s.line
		if n.id, err = idOf(raw); err != nil {
			return nil, damaged(s.ref.Data, at.off, err)
		}
		if _, ok := s.state.overlay(n.id); !ok {
			return n, nil
		}
	}
}

// idOf returns the id in the JSON of a node. It is the first member.
func idOf(raw []byte) (id string, err error) {
	problem := errJSON
	err = members(raw, func(k string, v []byte, _ int) bool {
		if k == "id" {
			id, problem = unquote(v)
		}
		return false
	})
	if err == nil {
		err = problem
	}
	return id, err
}

// blockReader reads the lines of a file in order, and may skip some. It reads large blocks.
type blockReader struct {
	gen   *generation
	ref   *linesRef
	i     int    // number of the next line
	page  []byte // index records of the lines from i on
	ahead []byte // pages of the index that were read after it
	space []byte // what ahead is a part of
	buf   []byte
	start int64 // offset of buf in the file
}

const readAhead = 128 << 10

// index returns the index record of the next line, false after the last.
func (r *blockReader) index() (indexed, bool, error) {
	rec, err := r.record()
	if rec == nil || err != nil {
		return indexed{}, false, err
	}
	return parseIndexed(rec), true, nil
}

// record returns the bytes of the index record of the next line, nil after the last. The next call may overwrite them.
func (r *blockReader) record() ([]byte, error) {
	if r.i == r.ref.Count {
		return nil, nil
	}
	if len(r.page) == 0 {
		n := r.i / perPage(lineSize)
		page, err := r.nextPage(n)
		if err != nil {
			return nil, damaged(r.ref.Index, int64(n)*pageSize, err)
		}
		r.page = page[r.i%perPage(lineSize)*lineSize:]
	}
	rec := r.page[:lineSize]
	r.page = r.page[lineSize:]
	r.i++
	return rec, nil
}

// pagesAhead is how many pages of an index are read at once when its lines are read in order.
const pagesAhead = 32

// nextPage returns the records of page n of the index. It reads the pages after it with it, if the page before was read
// last.
func (r *blockReader) nextPage(n int) ([]byte, error) {
	t := r.gen.index(r.ref)
	if len(r.ahead) == 0 {
		many := 1
		if r.space != nil { // a reader that skips reads one page
			many = min(pagesAhead, pages(t.count, t.size)-n)
		}
		if cap(r.space) < many*pageSize {
			r.space = make([]byte, many*pageSize)
		}
		got, err := t.from.ReadAt(r.space[:many*pageSize], t.start+int64(n)*pageSize)
		if got < pageSize {
			return nil, fmt.Errorf("page %d is not there: %w", n, err)
		}
		r.ahead = r.space[:got/pageSize*pageSize]
	}
	page := r.ahead[:pageSize]
	r.ahead = r.ahead[pageSize:]
	return t.check(page, n)
}

// read returns the line at a place. The next call may overwrite it.
func (r *blockReader) read(at place) ([]byte, error) {
	if at.len > maxLine || at.off < 0 || at.off+int64(at.len) >= r.ref.Data.Bytes {
		return nil, damaged(r.ref.Data, at.off, errors.New("the index points outside it"))
	}
	need := int(at.len) + 1
	if at.off < r.start || at.off+int64(need) > r.start+int64(len(r.buf)) {
		size := min(int64(max(need, readAhead)), r.ref.Data.Bytes-at.off)
		if int64(cap(r.buf)) < size {
			r.buf = make([]byte, size)
		}
		r.buf, r.start = r.buf[:size], at.off
		if n, err := r.gen.handles[r.ref.Data.Name].ReadAt(r.buf, at.off); n < need {
			r.buf = r.buf[:0]
			return nil, damaged(r.ref.Data, at.off, err)
		}
	}
	from := int(at.off - r.start)
	return at.check(r.ref, r.buf[from:from+need:from+need])
}
