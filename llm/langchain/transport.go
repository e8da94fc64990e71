package langchain

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"sync/atomic"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/sony/gobreaker/v2"

	"github.com/memtree/memtree/llm"
)

// call carries data between one Generate or Embed and its transport. It is stored in the context of the request,
// because langchaingo passes on neither schemas nor errors.
type call struct {
	name   string
	schema json.RawMessage
	inputs int // number of texts to embed; 0 for Generate

	model   string
	usage   llm.Usage
	vectors [][]float32
	err     *llm.Error
}

type callKey struct{}

func withCall(ctx context.Context, c *call) context.Context {
	return context.WithValue(ctx, callKey{}, c)
}

// transport is the http.RoundTripper between langchaingo and the provider.
type transport struct {
	tuning   tuning
	provider string
	base     *url.URL
	key      Secret
	next     *http.Transport
	breaker  *gobreaker.CircuitBreaker[[]byte]
	form     atomic.Int32 // form of the schema; only becomes less strict
	lacks    atomic.Int32 // the parameters that the model rejected
	heard    atomic.Bool  // a good reply came
	busy     atomic.Pointer[busy]
	refusals atomic.Uint32 // consecutive calls refused by a busy provider
}

// newTransport checks the configuration and returns a transport to its address.
func newTransport(c ModelConfig, t tuning) (*transport, error) {
	if err := c.check(); err != nil {
		return nil, fmt.Errorf("open model: %w", err)
	}
	base, err := c.base()
	if err != nil {
		return nil, fmt.Errorf("open model: %w", err)
	}
	next := &http.Transport{Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true, MaxIdleConnsPerHost: 4,
		IdleConnTimeout:     time.Minute,
		TLSHandshakeTimeout: 10 * time.Second, MaxResponseHeaderBytes: 64 << 10,
		DialContext: (&net.Dialer{Timeout: 10 * time.Second}).DialContext}
	return &transport{tuning: t, provider: c.Provider, base: base, key: c.APIKey, next: next, breaker: newBreaker(t)}, nil
}

// newBreaker returns a circuit breaker that counts calls whose requests all failed because the provider is down. A bad
// answer, a busy provider and a cancelled call are not failures. It counts calls, not requests: if every third request
// fails, many consecutive requests fail at some time, and an open breaker would leave calls to the rules.
func newBreaker(t tuning) *gobreaker.CircuitBreaker[[]byte] {
	return gobreaker.NewCircuitBreaker[[]byte](gobreaker.Settings{
		Timeout:     t.rest,
		ReadyToTrip: func(n gobreaker.Counts) bool { return n.ConsecutiveFailures >= t.trip },
		IsExcluded: func(err error) bool {
			// Neither success nor failure: these are no information about the provider. A timeout is used only if it
			// was ours, not the caller's deadline.
			e, ok := errors.AsType[*llm.Error](err)
			return ok && (e.Kind == llm.KindCancelled || e.Kind == llm.KindRateLimited || e.Kind == llm.KindTimeout &&
				errors.Is(err, context.DeadlineExceeded))
		},
		IsSuccessful: func(err error) bool {
			kind := llm.KindOf(err)
			return err == nil || kind != llm.KindUnavailable && kind != llm.KindTimeout && kind != llm.KindNoAnswer
		},
	})
}

func (t *transport) close() { t.next.CloseIdleConnections() }

// RoundTrip sends the request until it has a good reply or a retry cannot help. The body of the returned reply is
// complete, checked, and in memory.
func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	c, ok := r.Context().Value(callKey{}).(*call)
	if !ok {
		c = new(call)
	}
	body, err := readRequest(r)
	if err != nil {
		return nil, err
	}
	reply, fault := t.negotiate(r, body, c)
	if fault != nil {
		c.err = fault
		return nil, fault
	}
	return &http.Response{
		Status: "200 OK", StatusCode: http.StatusOK, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: r,
		Header: http.Header{"Content-Type": {"application/json"}}, ContentLength: int64(len(reply)),
		Body: io.NopCloser(bytes.NewReader(reply)),
	}, nil
}

