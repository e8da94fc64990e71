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

// Atlas is the map of a memory: walks go in through its one door, and the fold over them is read. It is safe for
// concurrent use.
type Atlas struct {
	view  func(ctx context.Context, read func(*Map)) error
	write func(ctx context.Context, es []ledger.Entry) error
	clean func(string) string // removes secrets
	now   func() time.Time
}

// NewAtlas returns the map that view reads, whose entries write writes after clean removed secrets from their texts.
func NewAtlas(
	view func(context.Context, func(*Map)) error, write func(context.Context, []ledger.Entry) error,
	clean func(string) string, now func() time.Time,
) *Atlas {
	return &Atlas{view: view, write: write, clean: clean, now: now}
}

// Read calls read with the map once all that was handed in is in it. read must be short, and must keep no reference to
// the map.
func (a *Atlas) Read(ctx context.Context, read func(*Map)) error { return a.view(ctx, read) }

// Added counts what a walk brought.
type Added struct {
	Walks     int `json:"walks"`
	Known     int `json:"known"` // walks that were handed in before
	Sights    int `json:"sightings"`
	Elsewhere int `json:"elsewhere"` // links to other hosts, which are not part of the application
}

// Add adds the counts of another walk.
func (a *Added) Add(o Added) {
	a.Walks, a.Known, a.Sights, a.Elsewhere = a.Walks+o.Walks, a.Known+o.Known, a.Sights+o.Sights, a.Elsewhere+o.Elsewhere
}

// Add hands in a walk. Of its addresses only the routes and the names of parameters are kept; from its texts secrets
// are removed, and long ones are cut. A walk that was handed in before changes nothing.
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

// address returns what is kept of an address: its page and the names of its parameters.
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
