package llm

import (
	"errors"
	"fmt"
	"time"
)

// A Kind classifies a model error by what a caller can do about it.
type Kind string

// The kinds of an [Error].
const (
	KindRateLimited  Kind = "rate limited"   // too many requests; wait RetryAfter
	KindUnauthorised Kind = "unauthorised"   // the key is missing, wrong or not allowed
	KindNotFound     Kind = "not found"      // no such model, or no provider at the address
	KindUnavailable  Kind = "unavailable"    // the provider is down, unreachable or overloaded
	KindTimeout      Kind = "timeout"        // no complete answer before the deadline
	KindCancelled    Kind = "cancelled"      // the caller cancelled
	KindBound        Kind = "over the bound" // the caller's limit on calls, cost or time is reached
	KindNoAnswer     Kind = "no answer"      // the reply is not from a model: a web page, an empty body, no choice
	KindTruncated    Kind = "truncated"      // the answer was cut off at the token limit
	KindRefused      Kind = "refused"        // the model or its filter declined to answer
	KindMalformed    Kind = "malformed"      // the model completed an answer, and it is not valid
	KindTooLarge     Kind = "too large"      // the request or the answer is over a limit
	KindBadRequest   Kind = "bad request"    // the provider does not understand the request
	KindNotSet       Kind = "not configured" // no model is configured
	KindNotRecorded  Kind = "not recorded"   // answers are replayed from recordings, and this request has none
)

// Error is the error of every Generator and Embedder in memtree.
type Error struct {
	Kind Kind
	// Status is the HTTP status, 0 when there was none.
	Status int
	// RetryAfter is the wait requested by the provider, 0 if unknown.
	RetryAfter time.Duration
	// Unsent reports that no request was sent, because earlier ones failed.
	Unsent bool
	// Usage is the cost of the failed request, if the provider reports it.
	Usage Usage
	// Err is the cause. It never contains a key.
	Err error
}

// Error describes the error and, if a person can do something about it, what.
func (e *Error) Error() string {
	s := "model " + string(e.Kind)
	if e.Status != 0 {
		s += fmt.Sprintf(" (HTTP %d)", e.Status)
	}
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	if e.RetryAfter > 0 {
		s += fmt.Sprintf("; try again in %s", e.RetryAfter.Round(time.Second))
	}
	return s
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Retryable reports whether the same request may succeed later.
func (e *Error) Retryable() bool {
	switch e.Kind {
	case KindRateLimited, KindUnavailable, KindTimeout, KindNoAnswer:
		return true
	default:
		return false
	}
}

// Lasting reports whether every request will fail like this until a person changes something: the key, the address or
// the name of the model.
func (e *Error) Lasting() bool {
	switch e.Kind {
	case KindUnauthorised, KindNotFound, KindNotSet:
		return true
	default:
		return false
	}
}

// Answered reports whether an error concerns the text of a model, which would write the same again. After any other
// error there is no answer, and the request should be repeated later.
func Answered(err error) bool { return KindOf(err) == KindMalformed }

// KindOf returns the kind of the first [*Error] in err's tree, "" if there is none.
func KindOf(err error) Kind {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Kind
	}
	return ""
}
