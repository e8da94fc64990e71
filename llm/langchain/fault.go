package langchain

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/memtree/memtree/llm"
)

// contextError returns why ctx ended: our timeout, the caller's deadline, or the caller's cancellation. Our timeout is
// a failure of the provider. The other two are not, and only they wrap the error of the context.
func contextError(ctx context.Context) *llm.Error {
	cause := context.Cause(ctx)
	switch {
	case errors.Is(cause, errDeadline):
		return &llm.Error{Kind: llm.KindTimeout, Err: errDeadline}
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return &llm.Error{Kind: llm.KindTimeout, Err: ctx.Err()}
	default:
		return &llm.Error{Kind: llm.KindCancelled, Err: cause}
	}
}

// netError returns the error of a request without a reply, or with only part of one. heard means that the address is
// right, because a good reply came from it before.
func netError(ctx context.Context, err error, key Secret, heard bool) *llm.Error {
	if ctx.Err() != nil {
		return contextError(ctx)
	}
	e := &llm.Error{Kind: llm.KindUnavailable, Err: errors.New(redacted(err.Error(), key))}
	if n, ok := errors.AsType[net.Error](err); ok && n.Timeout() {
		e.Kind = llm.KindTimeout
	} else if !heard && wrongAddress(err) {
		e.Kind = llm.KindNotFound
	}
	return e
}

// wrongAddress reports whether an error means that the host does not exist, has no certificate for the name, or does
// not use TLS.
func wrongAddress(err error) bool {
	if d, ok := errors.AsType[*net.DNSError](err); ok {
		return d.IsNotFound
	}
	_, certificate := errors.AsType[*tls.CertificateVerificationError](err)
	_, plain := errors.AsType[tls.RecordHeaderError](err)
	return certificate || plain || strings.Contains(err.Error(), "server gave HTTP response to HTTPS client")
}

// statusError returns the error of a reply with a status other than 200.
func statusError(r *http.Response, body []byte, key Secret) *llm.Error {
	e := &llm.Error{Kind: kindOfStatus(r.StatusCode), Status: r.StatusCode, RetryAfter: retryAfter(r.Header, time.Now())}
	message, code := providerError(body)
	switch {
	case r.StatusCode >= 300 && r.StatusCode < 400:
		e.Err = fmt.Errorf("the address has moved to %s: set the base URL to where it is now",
			redacted(r.Header.Get("Location"), key))
		return e
	case code == "insufficient_quota":
		e.Kind, e.RetryAfter = llm.KindUnauthorised, 0 // waiting does not help
	case code == "context_length_exceeded" || strings.Contains(message, tooLargeToProcess):
		e.Kind = llm.KindTooLarge
	}
	if message != "" {
		e.Err = errors.New(redacted(message, key))
	}
	return e
}

// tooLargeToProcess is llama.cpp's message, with status 500, for a text that is too long to embed.
const tooLargeToProcess = "too large to process"

// kindOfStatus returns the kind of an HTTP status. A temporary condition is unavailable.
func kindOfStatus(status int) llm.ErrorKind {
	switch {
	case status == http.StatusUnauthorized || status == http.StatusForbidden || status == http.StatusPaymentRequired:
		return llm.KindUnauthorised
	case status == http.StatusNotFound || status == http.StatusGone || status >= 300 && status < 400:
		return llm.KindNotFound
	case status == http.StatusRequestTimeout || status == http.StatusGatewayTimeout:
		return llm.KindTimeout
	case status == http.StatusRequestEntityTooLarge:
		return llm.KindTooLarge
	case status == http.StatusTooManyRequests:
		return llm.KindRateLimited
	case status == http.StatusUnavailableForLegalReasons:
		return llm.KindRefused
	case status >= 400 && status < 500 && status != http.StatusTooEarly && status != http.StatusConflict:
		return llm.KindBadRequest
	case status < 300:
		return llm.KindNoAnswer // success, but without an answer
	default:
		return llm.KindUnavailable
	}
}

// maxRetryAfter is the longest accepted Retry-After.
const maxRetryAfter = 24 * time.Hour

// retryAfter returns the wait requested by the provider. The headers give milliseconds, seconds or a date.
func retryAfter(h http.Header, now time.Time) time.Duration {
	var d time.Duration
	value := strings.TrimSpace(h.Get("Retry-After"))
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil {
		d = boundedWait(ms, time.Millisecond)
	} else if s, err := strconv.ParseFloat(value, 64); err == nil {
		d = boundedWait(s, time.Second)
	} else if at, err := http.ParseTime(value); err == nil {
		d = at.Sub(now)
	}
	return max(0, min(d, maxRetryAfter))
}

// boundedWait returns n units within 0 to maxRetryAfter.
func boundedWait(n float64, unit time.Duration) time.Duration {
	switch {
	case !(n > 0):
		return 0
	case n > float64(maxRetryAfter/unit):
		return maxRetryAfter
	default:
		return time.Duration(n * float64(unit))
	}
}

// providerError returns message and code of an error body, which has one of the shapes
// {"error":{"message","code","type"}}, {"error":"…"}, {"message":"…"}, {"detail":…}.
func providerError(body []byte) (message, code string) {
	var outer struct {
		Error   json.RawMessage `json:"error"`
		Message string          `json:"message"`
		Detail  json.RawMessage `json:"detail"`
	}
	if json.Unmarshal(body, &outer) != nil {
		return "", ""
	}
	var text string
	if json.Unmarshal(outer.Error, &text) == nil && text != "" {
		return text, ""
	}
	var inner struct {
		Message string          `json:"message"`
		Code    json.RawMessage `json:"code"`
	}
	if json.Unmarshal(outer.Error, &inner) == nil && inner.Message != "" {
		return inner.Message, strings.Trim(string(inner.Code), `"`)
	}
	if outer.Message == "" && len(outer.Detail) > 0 {
		return string(outer.Detail), ""
	}
	return outer.Message, ""
}

// secretParts matches the parts of an address that may contain a key: its user, and the values of its query.
var secretParts = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(://)[^/@\s"']*@|([?&][^=&\s"']*=)[^&\s"']*`)
})

// redacted returns a provider's text for an error message: on one line, cut to 300 characters, and without the key or
// anything that looks like one.
func redacted(s string, key Secret) string {
	if key != "" {
		s = strings.ReplaceAll(s, string(key), "[key]")
		s = strings.ReplaceAll(s, url.QueryEscape(string(key)), "[key]")
	}
	s = secretParts().ReplaceAllString(s, "$1$2[key]")
	words := strings.FieldsFunc(s, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) })
	for i, w := range words {
		bare := strings.Trim(w, `"'.,:;()[]{}`)
		long := len(bare) > 11
		if long && (strings.HasPrefix(bare, "sk-") || strings.HasPrefix(bare, "sk_")) ||
			long && i > 0 && strings.EqualFold(strings.Trim(words[i-1], `"':`), "bearer") {
			words[i] = "[key]"
		}
	}
	r := []rune(strings.Join(words, " "))
	if len(r) > 300 {
		return string(r[:300]) + "…"
	}
	return string(r)
}
