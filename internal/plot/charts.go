package plot

import (
	"fmt"
	"math"
	"slices"

	"github.com/memtree/memtree/effect"
)

// drawer draws in one language.
type drawer struct{ say voice }

// Charts returns the charts for which the report r and the growth g have data. say translates their texts.
func Charts(say voice, r *effect.Report, g *Growth) []*Chart {
	var out []*Chart
	d, series := drawer{say}, r.Series()
	s := &series
	if len(s.Points) > 1 {
		out = append(out, d.liftChart(s.Points), d.evidenceChart(s.Points))
	}
	if len(s.Spans) > 0 {
		out = append(out, d.hitChart(r, s.Spans))
	}
	if timed := slices.DeleteFunc(slices.Clone(s.Spans), func(s effect.Span) bool { return s.Most == 0 }); len(timed) > 0 {
		out = append(out, d.timeChart(timed))
	}
	if len(g.Cases)+len(g.Lessons) > 1 {
		out = append(out, d.growthChart(g, s))
	}
	for _, c := range out {
		c.InNumbers = d.say("In numbers")
	}
	return out
}

// minute is the format of a time in a table.
const minute = "2006-01-02 15:04"

// mostRows is the maximum number of rows of a table.
const mostRows = 12

// some chooses at most mostRows of n points, evenly spaced, including the last.
func some(n int) (out []int) {
	rows := min(n, mostRows)
	for i := range rows {
		out = append(out, (i+1)*n/rows-1)
	}
	return out
}

// liftChart draws the lift by number of runs, with its confidence sequence.
func (d *drawer) liftChart(ps []effect.EvidencePoint) *Chart {
	last := &ps[len(ps)-1]
	most := 0.2
	for _, p := range ps[len(ps)/3:] {
		most = max(most, min(1, math.Ceil(10*max(p.High, -p.Low))/10))
	}
	x, y := axisScale{0, float64(last.Runs)}, axisScale{-most, most}
	c := &Chart{
		ID: "lift", Title: d.say("How much more often runs with memory are right"),
		Says: d.say("After %d compared runs the band goes from %s to %s points.", last.Runs, Points(last.Low),
			Points(last.High)),
		XAxis: d.say("runs that chance decided about"), YAxis: d.say("points"),
		X: x.counts(5, x.x), Turns: d.turns(ps, x), Rules: []axisTick{{At: y.y(0)}},
		Note: d.say("The line weighs every compared run by the chance it was drawn with, also runs of tests that ran only " +
			"with memory or only without; the table compares the same tests, so its figure differs. The band holds with 95 " +
			"percent at all times together, however often one looks, so it is wider than the interval in the table. The " +
			"evidence may prove what the band leaves open."),
	}
	for _, v := range y.steps(6) {
		c.Y = append(c.Y, axisTick{At: y.y(v), Label: Points(v)})
	}
	at := func(of func(*effect.EvidencePoint) float64) string {
		return x.line(y, len(ps), func(i int) (float64, float64) { return float64(ps[i].Runs), of(&ps[i]) })
	}
	c.Band = at(func(p *effect.EvidencePoint) float64 { return p.High }) + " " +
		x.line(y, len(ps), func(i int) (float64, float64) {
			p := &ps[len(ps)-1-i]
			return float64(p.Runs), p.Low
		})
	c.Lines = []curve{{"ours", at(func(p *effect.EvidencePoint) float64 { return p.Lift }), d.say("so far")}}
	c.Heads = []string{d.say("runs"), d.say("points"), "95 %"}
	for _, i := range some(len(ps)) {
		p := &ps[i]
		band := d.say("%s to %s", Points(p.Low), Points(p.High))
		c.Rows = append(c.Rows, []string{fmt.Sprint(p.Runs), Points(p.Lift), band})
	}
	return c
}

// evidenceChart draws the evidence for help and for harm, on a logarithmic scale.
func (d *drawer) evidenceChart(ps []effect.EvidencePoint) *Chart {
	last := &ps[len(ps)-1]
	log := func(e float64) float64 { return math.Log10(max(e, 1e-3)) }
	most := 2.0
	for i := range ps {
		most = max(most, min(6, math.Ceil(log(max(ps[i].EHelp, ps[i].EHarm)))))
	}
	x, y := axisScale{0, float64(last.Runs)}, axisScale{-1, most}
	c := &Chart{
		ID: "evidence", Title: d.say("How strong the evidence is"),
		Says:  evidenceAfter(*d, last.Runs, last.EHelp, last.EHarm),
		XAxis: d.say("runs that chance decided about"), YAxis: d.say("evidence E"),
		X: x.counts(5, x.x), Turns: d.turns(ps, x), Rules: []axisTick{{At: y.y(log(proven)), Label: d.say("20: proven")}},
		Note: d.say("What a stake of 1 on help, or on harm, has become. It reaches 20 in one history of twenty at most " +
			"if memory does nothing."),
	}
	for v := y.low; v <= y.high; v++ {
		c.Y = append(c.Y, axisTick{At: y.y(v), Label: power(int(v))})
	}
	at := func(of func(*effect.EvidencePoint) float64) string {
		return x.line(y, len(ps), func(i int) (float64, float64) { return float64(ps[i].Runs), log(of(&ps[i])) })
	}
	c.Lines = []curve{
		{"help", at(func(p *effect.EvidencePoint) float64 { return p.EHelp }), d.say("that it helps")},
		{"harm", at(func(p *effect.EvidencePoint) float64 { return p.EHarm }), d.say("that it harms")},
	}
	c.Heads = []string{d.say("runs"), c.Lines[0].Name, c.Lines[1].Name}
	for _, i := range some(len(ps)) {
		c.Rows = append(c.Rows, []string{fmt.Sprint(ps[i].Runs), Amount(ps[i].EHelp), Amount(ps[i].EHarm)})
	}
	return c
}

