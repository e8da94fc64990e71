package llm

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// haltedFor is how long a Halt makes no call. Then it tries once whether the problem is solved.
const haltedFor = 5 * time.Minute

// alone is how long other calls wait for the first one. A provider that does not answer may take the whole time of a
// call; other requests do not wait for that long.
const alone = 10 * time.Second

// Halt is a Generator that passes requests to another one, up to an error that is [Error.Lasting], such as a wrong key.
// Then it returns this error without a call for five minutes, and tries again. A second error of KindBadRequest has the
// same effect if no model has answered before. Until the first call has ended, other calls wait up to 10 seconds, so
// that a wrong key costs one call and not as many as are made at once. A panic in the other generator becomes an error.
// Halt is safe for concurrent use.
type Halt struct {
	of  Generator
	now func() time.Time

	first chan struct{} // holds one token until the first call ends

	mu    sync.Mutex
	known bool      // the first call has ended
	heard bool      // a model has answered since
	bad   int       // requests that were not understood
	why   *Error    // the lasting error; nil: none
	at    time.Time // time of the error
}

// NewHalt returns a Halt that passes requests to g. now is the clock.
func NewHalt(g Generator, now func() time.Time) *Halt {
	h := &Halt{of: g, now: now, first: make(chan struct{}, 1)}
	h.first <- struct{}{}
	return h
}

// Unwrap returns the generator to which h passes requests, for [Find].
func (h *Halt) Unwrap() any { return h.of }

// Halted returns the error because of which h makes no calls, nil for none. The error stays until the first Generate
// after the five minutes.
func (h *Halt) Halted() *Error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.why
}

// Generate passes r to the generator, or returns the error of Halted without a call; see [Halt].
func (h *Halt) Generate(ctx context.Context, r Request) (Answer, error) {
	if !h.isKnown() {
		late := time.NewTimer(alone)
		defer late.Stop()
		select {
		case <-h.first:
			defer func() { h.first <- struct{}{} }()
		case <-late.C:
		case <-ctx.Done():
			return Answer{}, &Error{Kind: KindCancelled, Err: ctx.Err()}
		}
	}
	if why := h.lasting(); why != nil {
		return Answer{}, why
	}
	a, err := h.ask(ctx, r)
	h.learn(err)
	return a, err
}

// ask makes a request. A panic in a provider's code becomes an error.
func (h *Halt) ask(ctx context.Context, r Request) (a Answer, err error) {
	defer func() {
		if r := recover(); r != nil {
			a, err = Answer{}, &Error{Kind: KindNoAnswer, Err: fmt.Errorf("the model's code panicked: %v", r)}
		}
	}()
	return h.of.Generate(ctx, r)
}

// isKnown reports whether the first call has ended. When an error has lasted for haltedFor, the next call is a first
// one again.
func (h *Halt) isKnown() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.why != nil && h.now().Sub(h.at) > haltedFor {
		h.why, h.known, h.heard, h.bad = nil, false, false, 0
	}
	return h.known
}

// lasting returns the lasting error for a request that is not sent.
func (h *Halt) lasting() *Error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.why == nil {
		return nil
	}
	e := *h.why
	e.Usage, e.Unsent = Usage{}, true
	return &e
}

// learn records the result of a call.
func (h *Halt) learn(err error) {
	e, failed := errors.AsType[*Error](err)
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case failed && e.Kind == KindCancelled:
		return // no information about the provider
	case err == nil || Answered(err):
		h.heard = true
	case failed && e.Kind == KindBadRequest:
		h.bad++
	}
	h.known = true
	if failed && (e.Lasting() || e.Kind == KindBadRequest && !h.heard && h.bad > 1) && h.why == nil {
		h.why, h.at = e, h.now()
	}
}
