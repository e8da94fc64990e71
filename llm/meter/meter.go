// Package meter counts the calls of a model, and limits them.
//
// It counts calls of [llm.Generator.Generate], and calls of an embedder with at most textsAtOnce texts. A provider's
// client may repeat a request when the server is busy; that is one call. A call whose error is Unsent is none. The
// package reports only tokens that the provider reported: unknown usage remains unknown.
//
// Where to look:
//   - meter.go: counting and limits; embedder.go, decider.go: other models; reading.go: many questions
//   - estimate.go: usage before a call; price.go: cost; totals.go: counts over several processes
package meter

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/memtree/memtree/llm"
)

// Options sets the limits of a Meter. The zero value has none.
type Options struct {
	Calls *int                    // most calls; nil: no limit
	Cost  *float64                // most cost, by Price; nil: no limit
	Until time.Time               // no call starts after this time, and a running call ends at it; zero: no limit
	Price func(llm.Usage) float64 // cost of tokens; nil: unknown
	// InRow is the number of consecutive calls without an answer at which Full becomes true; 0: no limit.
	InRow int
}

// Spent counts the calls of a model and the tokens that they used.
type Spent struct {
	Calls  int                   `json:"calls"`         // calls made
	Failed int                   `json:"failed"`        // calls that ended with an error, except because of a limit
	Beyond int                   `json:"beyond"`        // requests not made, or interrupted, because of a limit
	Untold int                   `json:"untold"`        // answers without reported tokens
	Usage  llm.Usage             `json:"usage"`         // tokens that providers reported
	Why    map[llm.ErrorKind]int `json:"why,omitempty"` // number of failed calls by kind of error
}

// Add adds o to s. The two share no map afterwards.
func (s *Spent) Add(o Spent) {
	s.Calls, s.Failed, s.Beyond, s.Untold = s.Calls+o.Calls, s.Failed+o.Failed, s.Beyond+o.Beyond, s.Untold+o.Untold
	s.Usage = s.Usage.Add(o.Usage)
	for k, n := range o.Why {
		if s.Why == nil {
			s.Why = map[llm.ErrorKind]int{}
		}
		s.Why[k] += n
	}
}

// Since returns the difference s minus o, where o is an earlier count of the same meter.
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

// Meter is an llm.Generator that passes requests to another one, counts them, and refuses those beyond its limits. It
// is safe for concurrent use.
type Meter struct {
	of llm.Generator // nil: only an embedder is used
	o  Options

	mu     sync.Mutex
	stages map[string]*Spent
	calls  int
	inRow  int     // calls without an answer since the last answer
	cost   float64 // cost so far, plus the most that running calls may cost
}

// New returns a Meter that passes requests to g; nil if only embedders and deciders are metered.
func New(g llm.Generator, o Options) *Meter {
	return &Meter{of: g, o: o, stages: map[string]*Spent{}}
}

// Unwrap returns the generator to which m passes requests, for [llm.Find].
func (m *Meter) Unwrap() any { return m.of }

// Total returns the counts of all calls so far.
func (m *Meter) Total() Spent {
	var all Spent
	for _, s := range m.Stages() {
		all.Add(s)
	}
	return all
}

// Stages returns the counts of the calls so far by stage: what they were for, such as analyse or evolve.
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

// Full reports whether m refuses every further call, or so many calls in a row failed (Options.InRow) that the caller
// should stop. In the second case m still makes calls.
func (m *Meter) Full() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.full() != "" || m.o.InRow > 0 && m.inRow >= m.o.InRow
}

// Room reports whether the limits on calls and cost suffice for all of rs, sent together, even if each request uses the
// tokens of Most and is repaired by a second one that uses twice as many.
func (m *Meter) Room(rs ...llm.Request) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	c := counted{price: m.o.Price}
	cost := m.cost
	for i := range rs {
		cost += 3 * c.cost(Most(rs[i]))
	}
	return (m.o.Calls == nil || m.calls+2*len(rs) <= *m.o.Calls) && (m.o.Cost == nil || cost <= *m.o.Cost)
}

