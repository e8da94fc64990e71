package memtree

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/memtree/memtree/enhance"
	"github.com/memtree/memtree/retrieval"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// Query is what is about to be run.
type Query struct {
	Prompt       string     // what the agent is asked to test
	Scene        tree.Scene // where in the product
	Scope        tree.Scope // which product, suite and test
	Lang         string     // "zh" or "en" for the guidance; "": the prompt's
	Limits       retrieval.Limits
	Observation  string   // what can be seen now, if anything: an ARIA snapshot as Playwright writes it, or the page's text
	Exclude      []string // node ids that must not be used
	ExcludeTests []string // test cases whose memories must not be used

	Agent tree.Agent // who will run, for the ledger
	RunID string     // which run, for the ledger

	// Step asks within a run: its text joins the prompt. With the Trial of an
	// earlier answer, what is injected now is added to that trial.
	Step       string
	StepNumber int // from 1
	Trial      string
}

// Guidance is the answer: a block of text for the prompt, or nothing.
type Guidance struct {
	Trial     string `json:"trial"` // hand it back in Evaluation.Trial; "" when nothing was recorded
	Abstained bool   `json:"abstained"`
	Text      string `json:"text"`              // the fenced block; "" when memory abstains
	Hash      string `json:"hash"`              // of Text
	Wording   string `json:"wording,omitempty"` // how it is worded, for the ledger
	Items     []Item `json:"items"`
	Facts     []Fact `json:"facts,omitempty"` // what Query.Observation shows of remembered misses, as Text tells it
	// Nearest is what came nearest, also when nothing is given. Unless it is among
	// Items it says why it was not given: with Abstained this is why there is
	// no text. Nil: no memory in use here has anything to do with the question.
	Nearest *Item `json:"nearest"`
	// Unformed counts recorded runs that are not formed yet: this answer does not know
	// them. It is looked up only when memory abstains.
	Unformed int    `json:"unformed,omitempty"`
	Note     string `json:"note,omitempty"` // what did not work as it should have
}

// Item is one memory in the guidance, with the reasons it is there.
type Item struct {
	ID        string             `json:"id"`
	Type      tree.Type          `json:"type"`
	ErrorType string             `json:"errorType"`
	Direction taxonomy.Direction `json:"direction"`
	Score     float64            `json:"score"`
	Signals   Signals            `json:"signals"`
	Left                         // why it was not given; of Guidance.Nearest only
}

// Signals are the named reasons of a score, by name.
type Signals []retrieval.Signal

// MarshalJSON writes an object with one member per signal, in rank order.
func (s Signals) MarshalJSON() ([]byte, error) {
	b := []byte{'{'}
	for i, x := range s {
		if i > 0 {
			b = append(b, ',')
		}
		v, err := json.Marshal(struct {
			Raw          float64 `json:"raw"`
			Calibrated   float64 `json:"calibrated"`
			Weight       float64 `json:"weight"`
			Contribution float64 `json:"contribution"`
		}{x.Raw, x.Calibrated, x.Weight, x.Contribution})
		if err != nil {
			return nil, fmt.Errorf("signal %s: %w", x.Name, err)
		}
		b = append(strconv.AppendQuote(b, x.Name), ':')
		b = append(b, v...)
	}
	return append(b, '}'), nil
}

// Enhance returns prompt with the guidance after it. The prompt itself stays as
// it is, byte for byte; without guidance it is all that comes back.
func (g Guidance) Enhance(prompt string) string {
	return enhance.Place(prompt, g.Text, enhance.Append)
}

// Explanation is a guidance together with every memory that was considered.
type Explanation struct {
	Guidance
	Considered []retrieval.Hit
	Dropped    []enhance.Drop // taken by retrieval, left out of the text
	Undecided  []Fact         // what Query.Observation does not settle, and why
}

// Guide returns what memory has to say before a run. It asks no model and waits
// for no writer, and takes at most Options.Deadline. On an error the guidance
// is empty, and its Enhance returns the prompt unchanged.
func (m *Memory) Guide(ctx context.Context, q Query) (Guidance, error) {
	ctx, cancel := context.WithTimeout(ctx, m.opts.Deadline)
	defer cancel()
	x, err := m.answer(ctx, q, (*retrieval.Index).Search)
	if err != nil {
		m.counts.guideFailures.Add(1)
		return Guidance{}, fmt.Errorf("guide: %w", err)
	}
	m.keepTrial(q, &x.Guidance)
	return x.Guidance, nil
}

// Explain answers as Guide does, says why for every candidate, and leaves no
// trial.
func (m *Memory) Explain(ctx context.Context, q Query) (Explanation, error) {
	x, err := m.answer(ctx, q, (*retrieval.Index).Explain)
	if err != nil {
		return Explanation{}, fmt.Errorf("explain: %w", err)
	}
	return x, nil
}

