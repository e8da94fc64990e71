package effect

import (
	"github.com/memtree/memtree/internal/stat"
	"github.com/memtree/memtree/tree"
)

// Corrections is what became of verdicts that were likely to be wrong. It is told the
// entries of a ledger one by one and joins each correction with the truth of its
// evaluation, whichever comes first.
//
// Each remedy stops by itself. Whenever a truth shows that a correction put a verdict
// right, or broke one, a stake is bet on "it breaks more than it puts right"; at 20
// that counts as shown. If it is not so, that happens in one history of 20 at most,
// however long one looks (Ville; see bet). A verdict that was only flagged counts as
// if the other one had been taken. So what was stopped begins again by itself once the
// same bet on the opposite, begun at the stop, has come to 20. A stopped rerun is tried
// no more, so it shows nothing, and stays stopped.
type Corrections struct {
	above float64
	by    map[string]*corrected // by the evaluation of the agent's own verdict
	again map[string]*corrected // by that of the second run
	early truths
	flip  trust // in the other verdict
	rerun trust // in a second run
}

// corrected is a correction, and what is known of its verdicts by now.
type corrected struct {
	*tree.Correction
	first, second     *truth
	betFlip, betRerun bool // the bets have heard of it
}

// truth is what is known of a verdict.
type truth struct {
	correct bool
	mends   bool // it was wrong, and the other one is right
}

// NewCorrections returns corrections of which none is known. Those of verdicts less
// likely to be wrong than above are passed over: they say nothing of a higher bound.
func NewCorrections(above float64) *Corrections {
	return &Corrections{
		above: above, by: map[string]*corrected{}, again: map[string]*corrected{}, early: truths{of: map[string]truth{}},
	}
}

// Note takes an entry of the ledger in. Other kinds of entries are passed over.
func (c *Corrections) Note(e *tree.Entry) {
	switch {
	case e.Correction != nil:
		c.correct(e.Correction)
	case e.Verdict != nil && e.Verdict.Labelled:
		v := e.Verdict
		c.learn(v.Evaluation, truth{v.Correct, v.Mends})
	}
}

// correct takes a correction in. Of two of one evaluation the first counts, unless the
// second did more than to flag it.
func (c *Corrections) correct(n *tree.Correction) {
	if !(n.P >= c.above) || n.Check() != nil {
		return
	}
	x := c.by[n.Evaluation]
	if x != nil && (x.Done != tree.Flag || n.Done == tree.Flag) {
		return
	}
	if x == nil {
		x = &corrected{}
		c.by[n.Evaluation] = x
	}
	x.Correction = n
	if t, ok := c.early.take(n.Evaluation); ok {
		c.learn(n.Evaluation, t)
	}
	if n.Again == "" {
		return
	}
	c.again[n.Again] = x
	if t, ok := c.early.take(n.Again); ok {
		c.learn(n.Again, t)
	}
}

// learn joins a truth. Where a verdict is told two, as when a person relabels it, the
// later one counts, but what the bets heard first they keep.
func (c *Corrections) learn(evaluation string, t truth) {
	x, of := c.by[evaluation], c.again[evaluation]
	switch {
	case x != nil:
		x.first = &t
	case of != nil:
		of.second = &t
		x = of
	default:
		c.early.keep(evaluation, t)
		return
	}
	c.flip.hear(&x.betFlip, x.flipped)
	c.rerun.hear(&x.betRerun, x.rerun)
}

// flipped says what the other verdict puts right or breaks, whether or not it was taken.
func (x *corrected) flipped() (mended, broken bool) {
	if x.first == nil || x.Other.Null() {
		return false, false
	}
	return x.first.mends, x.first.correct
}

// rerun says what the verdict of the second run put right or broke.
func (x *corrected) rerun() (mended, broken bool) {
	if x.first == nil || x.second == nil || x.Done != tree.Rerun {
		return false, false
	}
	return !x.first.correct && x.second.correct, x.first.correct && !x.second.correct
}

