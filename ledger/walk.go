package ledger

import (
	"encoding/json"
	"fmt"
	"github.com/memtree/memtree/tree"
	"slices"
)

// Limits of a Walk.
const (
	MaxSightings = 500     // most sightings of one Walk
	MaxAddress   = 2 << 10 // bytes of an address or a selector of a Sighting
	MaxWalk      = 1 << 20 // bytes of a Walk as JSON
)

// Walk is what one run, or one file of a test tool, saw of an application, in order. A run with more than MaxSightings
// sightings becomes several walks with the same Run.
type Walk struct {
	ID      string     `json:"id"` // set by Identify; of walks with the same ID only the first counts
	Product string     `json:"product,omitempty"`
	Build   string     `json:"build,omitempty"`
	Source  string     `json:"source"`         // the tool, such as "playwright" or "har", or the name of an agent
	Run     string     `json:"run,omitempty"`  // id of the run or exploration that the walk is part of
	Part    int        `json:"part,omitempty"` // index among the walks of Run, from 0
	Test    string     `json:"test,omitempty"` // the test that ran; "": none, as in an exploration
	Seen    []Sighting `json:"seen"`
}

// SightingKind is what a Sighting is about.
type SightingKind string

// The kinds of sightings. In brackets are the main fields of Sighting that a kind uses besides URL.
const (
	SeenPage        SightingKind = "page"        // a page was open (Title; Status: 400 or more if it is missing)
	SeenElement     SightingKind = "element"     // a page has an element (Role, Name, Place)
	SeenAction      SightingKind = "action"      // something was done on a page (Do, Selector, Role, Name, To, Failed, MS)
	SeenLink        SightingKind = "link"        // the page links to another (To: that page; Name: text of the link)
	SeenCall        SightingKind = "call"        // a page called an API (Do: HTTP method; To: address; Status, Params)
	SeenFlow        SightingKind = "flow"        // a path over pages (Name; Steps; URL: its first page; To: its last page)
	SeenRequirement SightingKind = "requirement" // a requirement (Code, Name, Priority; Steps: acceptance criteria; Tests)
)

// Sighting is one thing that was seen of an application. It must not contain values that somebody typed.
type Sighting struct {
	Kind     SightingKind `json:"kind"`
	URL      string       `json:"url,omitempty"` // address of the page; only the route and names of parameters are used
	Title    string       `json:"title,omitempty"`
	Role     string       `json:"role,omitempty"`     // ARIA role of the element
	Name     string       `json:"name,omitempty"`     // accessible name of the element; name of a flow or requirement
	Place    string       `json:"place,omitempty"`    // part of the page with the element
	Do       string       `json:"do,omitempty"`       // the action, such as click or fill; the HTTP method of a call
	Selector string       `json:"selector,omitempty"` // selector of the element, as the tool writes it
	To       string       `json:"to,omitempty"`       // address to which an action, link or flow leads, or that is called
	Failed   bool         `json:"failed,omitempty"`   // the action found no element or had no effect
	MS       int          `json:"ms,omitempty"`       // duration in milliseconds
	Status   int          `json:"status,omitempty"`   // HTTP status
	Params   []string     `json:"params,omitempty"`   // names of the parameters of a call
	Steps    []string     `json:"steps,omitempty"`    // steps of a flow, or acceptance criteria of a requirement
	Code     string       `json:"code,omitempty"`     // id of a requirement
	Priority string       `json:"priority,omitempty"`
	Tests    []string     `json:"tests,omitempty"` // names of the tests of a requirement
}

// walkPrefix begins the id of every walk.
const walkPrefix = "w_"

// Identify sets w.ID to a hash of the other fields.
func (w *Walk) Identify() { w.ID, _ = w.identity() }

// identity returns the id, and the size of the walk in bytes.
func (w *Walk) identity() (id string, size int) {
	bare := *w
	bare.ID = ""
	b, err := json.Marshal(bare)
	if err != nil { // no field of a walk can fail
		return "", 0
	}
	return walkPrefix + tree.Hash(string(b)), len(b)
}

