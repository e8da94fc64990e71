package risk

import (
	"fmt"
	"maps"
	"math"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/effect"
	"github.com/memtree/memtree/internal/golden"
	"github.com/memtree/memtree/tree"
)

// hindsight orders the verdicts of a history by a logistic regression of their order without looks and of their codes,
// by value, fitted to the truths that it is measured on. It is the most that these inputs give, not a forecast.
func hindsight(es []tree.Evaluation, code func(*tree.Evaluation) uint8) []effect.Prediction {
	ps := withLooks(es, noLooks)
	column, of := map[[2]uint32]int{}, make([]int, len(es))
	odds := make([]float64, len(es))
	for i := range es {
		key := [2]uint32{Extract(&es[i]).value, uint32(code(&es[i]))}
		if _, ok := column[key]; !ok {
			column[key] = len(column)
		}
		of[i], odds[i] = column[key], logit(ps[i].Order)
	}
	slope, shift := 1.0, make([]float64, len(column))
	for range 4000 { // gradient steps; the likelihood is concave
		g, d := 0.0, make([]float64, len(shift))
		for i := range es {
			off := indicator(ps[i].Wrong) - sigmoid(slope*odds[i]+shift[of[i]])
			g += off * odds[i]
			d[of[i]] += off
		}
		slope += g / float64(len(es))
		for j := range shift {
			shift[j] += 4 * (d[j] - 0.05*shift[j]) / float64(len(es))
		}
	}
	for i := range ps {
		ps[i].P = sigmoid(slope*odds[i] + shift[of[i]])
		ps[i].Order = ps[i].P
	}
	return ps
}

// bar is a row of the table: a figure without a look and with all looks, what it should be, and a bound.
type bar struct {
	name        string
	none, looks float64 // none below 0: it has none
	in          string  // the interval of looks, or how it came about
	most        bool    // the figure should be at most want, else at least
	want        float64
	bound       float64 // what no forecast from these inputs can be expected to pass; below 0: not known
	why         string  // of bound
}

func (x *bar) meets(figure float64) bool {
	return x.most && figure <= x.want || !x.most && figure >= x.want
}

// line writes the row. A bar that the bound does not meet is out of reach.
func (x *bar) line() string {
	sign, state, none, bound := "≥", "missed", "", ""
	if x.most {
		sign = "≤"
	}
	if x.bound >= 0 {
		bound = fmt.Sprintf("%.3f %s", x.bound, x.why)
	}
	switch {
	case x.meets(x.looks):
		state = "met"
	case x.bound >= 0 && !x.meets(x.bound):
		state = "missed, bound too"
	}
	if x.none >= 0 {
		none = fmt.Sprintf("%.3f", x.none)
	}
	return strings.TrimRight(fmt.Sprintf("%-47s %7s  %5.3f %-15s %s %.3f  %-17s  %s", x.name, none, x.looks, x.in, sign,
		x.want, state, bound), " ") + "\n"
}

// orderBars are the bars of the order and of corrections in one history.
func orderBars(t *testing.T, name string, want map[string]float64) (out []bar) {
	leaveOut(t, name)
	es := shared(t, "evaluations/"+name+".jsonl")
	code := allLooks(t, name)
	bare, seen, after := withLooks(es, noLooks), withLooks(es, code), hindsight(es, code)
	n, l, h := effect.RiskFigures(bare), effect.MeasureRisks(seen, 1), effect.RiskFigures(after)
	row := func(figure, key string, none, looks, bound float64) {
		if w, ok := want[figure]; ok {
			in := ""
			if key != "" {
				in = fmt.Sprintf("(%.3f-%.3f)", l.Intervals[key].Low, l.Intervals[key].High)
			}
			out = append(out, bar{name: name + ", " + figure, none: none, looks: looks, in: in, want: w, bound: bound,
				why: "in hindsight"})
		}
	}
	row("AUC", "auc", *n.AUC, *l.AUC, *h.AUC)
	row("wrong found in the riskiest tenth", "found10", n.Found.At10, l.Found.At10, h.Found.At10)
	row("in the riskiest fifth", "found20", n.Found.At20, l.Found.At20, h.Found.At20)
	right := func(ps []effect.Prediction) float64 {
		put, broke := turned(ps)
		return 1 + float64(put-broke-l.Wrong)/float64(l.N)
	}
	row("right after a correction at .8", "", right(bare), right(seen), right(after))
	if w, ok := want["broken for each put right"]; ok {
		share := func(ps []effect.Prediction) float64 {
			put, broke := turned(ps)
			return float64(broke) / float64(max(1, put))
		}
		put, broke := turned(seen)
		out = append(out, bar{name: name + ", broken for each put right", none: share(bare), looks: share(seen),
			in: fmt.Sprintf("(%d, %d)", broke, put), most: true, want: w, bound: share(after), why: "in hindsight"})
	}
	return out
}

