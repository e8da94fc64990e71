package effect

import (
	"cmp"
	"math"
	"slices"

	"github.com/memtree/memtree/internal/stat"
)

// Prediction is the predicted risk of one verdict, made before its label was known, and the label.
type Prediction struct {
	P     float64 // probability that the verdict is wrong, 0 to 1
	Order float64 // score by which a person would review the verdicts, the highest first
	Near  float64 // similarity to the nearest wrong case, the score to compare Order with
	Base  float64 // share of wrong verdicts before this one, 0 to 1
	// Enough reports whether P depends on more than Base.
	Enough bool
	Wrong  bool // the label: the verdict is wrong
	// Other reports whether the opposite verdict would have been right; nil where a verdict has no single opposite.
	Other *bool
	Case  string // id of its test; the bootstrap draws the verdicts of a case together
}

// RiskMeasure measures the quality of predictions, which are in the order in which they were made.
type RiskMeasure struct {
	N     int `json:"n"`
	Wrong int `json:"wrong"` // of N, wrong verdicts
	// Enough is the number of predictions that depend on more than the base rate.
	Enough int `json:"enough"`

	// AUC is that of Order as a forecast of a wrong verdict; null if all verdicts are right or all wrong.
	AUC           *float64 `json:"auc"`
	AUCSecondHalf *float64 `json:"aucSecondHalf"` // AUC of the later half of the predictions
	// Found is the share of all wrong verdicts that are found by reviewing the 5, 10 and 20 % with the highest Order.
	Found reviewShare `json:"found"`

	// ECE is the expected calibration error of P and Reliability its ten bins of equal width. Both exclude the first
	// Warmup verdicts.
	ECE         float64          `json:"ece"`
	Warmup      int              `json:"warmup"`
	Reliability []CalibrationBin `json:"reliability"`
	Brier       float64          `json:"brier"` // mean squared error of P, over all verdicts

	// Gain has 51 points: the share of the wrong verdicts found by reviewing 0, 2, 4 … 100 % of all verdicts.
	Gain []ReviewGain `json:"gain"`

	// Intervals are 95 % bootstrap intervals, by the JSON name of the field; those of
	// Found are found5, found10 and found20.
	Intervals map[string]stat.Interval `json:"intervals"`
	Baselines baselines                `json:"baselines"`
}

// reviewShare is the share of the wrong verdicts found by reviewing a share of all.
type reviewShare struct {
	At5  float64 `json:"5"`
	At10 float64 `json:"10"`
	At20 float64 `json:"20"`
}

// ReviewGain is a point of a curve: how many of the wrong verdicts are found by reviewing a part of all verdicts. All
// values are shares, 0 to 1.
type ReviewGain struct {
	Read    float64 `json:"read"`    // share of all verdicts that is reviewed
	Found   float64 `json:"found"`   // share of the wrong verdicts found if the riskiest are reviewed first
	Nearest float64 `json:"nearest"` // the same if those most similar to a wrong case are reviewed first
}

// CalibrationBin summarises the verdicts whose predicted probability lies in one tenth of the range 0 to 1. Without
// verdicts P and Wrong are 0.
type CalibrationBin struct {
	N     int     `json:"n"`     // number of verdicts
	P     float64 `json:"p"`     // mean predicted probability of the verdicts
	Wrong float64 `json:"wrong"` // share of the verdicts that were wrong
}

// baselines are the results of methods that learn nothing.
type baselines struct {
	Random  reviewShare `json:"random"`        // reviewing at random
	Nearest reviewShare `json:"nearest"`       // reviewing first what is lexically most similar to a wrong case
	AUC     *float64    `json:"aucNearest"`    // of Near
	Brier   float64     `json:"brierBaseRate"` // of predicting the share of wrong verdicts so far
}

const (
	riskWarmup  = 150
	riskRedraws = 200
)

