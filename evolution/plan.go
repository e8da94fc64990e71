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
	"github.com/memtree/memtree/llm/meter"
	"github.com/memtree/memtree/tree"
)

// PlanOptions bounds a Plan. The zero value sets no bounds.
type PlanOptions struct {
	Only     string             // plan only this error type; "" for all
	MaxCalls *int               // most calls of the model, over all partitions; nil: no bound
	MaxCost  *float64           // most cost of these calls, by Price; nil: no bound
	Price    meter.Price        // price of the model's tokens
	Now      time.Time          // ages count to the newest evaluation not after Now; zero: to the newest of all
	Review   bool               // a draft becomes a proposal, not a change, until a person accepts it
	Attempts *Attempts          // jobs that failed in earlier plans of the same work; nil: none
	Progress func(PlanProgress) // called after every call, job and partition; may be nil
}

// RunOptions bounds the evolution of a tree, from planning to pruning. Nil and the zero value set no bounds.
type RunOptions struct {
	DryRun   bool               // change nothing and call no model; Calls, Usage and Cost are estimates
	Only     string             // change only memories of this error type; "" for all
	MaxCalls *int               // most calls of the model; nil: no bound
	MaxCost  *float64           // most cost of these calls, by Price; nil: no bound
	Price    meter.Price        // price of the model's tokens
	Review   bool               // lessons wait for a person's decision, see Review
	KeepAll  bool               // take no memory out of use
	Reader   llm.Generator      // the model to call instead of the memory's, such as an agent that reads prompts itself
	Progress func(PlanProgress) // called after every call, job and partition; may be nil
}

// Left returns the bounds of o less what v used.
func (o *RunOptions) Left(v *Evolved) meter.Reading {
	of := meter.Reading{Price: o.Price, MaxCalls: o.MaxCalls, MaxCost: o.MaxCost}
	return of.Less(meter.ReadUsage{Calls: v.Calls, Cost: v.Cost})
}

// PlanProgress is how far a Plan has come. All numbers are over all partitions so far.
type PlanProgress struct {
	Partition           // the present one
	Done, Of  int       // partitions planned so far, and partitions to plan
	Groups    int       // groups of cases that are no experience yet
	Jobs      int       // jobs that were settled: from the cache, by a model or by rules
	Calls     int       // calls of the model
	Usage     llm.Usage // tokens of the calls of the model
	Cost      float64   // price of the tokens, by Price
}

// Plan is the planned changes of one partition, and why its other cases are no lesson.
type Plan struct {
	Partition
	Rule       rule          `json:"rule"`
	Cases      int           `json:"cases"`               // cases in use
	Groups     []Group       `json:"groups"`              // groups of cases that became no lesson yet, and why
	Changes    []tree.Change `json:"changes"`             // apply all together or none
	Rejections []Rejection   `json:"rejections"`          // drafts that a gate refused
	Calls      int           `json:"calls"`               // calls of the model; the first plan has the calls for all plans
	Usage      llm.Usage     `json:"usage"`               // tokens of the calls of the model
	Waiting    int           `json:"waiting"`             // jobs left for later: a bound stopped them, or no answer came
	Proposals  []Proposal    `json:"proposals,omitempty"` // with Review: proposals that wait for a person
	Notes      []string      `json:"notes,omitempty"`     // what people should know about the planning, a sentence each
}

// Group is a group of cases that missed one check, or have similar texts about their cause, and are no experience yet.
// Missing, Banned, Apart and LeftOut give the reason. If all are empty, the job or the proposal of the group waits, its
// draft was refused, or a lesson about its check or of exactly these cases was taken out of use for good.
type Group struct {
	Check      string   `json:"check,omitempty"`   // id of the check that the cases missed, "" if none is known
	Cases      []string `json:"cases"`             // ids of the cases, sorted
	Tests      int      `json:"tests"`             // number of different tests
	Recent     int      `json:"recent"`            // most cases within one time window, that of Plan.Rule
	Cohesion   float64  `json:"cohesion"`          // average similarity of the causes of the cases, 0 to 1
	Confidence float64  `json:"confidence"`        // confidence that a lesson about the cases would have, 0 to 1
	Missing    []lack   `json:"missing,omitempty"` // requirements of a lesson that the cases do not meet
	Banned     bool     `json:"banned,omitempty"`  // the cases would be enough, but a person banned the lesson
	Apart      string   `json:"apart,omitempty"`   // why a model refused to write one lesson of the cases
	LeftOut    string   `json:"leftOut,omitempty"` // id of the lesson that left out the cases, as of another cause
}

// lack is a requirement that a group does not meet.
type lack struct {
	// What is cases, recent, notes (different ones), tests, confidence or words. A group lacks words when no check is
	// known, most cases have no hint, and there is no model.
	What string  `json:"what"`
	Have float64 `json:"have"`
	Need float64 `json:"need"`
}