// calibrationBars are the bars of the calibration of one history.
func calibrationBars(t *testing.T, name string, want float64) (out []bar) {
	leaveOut(t, name)
	s := stream{name: name, es: shared(t, "evaluations/"+name+".jsonl")}
	bare, seen := warmed(t, s, false), warmed(t, s, true)
	for i, what := range []string{"ECE, in the order of time", fmt.Sprintf("ECE, %d orders together", calibrationOrders)} {
		of, none := seen[0], bare[0]
		if i > 0 {
			of, none = slices.Concat(seen...), slices.Concat(bare...)
		}
		ece, _ := effect.Calibration(of)
		before, _ := effect.Calibration(none)
		out = append(out, bar{name: name + ", " + what, none: before, looks: ece, in: fmt.Sprintf("(n %d)", len(seen[0])),
			most: true, want: want, bound: byChance(of).mean(), why: "if every P were right"})
	}
	return out
}

// firstHundreds are the bars of the first hundred verdicts: of the histories with looks, and of six of which two have
// none.
func firstHundreds(t *testing.T) []bar {
	type of struct {
		none, looks, noneShuffled, shuffled float64
		in                                  string
	}
	all := map[string]of{}
	for _, s := range everyStream(t) {
		set, _, _ := strings.Cut(s.name, ",")
		if set != s.name && s.name != "webjudge, once a run" || !slices.Contains([]string{"webjudge", "judgebench", "tau",
			"gui", "suite a"}, set) {
			continue
		}
		t.Run(s.name, func(t *testing.T) {
			leaveOut(t, set)
			code := allLooks(t, set)
			first := func(es []tree.Evaluation, code func(*tree.Evaluation) uint8) float64 {
				return *effect.RiskFigures(withLooks(es[:min(hundred, len(es))], code)).AUC
			}
			seen := effect.MeasureRisks(withLooks(s.es[:min(hundred, len(s.es))], code), 1)
			x := of{none: first(s.es, noLooks), looks: *seen.AUC, in: strings.TrimSpace(spread(&seen))}
			for seed := uint64(1); seed < orders; seed++ {
				es := shuffled(s.es, seed)
				x.noneShuffled += first(es, noLooks) / (orders - 1)
				x.shuffled += first(es, code) / (orders - 1)
			}
			all[s.name] = x
		})
	}
	mean := func(names []string, of func(string) float64) (sum float64) {
		for _, n := range names {
			sum += of(n) / float64(len(names))
		}
		return sum
	}
	names := slices.Sorted(maps.Keys(all))
	var out []bar
	for _, g := range []struct {
		name string
		of   []string
	}{{"the three with looks", lookedStreams}, {"six, four of them with looks", names}} {
		require.Subset(t, names, g.of)
		row := func(in string, none, looks func(string) float64) {
			out = append(out, bar{name: "first hundred, " + g.name, none: mean(g.of, none), looks: mean(g.of, looks), in: in,
				want: 0.8, bound: -1})
		}
		row("", func(n string) float64 { return all[n].none }, func(n string) float64 { return all[n].looks })
		row("(seven orders)", func(n string) float64 { return all[n].noneShuffled },
			func(n string) float64 { return all[n].shuffled })
	}
	for _, n := range lookedStreams {
		out = append(out, bar{name: "  " + n, none: all[n].none, looks: all[n].looks, in: all[n].in, want: 0.8,
			bound: -1})
	}
	return out
}