// Check returns a *tree.FieldError for the first invalid field of w, or nil. ID must be the one that Identify sets.
func (w *Walk) Check() error {
	bad := func(field, problem string, args ...any) error {
		return &tree.FieldError{Field: "walk." + field, Problem: fmt.Sprintf(problem, args...)}
	}
	id, size := w.identity()
	switch {
	case w.Source == "":
		return bad("source", "is missing; name the tool or the agent that saw this")
	case len(w.Seen) == 0:
		return bad("seen", "is empty")
	case len(w.Seen) > MaxSightings:
		return bad("seen", "has %d sightings; the most is %d: split the walk", len(w.Seen), MaxSightings)
	case w.Part < 0:
		return bad("part", "is %d; count from 0", w.Part)
	case size > MaxWalk:
		return bad("seen", "makes %d bytes; the most is %d: split the walk", size, MaxWalk)
	case w.ID != id:
		return bad("id", "is %.40q, not the hash of the walk", w.ID)
	}
	for _, f := range []struct{ field, value string }{
		{"product", w.Product}, {"build", w.Build}, {"source", w.Source}, {"run", w.Run}, {"test", w.Test},
	} {
		if len(f.value) > tree.MaxName || !plainLine(f.value) {
			return bad(f.field, "is longer than %d bytes, or not one line of UTF-8", tree.MaxName)
		}
	}
	for i := range w.Seen {
		if err := w.Seen[i].check(); err != nil {
			return bad(fmt.Sprintf("seen[%d].%s", i, err.Field), "%s", err.Problem)
		}
	}
	return nil
}

func (s *Sighting) check() *tree.FieldError {
	bad := func(field, problem string, args ...any) *tree.FieldError {
		return &tree.FieldError{Field: field, Problem: fmt.Sprintf(problem, args...)}
	}
	kinds := []SightingKind{SeenPage, SeenElement, SeenAction, SeenLink, SeenCall, SeenFlow, SeenRequirement}
	switch {
	case !slices.Contains(kinds, s.Kind):
		return bad("kind", "is %.40q; use page, element, action, link, call, flow or requirement", s.Kind)
	case s.URL == "" && s.Kind != SeenRequirement && s.Kind != SeenCall:
		return bad("url", "is missing; say on which page this was seen")
	case s.To == "" && (s.Kind == SeenLink || s.Kind == SeenCall):
		return bad("to", "is missing; say where it leads")
	case s.Do == "" && (s.Kind == SeenAction || s.Kind == SeenCall):
		return bad("do", "is missing; say what was done")
	case s.Role == "" && s.Name == "" && s.Kind == SeenElement:
		return bad("name", "is missing, and so is role; one of them names the element")
	case s.Code == "" && s.Kind == SeenRequirement:
		return bad("code", "is missing; a requirement has a code, such as REQ-12")
	case s.MS < 0 || s.Status < 0 || s.Status > 999:
		return bad("ms", "or status is out of range")
	case len(s.Params) > tree.MaxChildren || len(s.Steps) > tree.MaxChildren || len(s.Tests) > tree.MaxChildren:
		return bad("params", "or steps or tests are more than %d", tree.MaxChildren)
	}
	for _, f := range []struct{ field, value string }{{"url", s.URL}, {"selector", s.Selector}, {"to", s.To}} {
		if len(f.value) > MaxAddress || !plainLine(f.value) {
			return bad(f.field, "is longer than %d bytes, or not one line of UTF-8", MaxAddress)
		}
	}
	lines := slices.Concat([]string{s.Title, s.Role, s.Name, s.Place, s.Do, s.Code, s.Priority},
		s.Params, s.Steps, s.Tests)
	for _, l := range lines {
		if len(l) > tree.MaxName || !plainLine(l) {
			return bad("name", "or another text is longer than %d bytes, or not one line of UTF-8", tree.MaxName)
		}
	}
	return nil
}
