package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/pflag"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/server"
)

// nightly are the flags of the schedule.
type nightly struct {
	at    string
	calls int
	cost  float64
}

func (a *app) nightlyFlags(f *pflag.FlagSet, n *nightly) {
	f.StringVar(&n.at, "evolve-at", "off", a.say("time of day at which every tree evolves, such as 02:30"))
	f.IntVar(&n.calls, "evolve-max-calls", -1, a.say("of one such evolve: ask the model at most so often; -1: no bound"))
	f.Float64Var(&n.cost, "evolve-max-cost", -1,
		a.say("of one such evolve: spend at most so much on the model; -1: no bound"))
}

func (a *app) checkNightly(n *nightly) error {
	if _, _, _, err := server.ParseAt(n.at); err != nil {
		return &usageError{a.say("--evolve-at is %q; give a time of day such as 02:30, or off", n.at)}
	}
	if n.cost >= 0 {
		a.bounds.cost = &n.cost // so that a price has to be known
		defer func() { a.bounds.cost = nil }()
		return a.checkBounds()
	}
	return nil
}

// nights is the schedule of a service. When each tree evolved last stands in schedule.json beside
// the store of --store.
func (a *app) nights(n *nightly) server.Nightly {
	o := memtree.EvolveOptions{}
	if n.calls >= 0 {
		o.MaxCalls = &n.calls
	}
	if n.cost >= 0 {
		o.MaxCost = &n.cost
	}
	if a.spending.model != "" {
		o.Price, _ = a.priceOf(a.spending.model)
	}
	file, last := filepath.Join(a.store, "schedule.json"), map[string]time.Time{}
	b, err := os.ReadFile(file) //nolint:gosec // beside the store
	if err == nil && json.Unmarshal(b, &last) != nil || last == nil {
		last = map[string]time.Time{} // a damaged file costs one night at most
	}
	return server.Nightly{
		At: n.at, Bound: o, Last: func(tree string) time.Time { return last[tree] },
		Ran: func(tree string, at time.Time) {
			last[tree] = at.UTC()
			if err := writeWhole(file, last); err != nil {
				a.note(a.say("When the trees evolved last cannot be kept (%s); after a restart a missed run is not made up.",
					err.Error()))
			}
		},
	}
}

// writeWhole writes v as JSON, so that a reader finds the old file or the new one.
func writeWhole(file string, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err //nolint:wrapcheck // it is told as it is
	}
	if err := os.WriteFile(file+".new", append(b, '\n'), 0o600); err != nil {
		return err //nolint:wrapcheck // likewise
	}
	return os.Rename(file+".new", file) //nolint:wrapcheck // likewise
}
