package plot

import (
	"fmt"
	"math"
	"strings"
	"time"
)

// axisScale maps values between low and high to an axis.
type axisScale struct{ low, high float64 }

// share returns the position of v along the axis, 0 to 1. A value beyond an end is moved to that end.
func (s axisScale) share(v float64) float64 {
	if s.high <= s.low {
		return 0.5
	}
	return max(0, min(1, (v-s.low)/(s.high-s.low)))
}

func (s axisScale) x(v float64) float64 { return X(s.share(v)) }
func (s axisScale) y(v float64) float64 { return Y(s.share(v)) }

// steps returns about n round numbers within the scale.
func (s axisScale) steps(n int) (out []float64) {
	rough := (s.high - s.low) / float64(n)
	if !(rough > 0) {
		return []float64{s.low}
	}
	step := math.Pow(10, math.Floor(math.Log10(rough)))
	for _, by := range []float64{1, 2, 5, 10} {
		if step*by >= rough {
			step *= by
			break
		}
	}
	for v := math.Ceil(s.low/step) * step; v <= s.high+step/1e6; v += step {
		out = append(out, math.Round(v/step)*step)
	}
	return out
}

// line returns the points of a curve.
func (s axisScale) line(up axisScale, n int, at func(i int) (x, y float64)) string {
	var b strings.Builder
	for i := range n {
		x, y := at(i)
		fmt.Fprintf(&b, "%g,%g ", s.x(x), up.y(y))
	}
	return strings.TrimSpace(b.String())
}

// counts marks round numbers on an axis of counts.
func (s axisScale) counts(n int, place func(float64) float64) (out []axisTick) {
	for _, v := range s.steps(n) {
		if v == math.Trunc(v) {
			out = append(out, axisTick{At: place(v), Label: fmt.Sprintf("%.0f", v)})
		}
	}
	return out
}

// dates marks some days on an axis of time.
func (s axisScale) dates() (out []axisTick) {
	form, n := "01-02", 3
	switch span := s.high - s.low; {
	case span < 2*24*3600:
		form, n = "01-02 15:04", 2 // long labels
	case span > 300*24*3600:
		form = "2006-01"
	}
	for i := range n + 1 {
		v := s.low + (s.high-s.low)*float64(i)/float64(n)
		label := time.Unix(int64(v), 0).UTC().Format(form)
		if len(out) == 0 || out[len(out)-1].Label != label {
			out = append(out, axisTick{At: s.x(v), Label: label})
		}
	}
	if last := len(out) - 1; last > 0 {
		out[last].Anchor = "end" // so that it is not clipped
	}
	return out
}
