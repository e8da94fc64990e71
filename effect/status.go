package effect

import (
	"fmt"
	"math"
	"time"

	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// The status of a memory follows from the probability that it harms.
const (
	injectTo    = 0.65 // injected up to this
	restoreFrom = 0.40 // restored below this
	retireFrom  = 0.95
	fewToHold   = 5                   // runs before it may be quarantined
	fewToRetire = 20                  // runs before it may be retired
	longest     = 90 * 24 * time.Hour // in quarantine
)

// Standing is the present status of a memory, as Next needs it.
type Standing struct {
	Status tree.Status
	Mark   tree.Mark
	Since  time.Time // time at which it got Status

	// Ours reports whether this package gave the memory its Status because of its effect. Next restores only such a
	// memory: not an import that waits in quarantine for a person, and not a lesson that evolution retired.
	Ours bool
}

// Next returns the status that a memory should have because of its effect e, and why. If the status does not change,
// why is empty. now is the time of the latest run. A person's decision outweighs the effect: Next leaves a pinned
// memory in use, restores a pinned one that this package had put out of use, and does not change a banned one.
func Next(e *Effect, s Standing, now time.Time) (next tree.Status, why taxonomy.Text) {
	away := s.Status == tree.Quarantined || s.Status == tree.Retired
	switch {
	case s.Status == tree.Archived, away && !s.Ours:
		return s.Status, taxonomy.Text{}
	case s.Mark == tree.Pinned && away:
		return tree.Active, taxonomy.Text{EN: "Somebody pinned it.", ZH: "有人已固定它。"}
	case s.Mark != tree.Unmarked:
		return s.Status, taxonomy.Text{}
	}
	return judge(e, s, now)
}

// judge is Next for a memory without a person's decision.
func judge(e *Effect, s Standing, now time.Time) (next tree.Status, why taxonomy.Text) {
	sure := e.PHarm > retireFrom && e.Runs >= fewToRetire && e.Enough()
	switch s.Status {
	case tree.Probation, tree.Active:
		if sure {
			return tree.Retired, because(e, "It harms", "它有害")
		}
		if e.PHarm > injectTo && e.Runs >= fewToHold {
			return tree.Quarantined, because(e, "It is likely to harm", "它很可能有害")
		}
		if s.Status == tree.Probation && e.PHarm < restoreFrom && e.Runs >= fewToHold {
			return tree.Active, cleared(e, "Runs were none the worse for it", "用过它的运行并未变差")
		}
	case tree.Quarantined, tree.Retired:
		switch {
		case e.PHarm < restoreFrom:
			return tree.Active, cleared(e, "It does not harm after all", "它其实并无害处")
		case s.Status == tree.Retired:
		case sure:
			return tree.Retired, because(e, "It harms", "它有害")
		case now.Sub(s.Since) > longest:
			return tree.Retired, because(e,
				"It was in quarantine for 90 days and did not clear itself", "它已被隔离 90 天，仍未洗清嫌疑")
		}
	case tree.Archived:
	}
	return s.Status, taxonomy.Text{}
}

// because explains a step: the size of the effect, and the evidence of randomized runs if it is proof. With too few
// runs for a claim, it is a precaution.
func because(e *Effect, en, zh string) taxonomy.Text {
	s := e.Size()
	if !e.Enough() {
		return taxonomy.Text{EN: "As a precaution: " + s.EN, ZH: "出于谨慎：" + s.ZH}
	}
	out := taxonomy.Text{EN: en + ": " + s.EN, ZH: zh + "：" + s.ZH}
	if e.EHarm >= proof {
		v := amount(e.EHarm)
		out.EN += fmt.Sprintf(" Held against runs that were held out, the evidence of harm is %s, "+
			"where %.0f is proof.", v.EN, proof)
		out.ZH += fmt.Sprintf("与留出的对照运行相比，有害的证据值%s（达到 %.0f 即为证实）。", v.ZH, proof)
	}
	return out
}

// cleared is because for a memory that becomes active.
func cleared(e *Effect, en, zh string) taxonomy.Text {
	if e.Enough() {
		return because(e, en, zh)
	}
	s := e.Size()
	return taxonomy.Text{EN: "Nothing speaks against it so far: " + s.EN, ZH: "目前没有不利的迹象：" + s.ZH}
}

// Given reports whether runs may receive a memory with this status and mark. It is false for a quarantined memory,
// although a few runs receive one, see [Probes].
func Given(status tree.Status, mark tree.Mark) bool {
	return mark != tree.Banned && (status == tree.Probation || status == tree.Active)
}

// Sentence returns the id of the memory and then its Size, in a sentence.
func (e *Effect) Sentence() taxonomy.Text {
	s := e.Size()
	return taxonomy.Text{EN: e.ID + ": " + s.EN, ZH: e.ID + "：" + s.ZH}
}

// points formats a difference of shares as percentage points, with its sign.
func points(x float64) string {
	p := math.Round(100 * x)
	if p == 0 {
		return "0"
	}
	return fmt.Sprintf("%+.0f", p)
}
