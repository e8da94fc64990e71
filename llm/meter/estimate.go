package meter

import (
	"context"
	"errors"
	"sync"

	"github.com/memtree/memtree/llm"
)

// Estimate returns the approximate usage of a request. A token has about four bytes, in English as in Chinese, and an
// answer about a twelfth of its greatest length. It predicts a cost and must not be used to report one.
func Estimate(r llm.Request) llm.Usage {
	const bytesOfToken, partOfLongest = 4, 12
	out := r.MaxTokens
	if out <= 0 {
		out = longest
	}
	in := len(r.System) + len(r.Prompt)
	return llm.Usage{InputTokens: (in+bytesOfToken-1)/bytesOfToken + imageTokens(&r), OutputTokens: out / partOfLongest}
}

func imageTokens(r *llm.Request) (n int) {
	for i := range r.Images {
		n += llm.Tokens(r.Images[i].Width, r.Images[i].Height)
	}
	return n
}

// WithRepairs adds one call in five, of average size, for answers that have to be repaired.
func WithRepairs(calls int, u llm.Usage) (int, llm.Usage) {
	if calls <= 0 {
		return calls, u
	}
	more := calls / 5
	return calls + more, llm.Usage{
		InputTokens:  u.InputTokens + u.InputTokens*more/calls,
		OutputTokens: u.OutputTokens + u.OutputTokens*more/calls,
	}
}

// Estimator is a Generator that sums up its requests and answers none. Callers then continue with the rules, so it
// receives the same requests as a model. The zero value is ready; it is safe for concurrent use.
type Estimator struct {
	mu    sync.Mutex
	calls int
	usage llm.Usage
}

// Generate adds the request to the sum. Its error cannot be repaired, and does not last.
func (e *Estimator) Generate(_ context.Context, r llm.Request) (llm.Answer, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.calls++
	used := Estimate(r)
	e.usage = e.usage.Add(used)
	return llm.Answer{}, &llm.Error{Kind: llm.KindRefused, Usage: used, Err: errors.New("it is only estimated")}
}

// Sum returns the number of requests and their approximate usage.
func (e *Estimator) Sum() (calls int, usage llm.Usage) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.calls, e.usage
}
