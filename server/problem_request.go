package server

import (
	"encoding/json"
	"errors"
	"net/http"
	"sync"

	"github.com/danielgtaylor/huma/v2"
)

// teachHuma makes huma return our problems for invalid requests. Its hook is a variable of the package, so this is
// done once.
var teachHuma = sync.OnceFunc(func() {
	huma.NewError = func(status int, msg string, errs ...error) huma.StatusError {
		return found(status, msg, errs)
	}
})

// found makes a problem of huma's errors in a request. It omits the values themselves: they may be secret, or long.
func found(status int, msg string, errs []error) *problem {
	var places []badPart
	for _, err := range errs {
		if p := problemOf(err); p != nil {
			return p
		}
		var d huma.ErrorDetailer
		if kind, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
			places = append(places, badPart{place(kind.Field), "is " + kind.Value + ", which does not fit; " +
				"/openapi.json says what does"})
		} else if errors.As(err, &d) {
			places = append(places, badPart{d.ErrorDetail().Location, worded(d.ErrorDetail().Message)})
		} else if err != nil {
			places = append(places, badPart{"body", err.Error()})
		}
	}
	switch {
	case status == http.StatusRequestEntityTooLarge:
		return newProblem(status, typeTooLarge,
			"The body is longer than this route takes; /openapi.json says how long it may be.")
	case status >= http.StatusInternalServerError:
		return internal()
	}
	p := input(places...)
	p.Status, p.Title = status, http.StatusText(status)
	if len(places) == 0 && msg != "" {
		p.Detail = line(msg)
	}
	return p
}

// worded turns a validation message of huma into advice.
func worded(found string) string {
	switch found {
	case "unexpected property", "unknown query parameter":
		return "is not known here; /openapi.json lists what is"
	case "request body is required":
		return "is missing; /openapi.json says what belongs there"
	}
	return found
}