// power formats a power of ten, a large one with its exponent.
func power(n int) string {
	if n > 2 {
		return "10" + string([]rune("⁰¹²³⁴⁵⁶⁷⁸⁹")[n])
	}
	return fmt.Sprintf("%g", math.Pow(10, float64(n)))
}

// turns marks where the state of the breaker changed.
func (d *drawer) turns(ps []effect.EvidencePoint, x axisScale) (out []axisTick) {
	was := effect.Closed
	names := map[effect.BreakerState]string{
		effect.Open: d.say("open"), effect.HalfOpen: d.say("on trial"), effect.Closed: d.say("closed"),
	}
	for i := range ps {
		if ps[i].State != was {
			was = ps[i].State
			out = append(out, axisTick{At: x.x(float64(ps[i].Runs)), Label: names[was]})
		}
	}
	return out
}

// hitChart draws the share of runs for which memory found something, over time.
func (d *drawer) hitChart(r *effect.Report, spans []effect.Span) *Chart {
	x := axisScale{float64(spans[0].From.Unix()), float64(spans[len(spans)-1].From.Unix())}
	length := 24 * 3600.0
	for i := range spans[1:] {
		length = min(length, float64(spans[i+1].From.Unix()-spans[i].From.Unix()))
		if i == 0 {
			length = float64(spans[1].From.Unix() - spans[0].From.Unix())
		}
	}
	x.high = min(x.high+length, max(x.high+3600, float64(r.Until().Unix()))) // not beyond the last query
	share, y := axisScale{0, 1}, func(v float64) float64 { return Y(v) }
	c := &Chart{
		ID: "hits", Title: d.say("How often memory has guidance to give"),
		Says: d.say("Memory had something for %d of %d runs that asked (%s).", r.Found, r.Asked,
			percent(float64(r.Found)/float64(r.Asked))),
		XAxis: d.say("time (UTC)"), YAxis: d.say("share of runs that asked, %"), X: x.dates(),
		Note: d.say("What is left to 100 percent are abstentions: nothing fitted, so the run got no guidance."),
	}
	for _, v := range share.steps(5) {
		c.Y = append(c.Y, axisTick{At: y(v), Label: fmt.Sprintf("%.0f", 100*v)})
	}
	for i := range spans {
		s := &spans[i]
		from := float64(s.From.Unix())
		left, top := x.x(from), y(float64(s.Found)/float64(s.Asked))
		c.Bars = append(c.Bars, bar{
			X: left, Y: top, Width: max(1, math.Round(10*(x.x(from+length)-left-1))/10), Depth: y(0) - top,
			Title: d.say("%s: %d of %d", s.From.Format(minute), s.Found, s.Asked),
		})
	}
	c.Heads = []string{c.XAxis, d.say("runs that asked"), d.say("memory had something")}
	for _, i := range some(len(spans)) {
		s := &spans[i]
		c.Rows = append(c.Rows, []string{s.From.Format(minute), fmt.Sprint(s.Asked), fmt.Sprint(s.Found)})
	}
	return c
}

// growthChart draws the number of memories over time.
func (d *drawer) growthChart(g *Growth, s *effect.Series) *Chart {
	x, most, n := axisScale{math.Inf(1), math.Inf(-1)}, 1, [2]int{}
	if spans := len(s.Spans); spans > 0 { // the same time axis as the other plots
		x.high = float64(s.Spans[spans-1].From.Unix())
	}
	curves := [][]effect.Grown{g.Cases, g.Lessons}
	for k, c := range curves {
		for _, p := range c {
			x.low, x.high = min(x.low, float64(p.At.Unix())), max(x.high, float64(p.At.Unix()))
			most, n[k] = max(most, p.N), p.N
		}
	}
	y := axisScale{0, float64(most)}
	c := &Chart{
		ID: "growth", Title: d.say("How the tree grew"), Says: d.say("Memories in use: %d cases, %d lessons.", n[0], n[1]),
		XAxis: d.say("time (UTC)"), YAxis: d.say("memories"), X: x.dates(), Y: y.counts(5, y.y),
		Note: d.say("By the time of the runs they come from. Those taken out of use since are left out."),
	}
	for k, line := range []curve{{"ours", "", d.say("cases")}, {"near", "", d.say("lessons and strategies")}} {
		if curve := curves[k]; len(curve) > 0 {
			// A memory exists from one moment on, so the curve is a step function up to the end of the plot.
			line.Points = x.line(y, 2*len(curve), func(i int) (float64, float64) {
				if i == 2*len(curve)-1 {
					return x.high, float64(curve[len(curve)-1].N)
				}
				return float64(curve[(i+1)/2].At.Unix()), float64(curve[i/2].N)
			})
			c.Lines = append(c.Lines, line)
			for _, i := range some(len(curve)) {
				c.Rows = append(c.Rows, []string{line.Name, curve[i].At.UTC().Format(minute), fmt.Sprint(curve[i].N)})
			}
		}
	}
	c.Heads = []string{"", c.XAxis, c.YAxis}
	return c
}