type search func(*retrieval.Index, context.Context, retrieval.Query) (retrieval.Result, error)

func (m *Memory) answer(ctx context.Context, q Query, ask search) (Explanation, error) {
	select {
	case <-m.closed:
		return Explanation{}, tree.ErrClosed
	default:
	}
	if q.Prompt == "" {
		return Explanation{}, &tree.FieldError{Field: "prompt", Problem: "is missing; say what the agent will be asked"}
	}
	r, err := m.find(ctx, retrieval.Query{
		Prompt: q.Prompt, Step: q.Step, Lang: q.Lang, Scene: q.Scene, Scope: q.Scope,
		Exclude: q.Exclude, ExcludeTests: q.ExcludeTests, Now: m.opts.Now(), Limits: q.Limits,
	}, ask)
	if err != nil {
		return Explanation{}, err
	}
	x := Explanation{Considered: r.Considered}
	x.Note = r.Note
	facts, err := m.hold(ctx, &q, r.Here, &x)
	if err != nil {
		return Explanation{}, err
	}
	if err := m.write(ctx, q, &r, facts, &x); err != nil {
		return Explanation{}, err
	}
	x.Nearest = x.nearest(&r)
	if x.Abstained {
		x.Unformed = m.unformed(ctx)
	}
	return x, nil
}

// write turns hits into text. A hit whose node is gone, or whose text may not
// be shown, is left out.
func (m *Memory) write(ctx context.Context, q Query, r *retrieval.Result, facts []enhance.Observed, x *Explanation) error {
	x.Items = []Item{}
	nodes := make([]tree.Node, 0, len(r.Hits))
	byID := make(map[string]retrieval.Hit, len(r.Hits))
	for _, h := range r.Hits {
		n, err := m.store.Get(ctx, h.ID)
		if errors.Is(err, tree.ErrNotFound) {
			continue
		}
		if err != nil {
			return fmt.Errorf("read %s: %w", h.ID, err)
		}
		nodes = append(nodes, n)
		byID[h.ID] = h
	}
	g, err := enhance.Write(nodes, enhance.Options{Lang: q.Lang, Prompt: q.Prompt, Words: m.words, Facts: facts, Asked: r.Asked, Here: r.Here, Build: q.Scope.Build, Findings: m.opts.Findings})
	if err != nil {
		return err
	}
	for _, id := range g.IDs {
		x.Items = append(x.Items, item(byID[id]))
	}
	x.Text, x.Hash, x.Wording, x.Dropped = g.Text, g.Hash, g.Wording, g.Dropped
	x.Facts = told(g.Facts)
	x.Abstained = len(x.Items) == 0 && len(x.Facts) == 0
	return nil
}

func item(h retrieval.Hit) Item {
	return Item{ID: h.ID, Type: h.Type, ErrorType: h.ErrorType, Direction: h.Direction, Score: h.Score, Signals: h.Signals}
}

// trialCount tells apart the trials of one query at one time.
var trialCount atomic.Uint64

// keepTrial leaves a line for the ledger, without waiting for it.
func (m *Memory) keepTrial(q Query, g *Guidance) {
	if m.opts.ReadOnly {
		return
	}
	at := m.opts.Now()
	injected := make([]tree.Injection, len(g.Items))
	ids := make([]string, len(g.Items))
	for i, it := range g.Items {
		injected[i] = tree.Injection{ID: it.ID, Rank: i + 1, Step: q.StepNumber}
		ids[i] = it.ID
	}
	for _, f := range g.Facts {
		if !slices.Contains(ids, f.Memory) {
			ids = append(ids, f.Memory)
			injected = append(injected, tree.Injection{ID: f.Memory, Rank: len(ids), Step: q.StepNumber})
		}
	}
	e := tree.Entry{At: at}
	if q.Trial != "" {
		g.Trial = q.Trial
		e.Step = &tree.Step{Trial: q.Trial, Injected: injected, Guidance: g.Hash, Wording: g.Wording}
	} else {
		query := q.digest()
		g.Trial = "t_" + tree.Hash(query, at.UTC().Format(time.RFC3339Nano), strconv.FormatUint(trialCount.Add(1), 10))
		e.Trial = &tree.Trial{
			ID: g.Trial, At: at, Query: query, Scene: q.Scene, Scope: q.Scope, Agent: q.Agent,
			Arm: tree.ArmMemory, P: 1, Eligible: ids, Injected: injected, Guidance: g.Hash, Wording: g.Wording,
		}
	}
	select {
	case m.trials <- e:
	default:
		g.Trial = ""
		m.counts.trialsLost.Add(1)
	}
}

// digest names the question without telling it.
func (q *Query) digest() string {
	return tree.Hash(q.Prompt, q.Step, q.Scene.ID, q.Scene.Type, tree.Route(q.Scene.Route), q.Scope.Product, q.Scope.Suite, q.Scope.Test, q.RunID)
}
