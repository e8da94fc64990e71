package estimate

import (
	"math"

	"github.com/memtree/memtree/internal/stat"
)

// The prior of how predictions p relate to the truth: log-odds shift + slope·logit(p). It keeps the fit finite where
// few labels are known, all of one kind.
const (
	shiftWidth = 1.5 // standard deviations
	slopeWidth = 0.5
)

// Powered estimates the share of wrong verdicts among all. A labelled verdict counts by its label, any other by its
// predicted probability, corrected by the labels (A. N. Angelopoulos, S. Bates et al., Prediction-powered inference,
// Science 382, 2023). Powered first calibrates the predictions on all labels, so that it matters little which risks
// were labelled. Then it corrects the remaining error in each of three bands of risk by the labels in that band, the
// more fully the more labels there are. Without labels the estimate is the mean prediction, with a wide interval. If
// all verdicts are labelled, it is the share of wrong labels, and the interval has no width.
func Powered(of []Stratum) Estimate {
	all, known, wrong := count(of)
	if all == 0 {
		return Estimate{0, wide}
	}
	least, most := wrong/all, (wrong+all-known)/all
	if known == all {
		return Estimate{least, stat.Interval{Low: least, High: most}}
	}
	f := fit(of)
	p, chance, d := f.mean(of, all)
	v := f.variance(d) + chance/all
	p = max(1e-4, min(1-1e-4, least+p+f.rest(of, all)))
	half := stat.Z * math.Sqrt(v) / (p * (1 - p)) // on the scale of log-odds, so that it stays within 0 to 1
	within := func(x float64) float64 { return max(least, min(most, x)) }
	in := stat.Interval{Low: within(sigmoid(logit(p) - half)), High: within(sigmoid(logit(p) + half))}
	return Estimate{within(p), in}
}

func count(of []Stratum) (all, known, wrong float64) {
	for i := range of {
		all, known, wrong = all+float64(of[i].N), known+float64(of[i].Known), wrong+float64(of[i].Wrong)
	}
	return all, known, wrong
}

// pullRest is the number of labels of a band at which half of what is left of its error is corrected.
const pullRest = 20.0

// rest returns the correction of the unlabelled verdicts of each band by its labels.
func (f *calibration) rest(of []Stratum, all float64) (sum float64) {
	type band struct{ n, known, off float64 }
	var bands [bands]band
	for i := range of {
		if s := &of[i]; s.N > 0 {
			b := &bands[bandOf(s.Forecast/float64(s.N))]
			b.n, b.known = b.n+float64(s.N-s.Known), b.known+float64(s.Known)
			b.off += float64(s.Wrong) - float64(s.Known)*f.at(s.odds())
		}
	}
	for _, b := range bands {
		sum += b.n / all * b.off / (b.known + pullRest)
	}
	return sum
}

// calibration is how predictions relate to the truth, fitted to the labels.
type calibration struct{ shift, slope, varShift, varSlope, cov float64 }

// at returns the calibrated prediction of one with these log-odds.
func (f *calibration) at(odds float64) float64 { return sigmoid(f.shift + f.slope*odds) }

// mean returns what the calibrated predictions of unlabelled verdicts add to the share among all, the mean variance by
// chance among all, and the derivative of the first by shift and slope.
func (f *calibration) mean(of []Stratum, all float64) (p, chance float64, d [2]float64) {
	for i := range of {
		if of[i].N == 0 {
			continue
		}
		w, x := float64(of[i].N-of[i].Known)/all, of[i].odds()
		g := f.at(x)
		p, chance = p+w*g, chance+w*g*(1-g)
		d[0], d[1] = d[0]+w*g*(1-g), d[1]+w*g*(1-g)*x
	}
	return p, chance, d
}

// times returns the covariance of shift and slope times d.
func (f *calibration) times(d [2]float64) [2]float64 {
	return [2]float64{f.varShift*d[0] + f.cov*d[1], f.cov*d[0] + f.varSlope*d[1]}
}

// variance returns that of the sum of shift and slope weighted by d.
func (f *calibration) variance(d [2]float64) float64 {
	c := f.times(d)
	return d[0]*c[0] + d[1]*c[1]
}

// fit returns the most probable calibration, and its uncertainty by Laplace's approximation: Newton's steps of a
// logistic regression with a normal prior.
func fit(of []Stratum) calibration {
	f := calibration{slope: 1}
	for range 50 {
		g0, g1 := -f.shift/(shiftWidth*shiftWidth), -(f.slope-1)/(slopeWidth*slopeWidth)
		h00, h11, h01 := 1/(shiftWidth*shiftWidth), 1/(slopeWidth*slopeWidth), 0.0
		for i := range of {
			s := &of[i]
			if s.Known == 0 {
				continue
			}
			x, n := s.odds(), float64(s.Known)
			p := f.at(x)
			r, h := float64(s.Wrong)-n*p, n*p*(1-p)
			g0, g1 = g0+r, g1+r*x
			h00, h11, h01 = h00+h, h11+h*x*x, h01+h*x
		}
		det := h00*h11 - h01*h01
		f.varShift, f.varSlope, f.cov = h11/det, h00/det, -h01/det
		a, b := (h11*g0-h01*g1)/det, (h00*g1-h01*g0)/det
		a, b = max(-1, min(1, a)), max(-1, min(1, b)) // a long step may overshoot
		f.shift, f.slope = f.shift+a, f.slope+b
		if math.Abs(a)+math.Abs(b) < 1e-9 {
			break
		}
	}
	return f
}

// odds returns the mean prediction of a stratum as log-odds.
func (s *Stratum) odds() float64 {
	return logit(max(1e-4, min(1-1e-4, s.Forecast/float64(max(1, s.N)))))
}

func sigmoid(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

func logit(p float64) float64 { return math.Log(p / (1 - p)) }
