package brief

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/memtree/memtree/internal/piece"
)

// memoriesPiece is the piece of a book that has the memories with their numbers, as JSON. It is parsed when a method
// needs them, which is where a reader has read something.
type memoriesPiece struct {
	piece.Pages
	name string
	last uint64 // number of the last memory
}

// read returns the memories, none from a damaged piece: they get new numbers, and are read anew.
func (m *memoriesPiece) read() map[string]*numbered {
	b, err := m.Span(0, m.Size())
	if err != nil {
		return map[string]*numbered{}
	}
	of, err := parseMemories(b, m.last)
	if err != nil {
		return map[string]*numbered{}
	}
	return of
}

func parseMemories(b []byte, last uint64) (of map[string]*numbered, err error) {
	if err := json.Unmarshal(b, &of); err != nil {
		return nil, err
	}
	for id, m := range of {
		if m == nil || m.Number > last {
			return nil, fmt.Errorf("memory %q has no right number", id)
		}
		m.ID = id
	}
	return of, nil
}

func (m *memoriesPiece) write(w io.Writer) error { return m.Write(w, m.Front(nil)) }

func openMemories(name string, last uint64, open func(string) (io.ReaderAt, int64, error)) (*memoriesPiece, error) {
	r, size, err := open(name)
	if err != nil {
		return nil, err
	}
	pages, _, is, err := piece.Open(&memoriesKind, r, size)
	if err == nil && is != name {
		err = fmt.Errorf("%w: it is another than its name", piece.ErrFormat)
	}
	if err != nil {
		return nil, fmt.Errorf("memories %s: %w", name, err)
	}
	return &memoriesPiece{Pages: pages, name: name, last: last}, nil
}

// remembered returns the memories by id. The caller holds the lock, for reading at least, and does not change the map.
func (b *Book) remembered() map[string]*numbered {
	b.loaded.Do(func() {
		if b.loading != nil {
			b.memories = b.loading.read()
		}
	})
	return b.memories
}

// remember replaces the memories. The caller holds the lock for writing.
func (b *Book) remember(now map[string]*numbered) {
	b.remembered()
	b.memories, b.loading = now, nil
}

// pieceOfMemories returns the piece of the memories, nil if there are none. The caller holds the lock for writing.
func (b *Book) pieceOfMemories() (*memoriesPiece, error) {
	b.remembered()
	if b.loading == nil && len(b.memories) > 0 {
		data, err := json.Marshal(b.memories)
		if err != nil {
			return nil, err
		}
		m := &memoriesPiece{Pages: piece.InMemory(&memoriesKind, data), last: b.last}
		m.name, b.loading = piece.NameOf(m.Front(nil)), m
	}
	return b.loading, nil
}
