package effect

import "math"

// Lift compares how often runs of two arms have a property, such as being right. Only runs of the same test with the
// same Chances are compared. Without such runs Low is -1 and High 1.
type Lift struct {
	N       int     `json:"n"`       // runs of the first arm that are compared
	M       int     `json:"m"`       // runs of the other arm that are compared
	Tests   int     `json:"tests"`   // number of tests with compared runs
	With    float64 `json:"with"`    // share of runs with the property in the first arm, 0 to 1
	Without float64 `json:"without"` // the same share in the other arm, with the same weight for each test
	Lift    float64 `json:"lift"`    // With minus Without, -1 to 1
	Low     float64 `json:"low"`     // lower end of the 95 % interval of Lift
	High    float64 `json:"high"`    // upper end of the 95 % interval of Lift
}

// known reports whether any test was in both arms.
func (l *Lift) known() bool { return l.N > 0 && l.M > 0 }

// mantelHaenszel weights each test by n·m/(n+m), so that only runs of one test are compared (N. Mantel and W. Haenszel,
// 1959). The interval has every lift that [fits].
func mantelHaenszel(strata []stratum) Lift {
	var out Lift
	var weight float64
	both := make([]stratum, 0, len(strata))
	for _, s := range strata {
		if s.n == 0 || s.m == 0 {
			continue
		}
		both = append(both, s)
		out.N += int(s.n)
		out.M += int(s.m)
		out.With += s.k * s.m / (s.n + s.m)
		out.Without += s.l * s.n / (s.n + s.m)
		weight += s.weight()
	}
	if weight == 0 {
		out.Low, out.High = -1, 1
		return out
	}
	out.With, out.Without = out.With/weight, out.Without/weight
	out.Lift = out.With - out.Without
	out.Low, out.High = rounded(furthest(both, out.Lift, -1)), rounded(furthest(both, out.Lift, 1))
	out.With, out.Without, out.Lift = rounded(out.With), rounded(out.Without), rounded(out.Lift)
	return out
}

// lift compares the runs of arms a and b by the property counted. Only runs of one test with the same chances are
// compared: otherwise a change of the hold-out over time would look like an effect.
func lift(runs []*TrialRun, a, b Treatment, counted func(*TrialRun) bool) Lift {
	type key struct {
		test    string
		chances Chances
	}
	place := map[key]int{}
	var strata []stratum
	for _, r := range runs {
		if r.Arm != a && r.Arm != b {
			continue
		}
		k := key{r.Test, r.Chances}
		i, ok := place[k]
		if !ok {
			i = len(strata)
			place[k] = i
			strata = append(strata, stratum{})
		}
		hit := 0.0
		if counted(r) {
			hit = 1
		}
		if s := &strata[i]; r.Arm == a {
			s.n++
			s.k += hit
		} else {
			s.m++
			s.l += hit
		}
	}
	out := mantelHaenszel(strata)
	both := map[string]bool{}
	for k, i := range place {
		if strata[i].n > 0 && strata[i].m > 0 {
			both[k.test] = true
		}
	}
	out.Tests = len(both)
	return out
}

// needed estimates how many more runs would raise the evidence from e to proof, if the shares of right runs remain: the
// expected gain of a bet in a run is the information of an outcome on its arm (J. L. Kelly, Bell System Technical
// Journal 35, 1956), less some two nats for not knowing the size in advance. It returns 0 if it is proven, or if it
// would take a million runs or more.
func needed(l Lift, right float64, e float64) int {
	if !l.known() || e >= 1/Alpha {
		return 0
	}
	rho := float64(l.N) / float64(l.N+l.M)
	with, without := clamp(right+(1-rho)*l.Lift), clamp(right-rho*l.Lift)
	told := entropy(rho*with+(1-rho)*without) - rho*entropy(with) - (1-rho)*entropy(without)
	n := (math.Log(1/Alpha) + 2 - math.Log(e)) / told
	if !(n < 1e6) {
		return 0
	}
	for tens := 1.0; ; tens *= 10 { // an estimate: round up to two digits
		if n < 100*tens {
			return int(math.Ceil(n/tens) * tens)
		}
	}
}

// RunsFor returns about how many runs it takes to prove that memory raises the share of right runs by lift, such as
// 0.1, if 60 % of runs are right and 20 % go without memory. It returns 0 if a million runs are not enough.
func RunsFor(lift float64) int {
	const n, heldOut, right = 1000, 200, 0.6
	return needed(Lift{N: n - heldOut, M: heldOut, Lift: lift, Low: -1, High: 1}, right, 1)
}

func entropy(p float64) float64 { return -p*math.Log(p) - (1-p)*math.Log(1-p) }
