// Package meter counts what a model is asked, and keeps it within bounds.
//
// It counts calls of [llm.Generator.Generate], and of an embedder with at most textsAtOnce texts. A provider's
// client may send a request again when the server is busy; that is one call, and what was not sent is none. It tells
// only tokens that the provider told: what is not known stays unknown.
package meter

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/memtree/memtree/llm"
)

// Options bound a Meter. The zero value has no bounds.
type Options struct {
	Calls *int                    // at most so many; nil: no bound
	Cost  *float64                // spend at most so much, by Price; nil: no bound
	Until time.Time               // no call begins later, and one under way is ended; zero: no bound
	Price func(llm.Usage) float64 // what tokens cost; nil: unknown
}

// Spent is what was asked, and what it took.
type Spent struct {
	Calls  int              `json:"calls"`
	Failed int              `json:"failed"`        // calls that came to no answer
	Beyond int              `json:"beyond"`        // questions not asked, or not to the end, because of a bound
	Untold int              `json:"untold"`        // answers of which the provider did not tell the tokens
	Usage  llm.Usage        `json:"usage"`         // of the others
	Why    map[llm.Kind]int `json:"why,omitempty"` // of the failed, by kind
}

// Add adds another count to s, which has a map of its own.
func (s *Spent) Add(o Spent) {
	s.Calls, s.Failed, s.Beyond, s.Untold = s.Calls+o.Calls, s.Failed+o.Failed, s.Beyond+o.Beyond, s.Untold+o.Untold
	s.Usage = s.Usage.Add(o.Usage)
	for k, n := range o.Why {
		if s.Why == nil {
			s.Why = map[llm.Kind]int{}
		}
		s.Why[k] += n
	}
}

// Since returns what s has more than an earlier count of the same.
func (s Spent) Since(o Spent) Spent {
	var out Spent
	out.Add(s)
	out.Calls, out.Failed = s.Calls-o.Calls, s.Failed-o.Failed
	out.Beyond, out.Untold = s.Beyond-o.Beyond, s.Untold-o.Untold
	out.Usage = llm.Usage{
		InputTokens:  s.Usage.InputTokens - o.Usage.InputTokens,
		OutputTokens: s.Usage.OutputTokens - o.Usage.OutputTokens,
	}
	for k, n := range o.Why {
		if out.Why[k] -= n; out.Why[k] <= 0 {
			delete(out.Why, k)
		}
	}
	return out
}

// Meter is a Generator that counts, in front of another. It is safe for concurrent use.
type Meter struct {
	of llm.Generator // nil: only an embedder is asked
	o  Options

	mu     sync.Mutex
	stages map[string]*Spent
	calls  int
	cost   float64 // spent, and what calls under way may cost at most
}

// New returns a meter in front of a generator.
func New(of llm.Generator, o Options) *Meter {
	return &Meter{of: of, o: o, stages: map[string]*Spent{}}
}

// Unwrap returns the generator, for [llm.Find].
func (m *Meter) Unwrap() any { return m.of }

// Total returns what was spent so far.
func (m *Meter) Total() Spent {
	var all Spent
	for _, s := range m.Stages() {
		all.Add(s)
	}
	return all
}

// Stages returns what was spent so far by what was asked, such as analyse or evolve.
func (m *Meter) Stages() map[string]Spent {
	m.mu.Lock()
	defer m.mu.Unlock()
	out := make(map[string]Spent, len(m.stages))
	for name, s := range m.stages {
		var c Spent
		c.Add(*s)
		out[name] = c
	}
	return out
}

// Full reports whether no further call is made, whatever is asked.
func (m *Meter) Full() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.full() != ""
}

// full says which bound is reached for every call, "" if none is; mu is held.
func (m *Meter) full() string {
	switch {
	case m.o.Calls != nil && m.calls >= *m.o.Calls:
		return "the bound on calls is reached"
	case !m.o.Until.IsZero() && !time.Now().Before(m.o.Until):
		return "the time for the model is up"
	}
	return ""
}

