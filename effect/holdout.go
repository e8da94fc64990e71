package effect

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"

	"github.com/memtree/memtree/taxonomy"
)

// draw reports whether an event of probability p, 0 to 1, happens to this run. It is decided by a hash of run and salt
// alone, so that anyone who knows both can reproduce it.
//
// runID must identify one judgment: if an agent runs several tests under one run id, join the test to it. If they
// shared a draw, the second would not be random, and nothing could be proven. Attempts at one test share it, so that a
// retry remains in its arm.
func draw(runID, salt string, p float64) bool { return unit(runID, salt) < p }

// unit hashes to a number in [0, 1).
func unit(runID, salt string) float64 {
	h := sha256.New()
	var n [8]byte
	for _, s := range []string{salt, runID} {
		binary.BigEndian.PutUint64(n[:], uint64(len(s)))
		h.Write(n[:])
		h.Write([]byte(s))
	}
	return float64(binary.BigEndian.Uint64(h.Sum(nil))>>11) / (1 << 53)
}

// DrawArm draws the arm of a run with the probabilities c. The result depends only on runID, salt and c, so anyone who
// knows them can repeat the draw. runID must identify one run of one test; all its attempts share the arm.
func DrawArm(runID, salt string, c Chances) Treatment {
	switch u := unit(runID, salt); {
	case u < c.None():
		return None
	case u < c.None()+c.Other:
		return Other
	}
	return Memory
}

// Holdout is a schedule of the share of runs that receive no memory. Runs with memory are compared with these runs.
type Holdout struct {
	// First is the share, 0 to 1, in the first Many runs, Later the share after them.
	First, Later float64
	Many         int

	// Doubt is the share while harm is suspected but not proven. It never lowers the share.
	Doubt float64

	// Other is the share of runs with other memories ([Other]) among the runs that are not held out.
	Other float64
}

// Schedule returns the default Holdout: 20 % of the first 200 runs, then 5 %, and half while harm is suspected.
func Schedule() Holdout { return Holdout{First: 0.20, Later: 0.05, Many: 200, Doubt: 0.50} }

// Fixed returns a Holdout with one constant share, 0 to 1. Suspected harm does not raise it. With 0 every run may
// receive memory: see [Holdout.Blind].
func Fixed(share float64) Holdout {
	return Holdout{First: share, Later: share, Doubt: max(share, 0)}
}

// Check returns an error if a share of h is outside 0 to 1 or Many is negative.
func (h Holdout) Check() error {
	for _, s := range []struct {
		name  string
		share float64
	}{{"first", h.First}, {"later", h.Later}, {"doubt", h.Doubt}, {"other", h.Other}} {
		if math.IsNaN(s.share) || s.share < 0 || s.share > 1 {
			return fmt.Errorf("hold-out: %s is %v; give a share from 0 to 1, such as 0.2", s.name, s.share)
		}
	}
	if h.Many < 0 {
		return fmt.Errorf("hold-out: the number of first runs is %d; give 0 or more", h.Many)
	}
	return nil
}

// Chances returns the probabilities of the arms of the next run. drawn is the number of runs drawn before it. eHarm is
// the evidence of harm so far; from 1.1 on, harm is suspected and h.Doubt applies.
func (h Holdout) Chances(drawn int, eHarm float64) Chances {
	none := h.Later
	if drawn < h.Many {
		none = h.First
	}
	if eHarm >= suspect {
		none = max(none, h.Doubt)
	}
	return Chances{Memory: (1 - none) * (1 - h.Other), Other: (1 - none) * h.Other}
}

// suspect is the evidence of harm from which half of the runs are held out: slightly above the expected value of
// chance. If memory has no effect that costs nothing, and if it helps the evidence is soon below 1.
const suspect = 1.1

// Blind reports whether h holds out no run at all, so that harm cannot be proven.
func (h Holdout) Blind() bool { return h.Later <= 0 && (h.First <= 0 || h.Many <= 0) }

// never reports whether the schedule never uses memory.
func (h Holdout) never() bool { return h.Later >= 1 && (h.First >= 1 || h.Many <= 0) }

// Warning warns in a sentence if h holds out no run, every run, or no run after the first h.Many. Otherwise it is
// empty.
func (h Holdout) Warning() taxonomy.Text {
	switch {
	case h.Blind():
		return taxonomy.Text{
			EN: "Nothing is held out, so nobody can tell whether memory helps or harms: the breaker is blind. " +
				"Hold out a share of the runs, such as 0.05.",
			ZH: "没有留出任何对照运行，因此无法判断记忆是有益还是有害：熔断器处于失明状态。" +
				"请留出一部分运行，例如 0.05。",
		}
	case h.never():
		return taxonomy.Text{
			EN: "Every run is held out, so no run is given a memory. Hold out less than all, such as 0.2.",
			ZH: "所有运行都被留作对照，没有任何运行会得到记忆。请只留出一部分，例如 0.2。",
		}
	case h.Later <= 0:
		return taxonomy.Text{
			EN: fmt.Sprintf("After the first %d runs nothing is held out; harm that begins later stays unseen.", h.Many),
			ZH: fmt.Sprintf("前 %d 次运行之后不再留出对照；此后出现的损害将不会被发现。", h.Many),
		}
	}
	return taxonomy.Text{}
}
