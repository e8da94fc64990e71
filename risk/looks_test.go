package risk

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/effect"
	"github.com/memtree/memtree/internal/golden"
	"github.com/memtree/memtree/tree"
)

// lookedAt is a recorded second look; package look replays it and writes its code.
type lookedAt struct {
	drawn string
	code  uint8
}

// lookedStreams are the histories with recorded looks.
var lookedStreams = []string{"webjudge", "judgebench", "tau"}

// readLooks returns the recorded looks by data set and hash of the evaluation's id.
func readLooks(t *testing.T) map[string]map[string]lookedAt {
	t.Helper()
	b, err := os.ReadFile("testdata/looks.txt")
	require.NoError(t, err)
	out := map[string]map[string]lookedAt{}
	for line := range strings.Lines(string(b)) {
		var name, verdict string
		var l lookedAt
		_, err := fmt.Sscan(line, &name, &verdict, &l.drawn, &l.code)
		require.NoError(t, err)
		if out[name] == nil {
			out[name] = map[string]lookedAt{}
		}
		out[name][verdict] = l
	}
	return out
}

func verdictHash(e *tree.Evaluation) string {
	sum := sha256.Sum256([]byte(e.ID))
	return hex.EncodeToString(sum[:8])
}

// meansIn returns, by code, what the looks of a history mean: the log-odds of a wrong verdict minus those of what
// verdicts of the same values would be, and how many there are.
func meansIn(es []tree.Evaluation, looks map[string]lookedAt) (means, n [maxLook + 1]float64) {
	var wrong, expected [maxLook + 1]float64
	of := map[uint32]*count{}
	for pass := range 2 {
		for i := range es {
			l, ok := looks[verdictHash(&es[i])]
			if !ok {
				continue
			}
			v := Extract(&es[i]).value
			if pass == 0 {
				if of[v] == nil {
					of[v] = &count{}
				}
				of[v].add(!*es[i].Correct, 1)
				continue
			}
			n[l.code]++
			expected[l.code] += float64(of[v].wrong / of[v].total())
			if !*es[i].Correct {
				wrong[l.code]++
			}
		}
	}
	for c := range means {
		if n[c] > 0 {
			means[c] = logit((wrong[c]+0.5)/(n[c]+1)) - logit((expected[c]+0.5)/(n[c]+1))
		}
	}
	return means, n
}

// learnMeanings returns what codes mean over histories, each counted as at most forty looks at a code, and drawn to
// nothing as if by eight more looks; at most 2.5.
func learnMeanings(of ...string) func(*testing.T) [maxLook + 1]float64 {
	return func(t *testing.T) (out [maxLook + 1]float64) {
		looks := readLooks(t)
		var total [maxLook + 1]float64
		for _, name := range of {
			means, n := meansIn(shared(t, "evaluations/"+name+".jsonl"), looks[name])
			for c := range out {
				out[c] += min(n[c], 40) * means[c]
				total[c] += min(n[c], 40)
			}
		}
		for c := range out {
			out[c] = max(-2.5, min(2.5, math.Round(10*out[c]/(total[c]+8))/10))
		}
		return out
	}
}

// withLooks scores every verdict of a history before its truth, given the codes of some looks.
func withLooks(es []tree.Evaluation, code func(*tree.Evaluation) uint8) (ps []effect.Prediction) {
	m := New()
	for i := range es {
		e := &es[i]
		c := code(e)
		r := m.ScoreLooked(e, c)
		ps = append(ps, effect.Prediction{P: r.P, Order: r.Order, Base: r.Base, Wrong: !*e.Correct, Case: e.CaseID})
		m.Learn(e.Key(), Extract(e).WithLook(c), *e.Correct, e.Direction)
	}
	return ps
}

// turned counts the verdicts that are put right, and those that are broken, if each with P of .8 or more is reversed.
func turned(ps []effect.Prediction) (put, broke int) {
	for i := range ps {
		switch {
		case ps[i].P >= 0.8 && ps[i].Wrong:
			put++
		case ps[i].P >= 0.8:
			broke++
		}
	}
	return put, broke
}

