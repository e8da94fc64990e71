package retrieval

import (
	"fmt"
	"io"

	"github.com/memtree/memtree/internal/piece"
	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/taxonomy"
)

// An index that changes is stored in pieces: a file for each segment, which is written once and never changed, and a
// small head that names the segments and their dead slots. After an update only the new segments and the head are
// written. FORMAT.md has the bytes.

// Pieces is one state of an index in the form that is stored: a head, and a file for each segment. It is immutable.
type Pieces struct {
	st     *indexState
	names  []string // of the parts
	fronts [][]byte // of the parts that have no name yet, see front; nil for others
}

// Pieces returns the present state in pieces. It may run concurrently with searches and updates.
func (ix *Index) Pieces() (*Pieces, error) {
	st := ix.state.Load()
	p := &Pieces{st: st, names: make([]string, len(st.parts)), fronts: make([][]byte, len(st.parts))}
	for i := range st.parts {
		s := st.parts[i].segment
		if p.names[i] = s.name; s.name != "" {
			continue
		}
		id := ix.embedderID()
		if s.alien {
			id = s.embedder
		}
		front := s.front(id)
		p.names[i], p.fronts[i] = piece.NameOf(front), front
	}
	return p, nil
}

// Version returns the version of the index.
func (p *Pieces) Version() uint64 { return p.st.version }

// Names returns the names of the segments' files. A file with a name has the same bytes for ever, see package piece.
func (p *Pieces) Names() []string { return p.names }

// Write writes the i-th segment's file.
func (p *Pieces) Write(i int, w io.Writer) error {
	s, front := p.st.parts[i].segment, p.fronts[i]
	if front == nil { // it is from a file, which was lost
		front = s.front(s.embedder)
	}
	if err := s.Write(w, front); err != nil {
		return fmt.Errorf("store the index: %w", err)
	}
	return nil
}

// LoadPieces opens an index that was stored in pieces. open returns the file with a name, and its size. It reads the
// header and the checksums of a file only. Every other page is read and checked when a call first needs it, so the file
// must stay open as long as the index is in use, and damage is an error of the call that finds it. Vectors of another
// embedder than e are not used, and Stats().Note reports that.
func LoadPieces(head []byte, open func(name string) (io.ReaderAt, int64, error), tax *taxonomy.Taxonomy,
	e llm.Embedder) (*Index, error) {
	ix := New(tax, e)
	st := &indexState{}
	listed, err := readPartList(head, st)
	if err != nil {
		return nil, fmt.Errorf("load the index: %w", err)
	}
	for i := range listed {
		l := &listed[i]
		r, size, err := open(l.name)
		if err != nil {
			return nil, fmt.Errorf("load the index: %w", err)
		}
		s, err := readHeader(r, size)
		if err == nil && (s.name != l.name || s.n != l.slots) {
			err = fmt.Errorf("%w: segment %s is another than its name says", errFormat, l.name)
		}
		if err == nil {
			err = ix.adopt(s)
		}
		if err != nil {
			return nil, fmt.Errorf("load the index: %w", err)
		}
		st.parts = append(st.parts, l.take(s))
	}
	st.note = ix.alien
	st.count()
	ix.state.Store(st)
	ix.setSaved(st)
	return ix, nil
}

// Saved records that p is stored, so that Unsaved counts from it on.
func (ix *Index) Saved(p *Pieces) { ix.setSaved(p.st) }

// Unsaved returns how many nodes updates have changed since the last stored state, and whether anything has changed at
// all: a merge changes the pieces and no node.
func (ix *Index) Unsaved() (nodes uint64, changed bool) {
	st, saved := ix.state.Load(), ix.saved.Load()
	return st.changes - saved.changes, st != saved.of.Value()
}
