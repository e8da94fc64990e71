package evolution

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
	"time"

	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// PlanOptions bound a plan. The zero value plans everything.
type PlanOptions struct {
	Only     string     // this error type alone
	MaxCalls int        // of the model, in all; 0: no bound, negative: none
	MaxCost  float64    // of the calls, in all, by Price; 0: no bound
	Price    Price      // of the model's tokens
	Now      time.Time  // evaluations from after it are not believed to be the newest; zero: all are
	Review   bool       // what nobody has accepted becomes a proposal, not a change; see Accept
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

// Group is cases with one cause that are no experience yet, and what is missing.
type Group struct {
	Cases      []string `json:"cases"`
	Tests      int      `json:"tests"`
	Recent     int      `json:"recent"` // inside the time window
	Cohesion   float64  `json:"cohesion"`
	Confidence float64  `json:"confidence"`
	Missing    []Lack   `json:"missing,omitempty"` // none: enough to learn from
}

// Lack is something a group does not have enough of.
type Lack struct {
	What string  `json:"what"` // cases, recent, tests, confidence, cohesion, or type: its cases have none
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
		if o.Only != "" {
			s.partitions = slices.DeleteFunc(s.partitions, func(p Partition) bool { return p.ErrorType != o.Only })
		}
		if e.o.Finder != nil {
			e.o.Finder.Begin(s.retyped(), s.lessons())
		}
		left := budget(o)
		left.step.Of = len(s.partitions)
		for _, p := range s.partitions {
			left.step.Partition = p
			if err := ctx.Err(); err != nil {
				yield(Plan{}, err)
				return
			}
			plan, err := e.partition(ctx, s, p, &left)
			if err != nil {
				yield(Plan{}, fmt.Errorf("plan %s %s: %w", p.ErrorType, p.Direction, err))
				return
			}
			left.step.Done++
			left.step.Groups += len(plan.Groups)
			left.tell()
			if !yield(plan, nil) {
				return
			}
		}
	}
}

// survey is the tree as a plan sees it.
type survey struct {
	nodes      map[string]*tree.Node      // all of them
	within     map[Partition][]*tree.Node // the same, sorted by id
	partitions []Partition                // sorted
	space      *space
	points     map[string]*point     // of live cases
	before     map[string]*tree.Node // of cases whose type this plan sets: as they are
	now        time.Time
}

func (e *Evolver) survey(ctx context.Context, v View, limit time.Time) (*survey, error) {
	s := &survey{nodes: map[string]*tree.Node{}, points: map[string]*point{}, before: map[string]*tree.Node{}}
	for n, err := range v.Scan(ctx, tree.Filter{}) {
		if err != nil {
			return nil, err
		}
		s.nodes[n.ID] = &n
	}
	var cases []*tree.Node
	for _, n := range s.nodes {
		if n.Type == tree.Case && n.Live() {
			cases = append(cases, n)
			if at := lastSeen(n); at.After(s.now) && (limit.IsZero() || !at.After(limit)) {
				s.now = at
			}
		}
	}
	var points []*point
	var err error
	if s.space, points, err = newSpace(ctx, e.boiler, e.o.Embedder, cases); err != nil {
		return nil, err
	}
	for _, p := range points {
		s.points[p.id] = p
	}
	e.retype(s, points)
	s.within = map[Partition][]*tree.Node{}
	for _, n := range s.nodes {
		s.within[partitionOf(n)] = append(s.within[partitionOf(n)], n)
	}
	for _, all := range s.within {
		slices.SortFunc(all, func(a, b *tree.Node) int { return cmp.Compare(a.ID, b.ID) })
	}
	s.partitions = slices.SortedFunc(maps.Keys(s.within), comparePartitions)
	return s, nil
}

// retyped are the cases whose type the plan sets, as they will be, sorted by id.
func (s *survey) retyped() []*tree.Node {
	var out []*tree.Node
	for _, id := range slices.Sorted(maps.Keys(s.before)) {
		out = append(out, s.nodes[id])
	}
	return out
}

// lessons are the experiences and strategies in use, sorted by id.
func (s *survey) lessons() []*tree.Node {
	var out []*tree.Node
	for _, n := range s.nodes {
		if n.Type != tree.Case && n.Live() {
			out = append(out, n)
		}
	}
	slices.SortFunc(out, func(a, b *tree.Node) int { return cmp.Compare(a.ID, b.ID) })
	return out
}

