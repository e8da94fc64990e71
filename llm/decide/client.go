package decide

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/memtree/memtree/llm"
)

// Limits of a call.
const (
	maxReply = 1 << 20
	timeout  = 60 * time.Second
)

// client is a Decider behind an address.
type client struct {
	address, key, model string
	form                form
	http                *http.Client
}

// form is how a server is asked.
type form interface {
	request(model, input string, questions []DecisionQuestion) any
	read(reply []byte, questions []DecisionQuestion) (Answers, error)
}

// Open returns a Decider that asks model at address, a URL that ends in /systemone, /decisions or /chat/completions.
// key is the API key, "" for none. Open sends nothing.
func Open(address, model, key string) (Decider, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || u.RawQuery != "" {
		return nil, &llm.Error{Kind: llm.KindNotSet, Err: errors.New("the address of the decision model has to be http or " +
			"https, without a password and a query")}
	}
	c := &client{address: address, key: key, model: model, http: &http.Client{
		Timeout: timeout,
		// A redirect would send the key elsewhere.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
	switch path := strings.TrimRight(u.Path, "/"); {
	case strings.HasSuffix(path, "/systemone"):
		c.form = systemOne{}
	case strings.HasSuffix(path, "/decisions"):
		c.form = decisions{}
	case strings.HasSuffix(path, "/chat/completions"):
		c.form = chat{}
	default:
		return nil, &llm.Error{Kind: llm.KindNotSet, Err: errors.New("the address of the decision model has to end in " +
			"/systemone, /decisions or /chat/completions")}
	}
	return c, nil
}

// Decide asks all questions about one input.
func (c *client) Decide(ctx context.Context, input string, questions []DecisionQuestion) (Answers, error) {
	if _, one := c.form.(chat); !one {
		return c.ask(ctx, input, questions)
	}
	out := Answers{Of: map[string]Prediction{}} // chat has one first token, so one question a call
	for i := range questions {
		a, err := c.ask(ctx, input, questions[i:i+1])
		if err != nil {
			return out, err
		}
		maps.Copy(out.Of, a.Of)
		out.Model, out.Usage = a.Model, out.Usage.Add(a.Usage)
	}
	return out, nil
}

func (c *client) ask(ctx context.Context, input string, questions []DecisionQuestion) (Answers, error) {
	b, err := json.Marshal(c.form.request(c.model, input, questions))
	if err != nil {
		return Answers{}, &llm.Error{Kind: llm.KindBadRequest, Err: err}
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.address, bytes.NewReader(b))
	if err != nil {
		return Answers{}, &llm.Error{Kind: llm.KindBadRequest, Err: errors.New("the request cannot be made")}
	}
	r.Header.Set("Content-Type", "application/json")
	if c.key != "" {
		r.Header.Set("Authorization", "Bearer "+c.key)
	}
	reply, err := c.http.Do(r)
	if err != nil {
		return Answers{}, unreached(ctx, err)
	}
	defer reply.Body.Close() //nolint:errcheck // it is read to its end or given up
	body, err := io.ReadAll(io.LimitReader(reply.Body, maxReply+1))
	switch {
	case err != nil:
		return Answers{}, unreached(ctx, err)
	case len(body) > maxReply:
		return Answers{}, &llm.Error{Kind: llm.KindTooLarge, Err: fmt.Errorf("the reply has more than %d bytes", maxReply)}
	case reply.StatusCode != http.StatusOK:
		return Answers{}, &llm.Error{Kind: kindOf(reply.StatusCode), Status: reply.StatusCode}
	}
	a, err := c.form.read(body, questions)
	if err != nil {
		return Answers{}, &llm.Error{Kind: llm.KindMalformed, Err: err}
	}
	for name, x := range a.Of {
		if !x.valid() {
			return Answers{}, &llm.Error{Kind: llm.KindMalformed, Err: fmt.Errorf("the answer to %s is no probability", name)}
		}
	}
	return a, nil
}

// valid reports whether all probabilities are ones.
func (a *Prediction) valid() bool {
	for _, p := range append([]float64{a.P}, a.Options...) {
		if !(p >= 0 && p <= 1) {
			return false
		}
	}
	return true
}

func unreached(ctx context.Context, err error) error {
	kind := llm.KindUnavailable
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		kind = llm.KindCancelled
	case errors.Is(err, context.DeadlineExceeded):
		kind = llm.KindTimeout
	}
	if u, ok := errors.AsType[*url.Error](err); ok {
		err = u.Err // without the address
	}
	return &llm.Error{Kind: kind, Err: err}
}

func kindOf(status int) llm.ErrorKind {
	switch {
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return llm.KindUnauthorised
	case status == http.StatusNotFound:
		return llm.KindNotFound
	case status == http.StatusTooManyRequests:
		return llm.KindRateLimited
	case status == http.StatusRequestEntityTooLarge:
		return llm.KindTooLarge
	case status >= http.StatusInternalServerError:
		return llm.KindUnavailable
	case status >= http.StatusBadRequest:
		return llm.KindBadRequest
	}
	return llm.KindNoAnswer
}
