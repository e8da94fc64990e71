package plot

import (
	"cmp"
	"fmt"
	"slices"
)

// Ranked is a labelled verdict, with the rank that it had before it was labelled.
type Ranked struct {
	Order float64 // rank: people review a verdict with a higher one first
	Wrong bool
}

// FewRanked is the least number of verdicts for a Gain chart.
const FewRanked = 30

// Gain returns the chart of how many of the wrong verdicts people find who review the riskiest verdicts first. It
// returns nil if there are fewer than FewRanked verdicts, or if none was wrong, or none was right.
func Gain(say voice, ranked []Ranked) *Chart {
	d := drawer{say}
	ranked = slices.Clone(ranked)
	slices.SortStableFunc(ranked, func(a, b Ranked) int { return cmp.Compare(b.Order, a.Order) })
	found := make([]int, 1, len(ranked)+1) // found[n]: wrong verdicts among the first n
	for i, r := range ranked {
		found = append(found, found[i])
		if r.Wrong {
			found[i+1]++
		}
	}
	n := len(ranked)
	if n < FewRanked || found[n] == 0 || found[n] == n {
		return nil
	}
	share := func(read int) float64 { return float64(found[read]) / float64(found[n]) }
	all := axisScale{0, 1}
	c := &Chart{
		ID: "gain", Title: d.say("How much of what is wrong is found"), InNumbers: d.say("In numbers"),
		Says:  d.say("Reading the riskiest fifth of %d verdicts finds %s of the wrong ones.", n, percent(share(n/5))),
		XAxis: d.say("share of all verdicts read, %"), YAxis: d.say("share of the wrong ones found, %"),
		Note: d.say("Each verdict was ranked before its truth was known, by what was known until then."),
		Lines: []curve{
			{"ours", all.line(all, n+1, func(i int) (float64, float64) { return float64(i) / float64(n), share(i) }),
				d.say("riskiest first")},
			{"near", all.line(all, 2, func(i int) (float64, float64) { return float64(i), float64(i) }), d.say("at random")},
		},
		Heads: []string{d.say("verdicts read"), d.say("wrong ones found")},
	}
	for _, v := range all.steps(5) {
		label := fmt.Sprintf("%.0f", 100*v)
		c.X, c.Y = append(c.X, axisTick{At: X(v), Label: label}), append(c.Y, axisTick{At: Y(v), Label: label})
	}
	for _, i := range some(n) {
		c.Rows = append(c.Rows, []string{fmt.Sprint(i + 1), fmt.Sprint(found[i+1])})
	}
	return c
}