// MeasureRisks returns the quality of the predictions ps, with intervals and baselines. seed is the seed of the
// bootstrap, which draws all verdicts of a case together because they are not independent.
func MeasureRisks(ps []Prediction, seed uint64) RiskMeasure {
	r := RiskFigures(ps)
	r.Intervals = map[string]stat.Interval{}
	figures := map[string][]float64{}
	cases := make([]string, len(ps))
	for i := range ps {
		cases[i] = ps[i].Case
	}
	for drawn := range redrawCases(cases, riskRedraws, seed) {
		again := make([]Prediction, len(drawn))
		for i, k := range drawn {
			again[i] = ps[k]
		}
		x := RiskFigures(again)
		for name, f := range x.figures() {
			figures[name] = append(figures[name], f)
		}
	}
	for name, fs := range figures {
		r.Intervals[name] = *middle95(fs)
	}
	ours, near := curveOf(ps, byOrder), curveOf(ps, byNear)
	r.Baselines = baselines{Random: reviewShare{0.05, 0.1, 0.2}, Nearest: near.found(), AUC: aucOf(ps, byNear)}
	const points = 50
	for i := range points + 1 {
		read := float64(i) / points
		r.Gain = append(r.Gain, ReviewGain{read, ours.shareFound(read), near.shareFound(read)})
	}
	for i := range ps {
		r.Baselines.Brier += squaredError(ps[i].Base, ps[i].Wrong) / float64(len(ps))
	}
	return r
}

// RiskFigures returns the same as MeasureRisks, but without Intervals, Gain and Baselines.
func RiskFigures(ps []Prediction) RiskMeasure {
	r := RiskMeasure{N: len(ps), Warmup: min(riskWarmup, len(ps)/2)}
	for i := range ps {
		if ps[i].Wrong {
			r.Wrong++
		}
		if ps[i].Enough {
			r.Enough++
		}
		r.Brier += squaredError(ps[i].P, ps[i].Wrong) / float64(len(ps))
	}
	r.AUC, r.AUCSecondHalf = aucOf(ps, byOrder), aucOf(ps[len(ps)/2:], byOrder)
	r.Found = curveOf(ps, byOrder).found()
	r.ECE, r.Reliability = Calibration(ps[r.Warmup:])
	return r
}

// figures returns the numbers that get an interval, by their JSON names.
func (r *RiskMeasure) figures() map[string]float64 {
	m := map[string]float64{
		"ece": r.ECE, "brier": r.Brier, "found5": r.Found.At5, "found10": r.Found.At10, "found20": r.Found.At20,
	}
	if r.AUC != nil {
		m["auc"] = *r.AUC
	}
	if r.AUCSecondHalf != nil {
		m["aucSecondHalf"] = *r.AUCSecondHalf
	}
	return m
}

func squaredError(p float64, wrong bool) float64 {
	if wrong {
		p = 1 - p
	}
	return p * p
}

func aucOf(ps []Prediction, score func(*Prediction) float64) *float64 {
	var wrong, right []float64
	for i := range ps {
		if ps[i].Wrong {
			wrong = append(wrong, score(&ps[i]))
		} else {
			right = append(right, score(&ps[i]))
		}
	}
	auc, _, ok := stat.AUC(wrong, right)
	if !ok {
		return nil
	}
	return &auc
}

func byOrder(p *Prediction) float64 { return p.Order }

func byNear(p *Prediction) float64 { return p.Near }

// gainCurve holds for each number of verdicts reviewed, from 0, how many of them are wrong.
type gainCurve []int

// curveOf sorts from the highest score down, and equal scores in the order they came.
func curveOf(ps []Prediction, score func(*Prediction) float64) gainCurve {
	rank := make([]int, len(ps))
	for i := range rank {
		rank[i] = i
	}
	slices.SortStableFunc(rank, func(a, b int) int { return cmp.Compare(score(&ps[b]), score(&ps[a])) })
	r := make(gainCurve, 1, len(ps)+1)
	for place, i := range rank {
		n := r[place]
		if ps[i].Wrong {
			n++
		}
		r = append(r, n)
	}
	return r
}

// shareFound returns the share of the wrong verdicts found by reviewing a share of all.
func (r gainCurve) shareFound(share float64) float64 {
	all := len(r) - 1
	if r[all] == 0 {
		return 0
	}
	return float64(r[int(math.Round(share*float64(all)))]) / float64(r[all])
}

func (r gainCurve) found() reviewShare {
	return reviewShare{r.shareFound(0.05), r.shareFound(0.1), r.shareFound(0.2)}
}

// Calibration returns the expected calibration error of ps, 0 to 1, and the ten bins by P from which it is computed.
func Calibration(ps []Prediction) (ece float64, bins []CalibrationBin) {
	bins = make([]CalibrationBin, 10)
	for i := range ps {
		b := &bins[max(0, min(9, int(ps[i].P*10)))]
		b.N++
		b.P += ps[i].P
		if ps[i].Wrong {
			b.Wrong++
		}
	}
	for i := range bins {
		if b := &bins[i]; b.N > 0 {
			ece += math.Abs(b.P-b.Wrong) / float64(len(ps))
			b.P /= float64(b.N)
			b.Wrong /= float64(b.N)
		}
	}
	return ece, bins
}
