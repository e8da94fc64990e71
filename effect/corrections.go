package effect

import (
	"github.com/memtree/memtree/internal/stat"
	"github.com/memtree/memtree/ledger"
)

// Corrections joins the corrections of a ledger with the labels of their verdicts, and decides when a remedy has to
// stop. A label may come before its correction, but not more than 8,192 labels before. It is not safe for concurrent
// use.
//
// Each correction that fixed or broke a verdict settles a bet that the remedy breaks more verdicts than it fixes. The
// remedy stops when the value of the bet reaches 20. A remedy that does not break more than it fixes is stopped in at
// most one history of 20 (Ville's inequality, see bet). At the stop a bet on the contrary begins; when its value
// reaches 20, the remedy starts again. For ledger.Other every corrected verdict counts as if its opposite had been
// used, even if it was only flagged, so new evidence comes while the remedy is stopped. A stopped ledger.Rerun makes no
// more runs, so only late labels of its earlier runs can start it again.
type Corrections struct {
	above float64
	by    map[string]*corrected // by the evaluation of the agent's own verdict
	again map[string]*corrected // by the evaluation of the second run
	early truths
	flip  trust // in the opposite verdict
	rerun trust // in a second run
}

// corrected is a correction with the known truths of its verdicts.
type corrected struct {
	*ledger.Correction
	first, second     *verdictTruth
	back              bool // a person took it back
	betFlip, betRerun bool // the bet was settled by it
}

// verdictTruth is the truth of a verdict.
type verdictTruth struct {
	correct bool
	mends   bool // it was wrong, and the opposite verdict is right
}

// NewCorrections returns an empty Corrections. It ignores corrections of verdicts whose risk is below above, 0 to 1:
// they are no evidence about a remedy that is used only from above on.
func NewCorrections(above float64) *Corrections {
	return &Corrections{
		above: above, by: map[string]*corrected{}, again: map[string]*corrected{},
		early: truths{of: map[string]verdictTruth{}},
	}
}

// Note adds an entry of the ledger. It ignores entries that are neither a correction nor a labelled verdict.
func (c *Corrections) Note(e *ledger.Entry) {
	switch {
	case e.Correction != nil:
		c.correct(e.Correction)
	case e.Verdict != nil && e.Verdict.Labelled:
		v := e.Verdict
		c.learn(v.Evaluation, verdictTruth{v.Correct, v.Mends})
	}
}

// correct adds a correction. Of two for one evaluation it uses the first, unless only the second did more than flag.
func (c *Corrections) correct(n *ledger.Correction) {
	if !(n.P >= c.above) || n.Check() != nil {
		return
	}
	x := c.by[n.Evaluation]
	if n.Back {
		if x != nil {
			x.back = true
		}
		return
	}
	if x != nil && (x.Done != ledger.Flag || n.Done == ledger.Flag) {
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

// TakenBack reports whether a person took back the correction of the verdict with this evaluation key.
func (c *Corrections) TakenBack(evaluation string) bool {
	x := c.by[evaluation]
	return x != nil && x.back
}

// learn joins a truth. If a verdict has several truths, such as after a relabel, the latest is used, but a bet is
// settled only by the first.
func (c *Corrections) learn(evaluation string, t verdictTruth) {
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

// flipped returns whether the opposite verdict fixes or breaks, even if it was not used.
func (x *corrected) flipped() (mended, broken bool) {
	if x.first == nil || x.Other.Null() {
		return false, false
	}
	return x.first.mends, x.first.correct
}

// rerun returns whether the verdict of the second run fixed or broke.
func (x *corrected) rerun() (mended, broken bool) {
	if x.first == nil || x.second == nil || x.Done != ledger.Rerun {
		return false, false
	}
	return !x.first.correct && x.second.correct, x.first.correct && !x.second.correct
}

// Stopped reports whether remedy r is stopped, because it was proven to break more verdicts than it fixes. It returns
// false for ledger.Flag.
func (c *Corrections) Stopped(r ledger.Remedy) bool {
	switch r {
	case ledger.Other:
		return c.flip.stopped
	case ledger.Rerun:
		return c.rerun.stopped
	}
	return false
}

// Remedied is what one remedy did to verdicts. For [ledger.Flag] it is what using the opposite verdict would have
// done.
type Remedied struct {
	Remedy  ledger.Remedy `json:"remedy"`
	N       int           `json:"n"`       // verdicts treated
	Changed int           `json:"changed"` // of N, changed verdicts
	Back    int           `json:"back"`    // of Changed, those that a person took back
	Known   int           `json:"known"`   // of N, verdicts with a known truth; for a rerun, of both runs
	Mended  int           `json:"mended"`  // of Known, wrong before and right after
	Broken  int           `json:"broken"`  // of Known, right before and wrong after

	// Low and High are the 95 % Wilson interval of Mended / (Mended + Broken).
	Low  float64 `json:"low"`
	High float64 `json:"high"`

	E       float64 `json:"e"`       // evidence that the remedy breaks more than it mends; 20 stops it
	Stopped bool    `json:"stopped"` // the remedy is stopped: verdicts are only flagged
}

// Remedied returns the results of the remedies so far, in the order flag, rerun, other.
func (c *Corrections) Remedied() []Remedied {
	out := []Remedied{
		{Remedy: ledger.Flag, E: c.flip.breaks()}, {Remedy: ledger.Rerun, E: c.rerun.breaks()},
		{Remedy: ledger.Other, E: c.flip.breaks()},
	}
	for _, x := range c.by { // only counts, so the order is irrelevant
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
		if x.back {
			r.Back++
		}
	}
	mended, broken := x.flipped()
	known := x.first != nil
	if x.Done == ledger.Rerun {
		mended, broken = x.rerun()
		known = known && x.second != nil
	}
	for n, is := range map[*int]bool{&r.Known: known, &r.Mended: mended, &r.Broken: broken} {
		if is {
			*n++
		}
	}
}

// trust decides whether a remedy may be used, by a bet against it, or for it while it is stopped.
type trust struct {
	stopped bool
	bet     bet
}

// hear settles the bet by the result of a correction, once.
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

// breaks returns the evidence that the remedy breaks more than it mends. While the remedy is stopped, that is the proof
// level 1/Alpha.
func (t *trust) breaks() float64 {
	if t.stopped {
		return 1 / Alpha
	}
	return t.bet.E()
}

// truths holds recent truths of verdicts without a known correction. Two workers write a correction and the truth of
// its verdict, so the truth may come first, but not long before.
type truths struct {
	of    map[string]verdictTruth
	order []string
}

// mostEarly is the most truths held: the capacity of the workers' queues.
const mostEarly = 8192

func (e *truths) keep(evaluation string, t verdictTruth) {
	_, known := e.of[evaluation]
	if e.of[evaluation] = t; known { // the latest truth counts
		return
	}
	if e.order = append(e.order, evaluation); len(e.order) > mostEarly {
		delete(e.of, e.order[0])
		e.order = e.order[1:]
	}
}

func (e *truths) take(evaluation string) (verdictTruth, bool) {
	t, ok := e.of[evaluation]
	return t, ok
}
