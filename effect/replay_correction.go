package effect

// Reversal is the result of reversing the verdicts whose predicted probability of being wrong was at least Bound, see
// [Reverse].
type Reversal struct {
	Bound   float64 `json:"bound"`   // 0 to 1
	N       int     `json:"n"`       // verdicts with a label
	Flipped int     `json:"flipped"` // of N, reversed
	Right   int     `json:"right"`   // of Flipped, wrong before and right after
	Broken  int     `json:"broken"`  // of Flipped, right before and wrong after

	AccuracyBefore float64 `json:"accuracyBefore"` // share of all verdicts that were right
	AccuracyAfter  float64 `json:"accuracyAfter"`  // share of all verdicts that are right after the reversal
	// Low and High are the 95 % bootstrap interval of AccuracyAfter minus AccuracyBefore.
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// Reverse returns the result of reversing the verdicts in ps with P of at least bound. It reverses a verdict only if
// the verdict has exactly one opposite (Other is set) and Enough is true. seed is the seed of the bootstrap, which
// draws all verdicts of a case together.
func Reverse(ps []Prediction, bound float64, seed uint64) Reversal {
	c := Reversal{Bound: bound, N: len(ps)}
	if len(ps) == 0 {
		return c
	}
	gain := make([]int, len(ps)) // the change of the number of right verdicts
	cases := make([]string, len(ps))
	before, more := 0, 0
	for i := range ps {
		p := &ps[i]
		cases[i] = p.Case
		if !p.Wrong {
			before++
		}
		if !p.Enough || p.P < bound || p.Other == nil {
			continue
		}
		c.Flipped++
		switch after := *p.Other; {
		case p.Wrong && after:
			c.Right++
			gain[i] = 1
		case !p.Wrong && !after:
			c.Broken++
			gain[i] = -1
		}
		more += gain[i]
	}
	n := float64(len(ps))
	c.AccuracyBefore, c.AccuracyAfter = float64(before)/n, float64(before+more)/n
	var gains []float64
	for drawn := range redrawCases(cases, riskRedraws, seed) {
		sum := 0
		for _, i := range drawn {
			sum += gain[i]
		}
		gains = append(gains, float64(sum)/float64(max(1, len(drawn))))
	}
	between := middle95(gains)
	c.Low, c.High = between.Low, between.High
	return c
}
