// Package evolution lets the tree learn: cases that missed one check become an
// experience, experiences of one error type and direction a strategy.
//
// It has three rooms. One groups: the misses of all cases by check, and those of
// which no check is known by the words of their cause (bucket.go, and package
// cluster). One writes lessons and holds them against the gates: by rules from
// the taxonomy and from whole sentences of people (rules.go), or by a model
// (write.go), and package gate. One plans: what is to become of each partition of
// error type and direction (plan.go), and what is forgotten (prune.go). Nothing
// here writes to the tree; it proposes changes.
//
// What is abstract is always made from raw cases, never from an earlier
// abstraction, and can be made again. The same cases give the same groups and
// the same words in any order, and a plan made on what a plan left behind is
// empty.
package evolution

import (
	"cmp"
	"context"
	"fmt"
	"iter"

	"github.com/memtree/memtree/cue"
	"github.com/memtree/memtree/evolution/gate"
	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/prompts"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// View is what evolution reads of the tree; every tree.Store is one.
type View interface {
	Scan(ctx context.Context, f tree.Filter) iter.Seq2[tree.Node, error]
}

// Finder is the real retrieval, asked before a memory exists.
type Finder interface {
	// Begin is told how all that follows is to see the tree: its cases typed as the
	// plan has them, of which cases are those that change, and none of its lessons,
	// so that what is found depends on the cases alone and not on what was learned
	// first.
	Begin(cases, lessons []*tree.Node)
	// Rank returns the place, from 1, at which candidate would be found for the
	// prompt and scene of the case held, if candidate stood in the tree and no
	// case of held's test did; 0 when it would not be found.
	Rank(ctx context.Context, candidate, held *tree.Node) (int, error)
}

// Cache keeps what became of a job, for ever: an answer that was paid for is not
// asked for again.
type Cache interface {
	// Get returns what was kept under a key.
	Get(key string) ([]byte, bool)
	// Put keeps a value durably before it returns.
	Put(ctx context.Context, key string, value []byte) error
}

// Options set up an Evolver. The zero value works: the built-in taxonomy, no
// model, words alone, nothing kept.
type Options struct {
	Taxonomy  *taxonomy.Taxonomy // nil: taxonomy.Default(); it holds the team's rules too
	Generator llm.Generator      // nil: lessons are written by rules
	Model     string             // the generator's name, for the job keys
	Prompts   *prompts.Set       // nil: the built-in ones, when there is a Generator
	Finder    Finder             // nil: the leave-one-out gate is not asked
	Cache     Cache              // nil: nothing is kept between plans
	// Unsafe says why a text may not be shown to an agent, the end of a sentence
	// that begins with the text; Forces whether it decides a verdict, with the
	// words that do. Nil: that gate is not asked.
	Unsafe, Forces func(s string) (string, bool)
	// Words puts the facts of a memory into sentences. Nil: it has facts alone.
	Words func(*tree.Node)
	// Lift reads the misses of a case that was stored before there were any. Nil:
	// such a case stays as it is.
	Lift func(*tree.Node)
}

// Evolver plans how the tree learns. It has no state but its options and is safe
// for concurrent use as far as they are.
type Evolver struct {
	o      Options
	rules  Rules
	judge  *gate.Judge
	checks func() *cue.Catalogue
}

// New returns an Evolver. It fails only where prompts cannot be loaded.
func New(o Options) (*Evolver, error) {
	if o.Taxonomy == nil {
		o.Taxonomy = taxonomy.Default()
	}
	if o.Cache == nil {
		o.Cache = forgetful{}
	}
	if o.Generator != nil && o.Prompts == nil {
		set, err := prompts.Load(nil)
		if err != nil {
			return nil, fmt.Errorf("new evolver: %w", err)
		}
		o.Prompts = set
	}
	if o.Words == nil {
		o.Words = func(*tree.Node) {}
	}
	return &Evolver{o: o, rules: RulesOf(o.Taxonomy), judge: gate.New(o.Taxonomy, o.Unsafe, o.Forces), checks: cue.Of(o.Taxonomy)}, nil
}

// Partition is what groups are formed within: lessons against one direction of
// error cause the other when over-applied, so they are never mixed.
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

type forgetful struct{}

func (forgetful) Get(string) ([]byte, bool)                 { return nil, false }
func (forgetful) Put(context.Context, string, []byte) error { return nil }
