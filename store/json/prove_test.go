package jsonstore

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/store/storetest"
	"github.com/memtree/memtree/tree"
)

// amount is the extent of each proof.
type amount struct {
	states  int    // crashes
	faults  int    // histories in which every error strikes every kind of operation
	damages int    // tried on each store; make prove tries all on the two smallest
	largest int    // cases in the largest store
	repairs int    // histories of crashes in a repair
	kills   int    // of a writing process
	steps   int    // random operations, over all configurations
	seed    uint64 // of the first run
}

// amounts returns the amounts of `make prove`, those of the usual tests, or a sample for runs with the race detector,
// which are ten times slower.
func amounts() amount {
	seed := uint64(setting("MEMTREE_SEED", 1)) //nolint:gosec // any number does
	switch {
	case os.Getenv("MEMTREE_PROVE") != "":
		all := amount{states: 1_000_000, faults: 20, damages: 20_000, largest: 2000, repairs: 20, kills: 2000,
			steps: 2_000_000, seed: seed}
		return all.scaled(setting("MEMTREE_PROVE", 100))
	case raceDetector || testing.Short():
		return amount{states: 1000, faults: 1, damages: 200, largest: 40, repairs: 0, kills: 5, steps: 1000, seed: seed}
	}
	return amount{states: 20_000, // of which 3,600 crash again
		faults: 1, damages: 4000, largest: 200, repairs: 1, kills: 50, steps: 20_000, seed: seed}
}

// scaled returns the given percentage of a.
func (a amount) scaled(percent int) amount {
	of := func(n int) int { return max(1, n*percent/100) }
	a.states, a.faults, a.damages, a.kills, a.steps = of(a.states), of(a.faults), of(a.damages), of(a.kills), of(a.steps)
	return a
}

// setting returns a number from the environment, for longer runs than usual.
func setting(name string, usual int) int {
	if n, err := strconv.Atoi(os.Getenv(name)); err == nil {
		return n
	}
	return usual
}

// TestProve runs all proofs of the store's guarantees, and prints a table.
func TestProve(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(400)) // its garbage is short-lived
	p := &proof{t: t, amount: amounts(), began: time.Now()}
	p.say("%-42s %12s %9s %8s", "proof", "done", "failures", "seconds")
	p.crashes()
	p.row("errors x operations x once, for good", p.faults)
	p.damage()
	p.row("damage, repaired: in order, the rest is there", p.salvages)
	p.row("crashes during a repair", func(t *testing.T, w, workers int) int {
		done := 0
		for i := range share(p.repairs, w, workers) {
			done += salvageCrashes(t, p.seed+uint64(w+workers*i)*apart) //nolint:gosec // small
		}
		return done
	})
	p.row("kill -9 of a writing process", p.kills)
	p.row("random operations, all configurations", p.steps)
	if os.Getenv("MEMTREE_PROVE") != "" && !raceDetector { // it builds the store once for each; make mutants does it alone
		p.mutants()
	}
	p.say("seed %d, %d cores, %s, %.0f seconds", p.seed, runtime.GOMAXPROCS(0), runtime.Version(),
		time.Since(p.began).Seconds())
}

// proof prints its steps while they run.
type proof struct {
	amount
	t     *testing.T
	began time.Time
}

// say prints a line in `make prove`, and logs it otherwise.
func (p *proof) say(format string, args ...any) {
	if os.Getenv("MEMTREE_PROVE")+os.Getenv("MEMTREE_MUTANTS") == "" {
		p.t.Logf(format, args...)
		return
	}
	_, _ = fmt.Printf(format+"\n", args...) // an error cannot be reported
}

// row runs a proof on every core and prints its line. The proof receives the number of its core and the number of
// cores, and returns the amount it did.
func (p *proof) row(name string, do func(t *testing.T, worker, workers int) int) {
	p.rows(do, name)
}

func (p *proof) rows(do func(t *testing.T, worker, workers int) int, names ...string) {
	began, workers := time.Now(), runtime.GOMAXPROCS(0)
	var done, failures atomic.Int64
	p.t.Run(strings.ReplaceAll(names[0], " ", "_"), func(t *testing.T) {
		for w := range workers {
			t.Run(fmt.Sprint("core", w), func(t *testing.T) {
				t.Parallel()
				t.Cleanup(func() {
					if t.Failed() {
						failures.Add(1)
					}
				})
				done.Add(int64(do(t, w, workers)))
			})
		}
	})
	p.say("%-42s %12d %9d %8.1f", names[0], done.Load(), failures.Load(), time.Since(began).Seconds())
}

