package plot

import (
	"fmt"
	"slices"
)

// Rate is an estimate of a share after some labels, with its 95 % interval.
type Rate struct {
	Known        int // number of labels
	P, Low, High float64
}

// Rates returns the chart of how an estimate changed as labels came in. It returns nil for fewer than two points. id
// makes the chart's id unique in its page.
func Rates(say voice, id int, title string, course []Rate) *Chart {
	if len(course) < 2 {
		return nil
	}
	d := drawer{say}
	last := course[len(course)-1]
	most := 0.1
	for _, r := range course {
		most = max(most, min(1, r.P*1.5))
	}
	x, y := axisScale{0, float64(last.Known)}, axisScale{0, most}
	c := &Chart{
		ID: fmt.Sprintf("rate%d", id), Title: title, InNumbers: d.say("In numbers"),
		Says: d.say("After %d labels %s of the verdicts are wrong, between %s and %s.", last.Known, percent(last.P),
			percent(last.Low), percent(last.High)),
		Note: d.say("The band holds the true share in 95 of 100 histories. Predictions of all verdicts, corrected by the " +
			"labels."),
		XAxis: d.say("labels"), YAxis: d.say("wrong verdicts, %"), X: x.counts(4, x.x),
		Heads: []string{d.say("labels"), d.say("share of wrong verdicts"), "95 %"},
	}
	for _, v := range y.steps(4) {
		c.Y = append(c.Y, axisTick{At: y.y(v), Label: fmt.Sprintf("%.0f", 100*v)})
	}
	at := func(i int, of func(*Rate) float64) (float64, float64) {
		return float64(course[i].Known), of(&course[i])
	}
	c.Lines = []curve{{"ours", x.line(y, len(course), func(i int) (float64, float64) {
		return at(i, func(r *Rate) float64 { return r.P })
	}), ""}}
	up := x.line(y, len(course), func(i int) (float64, float64) { return at(i, func(r *Rate) float64 { return r.High }) })
	back := slices.Clone(course)
	slices.Reverse(back)
	down := x.line(y, len(back), func(i int) (float64, float64) { return float64(back[i].Known), back[i].Low })
	c.Band = up + " " + down
	for _, i := range some(len(course)) {
		r := &course[i]
		between := d.say("%s to %s", percent(r.Low), percent(r.High))
		c.Rows = append(c.Rows, []string{fmt.Sprint(r.Known), percent(r.P), between})
	}
	return c
}
