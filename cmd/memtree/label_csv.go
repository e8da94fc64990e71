package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"strings"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/inbox"
	"github.com/memtree/memtree/ingest"
	"github.com/memtree/memtree/ingest/report"
	"github.com/memtree/memtree/internal/cli/input"
	"github.com/memtree/memtree/internal/cli/say"
	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/tree"
)

// cellRunes limits the length of a cell, in characters: spreadsheets accept at most 32,767.
const cellRunes = 4000

// labelCSV writes the unlabelled runs as a table.
func labelCSV(ctx context.Context, a *app, f *labelFlags) error {
	return a.store.Read(ctx, func(m *memtree.Memory) error {
		box, err := m.Inbox().Find(ctx, f.query, 0, 0)
		if err != nil {
			return err
		}
		b, err := labelTable(a, &box)
		if err != nil {
			return err
		}
		if err := a.files.Write(f.csv, b); err != nil {
			return err
		}
		return a.Result(map[string]any{"file": f.csv, "written": len(box.Waiting)},
			a.Wrap(a.Say("Written to %s: %d runs. Write right or wrong into the column truth, "+
				"then: memtree label --from %s", f.csv, len(box.Waiting), f.csv))...)
	})
}

// labelTable returns the unlabelled runs as CSV. It begins with a byte order mark, without which spreadsheets do not
// recognise UTF-8.
func labelTable(a *app, box *inbox.Inbox) ([]byte, error) {
	b := bytes.NewBufferString("\xef\xbb\xbf")
	w := csv.NewWriter(b)
	w.UseCRLF = true
	rows := [][]string{{"id", "truth", "note", "risk", "judgment", "reason", "prompt", "route", "failure", "steps",
		"pictures"}}
	for i := range box.Waiting {
		u := &box.Waiting[i]
		e := &u.Evaluation
		p := ""
		if u.Risk.Enough {
			p = fmt.Sprintf("%.2f", u.Risk.P)
		}
		said, beside := judgedParts(e)
		rows = append(rows, []string{report.QuoteCell(e.Key()), "", "", p, cell(said), cell(beside), cell(e.Prompt),
			cell(e.Scene.Route)})
		rows[i+1] = append(rows[i+1], evidenceCells(a, e.Evidence)...)
	}
	if err := w.WriteAll(rows); err != nil {
		return nil, fmt.Errorf("write CSV: %w", err)
	}
	return b.Bytes(), nil
}

// evidenceCells returns the failure, the steps and the picture files of a run.
func evidenceCells(a *app, e *tree.Evidence) []string {
	if e == nil {
		return []string{"", "", ""}
	}
	var steps, pictures []string
	for i, s := range e.Steps {
		line := fmt.Sprintf("%d. %s", i+1, s.Title)
		if s.Failed {
			line += " ← " + a.Say("failed here")
		}
		steps = append(steps, line)
	}
	for i := range e.Pictures {
		pictures = append(pictures, pictureAt(a, &e.Pictures[i]))
	}
	return []string{cell(e.Failure), cell(strings.Join(steps, "\n")), cell(strings.Join(pictures, "\n"))}
}

// cell is a text in a table.
func cell(s string) string {
	return report.QuoteCell(text.Clip(strings.TrimSpace(text.Clean(s)), cellRunes))
}

// tableResult is the result of a table of truths, as --json prints it.
type tableResult struct {
	Told     int            `json:"told"`
	Wrong    int            `json:"wrong"`   // of Told
	Cases    int            `json:"cases"`   // that are new
	Already  int            `json:"already"` // known before
	Empty    int            `json:"empty"`   // lines without a truth
	Rejected []input.Reject `json:"rejected"`
	Waiting  int            `json:"waiting"` // runs without a label, afterwards
}

// labelFrom reads truths from a table.
func labelFrom(ctx context.Context, a *app, f *labelFlags) error {
	name, labels, err := readLabels(ctx, a, f.from)
	if err != nil {
		return err
	}
	l := newLabelling(a, name, labels, nil)
	l.by = f.speaker
	err = a.store.Write(ctx, func(m *memtree.Memory) error {
		if err := l.run(ctx, m); err != nil {
			return err
		}
		if l.JSON {
			return l.PrintJSON(&l.out)
		}
		return l.printed()
	})
	l.Bar.End()
	if err != nil {
		return err
	}
	return l.Err(l.taken())
}

func readLabels(ctx context.Context, a *app, file string) (string, report.Labels, error) {
	name := a.files.Name(file)
	r, err := a.files.Reader(ctx, file)
	if err != nil {
		return name, report.Labels{}, err
	}
	defer r.Close() //nolint:errcheck // only read
	l, err := report.ReadLabels(name, r)
	return name, l, tableFailure(a, err)
}

// tableFailure describes what is wrong with a table as a whole.
func tableFailure(a *app, err error) error {
	if file, ok := errors.AsType[*ingest.FileError](err); ok {
		return &say.Failure{Text: a.files.RejectLine(input.Reject{File: file.File, Error: file.Problem}), Cause: err}
	}
	return err
}

// taken reports whether a truth of the table was taken, now or before.
func (l *labelling) taken() bool { return l.out.Told+l.out.Already > 0 }

// printed prints the result of the table.
func (l *labelling) printed() error {
	l.Hidden()
	p := l.Page()
	p.Add(l.Say("Truths in the table: %d, for wrong verdicts: %d; new cases: %d. Known before: %d; "+
		"rows without a truth: %d; rows that cannot be used: %d.", l.out.Told, l.out.Wrong, l.out.Cases, l.out.Already,
		l.out.Empty, l.Rejects))
	p.Add(waitingLine(l.Voice, &l.box))
	if l.out.Wrong > 0 {
		p.Add(l.Say("Next: memtree evolve learns from the new cases."))
	}
	return l.Print(p.Lines...)
}