// share returns a worker's part of n.
func share(n, worker, workers int) int { return (n + workers - 1 - worker) / workers }

// apart is the distance between the seeds of workers and kinds of runs, so that all are different.
const apart = 1 << 32

func onFS(limit int64) storetest.OnFS {
	return func(fs afero.Fs) (store.Store, error) {
		s, err := Open(context.Background(), fs, "/store", Options{JournalLimit: limit, Origin: tree.Origin{ID: "o_test"}})
		if err != nil {
			return nil, err // not a typed nil
		}
		return s, nil
	}
}

func (p *proof) crashes() {
	var nested, ill atomic.Int64
	p.row("crash states, recovered whole", func(t *testing.T, w, workers int) int {
		done := 0
		for i, limit := range []int64{1 << 30, 1} {
			//nolint:gosec // small
			e := storetest.Crash(quiet{t}, onFS(limit), share(p.states, w, workers)/2, p.seed+uint64(w*2+i)*apart)
			done += e.States
			nested.Add(int64(e.Nested))
			ill.Add(int64(e.Ill))
		}
		return done
	})
	p.say("%-42s %12d", "  of them crashes during recovery", nested.Load())
	p.say("%-42s %12d", "  of them recoveries on a failing disk", ill.Load())
}

func (p *proof) faults(t *testing.T, w, workers int) int {
	done := 0
	for i, limit := range []int64{1 << 30, 1} {
		if n := share(p.amount.faults*2, w+i, workers); n > 0 {
			done += storetest.Faults(quiet{t}, onFS(limit), n, p.seed+uint64(w*2+i)*apart).Faults //nolint:gosec // small
		}
	}
	return done
}

// damage tries every damage on the smallest store and on the small store that has some of everything, if there is time.
// Otherwise, and on the larger ones, it tries damages chosen by seed.
func (p *proof) damage() {
	p.row("damage to a line nobody was told of", func(t *testing.T, w, _ int) int {
		if w > 0 {
			return 0
		}
		found, tried := unfinished(t)
		require.Empty(t, found)
		return tried
	})
	for _, size := range []struct {
		name  string
		cases int
		all   bool
	}{
		{"smallest", 1, os.Getenv("MEMTREE_PROVE") != ""},
		{"small", 4, p.damages >= 20_000},
		{"medium", 100, false},
		{"large", p.largest, false},
	} {
		f := closedStore(p.t, size.cases)
		e := extent{flips: 1, cuts: 1, sectors: 1, pairs: true}
		n := p.damages
		if size.cases > 4 {
			bytes := 0
			for _, b := range f {
				bytes += len(b)
			}
			e = extent{flips: max(1, bytes*8/p.damages) | 1, cuts: max(1, 10*bytes/p.damages) | 1,
				sectors: 1 + bytes/damageSector/500}
			n = max(1, p.damages*4/size.cases)
		}
		ways := append(f.lineDamages(), f.damages(e)...)
		total := len(ways)
		if !size.all {
			ways = some(ways, n, p.seed)
		}
		p.row(fmt.Sprintf("damage, %s store (%d of %d)", size.name, len(ways), total),
			func(t *testing.T, w, workers int) int {
				var mine []damage
				for i := w; i < len(ways); i += workers {
					mine = append(mine, ways[i])
				}
				require.Empty(t, f.harmless(mine))
				return len(mine)
			})
	}
}

func (p *proof) salvages(t *testing.T, w, workers int) int {
	f := closedStore(t, 8)
	ways := append(f.lineDamages(), some(f.damages(extent{1, 1, 1, true}), p.damages, p.seed)...)
	var mine []damage
	for i := w; i < len(ways); i += workers {
		mine = append(mine, ways[i])
	}
	require.Empty(t, f.salvages(mine))
	return len(mine)
}

func (p *proof) kills(t *testing.T, w, workers int) int {
	rounds := share(p.amount.kills, w, workers)
	for done := 0; done < rounds; done += killsPerFolder {
		kill(t, min(killsPerFolder, rounds-done))
	}
	return rounds
}

func (p *proof) steps(t *testing.T, w, workers int) int {
	each := agreeing * len(configurations())
	histories := max(1, share(p.amount.steps, w, workers)/each)
	return agree(t, histories, p.seed+uint64(w)*apart) * len(configurations()) //nolint:gosec // small
}
