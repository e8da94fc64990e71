package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"slices"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/enhance"
	"github.com/memtree/memtree/internal/cli/say"
	"github.com/memtree/memtree/knowledge"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// seen is the state of a tree at a summary, from which the next one determines what is new.
type seen struct {
	Format  string            `json:"format"`
	Version int               `json:"version"`
	InUse   map[string]string `json:"inUse"` // titles of the memories in use, by id
	Facts   map[string]bool   `json:"facts,omitempty"`
}

const (
	seenFormat = "memtree.seen"
	mostSeen   = 64 << 20 // bytes
	seenTitle  = 100      // cells
)

// readSeen reads the state of the last summary, nil if there was none.
func readSeen(ctx context.Context, a *app, path string) (*seen, error) {
	if path == "" {
		return nil, nil
	}
	s, err := a.files.Text(ctx, path, mostSeen)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var out seen
	if json.Unmarshal([]byte(s), &out) != nil || out.Format != seenFormat || out.Version != 1 {
		return nil, a.Fail(nil, "%s is no file of memtree report that this version reads; remove it to begin anew", path)
	}
	return &out, nil
}

func writeSeen(a *app, path string, s *seen) error {
	if path == "" {
		return nil
	}
	b, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return a.files.Write(path, append(b, '\n'))
}

// lessonNews is a new lesson.
type lessonNews struct {
	ID        string             `json:"id"`
	Type      tree.Type          `json:"type"`
	ErrorType string             `json:"errorType"`
	Direction taxonomy.Direction `json:"direction"`
	Title     string             `json:"title"`
	Check     string             `json:"check"` // what to do
	Tests     int                `json:"tests"` // in which it was missed
	Cases     int                `json:"cases"` // that support it

	kind string // error type and direction for people
}

// goneNews is a memory that went out of use.
type goneNews struct {
	ID    string    `json:"id"`
	Type  tree.Type `json:"type,omitempty"` // "" if it was removed
	Title string    `json:"title"`
	Fate  string    `json:"fate"` // archived, retired, replaced, banned, held, quarantined, removed
	Why   string    `json:"why,omitempty"`
}

// reportNews compares the tree with its state at the last summary.
func reportNews(ctx context.Context, v *say.Voice, m *memtree.Memory, r *ciReport, before, now *seen) error {
	now.InUse = map[string]string{}
	words := enhance.NewWording(m.Taxonomy())
	var was map[string]string
	if before != nil {
		was = before.InUse
	}
	r.Learned, r.Gone = []lessonNews{}, []goneNews{}
	there := map[string]bool{}
	for n, err := range m.Tree().Scan(ctx, store.Filter{}) {
		if err != nil {
			return err
		}
		there[n.ID] = true
		title, known := was[n.ID]
		if !n.Live() {
			if known {
				r.Gone = append(r.Gone, goneNews{n.ID, n.Type, title, fateOf(&n), whyGone(v, &n)})
			}
			if n.Status == tree.Quarantined && !n.HeldBack() && n.Mark != tree.Banned {
				r.Imports++
			}
			continue
		}
		w := words.Shown(&n, v.Lang)
		now.InUse[n.ID] = nodeTitle(&w)
		if n.Type == tree.Case {
			r.Cases++
			if !known {
				r.NewCases++
			}
			continue
		}
		if n.Type == tree.Strategy {
			continue // it repeats its lessons
		}
		if r.Lessons++; !known {
			r.Learned = append(r.Learned, newsOf(v, m.Taxonomy(), &n, &w))
		}
	}
	for id, title := range was {
		if !there[id] {
			r.Gone = append(r.Gone, goneNews{ID: id, Title: title, Fate: "removed"})
		}
	}
	slices.SortFunc(r.Gone, func(x, y goneNews) int {
		return cmp.Or(y.Type.Level()-x.Type.Level(), cmp.Compare(x.Fate, y.Fate), cmp.Compare(x.ID, y.ID))
	})
	slices.SortFunc(r.Learned, func(x, y lessonNews) int {
		return cmp.Or(y.Tests-x.Tests, y.Cases-x.Cases, cmp.Compare(x.ID, y.ID))
	})
	return nil
}

// nodeTitle is the title of a memory in a summary.
func nodeTitle(n *tree.Node) string {
	title := cmp.Or(n.Content.Title, n.Content.Description)
	if n.Type == tree.Case && n.CaseData != nil {
		title = cmp.Or(n.CaseData.TestCase.Prompt, title)
	}
	return fitTitle(title)
}

func newsOf(v *say.Voice, tax *taxonomy.Taxonomy, n, w *tree.Node) lessonNews {
	out := lessonNews{
		ID: n.ID, Type: n.Type, ErrorType: n.ErrorType, Direction: n.Direction,
		Title: nodeTitle(w), Check: w.Content.Guidance, Cases: len(n.Children), kind: branchName(v, tax, n.ErrorType,
			n.Direction),
	}
	if n.Elsewhere != nil {
		out.Cases = max(out.Cases, n.Elsewhere.Cases)
	}
	for i := range n.Content.Lessons {
		out.Tests = max(out.Tests, n.Content.Lessons[i].Tests)
	}
	if len(w.Content.Lessons) > 0 {
		out.Check = cmp.Or(w.Content.Lessons[0].Check, out.Check)
	}
	return out
}

// fateOf names the state of a memory that is not in use.
func fateOf(n *tree.Node) string {
	switch {
	case n.Mark == tree.Banned:
		return "banned"
	case n.HeldBack():
		return "held"
	case n.SupersededBy != "":
		return "replaced"
	}
	return string(n.Status)
}

// whyGone returns the recorded reason in its original language, or "".
func whyGone(v *say.Voice, n *tree.Node) string {
	switch {
	case n.Mark == tree.Banned && n.Decision != nil:
		return n.Decision.Why
	case n.HeldBack():
		return n.Credit.Held.Why
	}
	return n.ArchivedFor
}

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
			f.Proposed, say.Markdown(f.Settle, reportCheck)))
	case f.Proposed > 0:
		p(v.Say("Proposed: %d; memtree know list --open lists them.", f.Proposed))
	}
	if f.Confirm != "" {
		p(v.Say("Given most without anybody's confirmation (%d runs): %s", f.Given, say.Markdown(f.Confirm, reportCheck)))
	}
}
