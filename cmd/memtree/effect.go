package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/effect"
	"github.com/memtree/memtree/enhance"
	"github.com/memtree/memtree/internal/cli/say"
	"github.com/memtree/memtree/internal/plot"
	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// effectOptions are the flags of effect.
type effectOptions struct {
	arms string // file of recorded runs
	by   string // one of groupings, "" for the whole
	page string // file of the page to write
}

// groupings are the values of --by.
var groupings = []string{
	byNode, string(effect.ByType), string(effect.ByScene), string(effect.ByTeam), string(effect.ByFound),
}

// byNode is the value of --by for single memories.
const byNode = "node"

func effectCommand(a *app) *cobra.Command {
	o := effectOptions{}
	c := &cobra.Command{
		Use:  "effect [flags]",
		Args: arguments(a.Voice, 0, 0, a.Say("no arguments (a file of runs goes after --arms)")),
		RunE: func(c *cobra.Command, _ []string) error {
			switch {
			case c.Flags().Changed("arms") && (o.by != "" || o.page != ""):
				return a.Usage("--arms compares a file of runs; it goes with neither --by nor --html")
			case c.Flags().Changed("arms") && o.arms == "":
				return a.Usage("--arms is empty; name a file of runs, or - for standard input")
			case c.Flags().Changed("by") && !slices.Contains(groupings, o.by):
				return a.Usage("--by is %q; use one of: %s", o.by, strings.Join(groupings, ", "))
			case o.arms != "":
				return compareArms(c.Context(), a, o.arms)
			}
			return runEffect(c.Context(), a, &o)
		},
	}
	c.Flags().StringVar(&o.arms, "arms", "", a.Say("file of runs of an experiment, or - for standard input"))
	c.Flags().StringVar(&o.by, "by", "", a.Say("the effect of each memory (node), or the lift by error type (type), "+
		"by kind of scene (scene), or by the tree that memories come from (team)"))
	c.Flags().StringVar(&o.page, "html", "", a.Say("also write a page for a browser to this file: how the evidence grew"))
	completes(c, "by", func() []cobra.Completion { return groupings })
	return c
}

// runEffect reports on the runs of a store.
func runEffect(ctx context.Context, a *app, o *effectOptions) error {
	return a.store.Read(ctx, func(m *memtree.Memory) error {
		r, err := m.Effect(ctx)
		if err != nil {
			return err
		}
		f := &finding{Report: r, Verdict: r.Verdict.In(a.Lang)}
		if err := f.name(ctx, m, a.Lang); err != nil {
			return err
		}
		f.Next = plot.Next(a.Say, f.Report, f.loose())
		if o.page != "" {
			if err := writeEffectPage(ctx, a, o.page, m, f); err != nil {
				return err
			}
		}
		if o.by != "" {
			return effectBy(a.Voice, m.Taxonomy(), f, o.by)
		}
		return a.Result(f, effectLines(a.Voice, m.Taxonomy(), f)...)
	})
}

// finding is a report, as --json prints it.
type finding struct {
	*effect.Report
	Verdict string      `json:"verdict"` // in the language of the user
	Next    string      `json:"next"`    // the recommended action
	Helpful []effective `json:"helpful"`
	Harmful []effective `json:"harmful"`
	all     []effective // memories that were included in a run, by id
}

// effective is a memory with its effect, its title and its state.
type effective struct {
	effect.Effect
	Title     string             `json:"title,omitempty"`
	ErrorType string             `json:"errorType,omitempty"`
	Direction taxonomy.Direction `json:"direction,omitempty"`
	Status    tree.Status        `json:"status,omitempty"` // "" if it no longer exists
	Mark      tree.Mark          `json:"mark,omitempty"`
	Origin    tree.Origin        `json:"origin,omitzero"`
	Held      *tree.Held         `json:"held,omitempty"` // why it is held back
}

