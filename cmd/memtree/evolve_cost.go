package main

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/evolution"
	"github.com/memtree/memtree/tree"
)

// boundEvolve sets the bounds of the command on evolve, less what forming the waiting runs has used.
func (a *app) boundEvolve(ctx context.Context, m *memtree.Memory, o *memtree.EvolveOptions) error {
	if a.spending.model == "" {
		return nil // no model is used
	}
	if !o.DryRun {
		if err := m.Wait(ctx); err != nil && !errors.Is(err, tree.ErrReadOnly) {
			return a.interrupted(err, 0, 0)
		}
	}
	o.Price, _ = a.priceOf(a.spending.model)
	o.MaxCalls, o.MaxCost = a.left()
	return nil
}

// evolvedJSON is the JSON form of the result of evolve. Its calls, usage and cost are measured; those of a dry run
// are estimates.
type evolvedJSON struct {
	*evolution.Evolved
	Calls         int   `json:"calls"`
	Cost          any   `json:"cost"`    // a number, or "unknown"
	ByModel       int   `json:"byModel"` // lessons written now
	ByRules       int   `json:"byRules"` // likewise
	ModelFailures int   `json:"modelFailures"`
	Estimated     bool  `json:"estimated"` // whether calls, usage and cost are estimates
	Model         spent `json:"model"`

	Vectors *vectored `json:"vectors,omitempty"` // of a dry run; included in calls, usage and cost
}

func (a *app) evolvedJSON(v *evolution.Evolved, dry bool) evolvedJSON {
	out := evolvedJSON{Evolved: v, Calls: v.Calls, Estimated: dry, Model: a.spentNow()}
	out.ByModel, out.ByRules = writers(v)
	out.ModelFailures = out.Model.asked().Failed
	if !dry {
		out.Calls, out.Cost, v.Usage = out.Model.Calls, out.Model.Cost, out.Model.Usage
		return out
	}
	vectors := a.plannedVectors(v)
	out.Vectors, out.Cost = &vectors, plus(a.costOf(v.Calls, 0, v.Usage), vectors.Cost)
	out.Calls, v.Usage = v.Calls+vectors.Calls, v.Usage.Add(vectors.Usage)
	return out
}

// plannedVectors estimates the embedding calls for the lessons of a plan.
func (a *app) plannedVectors(v *evolution.Evolved) vectored {
	var texts []string
	for _, p := range v.Plans {
		for _, c := range p.Changes {
			if (c.Op == tree.OpAdd || c.Op == tree.OpRevise) && c.Node.Live() {
				texts = append(texts, c.Node.Text())
			}
		}
	}
	return a.vectorsOf(texts)
}

// writers returns the number of lessons written now, by author.
func writers(v *evolution.Evolved) (byModel, byRules int) {
	for _, p := range v.Plans {
		for _, c := range p.Changes {
			switch {
			case c.Node.Type == tree.Case || c.Op != tree.OpAdd && c.Op != tree.OpRevise || !c.Node.Live():
			case c.Node.Provenance.Analyst == "model":
				byModel++
			default:
				byRules++
			}
		}
	}
	return byModel, byRules
}

// evolveAccount describes the planned model calls of a dry run, or else who wrote the lessons and their cost.
func (a *app) evolveAccount(v *evolution.Evolved, dry bool) []string {
	if a.spending.meter == nil {
		return nil
	}
	if dry {
		vectors := a.plannedVectors(v)
		var lines []string
		if vectors.Calls > 0 {
			lines = a.Wrap(a.vectorsLine(&vectors))
		}
		if v.Calls == 0 {
			return lines
		}
		line := a.say("An evolve would ask the model about %d times: some %d tokens in, %d out; cost %s. "+
			"That is with one answer in five asked for twice.",
			v.Calls, v.Usage.InputTokens, v.Usage.OutputTokens, a.costWords(a.costOf(v.Calls, 0, v.Usage)))
		return slices.Concat([]string{""}, a.Wrap(line), lines)
	}
	var lines []string
	byModel, byRules := writers(v)
	if byModel+byRules > 0 && a.spending.model != "" {
		line := a.say("Written by the model: %d, by the rules: %d", byModel, byRules)
		if why := a.whyRules(v); byRules > 0 && why != "" {
			line = a.say("%s (%s)", line, why)
		}
		lines = append(lines, a.say("%s.", line))
	}
	if lines = append(lines, a.spentLines()...); len(lines) == 0 {
		return nil
	}
	out := []string{""}
	for _, l := range lines {
		out = append(out, a.Wrap(l)...)
	}
	return out
}

// whyRules explains why the rules wrote lessons although a model is set.
func (a *app) whyRules(v *evolution.Evolved) string {
	var parts []string
	refused := 0
	for _, p := range v.Plans {
		for _, r := range p.Rejections {
			if r.By == "model" && !r.Known {
				refused++
			}
		}
	}
	all := a.spentNow()
	s := all.asked()
	if refused > 0 {
		parts = append(parts, a.say("drafts of the model that a gate refused: %d", refused))
	}
	for _, k := range frequent(s.Why) {
		parts = append(parts, a.say("%s %d", a.kindName(k), s.Why[k]))
	}
	if s.Beyond > 0 {
		parts = append(parts, a.say("over the bound %d", s.Beyond))
	}
	return strings.Join(parts, a.say(", "))
}
