package evolution

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/tree"
)

// PlanOptions bound a plan. The zero value plans everything.
type PlanOptions struct {
	Only     string     // this error type alone
	MaxCalls *int       // of the model, in all; nil: no bound
	MaxCost  *float64   // of the calls, in all, by Price; nil: no bound
	Price    Price      // of the model's tokens
	Now      time.Time  // evaluations from after it are not believed to be the newest; zero: all are
	Review   bool       // what nobody has accepted becomes a proposal, not a change; see Review
	Progress func(Step) // told after every job and partition; nil: nobody
}

// Step is how far a plan has come, all partitions together.
type Step struct {
	Partition           // the present one
	Done, Of  int       // partitions
	Groups    int       // of cases that are no experience yet
	Jobs      int       // settled: from the cache, by a model or by rules
	Calls     int       // of the model
	Usage     llm.Usage // of its tokens
	Cost      float64   // of these, by Price
}

// Plan is what one partition is to become.
type Plan struct {
	Partition
	Rule       Rule          `json:"rule"`
	Cases      int           `json:"cases"` // live ones
	Groups     []Group       `json:"groups"`
	Changes    []tree.Change `json:"changes"` // to be applied together
	Rejections []Rejection   `json:"rejections"`
	Calls      int           `json:"calls"` // of the model
	Usage      llm.Usage     `json:"usage"`
	Waiting    int           `json:"waiting"`             // jobs left for later because MaxCalls or MaxCost was reached
	Proposals  []Proposal    `json:"proposals,omitempty"` // with Review: what waits for a person
	Notes      []string      `json:"notes,omitempty"`
}

// Group is cases that missed one check, or are of one cause, and are no
// experience yet, and what is missing.
type Group struct {
	Check      string   `json:"check,omitempty"`
	Cases      []string `json:"cases"`
	Tests      int      `json:"tests"`
	Recent     int      `json:"recent"` // inside the time window
	Cohesion   float64  `json:"cohesion"`
	Confidence float64  `json:"confidence"`
	Missing    []Lack   `json:"missing,omitempty"` // none: enough to learn from
}

// Lack is something a group does not have enough of.
type Lack struct {
	What string  `json:"what"` // cases, recent, tests, confidence, or words: no check is known, and there is no model to write
	Have float64 `json:"have"`
	Need float64 `json:"need"`
}

// Rejection is a draft that a gate refused. Its cases stay in use.
type Rejection struct {
	Key  string    `json:"key"`
	Type tree.Type `json:"type"`
	Partition
	Members []string `json:"members"`
	By      string   `json:"by"` // model or rules
	Reasons []string `json:"reasons"`
	Title   string   `json:"title,omitempty"`
	Known   bool     `json:"known,omitempty"` // from an earlier plan
}

// Plan plans partition by partition, those of one error type after another. What
// a job came to is in the cache before its plan is yielded, so planning again,
// after a conflict or a crash, asks for nothing twice. An error ends it; what
// was yielded before stands.
func (e *Evolver) Plan(ctx context.Context, v View, o PlanOptions) iter.Seq2[Plan, error] {
	return func(yield func(Plan, error) bool) {
		s, err := e.survey(ctx, v, o.Now)
		if err != nil {
			yield(Plan{}, fmt.Errorf("read the tree: %w", err))
			return
		}
		p := &planner{e: e, s: s, buckets: e.buckets(s), above: map[string][]*formed{}, left: budget(o)}
		p.experiences, p.strategies, p.unwanted = s.live(tree.Experience), s.live(tree.Strategy), s.unwanted()
		list := p.partitions(o.Only)
		if e.o.Finder != nil {
			e.o.Finder.Begin(slices.Collect(maps.Values(s.nodes)), slices.Concat(p.experiences, p.strategies))
		}
		p.left.step.Of = len(list)
		for _, part := range list {
			p.left.step.Partition = part
			if err := ctx.Err(); err != nil {
				yield(Plan{}, err)
				return
			}
			plan, err := p.plan(ctx, part)
			if err != nil {
				yield(Plan{}, fmt.Errorf("plan %s %s: %w", part.ErrorType, part.Direction, err))
				return
			}
			p.left.step.Done++
			p.left.step.Groups += len(plan.Groups)
			p.left.tell()
			if !yield(plan, nil) {
				return
			}
		}
	}
}