// Plan yields the plan of each partition of v, sorted by error type and direction. Before it yields a plan, the
// results of its jobs are in Options.Cache, so a caller may plan again after a conflict or a crash without paying a
// model twice. After an error it yields nothing more; the plans before it are valid.
func (e *Evolver) Plan(ctx context.Context, v Scanner, o PlanOptions) iter.Seq2[Plan, error] {
	return func(yield func(Plan, error) bool) {
		s, err := e.survey(ctx, v, o.Now)
		if err != nil {
			yield(Plan{}, fmt.Errorf("read the tree: %w", err))
			return
		}
		o.Attempts = cmp.Or(o.Attempts, &Attempts{})
		p := &planner{
			e: e, s: s, above: map[string]string{}, o: o,
			model:       meter.New(e.o.Generator, meter.Options{Calls: o.MaxCalls, Cost: o.MaxCost, Price: o.Price.Of}),
			experiences: s.live(tree.Experience), strategies: s.live(tree.Strategy), unwanted: s.unwanted(), spoken: s.spoken(),
		}
		if err := p.readForTeam(ctx); err != nil {
			yield(Plan{}, err)
			return
		}
		if err := p.findChecks(ctx, o.Only); err != nil {
			yield(Plan{}, fmt.Errorf("ask for causes: %w", err))
			return
		}
		p.buckets = e.buckets(s)
		list := p.partitions(o.Only)
		if e.o.Finder != nil {
			e.o.Finder.Begin(slices.Collect(maps.Values(s.nodes)), slices.Concat(p.experiences, p.strategies))
		}
		p.step.Of = len(list)
		if err := p.askAhead(ctx, list); err != nil {
			yield(Plan{}, fmt.Errorf("ask for lessons: %w", err))
			return
		}
		for _, part := range list {
			p.step.Partition = part
			if err := ctx.Err(); err != nil {
				yield(Plan{}, err)
				return
			}
			plan, err := p.plan(ctx, part)
			if err != nil {
				yield(Plan{}, fmt.Errorf("plan %s %s: %w", part.ErrorType, part.Direction, err))
				return
			}
			now := p.model.Total()
			since := now.Since(p.planned)
			plan.Calls, plan.Usage, plan.Notes = since.Calls, since.Usage, p.notes
			plan.Waiting += p.waiting
			p.planned, p.notes, p.waiting = now, nil, 0
			p.step.Done++
			p.step.Groups += len(plan.Groups)
			p.tell()
			if !yield(plan, nil) {
				return
			}
		}
	}
}

// planner plans one partition after another on one survey.
type planner struct {
	e           *Evolver
	s           *survey
	buckets     map[Partition][]*bucket
	above       map[string]string // by case id: the experience planned so far that has the case
	experiences []*tree.Node      // live, sorted by id
	strategies  []*tree.Node      // likewise
	unwanted    map[lesson]bool
	spoken      map[Partition][]*tree.Node // see survey.spoken
	o           PlanOptions                // Attempts is never nil
	model       *meter.Meter               // of the Evolver's model, with the bounds of o
	step        PlanProgress
	planned     meter.Spent    // by the plans so far
	notes       []string       // for the next plan
	waiting     int            // calls about causes that are left for later
	everywhere  map[string]int // tests of all cases by scene type; see frequentScenes
	everyTest   int            // tests of all cases
}

// tell reports how far the plan has come.
func (p *planner) tell() {
	if p.o.Progress == nil {
		return
	}
	all := p.model.Total()
	p.step.Calls, p.step.Usage, p.step.Cost = all.Calls, all.Usage, p.o.Price.Of(all.Usage)
	p.o.Progress(p.step)
}

// partitions returns the partitions that have live nodes or buckets, sorted.
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
	w := p.begin(ctx, part)
	for _, n := range p.s.cases {
		if partitionOf(n) == part {
			w.Cases++
		}
	}
	if err := w.learn(); err != nil {
		return Plan{}, err
	}
	w.noteLifted()
	if err := w.strategy(); err != nil {
		return Plan{}, err
	}
	w.adopt()
	w.Changes = w.edits.changes()
	p.s.advance(w.Changes)
	return w.Plan, nil
}

// begin returns the work on a partition.
func (p *planner) begin(ctx context.Context, part Partition) *partitionWork {
	w := &partitionWork{planner: p, ctx: ctx, edits: p.s.edits()}
	w.Partition, w.Rule = part, p.e.rules.Of(part.ErrorType)
	w.Groups, w.Rejections = []Group{}, []Rejection{}
	return w
}

// partitionWork plans one partition.
type partitionWork struct {
	*planner
	Plan
	ctx    context.Context //nolint:containedctx // lives as long as one call of plan
	parts  []*bucket       // see partsOf; nil until they are asked for
	edits  *edits
	formed []*formed // the experiences that the partition will have in use
}

// formed is an experience that the plan keeps or makes, with its cases.
type formed struct {
	id     string
	bucket *bucket
}

// noteLifted adds the cases whose misses were read, typed or assigned a new check to the changes: those of the
// partition, and those of its experiences. Other partitions add their own.
func (w *partitionWork) noteLifted() {
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
			w.edits.put(n.Clone(), tree.OpRevise, cmp.Or(w.s.why[id], "what was missed is read from its evidence"))
		}
	}
}

// adopt sets the parents of cases: the experience that each is evidence of. It handles the cases of this partition's
// experiences and those whose parent may be gone. Partitions planned later adopt again for their experiences.
func (w *partitionWork) adopt() {
	seen := map[string]bool{}
	for _, f := range w.formed {
		for _, n := range f.bucket.cases {
			w.above[n.ID], seen[n.ID] = f.id, true
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

// parentOf returns the id of the experience planned so far that a case is evidence of, else the current parent if it
// is live and still has the case, "" for none.
func (w *partitionWork) parentOf(n *tree.Node) string {
	if id := w.above[n.ID]; id != "" {
		return id
	}
	if up := w.edits.peek(n.Parent); up != nil && up.Live() {
		if _, has := slices.BinarySearch(up.Children, n.ID); has {
			return up.ID
		}
	}
	return ""
}
