package risk

import "math"

// logistic is a Bayesian logistic regression with a normal prior, fitted one
// observation at a time: D. J. Spiegelhalter and S. L. Lauritzen, Networks 20,
// 1990. The prior's mean is what it says before it has seen anything, the
// prior's width how hard it is to talk out of that.
type logistic struct {
	mean []float64
	cov  []float64 // dense, row by row
}

func newLogistic(mean, width []float64) logistic {
	l := logistic{mean: append([]float64(nil), mean...), cov: make([]float64, len(mean)*len(mean))}
	for i, w := range width {
		l.cov[i*len(mean)+i] = w * w
	}
	return l
}

// project returns the log-odds at x, their variance, and covariance times x.
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

// odds returns the log-odds at x as far as they are known: doubt about the
// weights draws them to 0 (D. J. C. MacKay, Neural Computation 4, 1992).
func (l *logistic) odds(x []float64) float64 {
	z, v, _ := l.project(x)
	return moderate(z, v)
}

func moderate(z, v float64) float64 { return z / math.Sqrt(1+math.Pi*v/8) }

func (l *logistic) learn(x []float64, wrong bool) {
	z, v, cx := l.project(x)
	p := sigmoid(moderate(z, v))
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
