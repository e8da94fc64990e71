package server

import (
	"context"
	"errors"
	"net/http"
	"os"
	"strconv"
	"strings"
	"syscall"

	"github.com/memtree/memtree/curation"
	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/transfer"
	"github.com/memtree/memtree/tree"
)

// problem is an error in the form of RFC 9457. Detail is what happened and what to do.
type problem struct {
	Type   string    `json:"type" doc:"urn:memtree: and a word that stays, for programs"`
	Title  string    `json:"title" doc:"The status in words"`
	Status int       `json:"status" doc:"The HTTP status"`
	Detail string    `json:"detail" doc:"What happened, and what to do"`
	Errors []badPart `json:"errors,omitempty" maxItems:"100" doc:"What cannot be used, place by place"`

	retry int   // seconds until a retry makes sense; 0: no retry
	cause error // for a page
}

// badPart is one unusable part of a request.
type badPart struct {
	Location string `json:"location" doc:"Such as body[3].prompt or query.limit"`
	Message  string `json:"message" doc:"Continues a sentence that begins with the location"`
}

func (p *problem) Error() string { return p.Detail }

// GetStatus is for huma.
func (p *problem) GetStatus() int { return p.Status }

// ContentType is for huma.
func (p *problem) ContentType(string) string { return "application/problem+json" }

// GetHeaders is for huma.
func (p *problem) GetHeaders() http.Header {
	h := http.Header{}
	if p.retry > 0 {
		h.Set("Retry-After", strconv.Itoa(p.retry))
	}
	return h
}

// The names of problem types.
const (
	typeInput     = "input"         // the request cannot be used
	typeTooLarge  = "too-large"     // it is longer than the route accepts
	typeNoToken   = "no-token"      // no token, or an invalid one
	typeScope     = "scope"         // the token may not do this
	typeNotFound  = "not-found"     // no such tree, memory, job or route
	typeDeleted   = "deleted"       // the tree was deleted while it was served
	typeTaken     = "contradiction" // another evaluation has this id
	typeRefused   = "refused"       // a refused decision of a person
	typeReadOnly  = "read-only"     // the tree is opened for reading only
	typeDamaged   = "damaged"       // bytes of the tree cannot be read
	typeLocked    = "locked"        // another process writes
	typeFull      = "disk-full"
	typeDisk      = "disk-failed"
	typeStale     = "changed-meanwhile"
	typeAway      = "database-away"
	typeRefuses   = "database-refuses"
	typeNeeds     = "needs-upgrade" // the database is of a newer version
	typeUnknown   = "unknown-outcome"
	typeBusy      = "busy"
	typeRate      = "rate"
	typeClosing   = "closing"
	typeLate      = "late" // the answer took too long
	typeHost      = "host"
	typeOrigin    = "origin"
	typeMethod    = "method"
	typeInternal  = "internal"
	typeTokenFile = "token-file" // no caller can be admitted
)

func newProblem(status int, kind, detail string) *problem {
	return &problem{Type: "urn:memtree:" + kind, Title: http.StatusText(status), Status: status, Detail: detail}
}

func (p *problem) after(seconds int) *problem {
	p.retry = seconds
	return p
}

// mostPlaces is the maximum number of places in one answer.
const mostPlaces = 100

// input returns the problem of an unusable request, with the places.
func input(places ...badPart) *problem {
	p := newProblem(http.StatusUnprocessableEntity, typeInput, "The request cannot be used; nothing was changed.")
	for i := range places {
		places[i].Location, places[i].Message = line(places[i].Location), line(places[i].Message)
	}
	if len(places) > 0 {
		p.Detail = places[0].Location + ": " + places[0].Message + "; nothing was changed"
		p.Errors = places[:min(mostPlaces, len(places))]
	}
	return p
}

// line shortens a text, which may come from outside, to one line.
func line(s string) string {
	const most = 500
	return text.Clip(text.Line(s), most)
}

// problemOf returns the problem for an error of a tree. All errors of memtree become problems only here. It returns
// nil if the text of the error is not for clients.
func problemOf(err error) *problem {
	var (
		said    *problem
		field   *tree.FieldError
		locked  *store.LockedError
		damaged *store.CorruptError
		law     *tree.LawError
		size    *http.MaxBytesError
		unknown *store.UnknownError
		refused *store.RefusedError
		format  *store.FormatError
	)
	switch {
	case errors.As(err, &said):
		return said
	case errors.As(err, &size):
		return tooLarge(size.Limit)
	case errors.As(err, &field):
		return input(badPart{place(field.Field), field.Problem})
	case errors.As(err, &damaged):
		return newProblem(http.StatusServiceUnavailable, typeDamaged, "A part of this tree cannot be read; "+
			"`memtree fsck` on the server says what is lost and how to go on.")
	case errors.As(err, &locked):
		return newProblem(http.StatusServiceUnavailable, typeLocked,
			"Another process writes to this tree; wait for it.").after(5)
	case errors.As(err, &unknown):
		return newProblem(http.StatusServiceUnavailable, typeUnknown, "The database was lost or slow, and it is not known "+
			"whether this was changed; look, and ask again if it was not.").after(5)
	case errors.As(err, &refused):
		return newProblem(http.StatusServiceUnavailable, typeRefuses, "The database of this tree "+refusals[refused.Why]+
			", so this was not changed; guidance and recording go on; try again.").after(5)
	case errors.As(err, &format):
		return newProblem(http.StatusServiceUnavailable, typeNeeds, "The database of this tree "+line(format.Problem)+
			". This was not changed; guidance and recording go on.").after(60)
	case errors.As(err, &law):
		return newProblem(http.StatusUnprocessableEntity, typeInput, line(law.Error()))
	case errors.Is(err, store.ErrContradiction):
		return newProblem(http.StatusConflict, typeTaken, line(err.Error())+"; give each run its own id")
	}
	for _, k := range known {
		if errors.Is(err, k.err) {
			return newProblem(k.status, k.kind, k.detail).after(k.retry)
		}
	}
	return advancedProblemOf(err)
}