func readRequest(r *http.Request) ([]byte, error) {
	if r.Body == nil {
		return nil, nil
	}
	body, err := io.ReadAll(r.Body)
	return body, errors.Join(err, r.Body.Close())
}

// negotiate sends the request in the strictest form that the provider has not rejected so far. If the provider reports
// a bad request, it tries the next form.
func (t *transport) negotiate(r *http.Request, body []byte, c *call) ([]byte, *llm.Error) {
	form, lacks := int(t.form.Load()), parameters(t.lacks.Load())
	var first *llm.Error
	for {
		shaped, err := shapeRequest(t.provider, body, c, form, lacks)
		if err != nil {
			return nil, &llm.Error{Kind: llm.KindBadRequest, Err: err}
		}
		reply, fault := t.retry(r, shaped, c)
		if fault == nil {
			if form > int(t.form.Load()) {
				t.form.Store(int32(form))
			}
			t.lacks.Or(int32(lacks))
			return reply, nil
		}
		if first == nil {
			first = fault
		}
		more := lacks.refused(shaped, fault)
		if c.inputs > 0 && t.withoutEncoding(fault) {
			more |= lacksEncoding
		}
		switch {
		case more != lacks && c.inputs > 0:
			lacks = more
		case c.inputs > 0:
			return nil, fault
		case fault.Kind != llm.KindBadRequest:
			return nil, fault
		case more != lacks:
			lacks = more
		case form < plainestForm(t.provider):
			form++
		default:
			return nil, first // even the plainest request is rejected, so the form is not the reason
		}
	}
}

// withoutEncoding reports whether to request the vectors as numbers: the reply is not base64, or a provider that never
// returned any reports a bad request without a reason.
func (t *transport) withoutEncoding(e *llm.Error) bool {
	return t.provider != Ollama && (errors.Is(e, errVectorForm) || e.Kind == llm.KindBadRequest && !t.heard.Load())
}

// busy records that a provider requested a pause longer than a call would wait.
type busy struct {
	until time.Time
	said  *llm.Error
}

// wait returns the error for a call during the pause, nil after it.
func (b *busy) wait(now time.Time) *llm.Error {
	if b == nil || !now.Before(b.until) {
		return nil
	}
	e := *b.said
	e.RetryAfter, e.Unsent = b.until.Sub(now), true
	return &e
}

// retry repeats the same request as long as that may help, unless the breaker is open or the provider requested a
// pause.
func (t *transport) retry(r *http.Request, body []byte, c *call) ([]byte, *llm.Error) {
	if e := t.busy.Load().wait(time.Now()); e != nil {
		return nil, e
	}
	reply, err := t.breaker.Execute(func() ([]byte, error) {
		b, fault := t.tries(r, body, c)
		if fault != nil {
			return nil, fault
		}
		return b, nil
	})
	fault := t.asError(err)
	t.leaveAlone(fault)
	return reply, fault
}

// leaveAlone starts a pause for a busy provider: as long as it requests, if that is longer than a call would wait, or
// the breaker's rest if it gives no time and has refused as many consecutive calls as open the breaker.
func (t *transport) leaveAlone(fault *llm.Error) {
	if fault == nil || fault.Kind != llm.KindRateLimited {
		if fault == nil || fault.Kind != llm.KindCancelled {
			t.refusals.Store(0)
		}
		return
	}
	wait := fault.RetryAfter
	if wait == 0 && t.refusals.Add(1) >= t.tuning.trip {
		t.refusals.Store(0)
		wait = max(t.tuning.rest, t.tuning.longest+1)
	}
	if wait > t.tuning.longest {
		t.busy.Store(&busy{until: time.Now().Add(wait), said: fault})
	}
}

