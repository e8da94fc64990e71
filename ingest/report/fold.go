package report

import (
	"cmp"

	"github.com/memtree/memtree/tree"
)

// Bounds of the attempts that wait for another one. A test that is tried again runs soon after. An attempt that comes
// after more than these has the key of the earlier one, and memory reports it.
const (
	mostOpen      = 10_000
	mostOpenBytes = 16 << 20
)

// attempt is the last attempt at a test so far.
type attempt struct {
	file string
	test test
	size int
}

// fold collapses attempts: of those at one test it keeps the last one, in the place of the first.
type fold struct {
	open  map[string]*attempt
	order []string
	size  int
}

func newFold() *fold { return &fold{open: map[string]*attempt{}} }

// add adds an attempt. It returns attempts that it settled to make room.
func (f *fold) add(file string, t *test) (settled []*attempt) {
	key := t.key()
	a := &attempt{file: file, test: *t, size: len(key) + t.held()}
	if old := f.open[key]; old != nil {
		f.again(key, old, a)
		return nil
	}
	f.open[key] = a
	f.order = append(f.order, key)
	f.size += a.size
	for len(f.order) > mostOpen || f.size > mostOpenBytes && len(f.order) > 1 {
		settled = append(settled, f.take(f.order[0]))
		f.order = f.order[1:]
	}
	return settled
}

// held returns the approximate size of a test in bytes.
func (t *test) held() int {
	n := 500 + len(t.observation) + len(t.prompt) + len(t.reason) + len(t.title) + len(t.id)
	for _, p := range t.place {
		n += len(p)
	}
	for _, s := range t.steps {
		n += 50 + len(s.Title)
	}
	for i := range t.shots {
		n += 100 + len(t.shots[i].path)
	}
	for _, v := range []any{t.judgment, t.truth} {
		switch v := v.(type) {
		case nil:
		case string:
			n += len(v)
		case tree.Raw:
			n += len(v)
		default:
			n += len(raw(v))
		}
	}
	return n
}

// again adds one more attempt at a test.
func (f *fold) again(key string, old, now *attempt) {
	first := max(1, old.test.attempt)
	switch {
	case now.test.id != "" && now.test.id == old.test.id: // the same attempt, reported again
		now.test.attempt = max(now.test.attempt, old.test.attempt)
		now.test.excuse = cmp.Or(now.test.excuse, old.test.excuse)
		f.size += now.size - old.size
		f.open[key] = now
		return
	case now.test.attempt == 0 && now.test.at.Before(old.test.at):
		old.test.attempt = first + 1
		if now.test.verdict == failed {
			old.test.passedAfter(1)
		}
		return
	case now.test.attempt > 0 && now.test.attempt < first:
		return
	case now.test.attempt == 0:
		now.test.attempt = first + 1
	}
	if old.test.verdict == failed || old.test.excuse == tree.Retried {
		now.test.passedAfter(1)
	}
	f.size += now.size - old.size
	f.open[key] = now
}

// take removes an attempt.
func (f *fold) take(key string) *attempt {
	a := f.open[key]
	f.size -= a.size
	delete(f.open, key)
	return a
}

// all removes all attempts and returns them in the order of the first attempts.
func (f *fold) all() []*attempt {
	out := make([]*attempt, 0, len(f.order))
	for _, key := range f.order {
		out = append(out, f.take(key))
	}
	f.order = f.order[:0]
	return out
}
