package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/internal/cli/screen"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// form waits until the accepted runs are processed and the wrong ones are cases.
func (r *recorder) form(ctx context.Context) error {
	r.bar.End()
	bar := r.progress(r.say("forming cases"), screen.Count)
	defer bar.End()
	return r.formed(ctx, r.mem, bar)
}

// formed waits until the outbox of a memory is empty.
func (a *app) formed(ctx context.Context, m *memtree.Memory, bar *screen.Progress) error {
	info, err := m.Tree().Info(ctx)
	if err != nil {
		return err
	}
	total := int64(info.Outbox)
	done := make(chan error, 1)
	go func() {
		err := m.Wait(ctx)
		if err == nil {
			_, err = m.Reread(ctx)
		}
		done <- err
	}()
	tick := time.NewTicker(screen.Redraw)
	defer tick.Stop()
	for {
		select {
		case err := <-done:
			return err
		case <-tick.C:
			if info, err := m.Tree().Info(ctx); err == nil {
				bar.Step(max(0, total-int64(info.Outbox)), total)
			}
		}
	}
}

// summary prints what was recorded.
func (r *recorder) summary(async bool) error {
	o := &r.out
	if o.Accepted+o.Duplicate == 0 {
		return r.print(r.nothing())
	}
	lines := []string{r.say("%s: %s, %s, %s.", r.runs(o.Accepted+o.Duplicate+o.RejectCount-r.unread),
		r.Paint(screen.Green, r.say("%d accepted", o.Accepted)), r.say("%d recorded before", o.Duplicate), r.rejectedWord())}
	if r.unread > 0 {
		lines = append(lines, r.say("Files without a run that can be read: %d.", r.unread))
	}
	if r.skipped > 0 {
		lines = append(lines, r.say("Tests without a verdict, such as skipped ones: %d.", r.skipped))
	}
	if r.nameless && !r.quiet {
		lines = append(lines, r.say("Some of the lines recorded before have no id, run_id, trial or at, "+
			"so that a new run cannot be told from the old one. If they are of a new run, name it with --run."))
	}
	if o.Accepted > 0 && (r.names == nil || o.Correct+o.Wrong > 0) { // else the table of truths reports them later
		lines = append(lines, r.say("Of the accepted: %d right, %d wrong, %d without a label.",
			o.Correct, o.Wrong, o.Unlabelled))
	}
	switch {
	case async && o.left > 0:
		lines = append(lines, r.unformed(o.left))
	case o.Formed+o.Occurrences > 0:
		lines = append(lines, r.say("New cases: %d. Occurrences of known cases: %d.", o.Formed, o.Occurrences))
	case o.Accepted == 0 && o.Duplicate > 0 && o.Analysis.Again == 0:
		lines = append(lines, r.say("Nothing has changed."))
	}
	if !async || o.left == 0 {
		lines = append(lines, r.analysis()...)
	}
	lines = append(lines, r.spentLines()...)
	if o.dead > 0 {
		lines = append(lines, r.say("%d could not be made into cases and are kept aside; see `memtree stats`.", o.dead))
	}
	for i, l := range lines {
		lines[i] = strings.Join(wrapPainted(l, r.Width), "\n")
	}
	if err := r.print(lines...); err != nil {
		return err
	}
	if err := r.typeTable(r.mem.Taxonomy(), o.types); err != nil || r.quiet {
		return err
	}
	if o.Formed > 0 {
		return r.print("", r.say("Next: memtree tree, or memtree guide --prompt \"...\""))
	}
	return nil
}

// nothing explains why nothing was recorded.
func (r *recorder) nothing() string {
	switch {
	case r.out.RejectCount > r.unread:
		return r.say("Nothing was recorded: %s.", r.rejectedWord())
	case len(r.empty) == 1 && r.unread == 1:
		return r.say("Nothing was recorded: %s is empty.", r.empty[0])
	case len(r.empty) == r.unread:
		return r.say("Nothing was recorded: the files are empty.")
	}
	return r.say("Nothing was recorded: no file has a run that can be read.")
}

// wrapPainted wraps a line without colour. A coloured line is always short and stays as it is.
func wrapPainted(s string, width int) []string {
	if strings.Contains(s, "\x1b") {
		return []string{s}
	}
	return screen.Wrap(s, width)
}

func (a *app) runs(n int) string {
	if n == 1 {
		return a.say("1 run")
	}
	return a.say("%d runs", n)
}

func (r *recorder) rejectedWord() string {
	lines := r.out.RejectCount - r.unread
	s := r.say("%d rejected", lines)
	if lines > 0 {
		return r.Paint(screen.Red, s)
	}
	return s
}

// directions returns the directions of a wrong verdict in the order of the tables.
func directions() []taxonomy.Direction {
	return []taxonomy.Direction{taxonomy.FalsePass, taxonomy.FalseFail, taxonomy.Other}
}

// directionName names a direction for people.
func (a *app) directionName(d taxonomy.Direction) string { return d.Name().In(a.lang) }

// typeName returns the name of an error type in the store's taxonomy, for people.
func (a *app) typeName(tax *taxonomy.Taxonomy, id string) string {
	t, _ := tax.ErrorType(id)
	return t.Name.In(a.lang)
}

// statusName names the status of a memory for people.
func (a *app) statusName(s tree.Status) string {
	switch s {
	case tree.Active:
		return a.say("in use")
	case tree.Probation:
		return a.say("in use, on probation")
	case tree.Quarantined:
		return a.say("waits for a person")
	case tree.Retired, tree.Archived:
		return a.say("out of use")
	}
	return string(s)
}

// markName names what a person decided on a memory, "" where nobody did.
func (a *app) markName(m tree.Mark) string {
	switch m {
	case tree.Pinned:
		return a.say("pinned")
	case tree.Banned:
		return a.say("banned")
	}
	return ""
}

// branchName names an error type and a direction for people.
func (a *app) branchName(tax *taxonomy.Taxonomy, id string, d taxonomy.Direction) string {
	return a.typeName(tax, id) + " · " + a.directionName(d)
}

// typeTable prints a table of new cases by error type and direction.
func (a *app) typeTable(tax *taxonomy.Taxonomy, types map[string]map[taxonomy.Direction]int) error {
	if len(types) == 0 {
		return nil
	}
	t := &screen.Table{Columns: []screen.Column{{Head: a.say("error type"), Least: 12}}}
	if a.lang != "en" { // an id is English and needs no translation there
		t.Columns = append(t.Columns, screen.Column{Head: a.say("in words"), Least: 8})
	}
	for _, d := range directions() {
		t.Columns = append(t.Columns, screen.Column{Head: a.directionName(d), Right: true})
	}
	for _, name := range sortedTypes(types) {
		row := []string{name}
		if a.lang != "en" {
			row = append(row, a.typeName(tax, name))
		}
		for _, d := range directions() {
			row = append(row, count(types[name][d]))
		}
		t.Add(row...)
	}
	if err := a.print(""); err != nil {
		return err
	}
	return t.Write(a.stdout, &a.Terminal)
}

// count formats a number of a table. Zero is a dot, so that the other numbers are easy to see.
func count(n int) string {
	if n == 0 {
		return "·"
	}
	return fmt.Sprint(n)
}
