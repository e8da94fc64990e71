package jobs

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"

	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/llm/meter"
)

// Key identifies a request that a job makes: a hash of all that the model sees, and of the model's name.
type Key [sha256.Size]byte

// Reply is what a model answered to a request, valid or not.
type Reply struct {
	JSON  json.RawMessage `json:"json,omitempty"`
	Model string          `json:"model,omitempty"`
	Usage llm.Usage       `json:"usage"`
	Kind  llm.ErrorKind   `json:"kind,omitempty"` // why the reply cannot be used; "": it can
	Why   string          `json:"why,omitempty"`
	// Invalid is what is wrong with the reply, for the request that has the model repair it; nil if nothing is known.
	Invalid *llm.Invalid `json:"invalid,omitempty"`
}

// ModelCall is a call of a model that a job makes.
type ModelCall struct {
	Key  Key
	Most llm.Usage // upper bound of the call's usage
}

// Ended is how a ModelCall ended.
type Ended struct {
	Unsent bool      // no request was sent
	Used   llm.Usage // usage of the call; zero if the provider did not report it
	Reply  *Reply    // reply of the model; nil: there is none, and the call may be made again
}

// Ledger counts the calls of models of one job over all its attempts, and stores the replies. It is safe for concurrent
// use.
type Ledger interface {
	// Known returns the stored reply to the request with this key, and whether there is one.
	Known(ctx context.Context, key Key) (Reply, bool, error)
	// Begin counts a call before it is made, with the most that it may cost. Beyond the bounds of the job, or if another
	// process has the job by now, it returns an error of llm.KindBound, and the call must not be made.
	Begin(ctx context.Context, c ModelCall) error
	// End counts what the call has cost, and stores its reply durably before it returns.
	End(ctx context.Context, c ModelCall, how Ended) error
}

// ledgerKey is the key of a Ledger in a context.
type ledgerKey struct{}

// WithLedger returns a context in which l counts the calls of Paid generators and stores their replies.
func WithLedger(ctx context.Context, l Ledger) context.Context {
	return context.WithValue(ctx, ledgerKey{}, l)
}

// LedgerIn returns the Ledger that WithLedger put into ctx, and whether there is one.
func LedgerIn(ctx context.Context) (Ledger, bool) { //nolint:ireturn // each queue has its own
	l, ok := ctx.Value(ledgerKey{}).(Ledger)
	return l, ok
}

// Paid returns a generator that passes requests on to g. If the context has a Ledger, it stores each reply there before
// it returns the reply, and answers a request that has a stored reply without calling g. So an attempt after a killed
// one does not pay for the same replies again.
func Paid(g llm.Generator) llm.Generator { return &paid{of: g} }

type paid struct{ of llm.Generator }

// Unwrap returns the wrapped generator, for [llm.Find].
func (p *paid) Unwrap() any { return p.of }

// Generate implements llm.Generator.
func (p *paid) Generate(ctx context.Context, r llm.Request) (llm.Answer, error) {
	l, ok := LedgerIn(ctx)
	if !ok {
		return p.of.Generate(ctx, r)
	}
	key := keyOf(llm.NameOf(p.of), &r)
	kept, known, err := l.Known(ctx, key)
	switch {
	case err != nil:
		return llm.Answer{}, unsent(err)
	case known:
		return kept.answer()
	}
	c := ModelCall{key, meter.Most(r)}
	if err := l.Begin(ctx, c); err != nil {
		if llm.KindOf(err) == "" {
			err = unsent(err)
		}
		return llm.Answer{}, err
	}
	a, err := p.of.Generate(ctx, r)
	how := endOf(&a, err)
	if kept := l.End(context.WithoutCancel(ctx), c, how); kept != nil {
		return llm.Answer{}, &llm.Error{Kind: llm.KindUnavailable, Usage: how.Used, Err: kept}
	}
	return a, err
}

// unsent is the error for a call that was not made, because it could not be counted.
func unsent(err error) error { return &llm.Error{Kind: llm.KindUnavailable, Unsent: true, Err: err} }

// endOf returns how a call ended.
func endOf(a *llm.Answer, err error) Ended {
	if err == nil {
		return Ended{Used: a.Usage, Reply: &Reply{JSON: a.JSON, Model: a.Model, Usage: a.Usage}}
	}
	e, ok := errors.AsType[*llm.Error](err)
	if !ok {
		return Ended{}
	}
	how := Ended{Unsent: e.Unsent, Used: e.Usage}
	switch e.Kind {
	case llm.KindMalformed, llm.KindTruncated, llm.KindRefused, llm.KindTooLarge:
		how.Reply = &Reply{Usage: e.Usage, Kind: e.Kind}
		if invalid, ok := errors.AsType[*llm.Invalid](e.Err); ok {
			how.Reply.Invalid = invalid
		} else if e.Err != nil {
			how.Reply.Why = e.Err.Error()
		}
	default: // there is no text of a model
	}
	return how
}

// answer returns the reply as the generator returned it.
func (r *Reply) answer() (llm.Answer, error) {
	switch {
	case r.Invalid != nil:
		return llm.Answer{}, &llm.Error{Kind: r.Kind, Usage: r.Usage, Err: r.Invalid}
	case r.Kind != "":
		return llm.Answer{}, &llm.Error{Kind: r.Kind, Usage: r.Usage, Err: errors.New(r.Why)}
	}
	return llm.Answer{JSON: r.JSON, Model: r.Model, Usage: r.Usage}, nil
}

// keyOf hashes a request for a model.
func keyOf(model string, r *llm.Request) (key Key) {
	h := sha256.New()
	for _, part := range []string{model, r.Name, r.System, r.Prompt, string(r.Schema)} {
		_ = binary.Write(h, binary.BigEndian, uint64(len(part)))
		_, _ = h.Write([]byte(part)) // a hash has no error
	}
	_ = binary.Write(h, binary.BigEndian, int64(r.MaxTokens))
	_, _ = h.Write([]byte(r.ImageKeys()))
	h.Sum(key[:0])
	return key
}