// planner plans partition after partition on one survey.
type planner struct {
	e           *Evolver
	s           *survey
	buckets     map[Partition][]*bucket
	above       map[string][]*formed // by case: the experiences it stands behind, of what is planned so far
	experiences []*tree.Node         // live, sorted by id
	strategies  []*tree.Node
	unwanted    map[lesson]bool
	left        calls
	everywhere  map[string]int // tests by scene type, of all cases; see mostly
	everyTest   int
}

// partitions returns what there is anything to plan for, sorted: where cases lie,
// and where lessons are or are to be.
func (p *planner) partitions(only string) []Partition {
	set := map[Partition]bool{}
	for part := range p.buckets {
		set[part] = true
	}
	for _, n := range p.s.nodes {
		if n.Live() {
			set[partitionOf(n)] = true
		}
	}
	list := slices.SortedFunc(maps.Keys(set), comparePartitions)
	return slices.DeleteFunc(list, func(x Partition) bool { return only != "" && x.ErrorType != only })
}

// plan plans one partition.
func (p *planner) plan(ctx context.Context, part Partition) (Plan, error) {
	w := &work{planner: p, ctx: ctx, edits: p.s.edits()}
	w.Partition, w.Rule = part, p.e.rules.Of(part.ErrorType)
	w.Groups, w.Rejections = []Group{}, []Rejection{}
	for _, n := range p.s.cases {
		if partitionOf(n) == part {
			w.Cases++
		}
	}
	if err := w.learn(); err != nil {
		return Plan{}, err
	}
	w.lifts()
	if err := w.strategy(); err != nil {
		return Plan{}, err
	}
	w.adopt()
	w.Changes = w.edits.changes()
	p.s.taken(w.Changes)
	return w.Plan, nil
}

// work is one partition being planned.
type work struct {
	*planner
	Plan
	ctx    context.Context //nolint:containedctx // lives as long as one call of plan
	edits  *edits
	formed []*formed // experiences of the partition that are to be in use
}

// formed is an experience as the plan has it, and the cases it stands on.
type formed struct {
	id     string
	bucket *bucket
}

// lifts notes the cases whose misses this plan has read: those of the partition,
// and those that what it makes stands on.
func (w *work) lifts() {
	if len(w.s.lifted) == 0 {
		return
	}
	under := map[string]bool{}
	for _, f := range w.formed {
		for _, n := range f.bucket.cases {
			under[n.ID] = true
		}
	}
	for id := range w.s.lifted {
		if n := w.s.nodes[id]; under[id] || partitionOf(n) == w.Partition {
			w.edits.put(n.Clone(), tree.OpRevise, "what was missed is read from its evidence")
		}
	}
}

// adopt gives every case the experience of its weightiest miss as its parent, of
// those that have one. A case may stand behind several; only one can be its
// parent. Experiences of partitions that are planned later come with their plan.
func (w *work) adopt() {
	seen := map[string]bool{}
	for _, f := range w.formed {
		for _, n := range f.bucket.cases {
			w.above[n.ID], seen[n.ID] = append(w.above[n.ID], f), true
		}
	}
	for _, e := range w.experiences {
		if partitionOf(e) == w.Partition {
			for _, id := range e.Children {
				seen[id] = true
			}
		}
	}
	for _, n := range w.s.cases {
		if !seen[n.ID] && (n.Parent == "" || partitionOf(n) != w.Partition) {
			continue
		}
		up := w.parentOf(n)
		if n.Parent == up {
			continue
		}
		c, _ := w.edits.get(n.ID)
		why := "of one kind with others, see " + up
		if c.Parent = up; up == "" {
			why = "no longer part of " + n.Parent
		}
		w.edits.put(c, tree.OpAttach, why)
	}
}

// parentOf returns the experience of the weightiest miss of a case: of those the
// plan has so far, and the present one while it has the case.
func (w *work) parentOf(n *tree.Node) string {
	best, least := "", math.MaxInt
	for _, f := range w.above[n.ID] {
		if r := w.e.rank(n, f.bucket.check); r < least {
			best, least = f.id, r
		}
	}
	if up := w.edits.peek(n.Parent); up != nil && up.ID != best && up.Live() {
		if _, has := slices.BinarySearch(up.Children, n.ID); has && w.e.rank(n, kindOf(up)) < least {
			return up.ID
		}
	}
	return best
}

// rank says how weighty the miss of a check is among those of a case: 0 for the
// first. A miss may have been lent to a wider check, which comes after its own.
func (e *Evolver) rank(n *tree.Node, check string) int {
	for i, m := range n.CaseData.Misses {
		switch {
		case m.Check == check:
			return 2 * i
		case e.within(m.Check, check):
			return 2*i + 1
		}
	}
	return 2 * len(n.CaseData.Misses)
}
