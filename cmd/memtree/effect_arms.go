package main

import (
	"context"
	"fmt"

	"github.com/memtree/memtree/effect"
	"github.com/memtree/memtree/internal/cli/say"
	"github.com/memtree/memtree/internal/cli/screen"
	"github.com/memtree/memtree/internal/plot"
	"github.com/memtree/memtree/internal/text"
)

// mostArms bounds a file of runs, in bytes.
const mostArms = 64 << 20

func compareArms(ctx context.Context, a *app, name string) error {
	file, err := a.files.Text(ctx, name, mostArms)
	if err != nil {
		return err
	}
	name = a.files.Name(name)
	if len(file) > mostArms {
		return a.Fail(nil, "%s is longer than %s, which is the most", name, screen.Bytes(mostArms))
	}
	runs, err := effect.ParseRecorded([]byte(file))
	if err != nil {
		return &say.Failure{Text: fmt.Sprintf("%s: %s", name, a.Sentence(err)), Cause: err}
	}
	pairs := effect.Compare(runs)
	if a.JSON {
		err = a.PrintJSON(struct {
			Pairs []effect.Pair `json:"pairs"`
		}{append([]effect.Pair{}, pairs...)})
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
	return printPairs(a.Voice, pairs)
}

// printPairs prints a table for each study, in the order of the pairs.
func printPairs(v *say.Voice, pairs []effect.Pair) error {
	for from := 0; from < len(pairs); {
		to := from
		for to < len(pairs) && pairs[to].Study == pairs[from].Study {
			to++
		}
		head := v.Wrap(text.Line(pairs[from].Study))
		if from > 0 {
			head = append([]string{""}, head...)
		}
		if err := v.Print(head...); err != nil {
			return err
		}
		if err := pairTable(v, pairs[from:to]).Write(v.Stdout, &v.Terminal); err != nil {
			return err
		}
		from = to
	}
	return nil
}

func pairTable(v *say.Voice, pairs []effect.Pair) *screen.Table {
	t := &screen.Table{Columns: []screen.Column{
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
