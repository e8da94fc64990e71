package estimate

// Ask returns how many of the next n labels should come from each stratum in of, so that they narrow the interval of
// [Powered] most. It chooses one label after another, each from the stratum where it reduces the variance most
// (c-optimal design; A. C. Atkinson and A. N. Donev, Optimum Experimental Designs, 1992). Draw the verdicts within a
// stratum at random. A stratum gets no more labels than it has verdicts without one, so the sum may be less than n.
func Ask(of []Stratum, n int) []int {
	out := make([]int, len(of))
	all, _, _ := count(of)
	f := fit(of)
	_, _, d := f.mean(of, max(1, all))
	for range n {
		best, most := -1, 0.0
		for i := range of {
			if of[i].Known+out[i] >= of[i].N {
				continue
			}
			if g := f.gain(of[i].odds(), d); g > most {
				best, most = i, g
			}
		}
		if best < 0 {
			break
		}
		out[best]++
		f.learn(of[best].odds())
	}
	return out
}

// gain returns what a label at these log-odds takes off the variance of the estimate with the derivative d.
func (f *calibration) gain(odds float64, d [2]float64) float64 {
	x, h := [2]float64{1, odds}, f.at(odds)*(1-f.at(odds))
	c := f.times(d)
	along := c[0]*x[0] + c[1]*x[1]
	return h * along * along / (1 + h*f.variance(x))
}

// learn updates the uncertainty by a label at these log-odds, whatever it will be.
func (f *calibration) learn(odds float64) {
	x, h := [2]float64{1, odds}, f.at(odds)*(1-f.at(odds))
	c, by := f.times(x), h/(1+h*f.variance(x))
	f.varShift, f.cov, f.varSlope = f.varShift-by*c[0]*c[0], f.cov-by*c[0]*c[1], f.varSlope-by*c[1]*c[1]
}