// recordedFigure returns a figure that the test of another package recorded: the first group of a pattern.
func recordedFigure(t *testing.T, file, pattern string) float64 {
	t.Helper()
	b, err := os.ReadFile(file)
	require.NoError(t, err)
	m := regexp.MustCompile(pattern).FindSubmatch(b)
	require.NotNil(t, m, file)
	x, err := strconv.ParseFloat(string(m[1]), 64)
	require.NoError(t, err)
	return x
}

// TestQualityRiskBars writes every bar of verdicts beside its figure and its bound.
func TestQualityRiskBars(t *testing.T) {
	var b strings.Builder
	b.WriteString("Figures beside their bars, each verdict scored before its truth. What ships learned (start weights, " +
		"priors of shapes, meanings of\ncodes) is learned from the other histories. In brackets: 95 %, bootstrap by case. " +
		"In hindsight: order without looks and codes,\nfitted to the truths they are measured on. bound too: the bound " +
		"misses the bar as well.\n\n")
	fmt.Fprintf(&b, "%-47s %7s  %-21s %-7s  %-17s  %s\n", "", "no look", "all looks", "bar", "", "bound")
	section := func(name string, of func(t *testing.T) []bar) {
		t.Run(name, func(t *testing.T) {
			for _, x := range of(t) {
				b.WriteString(x.line())
			}
		})
	}
	section("webjudge", func(t *testing.T) []bar {
		return orderBars(t, "webjudge", map[string]float64{"AUC": 0.96, "wrong found in the riskiest tenth": 0.62,
			"in the riskiest fifth": 0.9, "right after a correction at .8": 0.935, "broken for each put right": 0.05})
	})
	section("judgebench", func(t *testing.T) []bar {
		return orderBars(t, "judgebench", map[string]float64{"AUC": 0.96})
	})
	section("tau", func(t *testing.T) []bar { return orderBars(t, "tau", map[string]float64{"AUC": 0.85}) })
	section("calibration of webjudge", func(t *testing.T) []bar { return calibrationBars(t, "webjudge", 0.015) })
	section("calibration of tau", func(t *testing.T) []bar { return calibrationBars(t, "tau", 0.05) })
	section("first hundreds", firstHundreds)
	section("others", func(t *testing.T) []bar {
		const covers, tokens = "../estimate/testdata/coverage.golden", "../look/testdata/tokens.golden"
		out := []bar{
			{name: "intervals of error rates: off 95 % by", most: true, want: 0.02,
				looks: math.Abs(0.95 - recordedFigure(t, covers, `prediction-powered +(\S+)`))},
			{name: "  labels of the riskiest verdicts first", most: true, want: 0.02,
				looks: math.Abs(0.95 - recordedFigure(t, covers, `prediction-powered +\S+ +\S+ +(\S+)`))},
		}
		for _, name := range lookedStreams {
			out = append(out, bar{name: "tokens of a look, thousands, median: " + name, most: true, want: 2.5,
				looks: recordedFigure(t, tokens, name+` +(\d+)`) / 1000})
		}
		for i := range out {
			out[i].none, out[i].bound = -1, -1
		}
		return out
	})
	b.WriteString("\nAsserted without a figure: of 2,400 made-up quotations none passes (TestAdversary in look), " +
		"and without a reader nothing\nfalls (quality.golden, early.golden).\n")
	t.Log("\n" + b.String())
	golden.Equal(t, "testdata/bars.golden", b.String())
}
