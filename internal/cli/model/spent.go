package model

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/memtree/memtree/internal/tape"
	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/llm/meter"
)

// Spending counts what the models of a command use. The zero value is for a command without a model.
type Spending struct {
	Name     string         // name of the chat model; "": none is open
	embed    string         // the embedding model; "": none
	meter    *meter.Meter   // in front of both
	player   *tape.Player   // replaces the model; nil: the model is called
	recorder *tape.Recorder // in front of the model; nil: nothing is recorded

	before map[string]meter.Spent // totals of others before the command began, by stage
}

// Since returns a count that begins at 0, for another command that uses the same models from now on.
func (s Spending) Since() Spending {
	s.before = map[string]meter.Spent{}
	if s.meter != nil {
		s.before = s.meter.Stages()
	}
	return s
}

// Metered reports whether the command has opened a model.
func (s *Spending) Metered() bool { return s.meter != nil }

// Played reports whether recordings replace the model.
func (s *Spending) Played() bool { return s.player != nil }

// UsageReport is what the models of a command used, as --json prints it.
type UsageReport struct {
	meter.Spent
	Cost   any          `json:"cost"`   // a number, or "unknown"
	Played bool         `json:"played"` // the answers are recordings; no model was called
	Stages []SpentStage `json:"stages"`
}

// SpentStage is what the calls of one stage used, such as analyse.
type SpentStage struct {
	Stage string `json:"stage"` // name of the prompt, such as analyse, judge or evolve; or embed or decide
	meter.Spent
	Cost any `json:"cost"`
}

// Now returns what the models of the command have used so far, sorted by stage.
func (m *Model) Now() UsageReport {
	out := UsageReport{Cost: 0.0, Stages: []SpentStage{}}
	if m.meter == nil {
		return out
	}
	stages := m.meter.Stages()
	for _, name := range slices.Sorted(maps.Keys(stages)) {
		s := stages[name].Since(m.before[name])
		if s.Calls+s.Beyond == 0 {
			continue
		}
		cost := m.CostOf(s.Calls-s.Failed, s.Untold, s.Usage)
		switch name {
		case meter.EmbedStage:
			cost = m.EmbedCost(s.Calls-s.Failed, s.Untold, s.Usage)
		case meter.DecideStage:
			cost = m.DecideCost(s.Calls-s.Failed, s.Untold, s.Usage)
		}
		out.Stages = append(out.Stages, SpentStage{name, s, cost})
		out.Cost = Plus(out.Cost, cost)
		out.Add(s)
	}
	out.Played = m.player != nil
	return out
}

// Asked returns the usage of all stages except embeddings.
func (s *UsageReport) Asked() (out meter.Spent) {
	for i := range s.Stages {
		if s.Stages[i].Stage != meter.EmbedStage {
			out.Add(s.Stages[i].Spent)
		}
	}
	return out
}

// Plus returns the sum of two costs, each a float64 or Unknown. It is Unknown if either is.
func Plus(a, b any) any {
	x, known := a.(float64)
	y, knownToo := b.(float64)
	if !known || !knownToo {
		return Unknown
	}
	return x + y
}

// EmbedCost returns the cost of tokens u of the embedding model: a number, or Unknown. See CostAt.
func (m *Model) EmbedCost(answers, untold int, u llm.Usage) any {
	p, known := m.EmbedPriceOf(m.embed)
	return CostAt(p, known, answers, untold, u)
}

// CostOf returns the cost of tokens u of the chat model: a number, or Unknown. It is 0 if there was no answer, and for
// recordings. See CostAt.
func (m *Model) CostOf(answers, untold int, u llm.Usage) any {
	if m.Name == playedModel {
		untold = 0
	}
	p, known := m.PriceOf(m.Name)
	return CostAt(p, known, answers, untold, u)
}

// CostAt returns the cost of tokens u at the price p: a float64, or Unknown if the price is not known or untold is
// positive. answers is the number of answers, untold that of answers whose tokens the provider did not report. Without
// answers and tokens it is 0.
func CostAt(p meter.Price, known bool, answers, untold int, u llm.Usage) any {
	switch {
	case answers <= 0 && u == (llm.Usage{}):
		return 0.0
	case !known || untold > 0:
		return Unknown
	}
	return p.Of(u)
}

// Lines returns lines for people on the calls so far and their cost, by stage if there were several. It returns nil if
// there were none.
func (m *Model) Lines() []string {
	s := m.Now()
	if s.Calls+s.Beyond == 0 {
		return nil
	}
	if s.Played {
		return m.playedLines(&s)
	}
	line := m.Say("Model calls: %d, tokens in %d, out %d.", s.Calls, s.Usage.InputTokens, s.Usage.OutputTokens)
	if s.Untold > 0 {
		line = text.Append(line, m.Say("Answers of which the server did not tell the tokens: %d.", s.Untold))
	}
	line = text.Append(line, m.Say("Cost: %s.", m.CostWords(s.Cost)))
	out := []string{line}
	if len(s.Stages) > 1 {
		parts := make([]string, 0, len(s.Stages))
		for _, x := range s.Stages {
			parts = append(parts, m.Say("%s: %d calls, %d + %d tokens, cost %s",
				x.Stage, x.Calls, x.Usage.InputTokens, x.Usage.OutputTokens, m.CostWords(x.Cost)))
		}
		out = append(out, strings.Join(parts, m.Say("; ")))
	}
	if n := s.Asked().Beyond; n > 0 {
		out = append(out, m.Say("Because of the bound on the model, %d questions were not asked, or not to the end; "+
			"the rules did what they could, and it is marked to be done again.", n))
	}
	return out
}

// CostWords returns cost, a float64 or Unknown, as text for people.
func (m *Model) CostWords(cost any) string {
	if x, known := cost.(float64); known {
		return Amount(x)
	}
	return m.Say("unknown")
}

// Vectors estimates the calls that embedding some texts needs.
type Vectors struct {
	Texts int       `json:"texts"`
	Calls int       `json:"calls"`
	Usage llm.Usage `json:"usage"`
	Cost  any       `json:"cost"` // a float64 in the currency of the price; "unknown" without a price
}

// Vectors estimates the calls of the embedding model for texts. Without an embedding model there are none.
func (m *Model) Vectors(texts []string) Vectors {
	if m.embed == "" {
		return Vectors{Cost: 0.0}
	}
	calls, usage := meter.EstimateTexts(texts)
	return Vectors{len(texts), calls, usage, m.EmbedCost(calls, 0, usage)}
}

// VectorsLine returns the estimate v as a sentence for people.
func (m *Model) VectorsLine(v *Vectors) string {
	return m.Say("The embedding model would be asked about %d times, for %d texts: some %d tokens; cost %s.",
		v.Calls, v.Texts, v.Usage.InputTokens, m.CostWords(v.Cost))
}

// Amount returns the amount of money x as text, with up to four decimals, or seven if x is below 0.0001.
func Amount(x float64) string {
	s := fmt.Sprintf("%.4f", x)
	if x > 0 && x < 0.0001 { // the vectors of a few texts
		s = fmt.Sprintf("%.7f", x)
	}
	return cmp.Or(strings.TrimRight(strings.TrimRight(s, "0"), "."), "0")
}
