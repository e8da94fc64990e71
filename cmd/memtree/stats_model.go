package main

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/memtree/memtree/internal/cli/model"
	"github.com/memtree/memtree/internal/cli/say"
	"github.com/memtree/memtree/internal/cli/screen"
	"github.com/memtree/memtree/llm/meter"
	"github.com/memtree/memtree/tree"
)

// printAnalyses prints how many analyses are by the model and by the rules, in a store where a model was used or is
// to be.
func printAnalyses(v *say.Voice, p *screen.Page, n *tree.Analyses) {
	if n.ByModel+n.Again == 0 {
		return
	}
	line := v.Say("%d by the model, %d by the rules", n.ByModel, n.ByRules)
	if n.Again > 0 {
		line += v.Say("; %d of them wait to be done again by a model", n.Again)
	}
	p.Part(v.Say("analyses"), line)
}

// spentEver is the model usage since it was first recorded beside the store.
type spentEver struct {
	Since  *time.Time   `json:"since"` // null: no usage recorded
	Models []spentModel `json:"models"`
}

type spentModel struct {
	Model string `json:"model"`
	meter.Spent
	Cost any `json:"cost"` // at the prices of today, or "unknown"
}

// spentSince returns the totals with their cost, sorted by model.
func spentSince(a *app, t meter.Totals) spentEver {
	out := spentEver{Models: []spentModel{}}
	if !t.Since.IsZero() {
		out.Since = &t.Since
	}
	for _, id := range slices.Sorted(maps.Keys(t.Models)) {
		s := t.Models[id]
		_, name, _ := strings.Cut(id, ":") // provider and model
		price := a.model.PriceOf
		if c, err := a.model.Config(); err == nil && name == c.EmbedModel {
			price = a.model.EmbedPriceOf
		}
		p, known := price(name)
		out.Models = append(out.Models, spentModel{id, s, model.CostAt(p, known, s.Calls-s.Failed, s.Untold, s.Usage)})
	}
	return out
}

// printSpent prints the usage of models, a line each.
func printSpent(a *app, p *screen.Page, s *spentEver) {
	for _, x := range s.Models {
		p.Part(a.Say("asked"), a.Say("%s since %s: %d calls, %d of them failed; tokens in %d, out %d; cost %s", x.Model,
			s.Since.Local().Format(time.DateOnly), x.Calls, x.Failed, x.Usage.InputTokens, x.Usage.OutputTokens,
			a.model.CostWords(x.Cost)))
	}
}
