// Package evolution lets the tree learn. Cases that missed one check become an experience; the experiences of one
// error type and direction become a strategy.
//
// It has three parts:
//   - Grouping: cases are grouped by the checks they missed, and those without a known check by the texts about their
//     cause (group.go, likeness.go).
//   - Writing: lessons are written by rules, from the taxonomy and from whole sentences of people (byrules.go), or by a
//     model (write.go). Package gate checks both.
//   - Planning: the changes of each partition of error type and direction (plan.go), and the memories to forget
//     (prune.go).
//
// Nothing here writes to the tree; the package proposes changes.
//
// A lesson is always made from cases, never from an earlier lesson, so it can be made again. The same cases give the
// same groups and the same texts in any order. Planning again on a tree to which a plan was applied gives an empty
// plan.
//
// Where to look:
//   - rule.go: when cases become a lesson; experience.go and strategy.go: the changes of each memory
//   - job.go, jobs.go, ask.go: one memory to write, settled by cache, model or rules
//   - judge.go, finder.go, rejection.go: why a draft is refused; review.go: drafts that wait for a person
//   - own_checks.go, causes.go: checks of the tree's own
//   - anew.go, refused.go, edit.go: consequences of a person's decision
//   - demand.go, trust.go: queries for a memory, and its confidence
package evolution

import (
	"cmp"
	"context"
	"iter"

	"github.com/memtree/memtree/evolution/gate"
	"github.com/memtree/memtree/internal/cue"
	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// Scanner is the part of the tree that evolution reads. Every store.Store is one.
type Scanner interface {
	Scan(ctx context.Context, f store.Filter) iter.Seq2[tree.Node, error]
}

// Finder determines whether retrieval would find a draft of a memory for a test, before the memory exists.
type Finder interface {
	// Begin sets the tree that Rank searches: these cases replace the stored ones, and these lessons are hidden. The
	// results then depend on the cases alone, not on the order in which lessons were learned.
	Begin(cases, lessons []*tree.Node)
	// Rank returns the rank, from 1, at which a search for the test of the case held would find candidate, if candidate
	// were in the tree and no case of that test were. It returns 0 if the search would not find candidate.
	Rank(ctx context.Context, candidate, held *tree.Node) (int, error)
}

// jobCache stores the result of each job permanently, so that no answer is paid for twice.
type jobCache interface {
	// Get returns the value under a key.
	Get(key string) ([]byte, bool)
	// Put stores a value durably before it returns.
	Put(ctx context.Context, key string, value []byte) error
	// Together calls do. What do puts is stored before Together returns, all of it or nothing.
	Together(ctx context.Context, do func() error) error
}

// Options configures an Evolver. The zero value works: the built-in taxonomy, no model, no trial of drafts in
// retrieval, no cache.
type Options struct {
	Taxonomy  *taxonomy.Taxonomy // with the team's rules of learning; nil: taxonomy.Default()
	Generator llm.Generator      // the model that writes lessons; nil: rules write them
	Model     string             // name of the model, part of the job keys
	Finder    Finder             // nil: drafts are not tried in retrieval
	Cache     jobCache           // stores the results of jobs; nil: nothing is stored between plans
	// Unsafe returns why a text must not be shown to an agent; the reason continues the sentence "its text …". Forces
	// reports whether a text decides a verdict, and returns the part that does. If one is nil, its gate is skipped.
	Unsafe, Forces func(s string) (string, bool)
	// Words writes the sentences of a memory from its other fields. If it is nil, a memory that rules made has no
	// sentences.
	Words func(*tree.Node)
	// Lift adds Misses to a case that was stored before cases had any. If it is nil, such a case is unchanged.
	Lift func(*tree.Node)
}

// Evolver plans how the tree learns. It has no state but its options, and is safe for concurrent use if they are.
type Evolver struct {
	o      Options
	rules  ruleBook
	judge  *gate.Gates
	checks func() *cue.Catalogue
}

// New returns an Evolver with options o.
func New(o Options) *Evolver {
	o.Taxonomy = cmp.Or(o.Taxonomy, taxonomy.Default())
	if o.Cache == nil {
		o.Cache = forgetful{}
	}
	if o.Words == nil {
		o.Words = func(*tree.Node) {}
	}
	return &Evolver{
		o: o, rules: rulesOf(o.Taxonomy),
		judge:  gate.New(o.Taxonomy, o.Unsafe, o.Forces),
		checks: cue.Of(o.Taxonomy),
	}
}

// Partition is an error type and a direction. A lesson belongs to one partition: if agents apply a lesson against one
// direction too widely, they make mistakes in the other, so memtree never mixes the two.
type Partition struct {
	ErrorType string             `json:"errorType"`
	Direction taxonomy.Direction `json:"direction"`
}

func comparePartitions(a, b Partition) int {
	return cmp.Or(cmp.Compare(a.ErrorType, b.ErrorType), cmp.Compare(a.Direction, b.Direction))
}

func partitionOf(n *tree.Node) Partition {
	return Partition{ErrorType: n.ErrorType, Direction: n.Direction}
}

// forgetful is the jobCache that stores nothing.
type forgetful struct{}

func (forgetful) Get(string) ([]byte, bool)                 { return nil, false }
func (forgetful) Put(context.Context, string, []byte) error { return nil }

func (forgetful) Together(_ context.Context, do func() error) error { return do() }
