package llm

import (
	"errors"
	"fmt"
	"time"
)

// A Kind says what went wrong with a model, as far as a caller can act on it.
type Kind string

// The kinds of an [Error].
const (
	KindRateLimited  Kind = "rate limited"   // too many requests; wait RetryAfter
	KindUnauthorised Kind = "unauthorised"   // the key is missing, wrong or not allowed
	KindNotFound     Kind = "not found"      // no such model or address
	KindUnavailable  Kind = "unavailable"    // the provider is down, unreachable or overloaded
	KindTimeout      Kind = "timeout"        // no complete answer before the deadline
	KindCancelled    Kind = "cancelled"      // the caller gave up
	KindTruncated    Kind = "truncated"      // the answer was cut off at the token limit
	KindRefused      Kind = "refused"        // the model or its filter declined to answer
	KindMalformed    Kind = "malformed"      // an answer came that is no valid answer
	KindTooLarge     Kind = "too large"      // the request or the answer is over a limit
	KindBadRequest   Kind = "bad request"    // the provider does not understand the request
	KindNotSet       Kind = "not configured" // there is no model
)

// Error is how every Generator and Embedder of memtree fails.
type Error struct {
	Kind Kind
	// Status is the HTTP status, 0 when there was none.
	Status int
	// RetryAfter is how long the provider asked to wait, 0 when it did not say.
	RetryAfter time.Duration
	// Usage is what the failed try cost, where the provider said so.
	Usage Usage
	// Err says more; it never holds a key.
	Err error
}

// Error says what happened and, where a person can do something, what.
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

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }

// Retryable says whether the same request may succeed later with nothing changed.
func (e *Error) Retryable() bool {
	switch e.Kind {
	case KindRateLimited, KindUnavailable, KindTimeout:
		return true
	default:
		return false
	}
}

// KindOf returns the kind of the first [*Error] in err's tree, "" if there is none.
func KindOf(err error) Kind {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Kind
	}
	return ""
}
