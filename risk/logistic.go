package risk

import "math"

// logistic is a Bayesian logistic regression with a normal prior, fitted one observation at a time (D. J. Spiegelhalter
// and S. L. Lauritzen, Networks 20, 1990). The prior's mean is the model before any observation; the smaller the
// prior's width, the more observations it takes to change it.
type logistic struct {
	mean []float64
	cov  []float64 // covariance, a square matrix row by row
}

// newLogistic returns a regression whose weights have the given prior means and
// standard deviations, and no correlation.
func newLogistic(mean, width []float64) logistic {
	l := logistic{mean: append([]float64(nil), mean...), cov: make([]float64, len(mean)*len(mean))}
	for i, w := range width {
		l.cov[i*len(mean)+i] = w * w
	}
	return l
}

// project returns the log-odds z at x, their variance v, and cov times x.
func (l *logistic) project(x []float64) (z, v float64, cx []float64) {
	d := len(l.mean)
	cx = make([]float64, d)
	for i := range cx {
		row := l.cov[i*d : (i+1)*d]
		s := 0.0
		for j, c := range row {
			s += c * x[j]
		}
		cx[i] = s
		z += l.mean[i] * x[i]
		v += x[i] * s
	}
	return z, max(v, 0), cx
}

// odds returns the log-odds at x, shrunk to 0 by the uncertainty of the weights (D. J. C. MacKay, Neural Computation 4,
// 1992).
func (l *logistic) odds(x []float64) float64 {
	z, v, _ := l.project(x)
	return moderate(z, v)
}

// moderate returns the log-odds whose sigmoid approximates the mean of sigmoid over a normal distribution with mean z
// and variance v (MacKay 1992, kappa).
func moderate(z, v float64) float64 { return z / math.Sqrt(1+math.Pi*v/8) }

// learn updates the weights by one Newton step on the outcome at x.
func (l *logistic) learn(x []float64, wrong bool) {
	z, v, cx := l.project(x)
	p := sigmoid(moderate(z, v))
	// The lower bound of the curvature keeps learning going after confident predictions.
	h := max(p*(1-p), 1e-4)
	d := len(l.mean)
	shrink, step := h/(1+h*v), (indicator(wrong)-p)/(1+h*v)
	for i := range cx {
		l.mean[i] += step * cx[i]
		for j := range cx {
			l.cov[i*d+j] -= shrink * cx[i] * cx[j]
		}
	}
}

func sigmoid(z float64) float64 { return 1 / (1 + math.Exp(-z)) }

func logit(p float64) float64 { return math.Log(p / (1 - p)) }

func indicator(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
