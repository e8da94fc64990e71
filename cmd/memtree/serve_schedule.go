package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/spf13/pflag"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/internal/whole"
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
		a.bounds.cost = &n.cost // so that a price is required
		defer func() { a.bounds.cost = nil }()
		return a.checkBounds()
	}
	return nil
}

// nights is the schedule of a service.
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
	kept := readLastNights(a.store)
	return server.Nightly{
		At: n.at, Bound: o, Last: kept.of,
		Ran: func(tree string, at time.Time) {
			if err := kept.add(tree, at); err != nil {
				a.note(a.say("When the trees evolved last cannot be kept (%s); after a restart a missed run is not made up.",
					err.Error()))
			}
		},
	}
}

// lastNights holds the time of the last scheduled evolve of each tree. It is stored in schedule.json in the folder of
// --store. It is safe for concurrent use.
type lastNights struct {
	file string
	mu   sync.Mutex
	at   map[string]time.Time
}

// readLastNights reads the file. It ignores a damaged one, which costs at most one evolve.
func readLastNights(folder string) *lastNights {
	k := &lastNights{file: filepath.Join(folder, "schedule.json")}
	b, err := os.ReadFile(k.file)
	if err != nil || json.Unmarshal(b, &k.at) != nil || k.at == nil {
		k.at = map[string]time.Time{}
	}
	return k
}

func (k *lastNights) of(tree string) time.Time {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.at[tree]
}

func (k *lastNights) add(tree string, at time.Time) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.at[tree] = at.UTC()
	b, err := json.Marshal(k.at)
	if err != nil {
		return err //nolint:wrapcheck // it is told as it is
	}
	return whole.Bytes(k.file, 0o600, append(b, '\n')) //nolint:wrapcheck // likewise
}
