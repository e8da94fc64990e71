package brief

import (
	"bytes"
	"encoding/json"
)

// place is a slot of a segment.
type place struct {
	s    *segment
	slot int
}

// look appends the places with a key, and with a prompt or an id if they are not "", whose tests are not parsed yet. It
// may append others too. The caller holds the lock.
func (b *Book) look(key, prompt, id string, onlyRead bool) (out []place) {
	for _, s := range b.segments {
		if s.left == 0 || onlyRead && s.read == 0 {
			continue
		}
		add := func(slot int) bool {
			if !has(s.parsed, slot) {
				out = append(out, place{s, slot})
			}
			return true
		}
		if key != "" {
			s.ofKey(key, add)
		}
		if prompt != "" {
			s.of(false, prompt, add)
		}
		if id != "" {
			s.of(true, id, add)
		}
	}
	return out
}

// parse adds the tests of places to the book. What the book has already is newer. A line that cannot be read is
// dropped: everything in it came with a run and comes again. The caller holds the lock for writing.
func (b *Book) parse(places []place) {
	for _, p := range places {
		if has(p.s.parsed, p.slot) || has(p.s.dead, p.slot) {
			continue
		}
		line, err := p.s.line(p.slot)
		f := new(Brief)
		if err != nil || json.Unmarshal(line, f) != nil || !f.valid(b.last) || b.briefs[f.Key] != nil {
			p.s.kill(p.slot)
			b.tests--
			b.changes++
			continue
		}
		p.s.take(p.slot)
		b.briefs[f.Key] = f
		b.list(f)
	}
}

// parseSegments parses all tests, or those of the segments for which something was read. The caller holds the lock for
// writing.
func (b *Book) parseSegments(onlyRead bool) {
	for _, s := range b.segments {
		if s.left == 0 || onlyRead && s.read == 0 {
			continue
		}
		for slot := range s.n {
			b.parse([]place{{s, slot}})
		}
	}
}

// parseAll adds all tests that were not parsed yet. The caller does not hold the lock.
func (b *Book) parseAll() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.parseSegments(false)
}

// parseRead adds the tests for which something may have been read. The caller does not hold the lock.
func (b *Book) parseRead() {
	b.mu.RLock()
	var left int
	for _, s := range b.segments {
		if s.read > 0 {
			left += s.left
		}
	}
	b.mu.RUnlock()
	if left == 0 {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.parseSegments(true)
}

// ready parses the tests that a test may be known as: by its key, its prompt or its id. The caller does not hold the
// lock.
func (b *Book) ready(t *UpcomingTest, onlyRead bool) {
	key, prompt := t.Key(), t.words()
	b.mu.RLock()
	places := b.look(key, prompt, t.ID, onlyRead)
	b.mu.RUnlock()
	if len(places) == 0 {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.parse(b.look(key, prompt, t.ID, onlyRead)) // a save may have merged segments meanwhile
}

// unlink marks the slot of a key dead. The caller holds the lock for writing.
func (b *Book) unlink(key string) {
	for _, s := range b.segments {
		s.ofKey(key, func(slot int) bool {
			line, err := s.line(slot)
			if err == nil && bytes.HasPrefix(line, []byte(`{"key":"`+key+`"`)) {
				s.kill(slot)
				return false
			}
			return true
		})
	}
}
