package risk

import (
	"cmp"
	"encoding/json"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/tree"
)

// shared reads a stream, in time order, from data/ in the folder named by MEMTREE_SHARED.
func shared(tb testing.TB, path string) []tree.Evaluation {
	tb.Helper()
	dir := cmp.Or(os.Getenv("MEMTREE_SHARED"), filepath.Join("..", "..", "shared"))
	b, err := os.ReadFile(filepath.Join(dir, "data", path))
	if err != nil {
		tb.Skip("the real data is not here; set MEMTREE_SHARED to measure on it")
	}
	var out []tree.Evaluation
	for line := range strings.Lines(string(b)) {
		var e tree.Evaluation
		require.NoError(tb, json.Unmarshal([]byte(line), &e))
		out = append(out, e)
	}
	slices.SortStableFunc(out, func(a, b tree.Evaluation) int { return a.At.Compare(b.At) })
	return out
}

// stream is a history to measure on.
type stream struct {
	name    string
	es      []tree.Evaluation
	nothing bool // nothing can be learned
}

func streams(tb testing.TB) []stream {
	tb.Helper()
	web, bench := shared(tb, "evaluations/webjudge.jsonl"), shared(tb, "evaluations/judgebench.jsonl")
	tau := shared(tb, "evaluations/tau.jsonl")
	var once, mini []tree.Evaluation
	seen := map[string]bool{}
	for _, e := range web {
		_, run, _ := strings.Cut(e.ID, "|")
		if !seen[run] {
			once = append(once, e)
		}
		seen[run] = true
	}
	for _, e := range bench {
		if strings.Contains(e.RunID, "o1-mini") {
			mini = append(mini, e)
		}
	}
	shuffled := slices.Clone(web)
	rng := rand.New(rand.NewPCG(1, 2))
	rng.Shuffle(len(shuffled), func(i, j int) {
		a, b := &shuffled[i], &shuffled[j]
		a.Correct, b.Correct = b.Correct, a.Correct
		a.Direction, b.Direction = b.Direction, a.Direction
	})
	return []stream{
		{name: "webjudge", es: web}, {name: "webjudge, once a run", es: once}, {name: "judgebench", es: bench},
		{name: "tau", es: tau},
		{name: "judgebench, o1-mini", es: mini, nothing: true}, {name: "webjudge, shuffled", es: shuffled, nothing: true},
	}
}

// everyStream returns every history with truths: those of streams except random ones, those of single judges, and those
// too short or too one-sided for the figures there.
func everyStream(tb testing.TB) []stream {
	tb.Helper()
	var out []stream
	for _, s := range streams(tb) {
		if !s.nothing {
			out = append(out, s)
		}
	}
	for _, s := range out {
		if s.name == "webjudge" || s.name == "judgebench" {
			out = append(out, byJudge(s)...)
		}
	}
	return append(out,
		stream{name: "gui", es: shared(tb, "gui/judged.jsonl")},
		stream{name: "suite a", es: shared(tb, "lessons/suite-a/runs.jsonl")},
		stream{name: "suite b", es: shared(tb, "lessons/suite-b/runs.jsonl")},
		stream{name: "suite g", es: shared(tb, "lessons/suite-g/runs.jsonl")},
		stream{name: "suite i", es: shared(tb, "lessons/suite-i/runs.jsonl")},
		stream{name: "agentrx", es: shared(tb, "evaluations/agentrx.jsonl")},
		stream{name: "whoandwhen", es: shared(tb, "evaluations/whoandwhen.jsonl")})
}

// byJudge returns a stream for each judge with more than a hundred verdicts.
func byJudge(s stream) []stream {
	of := map[string][]tree.Evaluation{}
	for _, e := range s.es {
		of[e.Agent.Name] = append(of[e.Agent.Name], e)
	}
	var out []stream
	for _, name := range slices.Sorted(maps.Keys(of)) {
		if len(of[name]) > 100 {
			out = append(out, stream{name: s.name + ", " + name[max(0, len(name)-18):], es: of[name]})
		}
	}
	return out
}

// shuffled returns es in another order.
func shuffled(es []tree.Evaluation, seed uint64) []tree.Evaluation {
	out := slices.Clone(es)
	rand.New(rand.NewPCG(seed, 9)).Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}
