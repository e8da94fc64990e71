package main

import (
	"context"
	"fmt"

	"github.com/memtree/memtree/effect"
	"github.com/memtree/memtree/internal/cli/screen"
	"github.com/memtree/memtree/internal/plot"
	"github.com/memtree/memtree/internal/text"
)

// mostArms bounds a file of runs, in bytes.
const mostArms = 64 << 20

func (a *app) compareArms(ctx context.Context, name string) error {
	file, err := a.textOf(ctx, name, mostArms)
	if err != nil {
		return err
	}
	name = a.fileName(name)
	if len(file) > mostArms {
		return &failure{a.say("%s is longer than %s, which is the most", name, screen.Bytes(mostArms)), nil}
	}
	runs, err := effect.ParseRecorded([]byte(file))
	if err != nil {
		return &failure{fmt.Sprintf("%s: %s", name, a.sentence(err)), err}
	}
	pairs := effect.Compare(runs)
	if a.json {
		err = a.printJSON(struct {
			Pairs []effect.Pair `json:"pairs"`
		}{append([]effect.Pair{}, pairs...)})
	}
	switch {
	case err != nil:
		return err
	case len(runs) == 0:
		a.complain(a.say("%s is empty; write a line for each run, such as %s", name,
			`{"study": "…", "case_id": "…", "arm": "…", "correct": true}`))
		return errRejected
	case a.json:
		return nil
	case len(pairs) == 0:
		return a.print(a.Wrap(a.say("No study in %s has two arms with a case in common, so there is nothing "+
			"to compare.", name))...)
	}
	return a.printPairs(pairs)
}

// printPairs prints a table for each study, in the order of the pairs.
func (a *app) printPairs(pairs []effect.Pair) error {
	for from := 0; from < len(pairs); {
		to := from
		for to < len(pairs) && pairs[to].Study == pairs[from].Study {
			to++
		}
		head := a.Wrap(text.Line(pairs[from].Study))
		if from > 0 {
			head = append([]string{""}, head...)
		}
		if err := a.print(head...); err != nil {
			return err
		}
		if err := a.pairTable(pairs[from:to]).Write(a.stdout, &a.Terminal); err != nil {
			return err
		}
		from = to
	}
	return nil
}

func (a *app) pairTable(pairs []effect.Pair) *screen.Table {
	t := &screen.Table{Columns: []screen.Column{
		{Head: a.say("arm"), Least: 16}, {Head: a.say("against"), Least: 14}, {Head: a.say("test cases"), Right: true},
		{Head: a.say("points"), Right: true}, {Head: "E", Right: true}, {Head: ""},
	}}
	for i := range pairs {
		p := &pairs[i]
		proven := ""
		if p.Claimed() {
			proven = a.say("proven")
		}
		t.Add(text.Line(p.B), text.Line(p.A), fmt.Sprint(p.N),
			fmt.Sprintf("%+.1f (%+.1f…%+.1f)", 100*p.Lift, 100*p.Low, 100*p.High), plot.Amount(p.E), proven)
	}
	return t
}
