package main

import (
	"maps"
	"slices"
	"strings"

	"github.com/memtree/memtree/internal/tape"
	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/llm/meter"
)

// spending is the models of a command and their meter, nil without a model.
type spending struct {
	model    string         // "": no model
	embed    string         // the embedding model; "": none
	meter    *meter.Meter   // in front of both
	player   *tape.Player   // replaces the model; nil: the model is called
	recorder *tape.Recorder // in front of the model; nil: nothing is recorded

	before map[string]meter.Spent // totals of others before the command began, by stage
}

// spent is the model usage of a command, as --json prints it.
type spent struct {
	meter.Spent
	Cost   any          `json:"cost"`   // a number, or "unknown"
	Played bool         `json:"played"` // whether the answers are recordings: calls and cost are then not of a model
	Stages []spentStage `json:"stages"`
}

type spentStage struct {
	Stage string `json:"stage"` // the prompt: analyse, judge, evolve; or embed
	meter.Spent
	Cost any `json:"cost"`
}

// spentNow returns the usage so far, sorted by stage.
func (a *app) spentNow() spent {
	out := spent{Cost: 0.0, Stages: []spentStage{}}
	if a.spending.meter == nil {
		return out
	}
	stages := a.spending.meter.Stages()
	for _, name := range slices.Sorted(maps.Keys(stages)) {
		s := stages[name].Since(a.spending.before[name])
		if s.Calls+s.Beyond == 0 {
			continue
		}
		cost := a.costOf(s.Calls-s.Failed, s.Untold, s.Usage)
		if name == meter.EmbedStage {
			cost = a.embedCost(s.Calls-s.Failed, s.Untold, s.Usage)
		}
		out.Stages = append(out.Stages, spentStage{name, s, cost})
		out.Cost = plus(out.Cost, cost)
		out.Add(s)
	}
	out.Played = a.spending.player != nil
	return out
}

// asked returns the usage without embeddings.
func (s *spent) asked() (out meter.Spent) {
	for i := range s.Stages {
		if s.Stages[i].Stage != meter.EmbedStage {
			out.Add(s.Stages[i].Spent)
		}
	}
	return out
}

// plus adds two costs. The sum is unknown if either is.
func plus(a, b any) any {
	x, known := a.(float64)
	y, knownToo := b.(float64)
	if !known || !knownToo {
		return unknown
	}
	return x + y
}

// embedCost returns the cost of an embedding model's tokens.
func (a *app) embedCost(answers, untold int, u llm.Usage) any {
	p, known := a.embedPriceOf(a.spending.embed)
	return costAt(p, known, answers, untold, u)
}

// costOf returns the cost of tokens. It is unknown if the price is, or if the provider did not report all tokens. It
// is 0 if there was no answer, and for recordings.
func (a *app) costOf(answers, untold int, u llm.Usage) any {
	if a.spending.model == playedModel {
		untold = 0
	}
	p, known := a.priceOf(a.spending.model)
	return costAt(p, known, answers, untold, u)
}

// costAt returns the cost of tokens at a price, if it is known.
func costAt(p priced, known bool, answers, untold int, u llm.Usage) any {
	switch {
	case answers <= 0 && u == (llm.Usage{}):
		return 0.0
	case !known || untold > 0:
		return unknown
	}
	return p.Of(u)
}

// spentLines describes the model calls and their cost, by stage if there were several.
func (a *app) spentLines() []string {
	s := a.spentNow()
	if s.Calls+s.Beyond == 0 {
		return nil
	}
	if s.Played {
		return a.playedLines(&s)
	}
	line := a.say("Model calls: %d, tokens in %d, out %d.", s.Calls, s.Usage.InputTokens, s.Usage.OutputTokens)
	if s.Untold > 0 {
		line = text.Append(line, a.say("Answers of which the server did not tell the tokens: %d.", s.Untold))
	}
	line = text.Append(line, a.say("Cost: %s.", a.costWords(s.Cost)))
	out := []string{line}
	if len(s.Stages) > 1 {
		parts := make([]string, 0, len(s.Stages))
		for _, x := range s.Stages {
			parts = append(parts, a.say("%s: %d calls, %d + %d tokens, cost %s",
				x.Stage, x.Calls, x.Usage.InputTokens, x.Usage.OutputTokens, a.costWords(x.Cost)))
		}
		out = append(out, strings.Join(parts, a.say("; ")))
	}
	if n := s.asked().Beyond; n > 0 {
		out = append(out, a.say("Because of the bound on the model, %d questions were not asked, or not to the end; "+
			"the rules did what they could, and it is marked to be done again.", n))
	}
	return out
}

func (a *app) costWords(cost any) string {
	if x, known := cost.(float64); known {
		return amount(x)
	}
	return a.say("unknown")
}