// Stopped reports whether a remedy was shown to break more verdicts than it puts right.
func (c *Corrections) Stopped(r tree.Remedy) bool {
	switch r {
	case tree.Other:
		return c.flip.stopped
	case tree.Rerun:
		return c.rerun.stopped
	}
	return false
}

// Remedied is what a remedy has done. Of [tree.Flag] it is what the other verdict would
// have done.
type Remedied struct {
	Remedy  tree.Remedy `json:"remedy"`
	N       int         `json:"n"`       // verdicts it was done to
	Changed int         `json:"changed"` // of these, verdicts that became another
	Known   int         `json:"known"`   // of all, those whose truth is known
	Mended  int         `json:"mended"`  // wrong before, right after
	Broken  int         `json:"broken"`  // right before, wrong after

	// Low and High are the 95 % Wilson interval of the share of mended among the mended
	// and broken ones.
	Low  float64 `json:"low"`
	High float64 `json:"high"`

	E       float64 `json:"e"`       // evidence that it breaks more than it mends; 20 stops it
	Stopped bool    `json:"stopped"` // it flags only, until it is shown to mend more
}

// Remedied says what each remedy has done: flag, rerun, other.
func (c *Corrections) Remedied() []Remedied {
	out := []Remedied{
		{Remedy: tree.Flag, E: c.flip.breaks()}, {Remedy: tree.Rerun, E: c.rerun.breaks()},
		{Remedy: tree.Other, E: c.flip.breaks()},
	}
	for _, x := range c.by { // only counts come of it, so their order makes no difference
		for i := range out {
			if out[i].Remedy == x.Done {
				out[i].add(x)
			}
		}
	}
	for i := range out {
		r := &out[i]
		r.Stopped = c.Stopped(r.Remedy)
		in := stat.Wilson(r.Mended, r.Mended+r.Broken)
		r.Low, r.High = in.Low, in.High
	}
	return out
}

func (r *Remedied) add(x *corrected) {
	r.N++
	if x.Changed {
		r.Changed++
	}
	mended, broken := x.flipped()
	known := x.first != nil
	if x.Done == tree.Rerun {
		mended, broken = x.rerun()
		known = known && x.second != nil
	}
	for n, is := range map[*int]bool{&r.Known: known, &r.Mended: mended, &r.Broken: broken} {
		if is {
			*n++
		}
	}
}

// trust is whether a remedy may be used, by a bet against it, or for it while it is stopped.
type trust struct {
	stopped bool
	bet     bet
}

// hear settles the bet by what a correction came to, once that is known, and only once.
func (t *trust) hear(done *bool, of func() (mended, broken bool)) {
	if mended, broken := of(); (mended || broken) && !*done {
		*done = true
		t.settle(broken)
	}
}

func (t *trust) settle(broken bool) {
	t.bet.toss(broken != t.stopped)
	if t.bet.E() >= 1/Alpha {
		t.stopped, t.bet = !t.stopped, bet{}
	}
}

// breaks is the evidence that the remedy breaks more than it mends; while it is stopped that is
// proven, and it is what proved it.
func (t *trust) breaks() float64 {
	if t.stopped {
		return 1 / Alpha
	}
	return t.bet.E()
}

// truths holds the latest truths of verdicts of which no correction is known. A correction
// and the truth of its verdict are written by two workers, so the truth may come first, but
// not long before.
type truths struct {
	of    map[string]truth
	order []string
}

// mostEarly is how many truths are held: as many as the workers' queues have room for.
const mostEarly = 8192

func (e *truths) keep(evaluation string, t truth) {
	if _, ok := e.of[evaluation]; ok {
		return
	}
	e.of[evaluation] = t
	if e.order = append(e.order, evaluation); len(e.order) > mostEarly {
		delete(e.of, e.order[0])
		e.order = e.order[1:]
	}
}

func (e *truths) take(evaluation string) (truth, bool) {
	t, ok := e.of[evaluation]
	return t, ok
}