// Each calls ask with 0 to n-1, at most atOnce at a time, until ctx ends or m is Full. It waits for the running calls,
// and returns how many it did not make. These are the last ones.
func (m *Meter) Each(ctx context.Context, n, atOnce int, ask func(i int)) (left int) {
	var asking sync.WaitGroup
	places := make(chan struct{}, atOnce)
	for i := range n {
		places <- struct{}{}
		if ctx.Err() != nil || m.Full() {
			left = n - i
			break
		}
		asking.Go(func() {
			defer func() { <-places }()
			ask(i)
		})
	}
	asking.Wait()
	return left
}

// row counts consecutive calls without an answer. A lasting error is equivalent to InRow of them; an error that
// concerns only the request ends the row.
func (m *Meter) row(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	e, failed := errors.AsType[*llm.Error](err)
	switch {
	case failed && e.Lasting():
		m.inRow = max(m.inRow, m.o.InRow)
	case failed && (e.Retryable() || e.Kind == llm.KindBound):
		m.inRow++
	default:
		m.inRow = 0
	}
}

// full returns the limit that is reached for every call, "" for none; mu is held.
func (m *Meter) full() string {
	switch {
	case m.o.Calls != nil && m.calls >= *m.o.Calls:
		return "the bound on calls is reached"
	case !m.o.Until.IsZero() && !time.Now().Before(m.o.Until):
		return "the time for the model is up"
	}
	return ""
}

// Generate passes r to the generator if the limits allow it. Otherwise the error has [llm.KindBound]. That error does
// not concern the request: callers continue without a model and retry later.
func (m *Meter) Generate(ctx context.Context, r llm.Request) (a llm.Answer, err error) {
	c := counted{stage: stageOf(r.Name), price: m.o.Price, most: Most(r)}
	err = m.count(ctx, c, func(ctx context.Context) (llm.Usage, error) {
		var err error
		a, err = m.of.Generate(ctx, r)
		return a.Usage, err
	})
	m.row(err)
	return a, err
}

// counted is a call to be counted.
type counted struct {
	stage string
	price func(llm.Usage) float64 // nil: unknown
	most  llm.Usage               // upper bound of its usage
}

// cost returns the cost of tokens of the call, 0 if unknown.
func (c *counted) cost(u llm.Usage) float64 {
	if c.price == nil {
		return 0
	}
	return c.price(u)
}

// count makes a call, if the limits allow it, and counts it. The call returns its usage.
func (m *Meter) count(ctx context.Context, c counted, call func(context.Context) (llm.Usage, error)) error {
	if why := m.begin(&c); why != nil {
		return why
	}
	inner, cancel := m.bounded(ctx)
	defer cancel()
	ended := false // remains false if the call panics: then its greatest cost remains reserved
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

// stageOf returns the stage of a request: the name of the prompt, without language and version.
func stageOf(name string) string {
	if i := strings.IndexAny(name, ".@"); i >= 0 {
		return name[:i]
	}
	return name
}

// bounded returns a context that ends at the time limit.
func (m *Meter) bounded(ctx context.Context) (context.Context, context.CancelFunc) {
	if m.o.Until.IsZero() {
		return ctx, func() {}
	}
	return context.WithDeadline(ctx, m.o.Until)
}

func bound(what string, used llm.Usage) error {
	return &llm.Error{Kind: llm.KindBound, Usage: used, Err: errors.New(what)}
}

// begin counts a call and reserves its greatest cost, or returns why it is not made.
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

// longest is the length of an answer in tokens if a request does not limit it.
const longest = 2048

// Most returns an upper bound of the usage of r: each character is a token, an image has twice the tokens that
// llm.Tokens estimates, and the answer has the greatest length.
func Most(r llm.Request) llm.Usage {
	out := r.MaxTokens
	if out <= 0 {
		out = longest
	}
	in := characters([]string{r.System, r.Prompt, string(r.Schema)}) + 2*imageTokens(&r)
	return llm.Usage{InputTokens: in, OutputTokens: out}
}

// end counts the result of a call. If the provider did not report the usage of an answer, its greatest cost remains
// reserved.
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

func (s *Spent) fail(kind llm.ErrorKind) {
	if s.Why == nil {
		s.Why = map[llm.ErrorKind]int{}
	}
	if kind == "" {
		kind = "other"
	}
	s.Why[kind]++
}
