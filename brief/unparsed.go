package brief

import (
	"bytes"
	"encoding/json"
	"iter"
	"sort"
	"strconv"
	"strings"
)

// unparsed holds the tests of a saved book for which nothing was read, as their lines. To parse them all takes longer
// than everything else that a short-lived process does, and it needs one test, or none. They are parsed when a method
// needs all of them, or one after fewAsked others.
type unparsed struct {
	raw   []byte
	from  []int // the byte at which each line begins, and the end of the last
	found int   // lines that are in the book already
	asked int   // how often some lines were looked for
}

// fewAsked is how often lines are looked for one by one. A long-lived process parses them all then.
const fewAsked = 4

// hasRead is in the line of a test for which something was read.
var hasRead = []byte(`"upTo":`)

// scanLines returns the lines of a book. ok is false if something was read for a test, or a line has another form than
// Save gives it; then all must be parsed.
func scanLines(raw []byte) (u *unparsed, ok bool) {
	if bytes.Contains(raw, hasRead) {
		return nil, false
	}
	u = &unparsed{raw: raw, from: []int{0}}
	var last []byte
	for at := 0; at < len(raw); {
		n := bytes.IndexByte(raw[at:], '\n') + 1
		line := raw[at : at+n]
		key := keyOf(line)
		if n == 0 || n > mostLine || key == nil || !bytes.HasSuffix(line, []byte("}\n")) || bytes.Compare(last, key) >= 0 ||
			len(u.from) > MostTests {
			return nil, false
		}
		at, last = at+n, key
		u.from = append(u.from, at)
	}
	return u, true
}

// keyOf returns the key of a line, nil if it does not begin with one.
func keyOf(line []byte) []byte {
	rest, ok := bytes.CutPrefix(line, []byte(`{"key":"b_`))
	end := bytes.IndexByte(rest, '"')
	if !ok || end < 0 {
		return nil
	}
	const open = len(`{"key":"`)
	return line[open : open+len("b_")+end]
}

func (u *unparsed) len() int { return len(u.from) - 1 }

func (u *unparsed) line(i int) []byte { return u.raw[u.from[i]:u.from[i+1]] }

// search returns the number of the first line whose key is not below key, and whether it is equal.
func (u *unparsed) search(key string) (i int, found bool) {
	return sort.Find(u.len(), func(i int) int { return strings.Compare(key, string(keyOf(u.line(i)))) })
}

// ofKey yields the line with a key, if there is one.
func (u *unparsed) ofKey(key string) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		if i, found := u.search(key); found {
			yield(u.line(i))
		}
	}
}

// having yields the lines in which a field has a value. It may yield others too.
func (u *unparsed) having(field, value string) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		b, err := json.Marshal(value)
		if err != nil || value == "" {
			return
		}
		want := append([]byte(strconv.Quote(field)+":"), b...)
		for at := 0; at < len(u.raw); {
			n := bytes.Index(u.raw[at:], want)
			if n < 0 {
				return
			}
			i := sort.SearchInts(u.from, at+n+1) - 1
			if !yield(u.line(i)) {
				return
			}
			at = u.from[i+1]
		}
	}
}

// parse adds the tests of lines to the book. What the book has already is newer. A line that cannot be read is left
// out: everything in it came with a run and comes again. The caller holds the lock for writing.
func (b *Book) parse(lines iter.Seq[[]byte]) {
	for line := range lines {
		f := new(Brief)
		if json.Unmarshal(line, f) != nil || !f.valid(b.last) || f.UpTo != 0 || b.briefs[f.Key] != nil {
			continue
		}
		b.briefs[f.Key] = f
		b.list(f)
		if b.rest != nil {
			b.rest.found++
		}
	}
}

// parseOne adds the tests of some lines, or of all where that was done often. The caller holds the lock for writing.
func (b *Book) parseOne(of ...func(*unparsed) iter.Seq[[]byte]) {
	if b.rest == nil {
		return
	}
	if b.rest.asked++; b.rest.asked > fewAsked {
		b.parseLines()
		return
	}
	for _, lines := range of {
		b.parse(lines(b.rest))
	}
}

// parseAll adds all tests that were not parsed yet. The caller does not hold the lock.
func (b *Book) parseAll() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.parseLines()
}

// parseLines is parseAll for a caller that holds the lock for writing.
func (b *Book) parseLines() {
	u := b.rest
	if u == nil {
		return
	}
	b.parse(func(yield func([]byte) bool) {
		for i := range u.len() {
			if !yield(u.line(i)) {
				return
			}
		}
	})
	b.rest = nil
}

// size returns how many tests the book has. The caller holds the lock.
func (b *Book) size() int {
	if b.rest == nil {
		return len(b.briefs)
	}
	return len(b.briefs) + b.rest.len() - b.rest.found
}
