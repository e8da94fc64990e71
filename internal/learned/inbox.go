package learned

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"github.com/memtree/memtree/tree"
)

// The bounds of an inbox.
const (
	mostRuns  = 20_000    // runs
	mostBytes = 64 << 20  // of all runs
	mostRun   = 256 << 10 // of one run; a longer one is not held
	toldFor   = 7 * 24 * time.Hour
)

// Inbox holds judged runs whose truth is not known, so that a person can give it: what the agent was asked, and what it
// judged. The ledger records such a run without its texts. Beyond its bounds the oldest runs are dropped; a run that is
// not there has to be recorded again to be labelled. It is safe for concurrent use.
type Inbox struct {
	mu      sync.Mutex
	runs    map[string]*waiting
	bytes   int
	seq     uint64 // of the last run that came
	changes uint64
}

// waiting is one run in the inbox.
type waiting struct {
	Told       time.Time       `json:"told,omitzero"`    // when its truth was told; zero: nobody told it
	Skipped    bool            `json:"skipped,omitzero"` // a person could not say, so it comes last
	Evaluation tree.Evaluation `json:"evaluation"`

	seq  uint64
	size int
}

// NewInbox returns an empty inbox.
func NewInbox() *Inbox { return &Inbox{runs: map[string]*waiting{}} }

// Put keeps a run without a truth. A run that is there already, or is too long, is left out.
func (b *Inbox) Put(e *tree.Evaluation) {
	k := &waiting{Evaluation: *e}
	k.Evaluation.ID = e.Key()
	k.size = sizeOf(k)
	if k.size > mostRun {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.runs[k.Evaluation.ID] == nil {
		b.put(k)
		b.shrink()
	}
}

func (b *Inbox) put(k *waiting) {
	b.seq++
	k.seq = b.seq
	b.runs[k.Evaluation.ID] = k
	b.bytes += k.size
	b.changes++
}

// Tell notes what a verdict of the ledger says: that the truth of a run is told now, or that it was taken back.
// A run whose truth is told is kept for [toldFor], for a person who takes it back.
func (b *Inbox) Tell(v *tree.Verdict, now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	k := b.runs[v.Evaluation]
	switch {
	case k == nil:
		return
	case v.Labelled && k.Told.IsZero():
		k.Told = now.UTC()
		b.changes++
	case !v.Labelled && !k.Told.IsZero():
		k.Told = time.Time{}
		b.changes++
	}
}

// Get returns a run by the key of its evaluation, also one whose truth is told, if it is kept.
func (b *Inbox) Get(key string) (tree.Evaluation, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	k := b.runs[key]
	if k == nil {
		return tree.Evaluation{}, false
	}
	return k.Evaluation, true
}

// All returns all runs that are kept, in the order in which they came.
func (b *Inbox) All() []tree.Evaluation {
	b.mu.Lock()
	defer b.mu.Unlock()
	var out []tree.Evaluation
	for _, k := range b.sorted() {
		out = append(out, k.Evaluation)
	}
	return out
}

// Skip puts a run that waits behind the others, or back among them. It reports whether the run waits.
func (b *Inbox) Skip(key string, skipped bool) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	k := b.runs[key]
	if k == nil || !k.Told.IsZero() {
		return false
	}
	if k.Skipped != skipped {
		k.Skipped = skipped
		b.changes++
	}
	return true
}

// Run is one that waits.
type Run struct {
	*tree.Evaluation      // not to be changed
	Skipped          bool // it comes last
}

// Waiting returns the runs whose truth nobody has told and that are chosen, the newest first. A nil choose takes all.
func (b *Inbox) Waiting(choose func(*tree.Evaluation) bool) []Run {
	b.mu.Lock()
	all := make([]*waiting, 0, len(b.runs))
	for _, k := range b.runs {
		if k.Told.IsZero() {
			all = append(all, k)
		}
	}
	out := make([]Run, 0, len(all))
	slices.SortFunc(all, func(x, y *waiting) int {
		return cmp.Or(y.Evaluation.At.Compare(x.Evaluation.At), cmp.Compare(y.seq, x.seq))
	})
	for _, k := range all {
		out = append(out, Run{&k.Evaluation, k.Skipped})
	}
	b.mu.Unlock()
	if choose == nil {
		return out
	}
	return slices.DeleteFunc(out, func(r Run) bool { return !choose(r.Evaluation) })
}

// Purge removes the runs of the evaluations that p names.
func (b *Inbox) Purge(p *tree.Purge) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, key := range p.Evaluations {
		b.drop(key)
	}
}

func (b *Inbox) drop(key string) {
	if k := b.runs[key]; k != nil {
		b.bytes -= k.size
		b.changes++
		delete(b.runs, key)
	}
}

// shrink drops what is over the bounds: first those whose truth is told, then the oldest.
func (b *Inbox) shrink() {
	if len(b.runs) <= mostRuns && b.bytes <= mostBytes {
		return
	}
	all := b.sorted()
	slices.SortStableFunc(all, func(x, y *waiting) int {
		switch {
		case x.Told.IsZero() == y.Told.IsZero():
			return 0
		case y.Told.IsZero():
			return -1
		}
		return 1
	})
	// A tenth more than must be is dropped, so that not every run that comes has all of them sorted.
	for _, k := range all {
		if len(b.runs) <= mostRuns*9/10 && b.bytes <= mostBytes*9/10 {
			return
		}
		b.drop(k.Evaluation.ID)
	}
}

// sorted returns all runs in the order in which they came.
func (b *Inbox) sorted() []*waiting {
	all := make([]*waiting, 0, len(b.runs))
	for _, k := range b.runs {
		all = append(all, k)
	}
	slices.SortFunc(all, func(x, y *waiting) int { return cmp.Compare(x.seq, y.seq) })
	return all
}
