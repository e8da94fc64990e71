package input

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/memtree/memtree/brief"
	"github.com/memtree/memtree/enhance/midscene"
	"github.com/memtree/memtree/ingest"
	"github.com/memtree/memtree/ingest/report"
	"github.com/memtree/memtree/tree"
)

// Tests reads the files as upcoming tests, and returns the valid ones. It counts and reports invalid lines.
func (in *RunFiles) Tests(ctx context.Context, files []string) ([]brief.UpcomingTest, error) {
	defer in.Hidden()
	defer in.Bar.End()
	var out []brief.UpcomingTest
	for _, name := range files {
		r, name, err := in.openFile(ctx, name)
		if err != nil {
			return nil, err
		}
		err = in.Take(ctx, name, in.testsOf(name, r), func(e *tree.Evaluation) error {
			e.Scope.Test = cmp.Or(e.Scope.Test, e.CaseID)
			out = append(out, brief.TestOf(e.Prompt, e.Scene, e.Scope))
			return nil
		})
		if err = errors.Join(err, r.Close()); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// testsOf reads a file: a report or a script if its beginning identifies one, else objects with a prompt.
func (in *RunFiles) testsOf(name string, r io.Reader) iter.Seq2[tree.Evaluation, error] {
	b := bufio.NewReaderSize(r, report.Sniff)
	begin, _ := b.Peek(report.Sniff) // an error returns with the next read
	rd, err := report.NewReader(report.Recognise(begin), report.Options{Tests: true})
	switch {
	case err == nil:
		return in.reportOf(name, b, rd)
	case midscene.Recognise(begin):
		return stepsAsTests(name, b)
	}
	return ingest.ReadTests(name, b)
}

// stepsAsTests reads a script of Midscene. Agents, and memtree enhance, request guidance for each step, so each step
// is a test with the name of its task.
func stepsAsTests(name string, r io.Reader) iter.Seq2[tree.Evaluation, error] {
	return func(yield func(tree.Evaluation, error) bool) {
		src, err := io.ReadAll(io.LimitReader(r, midscene.MaxScript+1))
		if err != nil {
			yield(tree.Evaluation{}, fmt.Errorf("read %s: %w", name, err))
			return
		}
		script, err := midscene.Read(name, src)
		if bad, ok := errors.AsType[*midscene.ScriptError](err); ok {
			err = &ingest.LineError{File: name, Line: bad.Line, Field: bad.Field, Problem: bad.Problem}
		}
		if err != nil {
			yield(tree.Evaluation{}, err)
			return
		}
		for i := range script.Steps {
			st := &script.Steps[i]
			e := tree.Evaluation{Prompt: st.Prompt, Scene: tree.Scene{Route: st.Route}, Scope: tree.Scope{Test: st.Task}}
			if st.Prompt != "" && !yield(e, nil) {
				return
			}
		}
	}
}
