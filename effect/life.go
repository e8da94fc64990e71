package effect

import (
	"fmt"
	"math"
	"time"

	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// What is done with a memory follows from the probability that it harms.
const (
	injectTo    = 0.65 // given up to here
	restoreFrom = 0.40 // taken back below it
	retireFrom  = 0.95
	fewToHold   = 5  // runs before it may be quarantined
	fewToRetire = 20 // runs before it may be retired
	probes      = 0.10
	longest     = 90 * 24 * time.Hour // in quarantine
)

// Step is what follows for a memory. Status is the one it has where nothing does.
type Step struct {
	Status tree.Status
	Why    taxonomy.Text // "" where nothing changes
}

// Standing is where a memory is in its life.
type Standing struct {
	Status tree.Status
	Mark   tree.Mark
	Since  time.Time // when it came to be in Status

	// Ours says that it is in Status because of its effect. An import that waits
	// in quarantine for a person, and a lesson that evolution retired, are not
	// ours to bring back.
	Ours bool
}

// Next returns what follows for a memory from its effect. now is the time of the
// latest run. What a person said wins: a pinned memory is left as it is, or comes
// back. A banned one is left as it is too: its mark keeps it from every run.
func Next(e *Effect, s Standing, now time.Time) Step {
	stay := Step{Status: s.Status}
	away := s.Status == tree.Quarantined || s.Status == tree.Retired
	switch {
	case s.Status == tree.Archived, away && !s.Ours:
		return stay
	case s.Mark == tree.Pinned && away:
		return Step{tree.Active, taxonomy.Text{EN: "Somebody pinned it.", ZH: "有人已固定它。"}}
	case s.Mark != tree.Unmarked:
		return stay
	}
	return judge(e, s, now)
}

// judge is Next where no person has spoken.
func judge(e *Effect, s Standing, now time.Time) Step {
	sure := e.PHarm > retireFrom && e.Runs >= fewToRetire && e.Enough()
	switch s.Status {
	case tree.Probation, tree.Active:
		if sure {
			return Step{tree.Retired, because(e, "It harms", "它有害")}
		}
		if e.PHarm > injectTo && e.Runs >= fewToHold {
			return Step{tree.Quarantined, because(e, "It is likely to harm", "它很可能有害")}
		}
		if s.Status == tree.Probation && e.PHarm < restoreFrom && e.Runs >= fewToHold {
			return Step{tree.Active, cleared(e, "Runs were none the worse for it", "用过它的运行并未变差")}
		}
	case tree.Quarantined, tree.Retired:
		switch {
		case e.PHarm < restoreFrom:
			return Step{tree.Active, cleared(e, "It does not harm after all", "它其实并无害处")}
		case s.Status == tree.Retired:
		case sure:
			return Step{tree.Retired, because(e, "It harms", "它有害")}
		case now.Sub(s.Since) > longest:
			return Step{tree.Retired, because(e,
				"It was in quarantine for 90 days and did not clear itself", "它已被隔离 90 天，仍未洗清嫌疑")}
		}
	case tree.Archived:
	}
	return Step{Status: s.Status}
}

// because says what follows and why: how large the effect is, and what the runs that
// chance decided about prove, where that is what counted.
// Where there are too few runs for a claim, it is done as a precaution.
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

// cleared is because for a memory that is given from now on.
func cleared(e *Effect, en, zh string) taxonomy.Text {
	if e.Enough() {
		return because(e, en, zh)
	}
	s := e.Size()
	return taxonomy.Text{EN: "Nothing speaks against it so far: " + s.EN, ZH: "目前没有不利的迹象：" + s.ZH}
}

// Given reports whether runs are given memories of this status.
func Given(status tree.Status, mark tree.Mark) bool {
	return mark != tree.Banned && (status == tree.Probation || status == tree.Active)
}

// Probes reports whether a run is given a quarantined memory that fits, so that it can
// clear itself: one run of ten, whatever arm it is in. It is given one and never two,
// because what they did could not be told apart. salt is the store's.
func Probes(runID, salt string) bool { return draw(runID, salt+"\x00probe", probes) }

// Sentence says what the memory has done.
func (e *Effect) Sentence() taxonomy.Text {
	s := e.Size()
	return taxonomy.Text{EN: e.ID + ": " + s.EN, ZH: e.ID + "：" + s.ZH}
}

// points writes a difference of shares in points of a hundred, with its sign.
func points(x float64) string {
	p := math.Round(100 * x)
	if p == 0 {
		return "0"
	}
	return fmt.Sprintf("%+.0f", p)
}
