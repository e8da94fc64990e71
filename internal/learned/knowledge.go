package learned

import (
	"io"
	"sync"

	"github.com/memtree/memtree/knowledge"
	"github.com/memtree/memtree/ledger"
)

// Knowledge is what holds of the product. Unlike other folds it may be read without a View, so that guidance waits for
// no ledger: it is whole from the first View until it is dropped.
type Knowledge struct {
	mu     sync.RWMutex // of base and whole
	base   *knowledge.Base
	whole  bool            // it has the ledger, but for what came last
	undone map[string]bool // acts that were taken back, while the ledger is folded anew
}

// NewKnowledge returns a fold of no fact.
func NewKnowledge() *Knowledge { return &Knowledge{base: knowledge.NewBase()} }

// Read calls read with the facts, and reports whether it did: not while they are folded anew. Add waits for it.
func (k *Knowledge) Read(read func(*knowledge.Base)) bool {
	k.mu.RLock()
	defer k.mu.RUnlock()
	if k.whole {
		read(k.base)
	}
	return k.whole
}

// Whole notes that all of the ledger has been folded. It is called in a View.
func (k *Knowledge) Whole() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.whole = true
}

// Name is "knowledge".
func (*Knowledge) Name() string { return "knowledge" }

// Reset forgets all facts.
func (k *Knowledge) Reset() { k.replace(knowledge.NewBase()) }

func (k *Knowledge) replace(b *knowledge.Base) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.base, k.whole, k.undone = b, false, nil
}

// Corrects reports whether e takes back a decision on a fact: it is folded as if that had never been made.
func (*Knowledge) Corrects(e *ledger.Entry) bool {
	return e.Act != nil && e.Act.Undoes != "" && ledger.IsFact(e.Act.Node)
}

// Foresee notes which decisions are taken back.
func (k *Knowledge) Foresee(e *ledger.Entry) {
	if !k.Corrects(e) {
		return
	}
	if k.undone == nil {
		k.undone = map[string]bool{}
	}
	k.undone[e.Act.Undoes] = true
}

// Foreseen forgets what Foresee noted.
func (k *Knowledge) Foreseen() { k.undone = nil }

// Add takes in an entry.
func (k *Knowledge) Add(e *ledger.Entry) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.base.Add(e, func(act string) bool { return k.undone[act] })
}

// Load reads what Save wrote.
func (k *Knowledge) Load(r io.Reader) error {
	b, err := knowledge.Load(r)
	if err != nil {
		k.Reset()
		return err
	}
	k.replace(b)
	return nil
}

// Save writes the facts.
func (k *Knowledge) Save(w io.Writer) error {
	k.mu.RLock()
	defer k.mu.RUnlock()
	return k.base.Save(w)
}
