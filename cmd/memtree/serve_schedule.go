package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/spf13/pflag"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/internal/cli/say"
	"github.com/memtree/memtree/internal/whole"
	"github.com/memtree/memtree/server"
)

// nightly are the flags of the schedule.
type nightly struct {
	at    string
	calls int
	cost  float64
}

func nightlyFlags(v *say.Voice, f *pflag.FlagSet, n *nightly) {
	f.StringVar(&n.at, "evolve-at", "off", v.Say("time of day at which every tree evolves, such as 02:30"))
	f.IntVar(&n.calls, "evolve-max-calls", -1, v.Say("of one such evolve: ask the model at most so often; -1: no bound"))
	f.Float64Var(&n.cost, "evolve-max-cost", -1,
		v.Say("of one such evolve: spend at most so much on the model; -1: no bound"))
}

func checkNightly(a *app, n *nightly) error {
	if _, _, _, err := server.ParseAt(n.at); err != nil {
		return a.Usage("--evolve-at is %q; give a time of day such as 02:30, or off", n.at)
	}
	if n.cost >= 0 {
		a.model.Cost = &n.cost // so that a price is required
		defer func() { a.model.Cost = nil }()
		return a.model.Check()
	}
	return nil
}

// schedule is the schedule of a service.
func schedule(a *app, n *nightly) server.Nightly {
	o := memtree.EvolveOptions{}
	if n.calls >= 0 {
		o.MaxCalls = &n.calls
	}
	if n.cost >= 0 {
		o.MaxCost = &n.cost
	}
	if a.model.Name != "" {
		o.Price, _ = a.model.PriceOf(a.model.Name)
	}
	kept := readLastNights(a.store.Dir)
	return server.Nightly{
		At: n.at, Bound: o, Last: kept.of,
		Ran: func(tree string, at time.Time) {
			if err := kept.add(tree, at); err != nil {
				a.Note(a.Say("When the trees evolved last cannot be kept (%s); after a restart a missed run is not made up.",
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
