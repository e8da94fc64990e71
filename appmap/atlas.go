package appmap

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/tree"
)

// Atlas reads the map of a memory and adds walks to it, through the ledger. It is safe for concurrent use.
type Atlas struct {
	view  func(ctx context.Context, read func(*Map)) error
	write func(ctx context.Context, es []ledger.Entry) error
	clean func(string) string // removes secrets
	now   func() time.Time
}

// NewAtlas returns an Atlas. view calls its function with a map that is up to date with the ledger, write adds entries
// to the ledger, clean removes secrets from a text, and now is the clock.
func NewAtlas(
	view func(context.Context, func(*Map)) error, write func(context.Context, []ledger.Entry) error,
	clean func(string) string, now func() time.Time,
) *Atlas {
	return &Atlas{view: view, write: write, clean: clean, now: now}
}

// Read calls read with the map, which contains all walks added before. read must be short, and must not use the map
// after it returns.
func (a *Atlas) Read(ctx context.Context, read func(*Map)) error { return a.view(ctx, read) }

// Added counts what Atlas.Add did with one or more walks.
type Added struct {
	Walks     int `json:"walks"`     // walks that were new
	Known     int `json:"known"`     // walks that had been added before
	Sights    int `json:"sightings"` // sightings in the new walks
	Elsewhere int `json:"elsewhere"` // links and actions to other hosts, which are not part of the application
}

// Add adds the counts of o to a.
func (a *Added) Add(o Added) {
	a.Walks, a.Known, a.Sights, a.Elsewhere = a.Walks+o.Walks, a.Known+o.Known, a.Sights+o.Sights, a.Elsewhere+o.Elsewhere
}

// Add adds a walk to the ledger and so to the map. Of an address it stores only the route and the names of parameters.
// It removes secrets from texts, and cuts long texts. A walk that was added before changes nothing, and neither does a
// walk that has only links to other hosts.
func (a *Atlas) Add(ctx context.Context, w ledger.Walk) (Added, error) {
	w, n := a.cleaned(w)
	if len(w.Seen) == 0 {
		return Added{Elsewhere: n}, nil
	}
	if err := w.Check(); err != nil {
		return Added{}, fmt.Errorf("add to the map: %w", err)
	}
	known := false
	if err := a.view(ctx, func(m *Map) { known = m.walks[w.ID] }); err != nil {
		return Added{}, err
	}
	if known {
		return Added{Known: 1, Elsewhere: n}, nil
	}
	if err := a.write(ctx, []ledger.Entry{{At: a.now(), Walk: &w}}); err != nil {
		return Added{}, fmt.Errorf("add to the map: %w", err)
	}
	return Added{Walks: 1, Sights: len(w.Seen), Elsewhere: n}, nil
}

// mostText is how many characters a text of a walk keeps.
const mostText = 200

// cleaned returns a walk as it is stored, with its id, and how many links to other hosts were left out.
func (a *Atlas) cleaned(w ledger.Walk) (out ledger.Walk, left int) {
	line := func(s string) string { return text.Clip(a.clean(text.Line(text.Clean(s))), mostText) }
	lines := func(list []string) []string {
		out := slices.Clone(list)
		for i := range out {
			out[i] = line(out[i])
		}
		return out[:min(len(out), tree.MaxChildren)]
	}
	seen := w.Seen
	w.Seen = nil
	for _, s := range seen {
		if s.Kind != ledger.SeenCall && elsewhere(s.To, s.URL) {
			left++
			if s.Kind == ledger.SeenLink {
				continue
			}
			s.To = ""
		}
		s.URL, s.To = address(s.URL), address(s.To)
		s.Title, s.Role, s.Name, s.Place = line(s.Title), line(s.Role), line(s.Name), line(s.Place)
		s.Do, s.Code, s.Priority = line(s.Do), line(s.Code), line(s.Priority)
		s.Params, s.Steps, s.Tests = lines(s.Params), lines(s.Steps), slices.Clone(s.Tests)
		if s.Selector = a.clean(text.Line(s.Selector)); len(s.Selector) > ledger.MaxAddress {
			s.Selector = ""
		}
		w.Seen = append(w.Seen, s)
	}
	w.Identify()
	return w, left
}

// address returns what is stored of an address: its page and the names of its parameters.
func address(s string) string {
	if s == "" {
		return ""
	}
	out := PageOf(s)
	if names := paramsOf(s); len(names) > 0 {
		out += "?" + strings.Join(names, "&")
	}
	if len(out) > ledger.MaxAddress {
		return "/"
	}
	return out
}
