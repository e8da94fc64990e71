package plot

import (
	"fmt"
	"math"

	"github.com/memtree/memtree/effect"
)

// timeChart draws how long guidance took. Each of spans has measurements.
func (d *drawer) timeChart(spans []effect.Span) *Chart {
	last := &spans[len(spans)-1]
	x, most := axisScale{float64(spans[0].From.Unix()), float64(last.From.Unix())}, 1.0
	for i := range spans {
		most = max(most, spans[i].Most)
	}
	y := axisScale{0, most}
	c := &Chart{
		ID: "times", Title: d.say("How long guidance took"),
		Says: d.say("Lately half of the runs had their answer within %s ms, 95 %% within %s ms.",
			millis(last.Half), millis(last.Most)),
		XAxis: d.say("time (UTC)"), YAxis: d.say("milliseconds"), X: x.dates(),
		Note: d.say("From the question to the answer, without the way through a network or the start of a command. " +
			"A run waits no longer than the deadline."),
	}
	for _, v := range y.steps(5) {
		c.Y = append(c.Y, axisTick{At: y.y(v), Label: fmt.Sprintf("%g", v)})
	}
	at := func(of func(*effect.Span) float64) string {
		return x.line(y, len(spans), func(i int) (float64, float64) { return float64(spans[i].From.Unix()), of(&spans[i]) })
	}
	c.Lines = []curve{
		{"ours", at(func(s *effect.Span) float64 { return s.Half }), d.say("half of them")},
		{"near", at(func(s *effect.Span) float64 { return s.Most }), d.say("95 percent of them")},
	}
	c.Heads = []string{c.XAxis, d.say("half within, ms"), d.say("95 %% within, ms")}
	for _, i := range some(len(spans)) {
		s := &spans[i]
		c.Rows = append(c.Rows, []string{s.From.Format(minute), millis(s.Half), millis(s.Most)})
	}
	return c
}

// millis formats milliseconds with the precision that matters.
func millis(v float64) string {
	if v >= 10 {
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%g", math.Round(10*v)/10)
}
