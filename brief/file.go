package brief

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"
)

// fileVersion is the version of the form of a saved book.
const fileVersion = 1

// Limits of a saved book. A line is one test with its picks.
const (
	mostLine   = 1 << 20
	mostQuoted = 4000 // bytes of a text of a pick
	mostFile   = 64 << 20
)

// header is the first line of a saved book.
type header struct {
	Version  int             `json:"version"`
	Last     uint64          `json:"last"`
	Memories json.RawMessage `json:"memories"`
	Purged   uint64          `json:"purged,omitempty"`
}

// Save writes the book as one file: a line of memories, then a line for each test, sorted by key. The same book gives
// the same bytes. A process that changes a book again and again saves it as Pieces instead.
func (b *Book) Save(w io.Writer) error {
	b.parseAll()
	b.mu.RLock()
	defer b.mu.RUnlock()
	out := bufio.NewWriter(w)
	enc := json.NewEncoder(out)
	memories, err := json.Marshal(b.remembered())
	if err != nil {
		return fmt.Errorf("save briefs: %w", err)
	}
	if err := enc.Encode(header{Version: fileVersion, Last: b.last, Memories: memories, Purged: b.purged}); err != nil {
		return fmt.Errorf("save briefs: %w", err)
	}
	for _, key := range slices.Sorted(maps.Keys(b.briefs)) {
		if err := enc.Encode(b.briefs[key]); err != nil {
			return fmt.Errorf("save briefs: %w", err)
		}
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("save briefs: %w", err)
	}
	return nil
}

// Purge records that b is the first book after the store purged memories, at this version of the tree. See Join.
func (b *Book) Purge(version uint64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.purged = version
	b.changes++
}

// PurgedAt returns the version of the tree in the last call of Purge, also after Save and Load; 0 if there was none.
func (b *Book) PurgedAt() uint64 {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return b.purged
}

// Changes returns a number that grows with every change of the book.
func (b *Book) Changes() uint64 {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return b.changes
}

// Load returns the book that Save wrote. It returns an error for a file with an invalid line, of another version or
// beyond the limits; begin a new book then.
func Load(r io.Reader) (*Book, error) {
	b := New()
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 0, 64<<10), mostFile)
	if !lines.Scan() {
		return nil, fmt.Errorf("load briefs: %w", cmp.Or(lines.Err(), errors.New("there is no first line")))
	}
	var h header
	if err := json.Unmarshal(lines.Bytes(), &h); err != nil {
		return nil, fmt.Errorf("load briefs: line 1: %w", err)
	}
	if h.Version != fileVersion {
		return nil, fmt.Errorf("load briefs: version %d is not %d", h.Version, fileVersion)
	}
	b.last, b.purged = h.Last, h.Purged
	var err error
	if len(h.Memories) > 0 {
		if b.memories, err = parseMemories(h.Memories, h.Last); err != nil {
			return nil, fmt.Errorf("load briefs: line 1: %w", err)
		}
	}
	if err := b.loadLines(lines); err != nil {
		return nil, err
	}
	return b, nil
}

// loadLines parses the lines of tests.
func (b *Book) loadLines(lines *bufio.Scanner) error {
	for n := 2; lines.Scan(); n++ {
		f := new(Brief)
		if len(lines.Bytes()) > mostLine {
			return fmt.Errorf("load briefs: line %d is too long", n)
		}
		if err := json.Unmarshal(lines.Bytes(), f); err != nil {
			return fmt.Errorf("load briefs: line %d: %w", n, err)
		}
		if !f.valid(b.last) || b.briefs[f.Key] != nil || len(b.briefs) >= MostTests {
			return fmt.Errorf("load briefs: line %d is no brief, or has been there", n)
		}
		b.briefs[f.Key] = f
		b.tests++
		b.unsaved[f.Key] = true
		b.list(f)
		b.count(f, 1)
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("load briefs: %w", err)
	}
	return nil
}

// Join joins two books of one tree, as two processes had them. It returns the one with more tests read, a on a tie, and
// adds the tests that only the other one has. It does not add what was read for these, because the two books number
// memories differently. more is true if the returned book was changed. If PurgedAt differs, Join returns the book with
// the later purge unchanged.
func Join(a, b *Book) (out *Book, more bool) {
	if at, other := a.PurgedAt(), b.PurgedAt(); at != other {
		if at > other {
			return a, false
		}
		return b, false
	}
	if b.Known().Read > a.Known().Read {
		a, b = b, a
	}
	before := a.Changes()
	for _, t := range b.Since(time.Time{}) {
		if a.Note(t, t.Prompt) != nil {
			break // it is full
		}
	}
	return a, a.Changes() != before
}

// valid reports whether a brief that was read is within the limits.
func (f *Brief) valid(last uint64) bool {
	return strings.HasPrefix(f.Key, "b_") && f.Prompt != "" && len(f.Prompt) <= 4*mostPrompt && f.UpTo <= last &&
		len(f.Picks) <= 2*mostPicks && !slices.ContainsFunc(f.Picks, func(p Pick) bool {
		return p.ID == "" || len(p.Say) > mostQuoted || len(p.Because) > mostQuoted
	})
}
