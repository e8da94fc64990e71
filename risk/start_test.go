package risk

import (
	"fmt"
	"go/format"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/effect"
	"github.com/memtree/memtree/internal/golden"
)

// orders is the number of orders of a stream: the original one, and shuffled ones.
const orders = 8

// handSet are start weights chosen by hand, for comparison.
var handSet = [signals]float64{0, 1, 1, 0.3, 0.5, 0.3, 0.7, 0.4, 0.5, 0.3, 0.5, 0.5}

// told is a verdict for fitting the weights.
type told struct {
	x     [signals]float64
	wrong bool
}

// family is the data of one data set for the start: the first hundred verdicts of each of its streams in each order.
// weight is that of one of them, so that a data set weighs as much as its number of verdicts, however many orders were
// used.
type family struct {
	name   string
	of     []told
	weight float64
}

// families returns the data sets that have both right and wrong verdicts.
//
// The signals are those without priors of shapes, which have a weight of their own.
func families(tb testing.TB, streams []stream) []family {
	tb.Helper()
	shipped := priors
	priors = [kinds]prior{}
	defer func() { priors = shipped }()
	var out []family
	for _, s := range streams {
		name, _, _ := strings.Cut(s.name, ",")
		i := slices.IndexFunc(out, func(f family) bool { return f.name == name })
		if i < 0 {
			i = len(out)
			out = append(out, family{name: name})
		}
		for seed := range uint64(orders) {
			out[i].of = append(out[i].of, signalsOf(inOrder(s, seed))...)
		}
	}
	for i := range out {
		out[i].weight = hundred / float64(len(out[i].of))
		for _, s := range streams {
			if s.name == out[i].name {
				out[i].weight = float64(min(hundred, len(s.es))) / float64(len(out[i].of))
			}
		}
	}
	return out
}

// inOrder returns the original stream for 0, and a shuffled one for other numbers.
func inOrder(s stream, order uint64) stream {
	if order > 0 {
		s.es = shuffled(s.es, order)
	}
	return s
}

// signalsOf returns the signals of the first hundred verdicts of a stream.
func signalsOf(s stream) []told {
	m := newLearner(lateBits, usual)
	var out []told
	for i := range s.es[:min(hundred, len(s.es))] {
		e := &s.es[i]
		f := Extract(e)
		f.value = m.knownValue(f.value)
		r := m.forecast(&f)
		m.learn(e.Key(), &f, &r, !*e.Correct)
		out = append(out, told{r.x, !*e.Correct})
	}
	return out
}

// start is a hierarchical prior: the weights of each data set are drawn from a normal
// distribution with this mean and spread, and these are estimated by expectation and
// maximisation (empirical Bayes; A. P. Dempster et al., J. R. Stat. Soc. B 39, 1977).
type start struct{ mean, spread [signals]float64 }

// A spread is estimated from few data sets, so it is shrunk to usualSpread with the weight of two more.
const usualSpread = 0.2

// learnStart fits the start to data sets. A signal with a negative weight, or with different signs in the data sets
// that determine it, starts at 0.
func learnStart(fs []family) start {
	var s start
	held := [signals]bool{constant: true, baseRate: true, valueRate: true, priorOdds: true}
	for j := range signals {
		s.mean[j], s.spread[j] = 0.3, 0.3
	}
	s.mean[constant], s.mean[baseRate], s.mean[valueRate], s.mean[priorOdds] = 0, 1, 1, priorWeight
	for {
		var fits []fitted
		for range 10 {
			fits = fits[:0]
			for _, f := range fs {
				fits = append(fits, fit(f, s))
			}
			s.update(fits, held)
		}
		dropped := false
		for j := range signals {
			if !held[j] && (s.mean[j] < 0 || s.unstable(fits, j)) {
				held[j], dropped = true, true
				s.mean[j], s.spread[j] = 0, usualSpread/2
			}
		}
		if !dropped {
			return s
		}
	}
}

func (s *start) update(fits []fitted, held [signals]bool) {
	k := float64(len(fits))
	for j := range signals {
		if held[j] {
			continue
		}
		mean, square := 0.0, 0.0
		for _, f := range fits {
			mean += f.mean[j] / k
		}
		for _, f := range fits {
			square += (f.mean[j]-mean)*(f.mean[j]-mean) + f.variance[j]
		}
		s.mean[j], s.spread[j] = mean, math.Sqrt((square+2*usualSpread*usualSpread)/(k+2))
	}
}

// unstable reports whether a data set that determines a weight gives it the other sign.
func (s *start) unstable(fits []fitted, j int) bool {
	return slices.ContainsFunc(fits, func(f fitted) bool {
		return f.mean[j]*s.mean[j] < 0 && f.variance[j] < 0.9*s.spread[j]*s.spread[j]
	})
}

// fitted holds the weights that one data set determines.
type fitted struct{ mean, variance [signals]float64 }

