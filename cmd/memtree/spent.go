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
	model    string         // "": none is asked
	embed    string         // that gives texts their meaning; "": none is asked
	meter    *meter.Meter   // in front of both
	player   *tape.Player   // in place of the model; nil: it is asked
	recorder *tape.Recorder // in front of the model; nil: nothing is recorded

	before map[string]meter.Spent // what was asked for others before the command began, by stage
}

// spent is what a command asked the model, as --json prints it.
type spent struct {
	meter.Spent
	Cost   any          `json:"cost"`   // a number, or "unknown"
	Played bool         `json:"played"` // the answers are recordings: calls and cost are of none
	Stages []spentStage `json:"stages"`
}

type spentStage struct {
	Stage string `json:"stage"` // the prompt: analyse, judge, evolve; or embed
	meter.Spent
	Cost any `json:"cost"`
}

// spentNow returns what was asked so far, sorted by stage.
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

// asked returns what was asked but for vectors.
func (s *spent) asked() (out meter.Spent) {
	for i := range s.Stages {
		if s.Stages[i].Stage != meter.EmbedStage {
			out.Add(s.Stages[i].Spent)
		}
	}
	return out
}

// plus adds two costs. With one that is unknown the sum is.
func plus(a, b any) any {
	x, known := a.(float64)
	y, knownToo := b.(float64)
	if !known || !knownToo {
		return unknown
	}
	return x + y
}

// embedCost returns what tokens cost that an embedding model read.
func (a *app) embedCost(answers, untold int, u llm.Usage) any {
	p, known := a.embedPriceOf(a.spending.embed)
	return costAt(p, known, answers, untold, u)
}

// costOf returns what tokens cost. It is unknown if the price is, or if the provider did not tell
// all tokens. Where nothing was answered, and where recordings are played, it is nothing.
func (a *app) costOf(answers, untold int, u llm.Usage) any {
	if a.spending.model == playedModel {
		untold = 0
	}
	p, known := a.priceOf(a.spending.model)
	return costAt(p, known, answers, untold, u)
}

// costAt returns what tokens cost at a price, if it is known.
func costAt(p priced, known bool, answers, untold int, u llm.Usage) any {
	switch {
	case answers <= 0 && u == (llm.Usage{}):
		return 0.0
	case !known || untold > 0:
		return unknown
	}
	return p.Of(u)
}

// spentLines says what the model was asked and what it cost, by stage if there were several.
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
