package llm

import (
	"errors"
	"fmt"
	"time"
)

// ErrorKind classifies an error of a model by what the caller can do about it.
type ErrorKind string

// The kinds of an [Error].
const (
	KindRateLimited  ErrorKind = "rate limited"   // the provider had too many requests; wait RetryAfter
	KindUnauthorised ErrorKind = "unauthorised"   // the API key is missing, wrong or not allowed
	KindNotFound     ErrorKind = "not found"      // no such model, or no provider at the address
	KindUnavailable  ErrorKind = "unavailable"    // the provider is down, unreachable or overloaded
	KindTimeout      ErrorKind = "timeout"        // no complete answer before the deadline
	KindCancelled    ErrorKind = "cancelled"      // the caller cancelled the context
	KindBound        ErrorKind = "over the bound" // the caller's limit on calls, cost or time is reached
	KindNoAnswer     ErrorKind = "no answer"      // the reply is not from a model: a web page, an empty body, no choice
	KindTruncated    ErrorKind = "truncated"      // the answer was cut off at the token limit
	KindRefused      ErrorKind = "refused"        // the model or its filter declined to answer
	KindMalformed    ErrorKind = "malformed"      // the model completed an answer that is not valid
	KindTooLarge     ErrorKind = "too large"      // the request or the answer is over a limit
	KindBadRequest   ErrorKind = "bad request"    // the form of the request is invalid, or the provider rejects it
	KindNotSet       ErrorKind = "not configured" // no model is configured, or not at a valid address
	KindNotRecorded  ErrorKind = "not recorded"   // answers are replayed from recordings, and this request has none
)

// Error is the error of every Generator and Embedder in memtree.
type Error struct {
	Kind ErrorKind
	// Status is the HTTP status, 0 when there was none.
	Status int
	// RetryAfter is the wait requested by the provider, 0 if unknown.
	RetryAfter time.Duration
	// Unsent means that no request was sent, because earlier ones failed or a limit was reached.
	Unsent bool
	// Usage holds the tokens of the failed request, in an error of Ask those of both requests; zero if unknown.
	Usage Usage
	// Err is the cause. It never contains a key.
	Err error
}

// Error returns the kind and the cause and, if the provider requested a wait, when to try again.
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

// Unwrap returns e.Err.
func (e *Error) Unwrap() error { return e.Err }

// Retryable reports whether the same request may succeed later, as after a timeout.
func (e *Error) Retryable() bool {
	switch e.Kind {
	case KindRateLimited, KindUnavailable, KindTimeout, KindNoAnswer:
		return true
	default:
		return false
	}
}

// Lasting reports whether every request will fail with this error until a person changes something: the key, the
// address or the name of the model.
func (e *Error) Lasting() bool {
	switch e.Kind {
	case KindUnauthorised, KindNotFound, KindNotSet:
		return true
	default:
		return false
	}
}

// Answered reports whether err means that a model completed an answer, but an invalid one. To the same request the
// model would give the same answer, so repeating it does not help.
func Answered(err error) bool { return KindOf(err) == KindMalformed }

// KindOf returns the kind of the first [*Error] in the tree of err, "" if there is none.
func KindOf(err error) ErrorKind {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Kind
	}
	return ""
}