// name looks up the memories of a report.
func (f *finding) name(ctx context.Context, m *memtree.Memory, lang string) error {
	words := enhance.NewWording(m.Taxonomy())
	f.Helpful, f.Harmful, f.all = []effective{}, []effective{}, make([]effective, 0, len(f.Memories))
	at := map[string]int{}
	for _, e := range f.Memories {
		x := effective{Effect: e}
		n, err := m.Tree().Get(ctx, e.ID)
		switch {
		case err == nil:
			w := words.Shown(&n, lang)
			x.Title = text.Line(cmp.Or(w.Content.Title, w.Content.Description))
			x.Status, x.Mark, x.Origin = n.Status, n.Mark, n.Origin
			x.ErrorType, x.Direction = n.ErrorType, n.Direction
			if n.HeldBack() {
				x.Held = n.Credit.Held
			}
		case !errors.Is(err, tree.ErrNotFound):
			return err
		}
		at[e.ID] = len(f.all)
		f.all = append(f.all, x)
	}
	for _, e := range f.Report.Helpful {
		f.Helpful = append(f.Helpful, f.all[at[e.ID]])
	}
	for _, e := range f.Report.Harmful {
		f.Harmful = append(f.Harmful, f.all[at[e.ID]])
	}
	return nil
}

// loose returns the number of memories that are likely to harm and still in use.
func (f *finding) loose() (n int) {
	for i := range f.Harmful {
		if x := &f.Harmful[i]; effect.Given(x.Status, x.Mark) {
			n++
		}
	}
	return n
}

// mostArms bounds a file of runs, in bytes.
const mostArms = 64 << 20

func compareArms(ctx context.Context, a *app, name string) error {
	file, err := a.files.Text(ctx, name, mostArms)
	if err != nil {
		return err
	}
	name = a.files.Name(name)
	runs, err := effect.ParseRecorded([]byte(file))
	if err != nil {
		return &say.Failure{Text: fmt.Sprintf("%s: %s", name, a.Sentence(err)), Cause: err}
	}
	pairs := effect.Compare(runs)
	if a.JSON {
		err = a.PrintJSON(map[string][]effect.Pair{"pairs": append([]effect.Pair{}, pairs...)})
	}
	switch {
	case err != nil:
		return err
	case len(runs) == 0:
		a.Complain(a.Say("%s is empty; write a line for each run, such as %s", name,
			`{"study": "…", "case_id": "…", "arm": "…", "correct": true}`))
		return say.ErrRejected
	case a.JSON:
		return nil
	case len(pairs) == 0:
		return a.Print(a.Wrap(a.Say("No study in %s has two arms with a case in common, so there is nothing "+
			"to compare.", name))...)
	}
	return a.Print(pairLines(a.Voice, pairs)...)
}

// pairLines returns a table for each study, in the order of the pairs.
func pairLines(v *say.Voice, pairs []effect.Pair) []string {
	p := v.Page()
	for from := 0; from < len(pairs); {
		to := from
		for to < len(pairs) && pairs[to].Study == pairs[from].Study {
			to++
		}
		if from > 0 {
			p.Add("")
		}
		p.Add(text.Line(pairs[from].Study))
		p.Table(pairTable(v, pairs[from:to]))
		from = to
	}
	return p.Lines
}

func pairTable(v *say.Voice, pairs []effect.Pair) *say.Table {
	t := &say.Table{Columns: []say.Column{
		{Head: v.Say("arm"), Least: 16}, {Head: v.Say("against"), Least: 14}, {Head: v.Say("test cases"), Right: true},
		{Head: v.Say("points"), Right: true}, {Head: "E", Right: true}, {Head: ""},
	}}
	for i := range pairs {
		p := &pairs[i]
		proven := ""
		if p.Claimed() {
			proven = v.Say("proven")
		}
		t.Add(text.Line(p.B), text.Line(p.A), fmt.Sprint(p.N),
			fmt.Sprintf("%+.1f (%+.1f…%+.1f)", 100*p.Lift, 100*p.Low, 100*p.High), plot.Amount(p.E), proven)
	}
	return t
}
