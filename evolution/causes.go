package evolution

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/prompts"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// A cause that no check describes is a miss with a Cause and no Check. A model groups causes of one direction by root
// cause (askCauses), a hundred in a call. Each is assigned to an existing check of the tree's own, to a new one, or to
// none; then it is sent again only together with causes that come later.
const (
	leastOwn     = 3   // cases of a new check; they are of leastTests tests at least
	mostOfCauses = 0.6 // maximum share of the lines, from manyCauses lines on, that one group may have
	manyCauses   = 10
)

// cause is one miss that no check describes.
type cause struct {
	node      *tree.Node
	at        int // its index among the misses
	text, key string
}

// causesAsked holds the stored results of the causes of a direction that were sent to a model.
type causesAsked struct {
	Job   string                       `json:"job"`
	Found map[string]map[string]string `json:"found"` // by id of the case and hash of the cause: a check, "" for none
}

// findChecks assigns checks to causes, and sends the new ones to the model. It changes cases in the survey alone; each
// partition includes the changes in its own plan, see noteLifted.
func (p *planner) findChecks(ctx context.Context, only string) error {
	if p.e.o.Generator == nil {
		return nil
	}
	for _, d := range directions {
		if err := p.findChecksIn(ctx, d, only); err != nil {
			return err
		}
	}
	return nil
}

func (p *planner) findChecksIn(ctx context.Context, d taxonomy.Direction, only string) error {
	kept := p.recallCauses(d)
	var fresh, asked []cause
	for _, c := range p.causes(d, only) {
		switch check, known := kept.Found[c.node.ID][c.key]; {
		case known && check != "": // an earlier plan was not applied
			p.assign(check, []cause{c})
		case known:
			asked = append(asked, c)
		default:
			fresh = append(fresh, c)
		}
	}
	for len(fresh) > 0 {
		n := min(len(fresh), prompts.MaxSurveyLines)
		batch := slices.Concat(fresh[:n], asked[:min(len(asked), prompts.MaxSurveyLines-n)])
		fresh = fresh[n:]
		if err := p.askCauses(ctx, d, batch, kept); err != nil {
			return err
		}
	}
	return nil
}

// causes returns the causes of a direction, and of an error type if only is one. They are sorted by text, so that
// similar ones are in one call.
func (p *planner) causes(d taxonomy.Direction, only string) (out []cause) {
	for _, n := range p.s.cases {
		if !p.mayRead([]*tree.Node{n}) {
			continue
		}
		for i, m := range n.CaseData.Misses {
			if m.Check == "" && m.Cause != "" && n.Direction == d && (only == "" || m.ErrorType == only) {
				out = append(out, cause{node: n, at: i, text: m.Cause, key: tree.Hash(m.Cause)})
			}
		}
	}
	slices.SortStableFunc(out, func(a, b cause) int { return cmp.Compare(a.text, b.text) })
	return out
}

// askCauses sends causes in one call, assigns those that have a check now, and stores the result of each. Where a
// bound allows no call, or there is no answer, they wait.
func (p *planner) askCauses(ctx context.Context, d taxonomy.Direction, batch []cause, kept *causesAsked) error {
	checks := p.checksFor(d)
	checks = checks[:min(len(checks), prompts.MaxSurveyChecks)]
	if len(checks) == 0 && !enoughFor(batch) {
		return nil
	}
	key := keyOf(batch)
	if p.o.Attempts.has(key) {
		p.waiting++
		return nil
	}
	in := p.inputCauses(d, batch, checks)
	prompt, err := prompts.Load().Survey(in)
	if err != nil {
		return err
	}
	request := prompts.Load().Request(prompt, in.Lang, 200+12*len(batch))
	var groups []prompts.SurveyGroup
	_, failed := llm.Ask(ctx, p.model, request, func(raw json.RawMessage) (wrong error) {
		groups, wrong = in.Read(raw)
		groups, wrong = p.e.holding(groups, len(batch), wrong)
		return wrong
	})
	if failed != nil && !llm.Answered(failed) { // of an answer refused twice, the valid groups are used
		return p.causesUnanswered(ctx, d, batch, kept, key, failed)
	}
	p.o.Attempts.inRow = 0
	for _, c := range batch {
		kept.set(c, "")
	}
	for _, g := range groups {
		of := make([]cause, 0, len(g.Lines))
		for _, n := range g.Lines {
			of = append(of, batch[n-1])
		}
		check := ""
		if g.Check > 0 {
			check = checks[g.Check-1]
		} else if enoughFor(of) {
			check = taxonomy.OwnID(g.Cause, casesOf(of))
		}
		for _, c := range of {
			kept.set(c, check)
		}
		p.assign(check, of)
	}
	return p.e.keep(ctx, kept.Job, kept)
}

