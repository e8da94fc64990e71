package server

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"runtime/debug"
	"time"
)

// statusRecorder records the status of an answer.
type statusRecorder struct {
	http.ResponseWriter
	status int
}

func (r *statusRecorder) WriteHeader(status int) {
	if r.status == 0 {
		r.status = status
	}
	r.ResponseWriter.WriteHeader(status)
}

func (r *statusRecorder) Write(b []byte) (int, error) {
	if r.status == 0 {
		r.status = http.StatusOK
	}
	return r.ResponseWriter.Write(b) //nolint:wrapcheck // of the server
}

// Unwrap is for http.ResponseController.
func (r *statusRecorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }

// writeProblem answers with a problem where no handler of huma does.
func writeProblem(w http.ResponseWriter, p *problem) {
	for in := w; in != nil; {
		if page, ok := in.(*pageWriter); ok && page.problem(w, p) == nil {
			return
		}
		outer, wraps := in.(interface{ Unwrap() http.ResponseWriter })
		if !wraps {
			break
		}
		in = outer.Unwrap()
	}
	b, err := json.Marshal(p)
	if err != nil {
		return // it has only texts and numbers
	}
	h := w.Header()
	maps.Copy(h, p.GetHeaders())
	if p.Status == http.StatusUnauthorized {
		h.Set("WWW-Authenticate", `Bearer realm="memtree"`)
	}
	h.Set("Content-Type", p.ContentType(""))
	w.WriteHeader(p.Status)
	_, _ = w.Write(append(b, '\n')) // the client may have gone
}

// broke answers a request whose handler panicked. One request must not end the others.
func (g *guard) broke(out *statusRecorder, q *http.Request, r *route, why any) {
	if q.Context().Err() == nil { // else the client has gone, and nothing could be written
		g.s.opts.Logger.ErrorContext(q.Context(), "a handler panicked", "route", r.id, "panic", fmt.Sprint(why),
			"stack", string(debug.Stack()))
	}
	if out.status == 0 {
		writeProblem(out, internal())
		return
	}
	out.status = http.StatusInternalServerError
	panic(http.ErrAbortHandler) // half an answer must not look complete
}

// account counts a request, and writes a line to the audit log for a change.
func (s *Server) account(q *http.Request, r *route, c *caller, out *statusRecorder, began time.Time) {
	s.meters.note(r.id, out.status, s.opts.Now().Sub(began))
	if !r.changes || c == nil { // a refused caller changes nothing, and must not fill the log
		return
	}
	s.opts.Audit.InfoContext(q.Context(), "change", "token", c.name(), "route", r.id, "method", r.method,
		"tree", treeOfCall(c), "status", out.status, "from", q.RemoteAddr, "ms", s.opts.Now().Sub(began).Milliseconds())
}

// treeOfCall returns the tree of an admitted request.
func treeOfCall(c *caller) string {
	if c == nil || c.tree == nil {
		return ""
	}
	return c.tree.name
}