// leaveOut sets everything that ships learned to what the other histories give, until the test ends. The start weights
// are those of start.golden.
func leaveOut(t *testing.T, name string) {
	t.Helper()
	start, prior, meaning := startWeights, priors, meanings
	t.Cleanup(func() { startWeights, priors, meanings = start, prior, meaning })
	b, err := os.ReadFile("testdata/start.golden")
	require.NoError(t, err)
	_, row, ok := strings.Cut(string(b), "\nbut "+name+" ")
	if ok { // the start of the other histories has not seen this one anyway
		row, _, _ = strings.Cut(row, "\n")
		for i, s := range strings.Fields(row) {
			startWeights[ordinary+i], err = strconv.ParseFloat(s, 64)
			require.NoError(t, err)
		}
	}
	priors = learnPriors(but(everyStream(t), name, "agentrx", "whoandwhen"))
	meanings = learnMeanings(butName(lookedStreams, name)...)(t)
}

// noLooks is the code of a verdict where nobody looks.
func noLooks(*tree.Evaluation) uint8 { return 0 }

// allLooks returns the codes of all recorded looks of a history.
func allLooks(t *testing.T, name string) func(*tree.Evaluation) uint8 {
	looks := readLooks(t)[name]
	return func(e *tree.Evaluation) uint8 { return looks[verdictHash(e)].code }
}

// TestQualityLookMeanings learns what the codes of looks mean, and measures each history with what the others show.
func TestQualityLookMeanings(t *testing.T) {
	ships := learnMeanings(lookedStreams...)(t)
	looks := readLooks(t)
	var b strings.Builder
	fmt.Fprintf(&b, "What the codes of looks mean at first, in log-odds, by code from 0:\n%v\n\n", ships)
	b.WriteString("Every verdict scored before its truth. own: a code means nothing at first. left out: it means what " +
		"it did in the other histories. At .8: turned round\nwhere P is at least .8, right before and after.\n\n")
	fmt.Fprintf(&b, "%-44s %5s  %-5s %-11s %-13s %-12s %-5s %-6s %s\n", "", "looks", "AUC", "first 100", "second half",
		"found 10, 20", "ECE", "Brier", "at .8: put right, broken; before, after")
	was := meanings
	defer func() { meanings = was }()
	row := func(name, arm string, es []tree.Evaluation, drawn string) {
		n := 0
		ps := withLooks(es, func(e *tree.Evaluation) uint8 {
			l, ok := looks[name][verdictHash(e)]
			if !ok || !strings.Contains(" "+drawn+" ", " "+l.drawn+" ") {
				return 0
			}
			n++
			return l.code
		})
		r := effect.RiskFigures(ps)
		put, broke := turned(ps)
		before := 0
		for i := range es {
			if *es[i].Correct {
				before++
			}
		}
		share := func(n int) float64 { return float64(n) / float64(len(es)) }
		fmt.Fprintf(&b, "%-44s %5d  %.3f %.3f       %.3f         %.2f, %.2f   %.3f %.4f %d, %d; %.3f, %.3f\n",
			name+", "+arm, n, *r.AUC, *effect.RiskFigures(ps[:100]).AUC, *r.AUCSecondHalf, r.Found.At10, r.Found.At20, r.ECE,
			r.Brier, put, broke, share(before), share(before+put-broke))
	}
	for _, name := range lookedStreams {
		es := shared(t, "evaluations/"+name+".jsonl")
		row(name, "none", es, "")
		meanings = [maxLook + 1]float64{}
		row(name, "all looks, own", es, "riskiest undecided fresh rest all")
		meanings = learnMeanings(butName(lookedStreams, name)...)(t)
		row(name, "all looks, left out", es, "riskiest undecided fresh rest all")
		if name == "webjudge" {
			for _, drawn := range []string{"riskiest", "undecided", "fresh", "riskiest undecided fresh"} {
				row(name, drawn+", left out", es, drawn)
			}
		}
		meanings = ships
		row(name, "all looks, as it ships", es, "riskiest undecided fresh rest all")
	}
	t.Log("\n" + b.String())
	golden.Equal(t, "testdata/looks.golden", b.String())
	require.Equal(t, was, ships, "the meanings that ship are not those learned; copy them into witness.go")
}

// butName returns the names without one.
func butName(names []string, name string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(n string) bool { return n == name })
}
