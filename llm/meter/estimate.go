package meter

import (
	"context"
	"errors"
	"sync"

	"github.com/memtree/memtree/llm"
)

// Estimate estimates the usage of request r before a call: a token for every four bytes, in English as in Chinese, and
// an answer of a twelfth of its greatest length. It must not be used to report a cost.
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

// WithRepairs returns calls and u increased by one fifth, rounded down, because about one answer in five has to be
// repaired by another call.
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

// Estimator is an llm.Generator that sums the estimated usage of requests and answers none. It is for callers that
// continue without a model. The zero value is ready; it is safe for concurrent use.
type Estimator struct {
	mu    sync.Mutex
	calls int
	usage llm.Usage
}

// Generate adds r to the sum. It always returns an error of llm.KindRefused, so that nobody repairs or repeats the
// request.
func (e *Estimator) Generate(_ context.Context, r llm.Request) (llm.Answer, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.calls++
	used := Estimate(r)
	e.usage = e.usage.Add(used)
	return llm.Answer{}, &llm.Error{Kind: llm.KindRefused, Usage: used, Err: errors.New("it is only estimated")}
}

// Sum returns the number of requests so far and their estimated usage.
func (e *Estimator) Sum() (calls int, usage llm.Usage) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.calls, e.usage
}
