package brief

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/memtree/memtree/internal/text"
)

// Book holds tests that will run, and for each the memories that a reader picked (a Brief). Use New; the zero value
// does not work. A Book is safe for concurrent use.
//
// Memories are numbered from 1 in the order in which Learn first received them. A memory whose content changes gets a
// new number. A brief has considered the memories up to its UpTo, so those with higher numbers are unread for it.
type Book struct {
	mu       sync.RWMutex
	last     uint64                  // the highest number of a memory
	memories map[string]*numbered    // by id: the live ones at the last call of Learn; see remembered
	loading  *memoriesPiece          // the piece of memories as they are; nil: there is none
	loaded   sync.Once               // memories were read from loading
	tests    int                     // the number of tests
	briefs   map[string]*Brief       // by the key of the test: those that were parsed
	byID     map[string][]string     // keys of the tests with an id, sorted
	byWords  map[string][]string     // keys of the tests with a prompt, see Brief.Words; sorted
	readers  map[string]readerRecord // by ReaderInfo.By, of the briefs
	changes  uint64                  // the number of changes of the book, for Save
	purged   uint64                  // version of the tree at its last purge before the book began
	segments []*segment              // tests as they were saved, each in one of them
	unsaved  map[string]bool         // keys of tests that have changed since, or are gone
}

// numbered is a memory with its number.
type numbered struct {
	Number   uint64 `json:"n"`
	Digest   string `json:"digest,omitempty"` // of its content; "" without a line
	Of       string `json:"of,omitempty"`     // the product whose tests alone it concerns; "" for any
	Material `json:"-"`
}

// New returns a Book without tests and memories.
func New() *Book {
	return &Book{
		memories: map[string]*numbered{}, briefs: map[string]*Brief{},
		byID: map[string][]string{}, byWords: map[string][]string{}, readers: map[string]readerRecord{},
		unsaved: map[string]bool{},
	}
}

// ErrFull is the error of Book.Note for a new test if the book has MostTests already.
var ErrFull = errors.New("the book of briefs has no room for more tests; give it those that will run")

// Note adds test t to the book, or updates its Seen if the book has it. The book finds the test by t.Prompt but stores
// clean, the prompt without secrets, up to 20,000 characters of it. Note ignores a test without a prompt. It returns
// ErrFull if the book has no room.
func (b *Book) Note(t UpcomingTest, clean string) error {
	if strings.TrimSpace(t.Prompt) == "" {
		return nil
	}
	key, words := t.Key(), t.words()
	t.Prompt = text.Clip(clean, mostPrompt)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.parse(b.look(key, "", "", false))
	if old := b.briefs[key]; old != nil {
		if t.Seen.Sub(old.Seen) >= time.Hour || old.ID == "" && t.ID != "" {
			b.unlist(old)
			old.Seen, old.ID = t.Seen, cmp.Or(t.ID, old.ID)
			b.list(old)
			b.changed(key)
		}
		return nil
	}
	if b.tests >= MostTests {
		return ErrFull
	}
	f := &Brief{Key: key, Words: words, UpcomingTest: t}
	b.briefs[key] = f
	b.list(f)
	b.tests++
	b.changed(key)
	return nil
}

// changed marks a test as changed. The caller holds the lock for writing.
func (b *Book) changed(key string) {
	b.unsaved[key] = true
	b.changes++
}

// list and unlist maintain byID and byWords. The caller holds the lock.
func (b *Book) list(f *Brief) {
	add := func(of map[string][]string, name string) {
		if i, found := slices.BinarySearch(of[name], f.Key); name != "" && !found {
			of[name] = slices.Insert(of[name], i, f.Key)
		}
	}
	add(b.byID, f.ID)
	add(b.byWords, f.Words)
}

func (b *Book) unlist(f *Brief) {
	drop := func(of map[string][]string, name string) {
		if i, found := slices.BinarySearch(of[name], f.Key); found {
			of[name] = slices.Delete(of[name], i, i+1)
		}
		if len(of[name]) == 0 {
			delete(of, name)
		}
	}
	drop(b.byID, f.ID)
	drop(b.byWords, f.Words)
}

// Learn replaces the book's memories by all, the memories and facts in use. New ones, and those whose content changed,
// get the next numbers, in the order of all. Picks of memories that are no longer in use disappear. A case that a fact
// in all explains gets no line.
func (b *Book) Learn(all []Material) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.parseSegments(true)
	explained := map[string]bool{}
	for i := range all {
		for _, id := range all[i].explains {
			explained[id] = true
		}
	}
	now := make(map[string]*numbered, len(all))
	for _, m := range all {
		if explained[m.ID] {
			m.Line = ""
		}
		x := &numbered{Material: m, Digest: m.digest(), Of: m.of()}
		if old := b.remembered()[m.ID]; old != nil && old.Digest == x.Digest {
			x.Number = old.Number
		} else {
			b.last++
			x.Number = b.last
			b.changes++
		}
		now[m.ID] = x
	}
	if len(now) != len(b.remembered()) {
		b.changes++
	}
	b.remember(now)
	for key, f := range b.briefs {
		had := len(f.Picks)
		f.Picks = slices.DeleteFunc(f.Picks, func(p Pick) bool { return now[p.ID] == nil })
		if len(f.Picks) < had {
			b.changed(key)
		}
	}
}

