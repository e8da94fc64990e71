package learned

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/tree"
)

// Limits on an inbox.
const (
	mostRuns  = 20_000    // runs
	mostBytes = 64 << 20  // of all runs
	mostRun   = 256 << 10 // of one run; a longer one is not stored
	toldFor   = 7 * 24 * time.Hour
)

// InboxBox holds judged runs without a label, with the prompt and the judgment, so that a person can label them. The
// ledger records such a run without its texts. An inbox holds at most 20,000 runs and 64 MiB. Beyond that it drops
// labelled runs first, then the oldest; a dropped run must be recorded again before it can be labelled. InboxBox is
// safe for concurrent use.
type InboxBox struct {
	mu      sync.Mutex
	runs    map[string]*waiting
	bytes   int
	seq     uint64 // of the last run added
	whole   uint64 // of the last run that was saved in whole; the later ones are the tail
	saving  uint64 // of the last run in the output of Save
	changes uint64
}

// waiting is one run in the inbox.
type waiting struct {
	Told       time.Time       `json:"told,omitzero"`    // when it was labelled; zero: not labelled
	Skipped    bool            `json:"skipped,omitzero"` // a person could not decide, so it is sorted last
	Evaluation tree.Evaluation `json:"evaluation"`

	seq  uint64
	size int
}

// NewInbox returns an empty inbox.
func NewInbox() *InboxBox { return &InboxBox{runs: map[string]*waiting{}} }

// Put adds the run e, which has no label. It ignores a run that the inbox already has or that is longer than 256 KiB as
// JSON.
func (b *InboxBox) Put(e *tree.Evaluation) {
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

func (b *InboxBox) put(k *waiting) {
	b.seq++
	k.seq = b.seq
	b.runs[k.Evaluation.ID] = k
	b.bytes += k.size
	b.changes++
}

// Tell records from verdict v that its run was labelled at the time now, or that the label was withdrawn. A labelled
// run stays for about a week, so that a person can undo the label, unless the inbox is full. Tell ignores runs that the
// inbox does not have.
func (b *InboxBox) Tell(v *ledger.Verdict, now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	k := b.runs[v.Evaluation]
	switch {
	case k == nil:
		return
	case v.Settled() && k.Told.IsZero():
		k.Told = now.UTC()
		b.changes++
	case !v.Settled() && !k.Told.IsZero():
		k.Told = time.Time{}
		b.changes++
	}
}

// Get returns the run with the key of an evaluation, labelled or not, and whether the inbox has it.
func (b *InboxBox) Get(key string) (tree.Evaluation, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	k := b.runs[key]
	if k == nil {
		return tree.Evaluation{}, false
	}
	return k.Evaluation, true
}

// All returns all runs, labelled ones too, in order of arrival.
func (b *InboxBox) All() []tree.Evaluation {
	b.mu.Lock()
	defer b.mu.Unlock()
	var out []tree.Evaluation
	for _, k := range b.sorted() {
		out = append(out, k.Evaluation)
	}
	return out
}

// Skip marks the unlabelled run with the key as skipped, so that it is sorted after the others; if skipped is false, it
// removes the mark. It reports whether the run exists and is unlabelled.
func (b *InboxBox) Skip(key string, skipped bool) bool {
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

// UnlabelledRun is a run in the inbox that has no label yet.
type UnlabelledRun struct {
	*tree.Evaluation      // must not be changed
	Skipped          bool // a person could not decide; the caller sorts it last
}

// Waiting returns the unlabelled runs for which choose returns true, newest first. A nil choose selects all. Skipped
// runs have a mark; the caller sorts them last.
func (b *InboxBox) Waiting(choose func(*tree.Evaluation) bool) []UnlabelledRun {
	b.mu.Lock()
	all := make([]*waiting, 0, len(b.runs))
	for _, k := range b.runs {
		if k.Told.IsZero() {
			all = append(all, k)
		}
	}
	out := make([]UnlabelledRun, 0, len(all))
	slices.SortFunc(all, func(x, y *waiting) int {
		return cmp.Or(y.Evaluation.At.Compare(x.Evaluation.At), cmp.Compare(y.seq, x.seq))
	})
	for _, k := range all {
		out = append(out, UnlabelledRun{&k.Evaluation, k.Skipped})
	}
	b.mu.Unlock()
	if choose == nil {
		return out
	}
	return slices.DeleteFunc(out, func(r UnlabelledRun) bool { return !choose(r.Evaluation) })
}

// Purge removes the runs of the evaluations that p names, all runs if p is nil.
func (b *InboxBox) Purge(p *store.Purge) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if p == nil {
		b.runs, b.bytes = map[string]*waiting{}, 0
		b.changes++
		return
	}
	for _, key := range p.Evaluations {
		b.drop(key)
	}
}

func (b *InboxBox) drop(key string) {
	if k := b.runs[key]; k != nil {
		b.bytes -= k.size
		b.changes++
		delete(b.runs, key)
	}
}

// shrink drops runs beyond the limits: labelled ones first, then the oldest.
func (b *InboxBox) shrink() {
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
	// It drops a tenth more than necessary, so that not every new run sorts all of them.
	for _, k := range all {
		if len(b.runs) <= mostRuns*9/10 && b.bytes <= mostBytes*9/10 {
			return
		}
		b.drop(k.Evaluation.ID)
	}
}

// sorted returns all runs in order of arrival.
func (b *InboxBox) sorted() []*waiting { return b.after(0) }

// after returns the runs with a seq larger than the given one, in order of arrival.
func (b *InboxBox) after(seq uint64) (all []*waiting) {
	for _, k := range b.runs {
		if k.seq > seq {
			all = append(all, k)
		}
	}
	slices.SortFunc(all, func(x, y *waiting) int { return cmp.Compare(x.seq, y.seq) })
	return all
}
