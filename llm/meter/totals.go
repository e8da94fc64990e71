package meter

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// Totals counts calls by model, over several processes.
type Totals struct {
	Since  time.Time        `json:"since"`  // when counting began; zero: nothing was counted
	Models map[string]Spent `json:"models"` // counts by the name of the model
}

const (
	// MostTotals is the most bytes that ParseTotals reads.
	MostTotals = 1 << 20

	mostModels = 1000 // counted separately; further ones are counted together under ""
	longName   = 200  // bytes of a model's name
)

// Add returns t with the counts s of model added. It does not change t. If t.Since is zero, since becomes the new
// Since. If s has no calls, made or refused, Add returns t.
func (t Totals) Add(model string, s Spent, since time.Time) Totals {
	if s.Calls+s.Beyond == 0 {
		return t
	}
	out := Totals{Since: t.Since, Models: make(map[string]Spent, len(t.Models)+1)}
	if out.Since.IsZero() {
		out.Since = since.UTC()
	}
	for name, was := range t.Models {
		was.Why = maps.Clone(was.Why)
		out.Models[name] = was
	}
	model = strings.ToValidUTF8(model[:min(len(model), longName)], "")
	if _, known := out.Models[model]; !known && len(out.Models) >= mostModels {
		model = ""
	}
	sum := out.Models[model]
	sum.Add(s)
	out.Models[model] = sum
	return out
}

// ParseTotals reads Totals from JSON. It rejects negative counts and values beyond a limit.
func ParseTotals(b []byte) (Totals, error) {
	var t Totals
	if len(b) > MostTotals {
		return Totals{}, fmt.Errorf("totals have %d bytes; at most %d are read", len(b), MostTotals)
	}
	if err := json.Unmarshal(b, &t); err != nil {
		return Totals{}, fmt.Errorf("read totals: %w", err)
	}
	if len(t.Models) > mostModels+1 {
		return Totals{}, fmt.Errorf("totals have %d models; at most %d are read", len(t.Models), mostModels)
	}
	for _, name := range slices.Sorted(maps.Keys(t.Models)) {
		s := t.Models[name]
		least := min(s.Calls, s.Failed, s.Beyond, s.Untold, s.Usage.InputTokens, s.Usage.OutputTokens)
		for kind, n := range s.Why {
			if least = min(least, n); kind == "" {
				return Totals{}, fmt.Errorf("totals of %q count failures without a kind", name)
			}
		}
		if least < 0 {
			return Totals{}, fmt.Errorf("totals of %q have a count below zero", name)
		}
	}
	return t, nil
}
