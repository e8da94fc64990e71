package main

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/internal/cli/say"
)

// Labels that a summary asks for: of each judge, and in all.
const (
	nextLabels = 5
	mostJudges = 10
)

// reportJudges sets how often each judge is wrong, and how many runs are excused.
func reportJudges(ctx context.Context, m *memtree.Memory, r *ciReport) error {
	judges, err := m.Inbox().Judges(ctx, nextLabels)
	if err != nil {
		return err
	}
	r.Judges = judges[:min(mostJudges, len(judges))]
	for e, err := range m.Tree().Ledger(ctx, 0) {
		if err != nil {
			return fmt.Errorf("read the ledger: %w", err)
		}
		if v := e.Verdict; v != nil && v.Apart() && (r.Run == "" || v.RunID == r.Run) {
			r.Excused++
		}
	}
	return nil
}

// judgesMarkdown writes how often each judge is wrong, and which labels to give next.
func judgesMarkdown(v *say.Voice, p func(string), r *ciReport) {
	var rows, next []string
	known := false
	for i := range r.Judges {
		j := &r.Judges[i]
		name := cmp.Or(j.Judge, v.Say("(no agent named)"))
		labelled, all := "–", v.Say("not known yet")
		if j.Known > 0 {
			labelled, all, known = fmt.Sprintf("%.1f %%", 100*j.Labelled.P), j.Estimate.String(), true
		}
		rows = append(rows, fmt.Sprintf("| %s | %d | %d | %s | %s |", say.Markdown(name, reportID), j.Verdicts, j.Known,
			labelled, all))
		for _, id := range j.Next {
			next = append(next, say.Code(id, reportID))
		}
	}
	if len(rows) > 0 {
		p("### " + v.Say("How often the judges are wrong"))
		head := fmt.Sprintf("| %s | %s | %s | %s | %s |\n|---|---:|---:|---:|---:|\n", v.Say("judge"), v.Say("verdicts"),
			v.Say("labelled"), v.Say("wrong among the labelled"), v.Say("wrong among all, estimated"))
		p(head + strings.Join(rows, "\n"))
	}
	if known {
		p(v.Say("In brackets: the range that holds the true share in 95 of 100 cases. The labelled verdicts are often " +
			"those that looked risky; the estimate makes up for that: it counts the labelled as they are and estimates " +
			"the others."))
	}
	if len(r.Judges) > 0 && r.Judges[0].Changed > 0 {
		p(v.Say("After %d labels a judge or product was found to have changed; what risk had learned before is forgotten.",
			r.Judges[0].Changed))
	}
	if len(next) > 0 {
		p(v.Say("Label these next, they narrow the estimates most: %s.", strings.Join(next, v.Say(", "))))
	}
	if r.Excused > 0 {
		p(v.Say("Excused runs, from which nothing is learned (healed, passed after a retry, failed by the environment): %d.",
			r.Excused))
	}
}