// Generate asks, if the bounds allow it. The error is of [llm.KindBound] if they do not. It says
// nothing about the question, so whoever asked has the rules answer, and asks again one day.
func (m *Meter) Generate(ctx context.Context, r llm.Request) (a llm.Answer, err error) {
	c := counted{stage: stageOf(r.Name), price: m.o.Price, most: mostOf(r)}
	err = m.count(ctx, c, func(ctx context.Context) (llm.Usage, error) {
		var err error
		a, err = m.of.Generate(ctx, r)
		return a.Usage, err
	})
	return a, err
}

// counted is a call to be counted.
type counted struct {
	stage string
	price func(llm.Usage) float64 // nil: unknown
	most  llm.Usage               // that it can take
}

// cost returns what tokens of the call cost, 0 if that is not known.
func (c *counted) cost(u llm.Usage) float64 {
	if c.price == nil {
		return 0
	}
	return c.price(u)
}

// count makes a call, if the bounds allow it, and counts it. The call returns what it took.
func (m *Meter) count(ctx context.Context, c counted, call func(context.Context) (llm.Usage, error)) error {
	if why := m.begin(&c); why != nil {
		return why
	}
	inner, cancel := m.bounded(ctx)
	defer cancel()
	ended := false // stays so if the call panics: then what it may cost stays counted
	defer func() {
		if !ended {
			m.end(&c, llm.Usage{}, &llm.Error{Kind: "other"})
		}
	}()
	used, err := call(inner)
	ended = true
	if e, ok := errors.AsType[*llm.Error](err); ok {
		used = used.Add(e.Usage)
	}
	if err != nil && ctx.Err() == nil && inner.Err() != nil {
		err = bound("the time for the model is up", used)
	}
	m.end(&c, used, err)
	return err
}

// stageOf returns what is asked: the name of the prompt, without language and version.
func stageOf(name string) string {
	if i := strings.IndexAny(name, ".@"); i >= 0 {
		return name[:i]
	}
	return name
}

// bounded returns a context that ends when the time is up.
func (m *Meter) bounded(ctx context.Context) (context.Context, context.CancelFunc) {
	if m.o.Until.IsZero() {
		return ctx, func() {}
	}
	return context.WithDeadline(ctx, m.o.Until)
}

func bound(what string, used llm.Usage) error {
	return &llm.Error{Kind: llm.KindBound, Usage: used, Err: errors.New(what)}
}

// begin counts a call and sets aside what it may cost at most, or says why it is not made.
func (m *Meter) begin(c *counted) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.stages[c.stage]
	if s == nil {
		s = &Spent{}
		m.stages[c.stage] = s
	}
	over := m.full()
	if over == "" && m.o.Cost != nil && m.cost+c.cost(c.most) > *m.o.Cost {
		over = "the bound on cost is reached"
	}
	if over != "" {
		s.Beyond++
		return bound(over, llm.Usage{})
	}
	s.Calls++
	m.calls++
	m.cost += c.cost(c.most)
	return nil
}

// longest is how long an answer may be if a request does not say.
const longest = 2048

// mostOf returns what a request may take at most: each character is a token, and the answer
// has the greatest length.
func mostOf(r llm.Request) llm.Usage {
	out := r.MaxTokens
	if out <= 0 {
		out = longest
	}
	return llm.Usage{InputTokens: characters([]string{r.System, r.Prompt, string(r.Schema)}), OutputTokens: out}
}

// end counts what came of a call. If the provider did not tell what an answer took, what it may
// cost at most stays set aside.
func (m *Meter) end(c *counted, used llm.Usage, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.stages[c.stage]
	if e, ok := errors.AsType[*llm.Error](err); ok && e.Unsent {
		s.Calls--
		m.calls--
		m.cost -= c.cost(c.most)
		return
	}
	s.Usage = s.Usage.Add(used)
	kind := llm.KindOf(err)
	wrote := err == nil || kind == llm.KindMalformed || kind == llm.KindTruncated
	told := used != llm.Usage{}
	switch {
	case kind == llm.KindBound:
		s.Beyond++
	case err != nil:
		s.Failed++
		s.fail(kind)
	}
	if wrote && !told {
		s.Untold++
	}
	if told || !wrote && kind != llm.KindBound {
		m.cost += c.cost(used) - c.cost(c.most)
	}
}

func (s *Spent) fail(kind llm.Kind) {
	if s.Why == nil {
		s.Why = map[llm.Kind]int{}
	}
	if kind == "" {
		kind = "other"
	}
	s.Why[kind]++
}