// fit returns the most probable weights of a data set, and their variance, by Newton's method.
func fit(f family, prior start) fitted {
	out := fitted{mean: prior.mean}
	for range 6 {
		var g [signals]float64
		var h [signals][signals]float64
		for j := range signals {
			v := prior.spread[j] * prior.spread[j]
			g[j], h[j][j] = (prior.mean[j]-out.mean[j])/v, 1/v
		}
		for i := range f.of {
			x := &f.of[i].x
			z := 0.0
			for j := range x {
				z += out.mean[j] * x[j]
			}
			p := sigmoid(z)
			for j := range x {
				g[j] += f.weight * (indicator(f.of[i].wrong) - p) * x[j]
				for k := range x {
					h[j][k] += f.weight * p * (1 - p) * x[j] * x[k]
				}
			}
		}
		cov := inverse(h)
		for j := range signals {
			for k := range signals {
				out.mean[j] += cov[j][k] * g[k]
			}
			out.variance[j] = cov[j][j]
		}
	}
	return out
}

// inverse inverts a positive definite matrix, by Gauss and Jordan.
func inverse(a [signals][signals]float64) (b [signals][signals]float64) {
	for i := range b {
		b[i][i] = 1
	}
	for c := range a {
		p := a[c][c]
		for j := range a {
			a[c][j] /= p
			b[c][j] /= p
		}
		for i := range a {
			if i == c {
				continue
			}
			q := a[i][c]
			for j := range a {
				a[i][j] -= q * a[c][j]
				b[i][j] -= q * b[c][j]
			}
		}
	}
	return b
}

// TestQualityRiskStart learns the start weights of start.go from every data set, and measures for each data set those
// learned from the others.
func TestQualityRiskStart(t *testing.T) {
	shipped, shippedPriors := startWeights, priors
	defer func() { startWeights, priors = shipped, shippedPriors }()
	all := but(everyStream(t), "agentrx", "whoandwhen") // these are all wrong
	of := but(all, "suite b", "suite g", "suite i")     // one suite, so that their kind does not outweigh the others
	fs := families(t, of)
	var b strings.Builder
	b.WriteString("Start weights learned from every data set, and from all but one.\n\n")
	fmt.Fprintf(&b, "%-16s", "")
	for _, n := range signalNames[ordinary:priorOdds] {
		fmt.Fprintf(&b, " %7s", n)
	}
	ships := learnStart(fs)
	source, err := format.Source([]byte(startFile(ships, fs) + priorsFile(learnPriors(all))))
	require.NoError(t, err)
	golden.Equal(t, "start.go", string(source))
	row := func(name string, s start) {
		fmt.Fprintf(&b, "\n%-16s", name)
		for j := ordinary; j < priorOdds; j++ { // no data set here has the others
			fmt.Fprintf(&b, " %7.2f", s.mean[j])
		}
	}
	row("all", ships)
	others := map[string]start{}
	for i, f := range fs {
		others[f.name] = learnStart(slices.Delete(slices.Clone(fs), i, i+1))
		row("but "+f.name, others[f.name])
	}
	b.WriteString("\n\nAUC with weights set by hand, and with weights learned from the other data sets. " +
		"Shuffled: mean of seven orders.\n\n")
	fmt.Fprintf(&b, "%-33s  %-14s  %-14s  %-14s\n%-33s  %-5s %-8s  %-5s %-8s  %-5s %-8s\n", "", "first hundred",
		"shuffled", "all", "", "hand", "learned", "hand", "learned", "hand", "learned")
	for _, s := range all {
		name, _, _ := strings.Cut(s.name, ",")
		if _, is := others[name]; !is {
			others[name] = ships
		}
		var got [2][3]float64
		for k, w := range [][signals]float64{handSet, others[name].mean} {
			startWeights, priors = w, [kinds]prior{}
			if k == 1 {
				priors = learnPriors(but(all, name))
			}
			ps, _ := run(s.es, New())
			got[k][0], got[k][2] = *effect.RiskFigures(ps[:min(hundred, len(ps))]).AUC, *effect.RiskFigures(ps).AUC
			for seed := uint64(1); seed < orders; seed++ {
				es := shuffled(s.es, seed)
				ps, _ := run(es[:min(hundred, len(es))], New())
				got[k][1] += *effect.RiskFigures(ps).AUC / (orders - 1)
			}
		}
		fmt.Fprintf(&b, "%-33s", s.name)
		for j := range got[0] {
			fmt.Fprintf(&b, "  %.3f %.3f   ", got[0][j], got[1][j])
		}
		b.WriteByte('\n')
	}
	t.Log("\n" + b.String())
	golden.Equal(t, "testdata/start.golden", strings.ReplaceAll(b.String(), "   \n", "\n"))
}

// startFile is start.go.
func startFile(s start, fs []family) string {
	var b strings.Builder
	names := make([]string, len(fs))
	for i, f := range fs {
		names[i] = f.name
	}
	fmt.Fprintf(&b, "// Code generated by go test -run TestQualityRiskStart ./risk -update; DO NOT EDIT.\n\n"+
		"package risk\n\n"+
		"// startWeights is the weight of each signal before anything was learned: the mean of the weights learned\n"+
		"// from the first hundred verdicts of each data set, or 0 where these differ in sign.\n"+
		"// Data sets: %s.\nvar startWeights = [signals]float64{\n", strings.Join(names, ", "))
	for j, n := range []string{"constant", "baseRate", "valueRate", "placeRate", "truthRate", "judgeRate", "reasonWords",
		"reasonStyle", "seenWords", "nearReason", "nearRun", "shapeOdds"} {
		fmt.Fprintf(&b, "\t%-12s %.2f,\n", n+":", s.mean[j])
	}
	b.WriteString("}\n")
	return b.String()
}