// Find returns a copy of a usable brief for test t: that of the test with the same key; else of a test with the same
// prompt; else of a test with the same id and nearly the same prompt. Product and suite of the last two may differ from
// those of t only where one of the names is empty. ok is false if the book has no usable brief for t.
func (b *Book) Find(t *UpcomingTest) (f Brief, ok bool) {
	b.ready(t, true)
	b.mu.RLock()
	defer b.mu.RUnlock()
	x := b.briefs[t.Key()]
	if !b.usable(x) {
		x = b.other(b.byWords[t.words()], func(*Brief) bool { return true }, t)
	}
	if x == nil && t.ID != "" {
		x = b.other(b.byID[t.ID], func(y *Brief) bool { return near(y.Prompt, t.Prompt) }, t)
	}
	if x == nil {
		return Brief{}, false
	}
	f = *x
	f.Picks = slices.Clone(x.Picks)
	return f, true
}

// Names returns the id and the prompt of each test in the book that has the id or the prompt of t, unless both have a
// product and these differ. It may return a text twice, and "" for a test without an id.
func (b *Book) Names(t *UpcomingTest) (out []string) {
	b.ready(t, false)
	b.mu.RLock()
	defer b.mu.RUnlock()
	for _, key := range slices.Concat(b.byWords[t.words()], b.byID[t.ID]) {
		if y := b.briefs[key]; y != nil && agree(y.Product, t.Product) {
			out = append(out, y.ID, y.Prompt)
		}
	}
	return out
}

// other returns the first brief of the keys that is usable for a test. The caller holds the lock.
func (b *Book) other(keys []string, same func(*Brief) bool, t *UpcomingTest) *Brief {
	for _, key := range keys {
		if y := b.briefs[key]; b.usable(y) && agree(y.Product, t.Product) && agree(y.Suite, t.Suite) && same(y) {
			return y
		}
	}
	return nil
}

// agree reports whether two names are equal or one is missing.
func agree(a, b string) bool { return a == b || a == "" || b == "" }

// Unread reports whether memory id is newer than brief f, or was rewritten since. It is false for a memory without a
// line, because the line of another memory covers it, and true for an unknown memory.
func (b *Book) Unread(f *Brief, id string) bool {
	b.mu.RLock()
	defer b.mu.RUnlock()
	m := b.remembered()[id]
	return m == nil || m.Digest != "" && m.Number > f.UpTo
}

// BookStats counts the tests of a Book.
type BookStats struct {
	Tests int `json:"tests"`
	Read  int `json:"read"`  // tests with a usable brief
	Told  int `json:"told"`  // tests of Read that have a pick
	New   int `json:"new"`   // tests for which nothing was read or tried yet
	Open  int `json:"open"`  // tests with unread memories, New included
	Picks int `json:"picks"` // picks of the tests in Told
}

// Known counts the tests in the book.
func (b *Book) Known() BookStats {
	b.parseRead()
	b.mu.RLock()
	defer b.mu.RUnlock()
	k := BookStats{Tests: b.tests}
	k.New = k.Tests - len(b.briefs) // nothing was read for those that are not parsed yet
	k.Open = k.New
	tops := b.tops()
	for _, f := range b.briefs {
		read := b.usable(f)
		if read {
			k.Read++
		}
		if f.UpTo == 0 {
			k.New++
		}
		if tops.open(f) || f.UpTo == 0 {
			k.Open++
		}
		if read && len(f.Picks) > 0 {
			k.Told++
			k.Picks += len(f.Picks)
		}
	}
	return k
}

// Picked returns, by the id of a memory or fact, the number of tests for which a reader picked it.
func (b *Book) Picked() map[string]int {
	b.parseRead()
	b.mu.RLock()
	defer b.mu.RUnlock()
	out := map[string]int{}
	for _, f := range b.briefs {
		for _, p := range f.Picks {
			out[p.ID]++
		}
	}
	return out
}

// List returns copies of the briefs of all tests: those with picks first, then by Seen, latest first, then by key. It
// sets Refused in a brief that cannot be used, such as one of a reader that is not trusted.
func (b *Book) List() []Brief {
	b.parseAll()
	b.mu.RLock()
	defer b.mu.RUnlock()
	out := make([]Brief, 0, len(b.briefs))
	for _, f := range b.briefs {
		c := *f
		c.Picks, c.Refused = slices.Clone(f.Picks), f.UpTo > 0 && !b.usable(f)
		out = append(out, c)
	}
	slices.SortFunc(out, func(x, y Brief) int {
		told := cmp.Compare(min(1, len(y.Picks)), min(1, len(x.Picks)))
		return cmp.Or(told, y.Seen.Compare(x.Seen), cmp.Compare(x.Key, y.Key))
	})
	return out
}

// Since returns the tests whose Seen is not before at, sorted by key.
func (b *Book) Since(at time.Time) []UpcomingTest {
	b.parseAll()
	b.mu.RLock()
	defer b.mu.RUnlock()
	var out []UpcomingTest
	for _, key := range slices.Sorted(maps.Keys(b.briefs)) {
		if f := b.briefs[key]; !f.Seen.Before(at) {
			out = append(out, f.UpcomingTest)
		}
	}
	return out
}

// Forget drops the tests whose Seen is before the given time, with their briefs.
func (b *Book) Forget(before time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.parseSegments(false)
	for key, f := range b.briefs {
		if f.Seen.Before(before) {
			b.unlist(f)
			b.count(f, -1)
			delete(b.briefs, key)
			b.tests--
			b.changed(key)
		}
	}
}

// Clone returns a copy of b. Changes of one do not affect the other.
func (b *Book) Clone() *Book {
	b.parseAll()
	b.mu.RLock()
	defer b.mu.RUnlock()
	out := New()
	out.last, out.memories, out.changes, out.purged = b.last, maps.Clone(b.remembered()), b.changes, b.purged
	out.tests = b.tests
	for key, f := range b.briefs {
		c := *f
		c.Picks = slices.Clone(f.Picks)
		out.briefs[key], out.unsaved[key] = &c, true
		out.list(&c)
		out.count(&c, 1)
	}
	return out
}