// lastSeen is when the mistake of a case was last made.
func lastSeen(n *tree.Node) time.Time {
	at := n.Metadata.UpdatedAt
	for _, o := range n.Occurrences {
		if o.At.After(at) {
			at = o.At
		}
	}
	return at
}

// planner plans one partition on a working copy of its nodes.
type planner struct {
	*Evolver
	*survey
	Plan
	ctx         context.Context //nolint:containedctx // lives as long as one call of partition
	left        *calls
	cases       []*tree.Node               // live, sorted by id
	experiences []*tree.Node               // live, sorted by id
	across      []*tree.Node               // live cases of the type in other directions, sorted by id
	against     map[tree.Type][]*tree.Node // live abstractions of the opposite direction, sorted by id
	touched     map[string]*touch
	read        reader
	tried       map[string]bool // groups of this plan that were to be written, by their cases
}

// touch is a node that the plan changes.
type touch struct {
	node tree.Node
	op   tree.Op
	why  string
}

func (e *Evolver) partition(ctx context.Context, s *survey, p Partition, left *calls) (Plan, error) {
	w := &planner{Evolver: e, survey: s, ctx: ctx, left: left, touched: map[string]*touch{}, read: reader{}, tried: map[string]bool{}}
	w.Partition, w.Rule = p, e.rules.Of(p.ErrorType)
	w.Groups, w.Changes, w.Rejections = []Group{}, []tree.Change{}, []Rejection{}
	for _, n := range s.within[p] {
		switch {
		case n.Type == tree.Case && n.Live():
			w.cases = append(w.cases, n)
		case n.Type == tree.Experience && n.Live() && n.Elsewhere == nil: // else its cases are not here to judge it by
			w.experiences = append(w.experiences, n)
		}
	}
	w.Cases = len(w.cases)
	w.neighbours()
	w.retypes()
	w.loosen()
	if p.ErrorType == taxonomy.OtherError {
		w.explainOther()
	} else if err := w.learn(); err != nil {
		return Plan{}, err
	}
	w.changes()
	return w.Plan, nil
}

func (w *planner) learn() error {
	w.gather()
	for _, step := range []func() error{w.split, w.form, w.trusts, w.refresh, w.strategy} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// get returns a node as the plan has it so far.
func (w *planner) get(id string) (tree.Node, bool) {
	if t := w.touched[id]; t != nil {
		return t.node, true
	}
	if n := w.nodes[id]; n != nil {
		return n.Clone(), true
	}
	return tree.Node{}, false
}

// rank orders operations: of several on one node the weightiest names the change.
var weight = map[tree.Op]int{tree.OpCredit: 1, tree.OpAttach: 2, tree.OpRevise: 2, tree.OpSupersede: 3, tree.OpStatus: 3, tree.OpArchive: 4, tree.OpAdd: 5}

// put notes a node as it should be.
func (w *planner) put(n tree.Node, op tree.Op, why string) {
	if t := w.touched[n.ID]; t != nil {
		if weight[op] > weight[t.op] {
			t.op, t.why = op, why
		}
		t.node = n
		return
	}
	w.touched[n.ID] = &touch{n, op, why}
}

// changes turns what was touched into changes, sorted by level from the top and
// id, without those that would leave a node as it is.
func (w *planner) changes() {
	var all []*touch
	for _, t := range w.touched {
		old, revision := w.nodes[t.node.ID], 0
		if was := w.before[t.node.ID]; was != nil {
			old = was
		}
		if old != nil {
			revision = old.Revision
			if same(old, &t.node) {
				continue
			}
		}
		t.node.Revision = revision
		all = append(all, t)
	}
	slices.SortFunc(all, func(a, b *touch) int {
		return cmp.Or(cmp.Compare(b.node.Level, a.node.Level), cmp.Compare(a.node.ID, b.node.ID))
	})
	for _, t := range all {
		w.Changes = append(w.Changes, tree.NewChange(t.op, t.node, t.node.Revision, "evolution", t.why))
	}
}

// same reports whether two nodes differ in nothing but who changed them last.
func same(a, b *tree.Node) bool {
	x, y := a.Clone(), b.Clone()
	x.Revision, y.Revision, x.LastChange, y.LastChange = 0, 0, "", ""
	return hashOf(&x) == hashOf(&y)
}
