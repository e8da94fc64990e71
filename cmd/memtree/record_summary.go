package main

import (
	"context"
	"strings"
	"time"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/internal/cli/say"
	"github.com/memtree/memtree/taxonomy"
)

// form waits until the accepted runs are processed and the wrong ones are cases.
func (r *recorder) form(ctx context.Context) error {
	r.Bar.End()
	bar := r.Progress(r.Say("forming cases"), say.Count)
	defer bar.End()
	return formed(ctx, r.Voice, r.mem, bar)
}

// formed waits until the outbox of a memory is empty.
func formed(ctx context.Context, v *say.Voice, m *memtree.Memory, bar *say.ProgressBar) error {
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
	tick := time.NewTicker(say.Redraw)
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
		return r.Print(r.nothing())
	}
	lines := []string{r.Say("%s: %s, %s, %s.", runCount(r.Voice, o.Accepted+o.Duplicate+o.RejectCount-r.Unread),
		r.Paint(say.Green, r.Say("%d accepted", o.Accepted)), r.Say("%d recorded before", o.Duplicate), r.rejectedWord())}
	if r.Unread > 0 {
		lines = append(lines, r.Say("Files without a run that can be read: %d.", r.Unread))
	}
	if r.Skipped > 0 {
		lines = append(lines, r.Say("Tests without a verdict, such as skipped ones: %d.", r.Skipped))
	}
	if r.nameless && !r.Quiet {
		lines = append(lines, r.Say("Some of the lines recorded before have no id, run_id, trial or at, "+
			"so that a new run cannot be told from the old one. If they are of a new run, name it with --run."))
	}
	if o.Accepted > 0 && (r.names == nil || o.Correct+o.Wrong > 0) { // else the table of truths reports them later
		lines = append(lines, r.Say("Of the accepted: %d right, %d wrong, %d without a label.",
			o.Correct, o.Wrong, o.Unlabelled))
	}
	if o.Apart > 0 {
		lines = append(lines, r.Say("Excused, as they show nothing about their judge: %d, healed, passed after a retry or "+
			"failed by the environment.", o.Apart))
	}
	if o.Waited > 0 {
		lines = append(lines, r.Say("New cases of runs recorded before, which waited: %d.", o.Waited))
	}
	switch {
	case async && o.left > 0:
		lines = append(lines, unformed(r.Voice, o.left))
	case o.Formed+o.Occurrences > 0:
		lines = append(lines, r.Say("New cases: %d. Occurrences of known cases: %d.", o.Formed, o.Occurrences))
	case o.Accepted == 0 && o.Duplicate > 0 && o.Waited == 0 && o.Analysis.Again == 0:
		lines = append(lines, r.Say("Nothing has changed."))
	}
	if !async || o.left == 0 {
		lines = append(lines, r.analysis()...)
	}
	lines = append(lines, r.model.Lines()...)
	if o.dead > 0 {
		lines = append(lines, r.Say("%d could not be made into cases and are kept aside; see `memtree stats`.", o.dead))
	}
	p := r.Page()
	for _, l := range lines {
		p.Raw(wrapPainted(l, r.Width)...)
	}
	if len(o.types) > 0 {
		p.Add("")
		p.Table(typeTable(r.Voice, r.mem.Taxonomy(), o.types))
	}
	if o.Formed > 0 && !r.Quiet {
		p.Raw("", r.Say("Next: memtree tree, or memtree guide --prompt \"...\""))
	}
	return r.Print(p.Lines...)
}

// taken reports whether a run was recorded, now or before.
func (o *recorded) taken() bool { return o.Accepted+o.Duplicate > 0 }

// nothing explains why nothing was recorded.
func (r *recorder) nothing() string {
	switch {
	case r.out.RejectCount > r.Unread:
		return r.Say("Nothing was recorded: %s.", r.rejectedWord())
	case len(r.Empty) == 1 && r.Unread == 1:
		return r.Say("Nothing was recorded: %s is empty.", r.Empty[0])
	case len(r.Empty) == r.Unread:
		return r.Say("Nothing was recorded: the files are empty.")
	}
	return r.Say("Nothing was recorded: no file has a run that can be read.")
}

// wrapPainted wraps a line without colour. A coloured line is always short and stays as it is.
func wrapPainted(s string, width int) []string {
	if strings.Contains(s, "\x1b") {
		return []string{s}
	}
	return say.Wrap(s, width)
}

func (r *recorder) rejectedWord() string {
	lines := r.out.RejectCount - r.Unread
	s := r.Say("%d rejected", lines)
	if lines > 0 {
		return r.Paint(say.Red, s)
	}
	return s
}

// typeTable is a table of new cases by error type and direction.
func typeTable(v *say.Voice, tax *taxonomy.Taxonomy, types map[string]map[taxonomy.Direction]int) *say.Table {
	t := &say.Table{Columns: []say.Column{{Head: v.Say("error type"), Least: 12}}}
	if v.Lang != "en" { // an id is English and needs no translation there
		t.Columns = append(t.Columns, say.Column{Head: v.Say("in words"), Least: 8})
	}
	for _, d := range directions() {
		t.Columns = append(t.Columns, say.Column{Head: v.DirectionName(d), Right: true})
	}
	for _, name := range sortedTypes(types) {
		row := []string{name}
		if v.Lang != "en" {
			row = append(row, typeName(v, tax, name))
		}
		for _, d := range directions() {
			row = append(row, count(types[name][d]))
		}
		t.Add(row...)
	}
	return t
}