// known are the errors with a constant text.
var known = []struct {
	err          error
	status       int
	kind, detail string
	retry        int
}{
	{store.ErrDeleted, http.StatusGone, typeDeleted, "This tree was deleted from its database, and nothing of it is " +
		"answered; stop serving it, or restore the database.", 0},
	{tree.ErrNotFound, http.StatusNotFound, typeNotFound, nothingHere, 0},
	{store.ErrReadOnly, http.StatusConflict, typeReadOnly,
		"This service only reads this tree; send changes to the one that writes it.", 0},
	{store.ErrFull, http.StatusInsufficientStorage, typeFull, diskFull, 60},
	{syscall.ENOSPC, http.StatusInsufficientStorage, typeFull, diskFull, 60},
	{store.ErrFailed, http.StatusServiceUnavailable, typeDisk, "The disk of the service failed; what was acknowledged " +
		"is safe; the service has to be started again.", 0},
	{store.ErrAway, http.StatusServiceUnavailable, typeAway, "The database cannot be reached, so this was not changed; " +
		"guidance and recording go on; try again.", 5},
	{store.ErrConflict, http.StatusConflict, typeStale, "The tree changed meanwhile; ask again.", 1},
	{store.ErrClosed, http.StatusServiceUnavailable, typeClosing, closingDetail, 5},
	{context.DeadlineExceeded, http.StatusServiceUnavailable, typeLate,
		"The answer took too long; ask again, or run without it.", 1},
	{os.ErrDeadlineExceeded, http.StatusRequestTimeout, typeLate,
		"The body came too slowly; send it faster, or in parts.", 1},
	{context.Canceled, http.StatusServiceUnavailable, typeClosing, "The request was given up.", 1},
}

const (
	nothingHere = "There is nothing with this id; …/nodes lists memories."
	diskFull    = "The disk of the service is full and nothing is half-written; reading goes on; try again once there " +
		"is room."
	closingDetail = "The service stops; ask again in a moment."
)

// absent reports whether p is of an id that nothing has, without the list of what there is.
func (p *problem) absent() bool { return p.Detail == nothingHere }

// absentFrom returns what a route answers for an id or a name that nothing has: with the list of what there is.
func absentFrom(path string) string {
	end := strings.TrimPrefix(path, inTreePath)
	switch {
	case strings.HasPrefix(end, "/facts"):
		return "There is no fact with this id; …/facts?state=all lists facts."
	case strings.HasPrefix(end, "/map"):
		return "The map has no such page; …/map/gaps lists pages, and …/map/find those of an element."
	case strings.HasPrefix(end, "/runs"):
		return "No run of the last 30 days has this id; …/runs lists runs."
	case end == "/relabel" || end == "/inbox":
		return "There is no run with this id; …/inbox lists those that wait for a label."
	}
	return nothingHere
}

// advancedProblemOf returns the problem for an error about a person's decision or a file of memories.
func advancedProblemOf(err error) *problem {
	var (
		gate    *curation.GateError
		refused *curation.RefusedError
		unkept  *curation.UnkeptError
		several *curation.SeveralError
		file    *transfer.UnusableError
	)
	switch {
	case errors.As(err, &gate):
		places := make([]badPart, 0, len(gate.Reasons))
		for _, r := range gate.Reasons {
			places = append(places, badPart{"body", r})
		}
		return input(places...)
	case errors.As(err, &refused):
		return newProblem(http.StatusConflict, typeRefused, line(refused.Error()))
	case errors.As(err, &unkept):
		return newProblem(http.StatusConflict, typeRefused, "What this run said was not kept. If it has no label yet, "+
			"record it again under the same id, then label it; otherwise record it under a new id, with its truth.")
	case errors.As(err, &several):
		return input(badPart{"body.evaluation", "names several runs: " +
			strings.Join(several.Evaluations, ", ") + "; give the whole id of one"})
	case errors.As(err, &file):
		return newProblem(http.StatusUnprocessableEntity, typeInput, line(file.Error())+"; nothing was imported")
	}
	return nil
}

// place returns the location of a field of a body: [3].prompt is body[3].prompt.
func place(field string) string {
	if strings.HasPrefix(field, "[") || field == "" {
		return "body" + field
	}
	return "body." + field
}

// renamed returns err; if it is of a field, with the name that a request has for the field.
func renamed(err error, name func(field string) string) error {
	if f, ok := errors.AsType[*tree.FieldError](err); ok {
		return &tree.FieldError{Field: name(f.Field), Problem: f.Problem}
	}
	return err
}

func tooLarge(limit int64) *problem {
	return newProblem(http.StatusRequestEntityTooLarge, typeTooLarge, "The body is longer than "+
		strconv.FormatInt(limit, 10)+" bytes, which is the most of this route; send it in parts.")
}

func closing() *problem {
	return newProblem(http.StatusServiceUnavailable, typeClosing, closingDetail).after(5)
}

func internal() *problem {
	return newProblem(http.StatusInternalServerError, typeInternal,
		"Something failed inside; the log of the service says what.")
}
