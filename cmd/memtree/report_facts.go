package main

import (
	"context"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/internal/cli/say"
	"github.com/memtree/memtree/internal/cli/screen"
	"github.com/memtree/memtree/knowledge"
)

// factsNews is what a summary has on the facts.
type factsNews struct {
	InUse    int `json:"inUse"`
	New      int `json:"new"` // since the last summary
	Disputed int `json:"disputed"`
	Proposed int `json:"proposed"`

	Settle  string `json:"settle,omitempty"`  // the disputed fact that was given to most runs
	Confirm string `json:"confirm,omitempty"` // of those that no person confirmed, the one that was given to most runs
	Given   int    `json:"given,omitempty"`   // to how many runs
}

// reportFacts counts the facts and chooses what to ask a person about. Without facts it leaves r as it is.
func reportFacts(ctx context.Context, v *say.Voice, m *memtree.Memory, r *ciReport, before, now *seen) error {
	all, err := m.Knowledge().List(ctx, knowledge.Filter{}) // disputed ones first, those given most first
	if err != nil || len(all) == 0 {
		return err
	}
	var was map[string]bool
	if before != nil {
		was = before.Facts
	}
	n, seen := factsNews{}, map[string]bool{}
	for i := range all {
		f := &all[i]
		if seen[f.ID] = true; !was[f.ID] {
			n.New++
		}
		switch f.State {
		case knowledge.Disputed:
			if n.Disputed++; n.Settle == "" {
				n.Settle = f.Text
			}
		case knowledge.Proposed:
			n.Proposed++
		case knowledge.Superseded, knowledge.Archived: // not in the list
		case knowledge.Active:
			n.InUse++
			if len(f.People) == 0 && f.Given > n.Given {
				n.Confirm, n.Given = f.Text, f.Given
			}
		}
	}
	r.Facts, now.Facts = &n, seen
	return nil
}

// factsMarkdown writes at most three lines on the facts.
func factsMarkdown(v *say.Voice, p func(string), r *ciReport) {
	f := r.Facts
	if f == nil {
		return
	}
	p("### " + v.Say("What is known of the product"))
	if r.First {
		p(v.Say("Facts in use: %d.", f.InUse))
	} else {
		p(v.Say("Facts in use: %d. New since the last summary: %d.", f.InUse, f.New))
	}
	switch {
	case f.Settle != "":
		p(v.Say("Disputed: %d, proposed: %d; memtree know list --open lists them. First to settle: %s", f.Disputed,
			f.Proposed, screen.Markdown(f.Settle, reportCheck)))
	case f.Proposed > 0:
		p(v.Say("Proposed: %d; memtree know list --open lists them.", f.Proposed))
	}
	if f.Confirm != "" {
		p(v.Say("Given most without anybody's confirmation (%d runs): %s", f.Given,
			screen.Markdown(f.Confirm, reportCheck)))
	}
}
