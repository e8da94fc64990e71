package replay

import (
	"cmp"
	"math"
	"slices"

	"github.com/memtree/memtree/stat"
)

// Prediction is what was said of one verdict before its truth was known, and
// what came out.
type Prediction struct {
	P     float64 // probability that it is wrong, 0 to 1
	Order float64 // what to read first: higher comes first
	Near  float64 // score of the nearest wrong case, the plain way to the same end
	Base  float64 // share of wrong verdicts so far
	// Enough says that P rests on more than Base.
	Enough bool
	Wrong  bool
	Case   string // verdicts of one case are drawn together by the bootstrap
}

// Risks is how good predictions were, in the order they were made.
type Risks struct {
	N     int `json:"n"`
	Wrong int `json:"wrong"`
	// Enough is how many of N were given more than the share wrong so far.
	Enough int `json:"enough"`

	AUC           *float64 `json:"auc"`           // of Order; null when all are right or all wrong
	AUCSecondHalf *float64 `json:"aucSecondHalf"` // of the later half
	// Found is the share of the wrong verdicts among the 5, 10 and 20 percent
	// that come first.
	Found Found `json:"found"`

	// ECE is the expected calibration error of P in ten bins of equal width, and
	// Reliability these bins, after the first Warmup verdicts.
	ECE         float64 `json:"ece"`
	Warmup      int     `json:"warmup"`
	Reliability []Bin   `json:"reliability"`
	Brier       float64 `json:"brier"` // mean square of P's error, all verdicts

	// Gain is the share of the wrong verdicts found by share read, at each
	// fiftieth.
	Gain []Gain `json:"gain"`

	// Intervals are 95 percent bootstrap intervals of the fields they are named
	// after, found5 and so on included.
	Intervals map[string]Interval `json:"intervals"`
	Baselines Baselines           `json:"baselines"`
}

// Found is a share of the wrong verdicts by share read.
type Found struct {
	At5  float64 `json:"5"`
	At10 float64 `json:"10"`
	At20 float64 `json:"20"`
}

// Gain is what is found by reading a share of all verdicts, 0 to 1 each.
type Gain struct {
	Read    float64 `json:"read"`
	Found   float64 `json:"found"`   // the riskiest first
	Nearest float64 `json:"nearest"` // what is most like a wrong case first
}

// Bin is the verdicts whose P is in one tenth.
type Bin struct {
	N     int     `json:"n"`
	P     float64 `json:"p"`     // mean of what was said
	Wrong float64 `json:"wrong"` // share that was wrong
}

// Baselines are what costs nothing to say.
type Baselines struct {
	Random  Found    `json:"random"`        // reading at random
	Nearest Found    `json:"nearest"`       // reading first what is most like a wrong case, by words
	AUC     *float64 `json:"aucNearest"`    // of the same
	Brier   float64  `json:"brierBaseRate"` // of the share of wrong verdicts so far
}

const (
	warmup  = 150
	redraws = 200
)

// Measure says how good predictions were. Seed is of the bootstrap, which draws
// whole cases: verdicts on one case are not independent.
func Measure(ps []Prediction, seed uint64) Risks {
	r := Point(ps)
	r.Intervals = map[string]Interval{}
	figures := map[string][]float64{}
	cases := make([]string, len(ps))
	for i := range ps {
		cases[i] = ps[i].Case
	}
	for drawn := range redraw(cases, redraws, seed) {
		again := make([]Prediction, len(drawn))
		for i, k := range drawn {
			again[i] = ps[k]
		}
		x := Point(again)
		for name, f := range x.figures() {
			figures[name] = append(figures[name], f)
		}
	}
	for name, fs := range figures {
		r.Intervals[name] = *middle(fs)
	}
	ours, near := ranked(ps, byOrder), ranked(ps, byNear)
	r.Baselines = Baselines{Random: Found{0.05, 0.1, 0.2}, Nearest: near.found(), AUC: aucOf(ps, byNear)}
	const points = 50
	for i := range points + 1 {
		read := float64(i) / points
		r.Gain = append(r.Gain, Gain{read, ours.at(read), near.at(read)})
	}
	for i := range ps {
		r.Baselines.Brier += square(ps[i].Base, ps[i].Wrong) / float64(len(ps))
	}
	return r
}

// Point is Measure without intervals and baselines.
func Point(ps []Prediction) Risks {
	r := Risks{N: len(ps), Warmup: min(warmup, len(ps)/2)}
	for i := range ps {
		if ps[i].Wrong {
			r.Wrong++
		}
		if ps[i].Enough {
			r.Enough++
		}
		r.Brier += square(ps[i].P, ps[i].Wrong) / float64(len(ps))
	}
	r.AUC, r.AUCSecondHalf = aucOf(ps, byOrder), aucOf(ps[len(ps)/2:], byOrder)
	r.Found = ranked(ps, byOrder).found()
	r.ECE, r.Reliability = calibration(ps[r.Warmup:])
	return r
}

func (r *Risks) figures() map[string]float64 {
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

func square(p float64, wrong bool) float64 {
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

// reading is, for each number of verdicts read, how many wrong ones are among
// them.
type reading []int

// ranked reads from the highest score down, equals in the order they came.
func ranked(ps []Prediction, score func(*Prediction) float64) reading {
	rank := make([]int, len(ps))
	for i := range rank {
		rank[i] = i
	}
	slices.SortStableFunc(rank, func(a, b int) int { return cmp.Compare(score(&ps[b]), score(&ps[a])) })
	r := make(reading, 1, len(ps)+1)
	for place, i := range rank {
		n := r[place]
		if ps[i].Wrong {
			n++
		}
		r = append(r, n)
	}
	return r
}

// at returns the share of the wrong verdicts found by reading a share of all.
func (r reading) at(share float64) float64 {
	all := len(r) - 1
	if r[all] == 0 {
		return 0
	}
	return float64(r[int(math.Round(share*float64(all)))]) / float64(r[all])
}

func (r reading) found() Found { return Found{r.at(0.05), r.at(0.1), r.at(0.2)} }

func calibration(ps []Prediction) (ece float64, bins []Bin) {
	bins = make([]Bin, 10)
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
