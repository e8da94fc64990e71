package learned

import (
	"io"
	"sync"

	"github.com/memtree/memtree/knowledge"
	"github.com/memtree/memtree/ledger"
)

// Knowledge keeps the facts about the product under test (package knowledge) up to date with the ledger. Unlike other
// folds it can be read outside of [Follower.View], so that guidance does not wait for the ledger: Read may be called at
// any time, from any goroutine.
type Knowledge struct {
	mu     sync.RWMutex // of base and whole
	base   *knowledge.Base
	whole  bool            // it has the ledger, but for what came last
	undone map[string]bool // acts that were taken back, while the ledger is folded anew
}

// NewKnowledge returns a Knowledge without facts.
func NewKnowledge() *Knowledge { return &Knowledge{base: knowledge.NewBase()} }

// Read calls read with the facts and returns true if k has read the whole ledger once; only the latest entries may be
// missing. Before that, and while the ledger is read again, it returns false and does not call read. Add waits until
// read returns.
func (k *Knowledge) Read(read func(*knowledge.Base)) bool {
	k.mu.RLock()
	defer k.mu.RUnlock()
	if k.whole {
		read(k.base)
	}
	return k.whole
}

// Whole notes that k has all entries of the ledger. From then on, until Reset or Load, Read calls its function. Call
// Whole in [Follower.View].
func (k *Knowledge) Whole() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.whole = true
}

// Name returns "knowledge".
func (*Knowledge) Name() string { return "knowledge" }

// Reset removes all facts.
func (k *Knowledge) Reset() { k.replace(knowledge.NewBase()) }

func (k *Knowledge) replace(b *knowledge.Base) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.base, k.whole, k.undone = b, false, nil
}

// Corrects reports whether e undoes a decision on a fact. The follower then adds the whole ledger again, without that
// decision.
func (*Knowledge) Corrects(e *ledger.Entry) bool {
	return e.Act != nil && e.Act.Undoes != "" && ledger.IsFact(e.Act.Node)
}

// Foresee notes which decision e undoes, so that Add ignores that decision.
func (k *Knowledge) Foresee(e *ledger.Entry) {
	if !k.Corrects(e) {
		return
	}
	if k.undone == nil {
		k.undone = map[string]bool{}
	}
	k.undone[e.Act.Undoes] = true
}

// Foreseen drops the notes of Foresee, once all entries were added again.
func (k *Knowledge) Foreseen() { k.undone = nil }

// Add adds what the entry e contains about facts: statements, decisions, and runs that received facts.
func (k *Knowledge) Add(e *ledger.Entry) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.base.Add(e, func(act string) bool { return k.undone[act] })
}

// Load replaces the facts by those that Save wrote. After an error there are none.
func (k *Knowledge) Load(r io.Reader) error {
	b, err := knowledge.Load(r)
	if err != nil {
		k.Reset()
		return err
	}
	k.replace(b)
	return nil
}

// Save writes the facts. The same facts give the same bytes.
func (k *Knowledge) Save(w io.Writer) error {
	k.mu.RLock()
	defer k.mu.RUnlock()
	return k.base.Save(w)
}