func (t *transport) tries(r *http.Request, body []byte, c *call) ([]byte, *llm.Error) {
	ctx := r.Context()
	p := &pace{grow: backoff.NewExponentialBackOff(), longest: t.tuning.longest}
	p.grow.InitialInterval, p.grow.MaxInterval, p.grow.Multiplier = t.tuning.first, t.tuning.longest, 2
	p.deadline, _ = ctx.Deadline()
	reply, err := backoff.Retry(ctx, func() ([]byte, error) {
		var b []byte
		if b, p.last = t.send(r, body, c); p.last != nil {
			return nil, p.last
		}
		return b, nil
	}, backoff.WithBackOff(p), backoff.WithMaxTries(t.tuning.tries), backoff.WithMaxElapsedTime(0))
	switch {
	case err == nil:
		return reply, nil
	case ctx.Err() != nil && (p.last == nil || p.last.Kind != llm.KindTimeout):
		return nil, contextError(ctx)
	default:
		return nil, p.last
	}
}

// asError returns the error of a call as an [*llm.Error].
func (t *transport) asError(err error) *llm.Error {
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*llm.Error](err); ok {
		return e
	}
	// The only other error is that the breaker is open.
	return &llm.Error{Kind: llm.KindUnavailable, RetryAfter: t.tuning.rest, Unsent: true,
		Err: fmt.Errorf("%s failed %d calls in a row and is given a rest", t.base.Host, t.tuning.trip)}
}

// pace returns how long to wait before the next try. It implements backoff.BackOff.
type pace struct {
	grow     *backoff.ExponentialBackOff
	longest  time.Duration
	deadline time.Time
	last     *llm.Error
}

func (p *pace) Reset() { p.grow.Reset() }

// NextBackOff returns the wait before the next try, or Stop if waiting cannot help or is too long.
func (p *pace) NextBackOff() time.Duration {
	if p.last == nil || !p.last.Retryable() {
		return backoff.Stop
	}
	// Jitter is added to the requested wait. Otherwise all clients that were refused together would return together.
	wait := p.grow.NextBackOff()
	if p.last.RetryAfter > 0 {
		wait = p.last.RetryAfter + wait/4
	}
	if wait > p.longest || !p.deadline.IsZero() && time.Until(p.deadline) < wait {
		return backoff.Stop
	}
	return wait
}

// send sends one request and reads the whole reply.
func (t *transport) send(r *http.Request, body []byte, c *call) ([]byte, *llm.Error) {
	request := r.Clone(r.Context())
	request.Body, request.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	request.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	t.authorise(request)
	response, err := t.next.RoundTrip(request)
	if err != nil {
		return nil, netError(r.Context(), err, t.key, t.heard.Load())
	}
	defer response.Body.Close() //nolint:errcheck // only read
	reply, err := io.ReadAll(io.LimitReader(response.Body, t.tuning.maxReply+1))
	switch {
	case response.StatusCode != http.StatusOK:
		return nil, statusError(response, reply, t.key)
	case err != nil:
		return nil, netError(r.Context(), fmt.Errorf("the reply broke off: %w", err), t.key, true)
	case int64(len(reply)) > t.tuning.maxReply:
		return nil, noAnswer(fmt.Sprintf("the reply has more than %d bytes", t.tuning.maxReply))
	}
	reply, fault := inspectReply(t.provider, reply, c, t.key)
	switch {
	case fault == nil:
		t.heard.Store(true)
	case errors.Is(fault, errPage) && !t.heard.Load():
		fault.Kind = llm.KindNotFound // no model ever answered here, so the address is wrong
	}
	return reply, fault
}

// authorise sets the headers, with the key only if the request goes to its own host.
func (t *transport) authorise(r *http.Request) {
	r.Header.Set("User-Agent", "memtree")
	r.Header.Del("Authorization")
	r.Header.Del("X-Api-Key")
	if t.key == "" || r.URL.Scheme != t.base.Scheme || r.URL.Host != t.base.Host {
		return
	}
	if t.provider == Anthropic {
		r.Header.Set("X-Api-Key", string(t.key))
		return
	}
	r.Header.Set("Authorization", "Bearer "+string(t.key))
}
