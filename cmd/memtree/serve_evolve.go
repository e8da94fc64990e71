package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/spf13/pflag"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/internal/cli/access"
	"github.com/memtree/memtree/internal/cli/say"
	"github.com/memtree/memtree/internal/jobs/shared"
	"github.com/memtree/memtree/internal/whole"
	"github.com/memtree/memtree/llm/meter"
	"github.com/memtree/memtree/look"
	"github.com/memtree/memtree/server"
)

// nightly are the flags of the schedule.
type nightly struct {
	at    string
	calls int
	cost  float64
	look  look.Extent
}

func nightlyFlags(v *say.Voice, f *pflag.FlagSet, n *nightly) {
	f.StringVar(&n.at, "evolve-at", "off", v.Say("time of day at which every tree evolves, such as 02:30"))
	f.IntVar(&n.calls, "evolve-max-calls", -1, v.Say("of one such evolve: ask the model at most so often; -1: no bound"))
	f.Float64Var(&n.cost, "evolve-max-cost", -1,
		v.Say("of one such evolve: spend at most so much on the model; -1: no bound"))
	f.Var(&n.look, "evolve-look", v.Say("after it: have the model look a second time at so many of the riskiest "+
		"verdicts without a label: a number, a share such as 30%, or all"))
}

func checkNightly(a *app, n *nightly) error {
	if _, _, _, err := server.ParseAt(n.at); err != nil {
		return a.Usage("--evolve-at is %q; give a time of day such as 02:30, or off", n.at)
	}
	return needsPrice(a, n.cost)
}

// needsPrice refuses a bound on cost where no price is known; a negative cost is none.
func needsPrice(a *app, cost float64) error {
	if cost < 0 {
		return nil
	}
	a.model.Cost = &cost
	defer func() { a.model.Cost = nil }()
	return a.model.Check()
}

// priceOf returns the price of the tokens of the model, the zero one if none is known.
func priceOf(a *app) (p meter.Price) {
	if a.model.Name != "" {
		p, _ = a.model.PriceOf(a.model.Name)
	}
	return p
}

// dayBudget are the flags for what all jobs of a tenant may spend in a day; negative values are no bound.
type dayBudget struct {
	calls int
	cost  float64
}

func dayFlags(v *say.Voice, f *pflag.FlagSet, b *dayBudget) {
	f.IntVar(&b.calls, "day-max-calls", -1, v.Say("of all jobs of a tenant in a day (UTC), over all services of its "+
		"trees in a database: ask the model at most so often; -1: no bound"))
	f.Float64Var(&b.cost, "day-max-cost", -1, v.Say("of the same: spend at most so much on the model; -1: no bound"))
}

// checkDay refuses a budget of the day for trees that are all in files.
func checkDay(a *app, b *dayBudget, trees []string) error {
	database := a.store.Shared()
	for _, s := range trees {
		_, dir, _ := strings.Cut(s, "=")
		database = database || access.IsDatabase(dir)
	}
	if !database && (b.calls >= 0 || b.cost >= 0) {
		return a.Usage("--day-max-calls and --day-max-cost are for trees in a database; " +
			"for one in a folder give --evolve-max-calls and --evolve-max-cost")
	}
	return needsPrice(a, b.cost)
}

// options returns what the jobs of a tree in a database may spend.
func (b *dayBudget) options(a *app) shared.Options {
	o := shared.Options{Price: priceOf(a), Logger: a.store.Logger}
	if b.calls >= 0 {
		o.Day.Calls = &b.calls
	}
	if b.cost >= 0 {
		o.Day.Cost = &b.cost
	}
	return o
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
	kept := readLastNights(a.store.Dir)
	return server.Nightly{
		At: n.at, Bound: o, Look: n.look, Last: kept.of,
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