// causesUnanswered handles a call without an answer. One that was too long is halved.
func (p *planner) causesUnanswered(
	ctx context.Context, d taxonomy.Direction, batch []cause, kept *causesAsked, key string, failed error,
) error {
	kind := llm.KindOf(failed)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case len(batch) > 2*leastOwn && (kind == llm.KindTooLarge || kind == llm.KindTruncated):
		half := len(batch) / 2
		if err := p.askCauses(ctx, d, batch[:half], kept); err != nil {
			return err
		}
		return p.askCauses(ctx, d, batch[half:], kept)
	case kind != llm.KindBound:
		p.failed([]string{key}, failed)
	}
	p.waiting++
	return nil
}

// inputCauses returns the model's input about causes.
func (p *planner) inputCauses(d taxonomy.Direction, batch []cause, checks []string) prompts.SurveyInput {
	nodes := make([]*tree.Node, 0, len(batch))
	in := prompts.SurveyInput{Direction: string(d)}
	for _, c := range batch {
		nodes, in.Lines = append(nodes, c.node), append(in.Lines, c.text)
	}
	in.Lang = langOf(nodes)
	for _, check := range checks {
		in.Checks = append(in.Checks, p.titleOf(check, d, in.Lang))
	}
	return in
}

// holding returns the groups that are not too large for a sharp cause, and whose names may be shown. It joins the
// problems of the others to wrong.
func (e *Evolver) holding(groups []prompts.SurveyGroup, lines int, wrong error) ([]prompts.SurveyGroup, error) {
	var out []prompts.SurveyGroup
	for _, g := range groups {
		if lines >= manyCauses && float64(len(g.Lines)) > mostOfCauses*float64(lines) {
			wrong = errors.Join(wrong, fmt.Errorf("groups: one has %d of %d lines, which is no sharp cause",
				len(g.Lines), lines))
			continue
		}
		if why, bad := e.refusesName(g.Cause); bad {
			wrong = errors.Join(wrong, fmt.Errorf("groups: the cause %q cannot be shown: %s", g.Cause, why))
			continue
		}
		out = append(out, g)
	}
	return out, wrong
}

func (e *Evolver) refusesName(name string) (why string, bad bool) {
	for _, refuses := range []func(string) (string, bool){e.o.Unsafe, e.o.Forces} {
		if refuses == nil || name == "" {
			continue
		}
		if why, bad = refuses(name); bad {
			return why, true
		}
	}
	return "", false
}

// assign assigns a check to causes. A new check has the error type of most of them.
func (p *planner) assign(check string, of []cause) {
	if check == "" {
		return
	}
	types := map[string]int{}
	for _, c := range of {
		types[c.node.CaseData.Misses[c.at].ErrorType]++
	}
	t, known := p.s.own[check], false
	if c, is := p.e.o.Taxonomy.Check(check); is {
		t, known = c.ErrorType(), true
	}
	if t = cmp.Or(t, mostOf(types)); !known {
		p.s.own[check] = t
	}
	for _, c := range of {
		p.s.revise(c.node.ID, "what no check describes was found to be "+check, func(n *tree.Node) {
			m := &n.CaseData.Misses[c.at]
			m.Check, m.ErrorType = check, t
		})
	}
}

// enoughFor reports whether causes are of enough cases and tests for a new check.
func enoughFor(of []cause) bool {
	byTest := map[string]bool{}
	for _, c := range of {
		byTest[testOf(c.node)] = true
	}
	return len(casesOf(of)) >= leastOwn && len(byTest) >= leastTests
}

// casesOf returns the ids of the cases of causes, sorted, each once.
func casesOf(of []cause) []string {
	ids := make([]string, 0, len(of))
	for _, c := range of {
		ids = append(ids, c.node.ID)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}
