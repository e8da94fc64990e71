package main

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/evolution"
	"github.com/memtree/memtree/internal/cli/model"
	"github.com/memtree/memtree/internal/cli/say"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/tree"
)

// boundEvolve sets the bounds of the command on evolve, less what forming the waiting runs has used.
func boundEvolve(ctx context.Context, a *app, m *memtree.Memory, o *memtree.EvolveOptions) error {
	if !o.DryRun && a.model.Name != "" {
		if err := m.Wait(ctx); err != nil && !errors.Is(err, store.ErrReadOnly) {
			return interrupted(a.Voice, err, 0, 0)
		}
	}
	o.Price = priceOf(a)
	o.MaxCalls, o.MaxCost = a.model.Left()
	return nil
}

// evolvedJSON is the JSON form of the result of evolve. Its calls, usage and cost are measured; those of a dry run
// are estimates.
type evolvedJSON struct {
	*evolution.Evolved
	Calls         int               `json:"calls"`
	Cost          any               `json:"cost"`    // a number, or "unknown"
	ByModel       int               `json:"byModel"` // lessons written now
	ByRules       int               `json:"byRules"` // likewise
	ModelFailures int               `json:"modelFailures"`
	Estimated     bool              `json:"estimated"` // whether calls, usage and cost are estimates
	Model         model.UsageReport `json:"model"`

	Vectors *model.Vectors `json:"vectors,omitempty"` // of a dry run; included in calls, usage and cost
}

func evolvedOf(a *app, v *evolution.Evolved, dry bool) evolvedJSON {
	out := evolvedJSON{Evolved: v, Calls: v.Calls, Estimated: dry, Model: a.model.Now()}
	out.ByModel, out.ByRules = writers(v)
	out.ModelFailures = out.Model.Asked().Failed
	if !dry {
		out.Calls, out.Cost, v.Usage = out.Model.Calls, out.Model.Cost, out.Model.Usage
		return out
	}
	vectors := plannedVectors(a, v)
	out.Vectors, out.Cost = &vectors, model.Plus(a.model.CostOf(v.Calls, 0, v.Usage), vectors.Cost)
	out.Calls, v.Usage = v.Calls+vectors.Calls, v.Usage.Add(vectors.Usage)
	return out
}

// plannedVectors estimates the embedding calls for the lessons of a plan.
func plannedVectors(a *app, v *evolution.Evolved) model.Vectors {
	var texts []string
	for _, plan := range v.Plans {
		for _, c := range plan.Changes {
			if (c.Op == tree.OpAdd || c.Op == tree.OpRevise) && c.Node.Live() {
				texts = append(texts, c.Node.Text())
			}
		}
	}
	return a.model.Vectors(texts)
}

// writers returns the number of lessons written now, by author.
func writers(v *evolution.Evolved) (byModel, byRules int) {
	for _, plan := range v.Plans {
		for _, c := range plan.Changes {
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
func evolveAccount(a *app, v *evolution.Evolved, dry bool) []string {
	if !a.model.Metered() {
		return nil
	}
	if dry {
		vectors := plannedVectors(a, v)
		var lines []string
		if vectors.Calls > 0 {
			lines = a.Wrap(a.model.VectorsLine(&vectors))
		}
		if v.Calls == 0 {
			return lines
		}
		line := a.Say("An evolve would ask the model about %d times: some %d tokens in, %d out; cost %s. "+
			"That is with one answer in five asked for twice.",
			v.Calls, v.Usage.InputTokens, v.Usage.OutputTokens, a.model.CostWords(a.model.CostOf(v.Calls, 0, v.Usage)))
		return slices.Concat([]string{""}, a.Wrap(line), lines)
	}
	var lines []string
	byModel, byRules := writers(v)
	if byModel+byRules > 0 && a.model.Name != "" {
		line := a.Say("Written by the model: %d, by the rules: %d", byModel, byRules)
		if why := whyRules(a, v); byRules > 0 && why != "" {
			line = a.Say("%s (%s)", line, why)
		}
		lines = append(lines, a.Say("%s.", line))
	}
	if lines = append(lines, a.model.Lines()...); len(lines) == 0 {
		return nil
	}
	p := a.Page()
	p.Raw("")
	for _, l := range lines {
		p.Add(l)
	}
	return p.Lines
}

// whyRules explains why the rules wrote lessons although a model is set.
func whyRules(a *app, v *evolution.Evolved) string {
	var parts []string
	refused := 0
	for _, plan := range v.Plans {
		for _, r := range plan.Rejections {
			if r.By == "model" && !r.Known {
				refused++
			}
		}
	}
	all := a.model.Now()
	s := all.Asked()
	if refused > 0 {
		parts = append(parts, a.Say("drafts of the model that a gate refused: %d", refused))
	}
	for _, k := range frequent(s.Why) {
		parts = append(parts, a.Say("%s %d", kindName(a.Voice, k), s.Why[k]))
	}
	if s.Beyond > 0 {
		parts = append(parts, a.Say("over the bound %d", s.Beyond))
	}
	return strings.Join(parts, a.Say(", "))
}

// evolveByHand evolves with the answers of a file, then writes the open questions to a file.
func evolveByHand(ctx context.Context, a *app, o memtree.EvolveOptions, f *handFlags) error {
	hand, err := byHand(ctx, a, f)
	if err != nil {
		return err
	}
	o.DryRun, o.Reader = o.DryRun || f.from == "", hand
	var out struct {
		evolvedJSON
		handed // Questions are the open ones, printed or not
	}
	err = a.store.WriteOrPlan(ctx, o.DryRun, func(m *memtree.Memory) error {
		v, err := m.Evolve(ctx, &o)
		if err != nil {
			return interrupted(a.Voice, err, 0, 0)
		}
		out.evolvedJSON = evolvedOf(a, &v, o.DryRun)
		if !a.JSON && !o.DryRun {
			return a.Print(evolvedLines(a, m.Taxonomy(), &v, &o)...)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if done, err := f.end(a, hand, &out.handed); done {
		return err
	}
	out.Questions = new(len(hand.Open()))
	return a.Result(out, handedLines(a.Voice, &out.handed, f)...)
}

// handedLines returns how many questions are open.
func handedLines(v *say.Voice, h *handed, f *handFlags) []string {
	line := v.Say("Questions that are open: %d; write them to a file with --print.", *h.Questions)
	switch {
	case *h.Questions == 0:
		line = v.Say("No question is open.")
	case f.print != "":
		line = f.written(v, *h.Questions)
	}
	p := v.Page()
	p.Add(line)
	if n := len(h.Unused); n > 0 {
		p.Add(v.Say("Answers that belong to no open question: %d. Runs or lessons have changed since it was "+
			"asked; write the questions anew with --print.", n))
	}
	return p.Lines
}
