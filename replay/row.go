package replay

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/memtree/memtree/tree"
)

// Row is one memory's result.
type Row struct {
	Name     string    `json:"name"`
	AUC      *float64  `json:"auc"` // of the score against "this verdict is wrong"; null when all are right or all wrong
	Interval *Interval `json:"aucInterval,omitempty"`
	Guided   Group     `json:"guided"`   // the runs it gave something for
	Unguided Group     `json:"unguided"` // and those it did not
	Warned   Warned    `json:"warned"`
}

// Group is some runs and how many of them were wrong.
type Group struct {
	N        int       `json:"n"`
	Wrong    int       `json:"wrong"`
	P        *float64  `json:"p"` // Wrong/N; null when N is 0
	Interval *Interval `json:"interval,omitempty"`
}

// Warned is the share of the wrong verdicts, 0 to 1, that one of the memories
// given had warned of in the same direction: one from exactly this scene, or
// else one from elsewhere that came by similarity. The two add up.
type Warned struct {
	Exact   float64 `json:"exact"`
	Similar float64 `json:"similar"`
}

// Interval is a 95 % interval, within 0 to 1.
type Interval struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// dealings is how often the control is dealt: enough for a stable mean and band.
const dealings = 200

// truth is what the labelled runs of a stream came to, in order.
type truth struct {
	verdicts []Verdict
	scenes   []tree.Scene
	past     []Item // the mistakes
	known    []int  // how many of them were known before each run
}

func (t *truth) add(v Verdict, scene tree.Scene) {
	t.verdicts = append(t.verdicts, v)
	t.scenes = append(t.scenes, scene)
	t.known = append(t.known, len(t.past))
	if v.Wrong() {
		t.past = append(t.past, Item{Direction: v.Direction, Scene: scene})
	}
}

// row measures the answers, one per labelled run.
func (t *truth) row(name string, answers []Answer) Row {
	r := Row{Name: name}
	var wrong, right []float64
	for i, a := range answers {
		g := &r.Unguided
		if a.Guided {
			g = &r.Guided
		}
		g.N++
		if !t.verdicts[i].Wrong() {
			right = append(right, a.Score)
			continue
		}
		g.Wrong++
		wrong = append(wrong, a.Score)
		switch exact, similar := t.warned(i, a.Items); {
		case exact:
			r.Warned.Exact++
		case similar:
			r.Warned.Similar++
		}
	}
	if n := float64(len(wrong)); n > 0 {
		r.Warned.Exact /= n
		r.Warned.Similar /= n
	}
	r.Guided.close()
	r.Unguided.close()
	if auc, in, ok := AUC(wrong, right); ok {
		r.AUC, r.Interval = &auc, &in
	}
	return r
}

func (g *Group) close() {
	if g.N > 0 {
		p, in := float64(g.Wrong)/float64(g.N), Wilson(g.Wrong, g.N)
		g.P, g.Interval = &p, &in
	}
}

// warned says whether an item warned of what went wrong in run i.
func (t *truth) warned(i int, items []Item) (exact, similar bool) {
	for _, it := range items {
		if it.Direction == t.verdicts[i].Direction {
			if SameScene(it.Scene, t.scenes[i]) {
				exact = true
			} else {
				similar = true
			}
		}
	}
	return exact, similar
}

// shuffled is the control every claim of a memory needs beside it: the same
// guidance, given at random. The answers to the runs since the first mistake
// was known are dealt to those runs at random, scores and all, and each memory
// given is drawn from the mistakes known before the run. The row is the mean of
// many dealings; its intervals are the 95 % band of what chance did, not of what
// is true.
func (t *truth) shuffled(answers []Answer, seed uint64) Row {
	rng := rand.New(rand.NewPCG(seed, 0x6d656d74726565)) //nolint:gosec // a control must come out the same again
	first := len(t.known)
	if i := slices.IndexFunc(t.known, func(n int) bool { return n > 0 }); i >= 0 {
		first = i
	}
	rows := make([]Row, dealings)
	deck := slices.Clone(answers[first:])
	dealt := slices.Clone(answers)
	for k := range rows {
		rng.Shuffle(len(deck), func(i, j int) { deck[i], deck[j] = deck[j], deck[i] })
		for i, card := range deck {
			card.Items = draw(rng, t.past[:t.known[first+i]], len(card.Items))
			dealt[first+i] = card
		}
		rows[k] = t.row("shuffled", dealt)
	}
	return mean(rows)
}

// draw returns n of the items, different ones, at random.
func draw(rng *rand.Rand, from []Item, n int) []Item {
	out := make([]Item, 0, n)
	for _, i := range sample(rng, len(from), n) {
		out = append(out, from[i])
	}
	return out
}

// sample returns min(n, of) different numbers below of (Floyd's algorithm).
func sample(rng *rand.Rand, of, n int) []int {
	n = min(n, of)
	out := make([]int, 0, n)
	for j := of - n; j < of; j++ {
		x := rng.IntN(j + 1)
		if slices.Contains(out, x) {
			x = j
		}
		out = append(out, x)
	}
	return out
}

func mean(rows []Row) Row {
	m := rows[0]
	m.Guided.Wrong, m.Guided.P, m.Guided.Interval = spread(rows, m.Guided.N, func(r *Row) *float64 { return r.Guided.P })
	m.Unguided.Wrong, m.Unguided.P, m.Unguided.Interval = spread(rows, m.Unguided.N, func(r *Row) *float64 { return r.Unguided.P })
	_, m.AUC, m.Interval = spread(rows, 0, func(r *Row) *float64 { return r.AUC })
	m.Warned = Warned{}
	for i := range rows {
		m.Warned.Exact += rows[i].Warned.Exact / float64(len(rows))
		m.Warned.Similar += rows[i].Warned.Similar / float64(len(rows))
	}
	return m
}

// spread returns the mean and the middle 95 % of a share over rows, and the
// count of n that the mean comes to.
func spread(rows []Row, n int, share func(*Row) *float64) (count int, p *float64, in *Interval) {
	if share(&rows[0]) == nil {
		return 0, nil, nil
	}
	xs := make([]float64, len(rows))
	sum := 0.0
	for i := range rows {
		xs[i] = *share(&rows[i])
		sum += xs[i]
	}
	slices.Sort(xs)
	avg := sum / float64(len(xs))
	return int(math.Round(avg * float64(n))), &avg, &Interval{Low: quantile(xs, 0.025), High: quantile(xs, 0.975)}
}

// quantile interpolates between the two values of sorted xs around q.
func quantile(xs []float64, q float64) float64 {
	at := q * float64(len(xs)-1)
	i := int(at)
	if i+1 >= len(xs) {
		return xs[len(xs)-1]
	}
	return xs[i] + (at-float64(i))*(xs[i+1]-xs[i])
}
