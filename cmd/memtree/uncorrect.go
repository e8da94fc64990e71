package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"

	"github.com/spf13/cobra"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/curation"
	"github.com/memtree/memtree/internal/cli/access"
	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/tree"
)

// uncorrectFlags are the flags of uncorrect.
type uncorrectFlags struct{ by, file string }

func uncorrectCommand(a *app) *cobra.Command {
	f := uncorrectFlags{}
	c := &cobra.Command{
		Use:  "uncorrect EVALUATION",
		Args: arguments(a.Voice, 1, 1, a.Say("the id of an evaluation")),
		RunE: func(c *cobra.Command, args []string) error { return runUncorrect(c.Context(), a, args[0], &f) },
	}
	c.Flags().StringVar(&f.by, "by", "", a.Say("who decides; it is saved"))
	c.Flags().StringVar(&f.file, "file", "", a.Say("the file of triage --out; the agent's own verdict is put back "+
		"into it"))
	return c
}

// mostCorrected bounds a file of corrected runs, in bytes.
const mostCorrected = 256 << 20

func runUncorrect(ctx context.Context, a *app, id string, f *uncorrectFlags) error {
	var back ledger.Correction
	err := a.store.With(ctx, access.Writing, func(m *memtree.Memory) (err error) {
		back, err = m.Curation().TakeBack(ctx, id, curation.Options{By: f.by})
		return err
	})
	switch {
	case errors.Is(err, curation.ErrTakenBack) && f.file != "": // the file may still have the other verdict
	case errors.Is(err, curation.ErrTakenBack):
		return a.Fail(err, "the correction of %s was taken back before; --file puts the agent's own verdict back into a file",
			back.Evaluation)
	case errors.Is(err, curation.ErrNotCorrected):
		return a.Fail(err, "no correction of %s is in force; memtree triage --out lists what it corrects", id)
	case err != nil:
		return err
	}
	restored := 0
	if f.file != "" {
		s, err := a.files.Text(ctx, f.file, mostCorrected)
		if err != nil {
			return err
		}
		out, n := restoreFirst([]byte(s), back.Evaluation)
		if restored = n; n > 0 {
			if err := a.files.Write(f.file, out); err != nil {
				return err
			}
		}
	}
	lines := a.Wrap(a.Say("Taken back: %s is %s again, as the agent judged.", back.Evaluation, shortVerdict(back.First)))
	if f.file != "" {
		lines = append(lines, a.Wrap(a.Say("Lines put back in %s: %d.", f.file, restored))...)
	}
	return a.Result(struct {
		ledger.Correction
		Restored int `json:"restored"`
	}{back, restored}, lines...)
}

// restoreFirst puts the agent's own verdict back into the lines of an evaluation, and returns how many there were.
// Other lines keep their bytes.
func restoreFirst(file []byte, evaluation string) (out []byte, n int) {
	for line := range bytes.Lines(file) {
		var e tree.Evaluation
		var fields map[string]json.RawMessage
		if json.Unmarshal(line, &e) != nil || json.Unmarshal(line, &fields) != nil || fields["first_judgment"] == nil {
			out = append(out, line...)
			continue
		}
		e.Judgment = tree.Raw(fields["first_judgment"])
		if e.Key() != evaluation && e.ID != evaluation {
			out = append(out, line...)
			continue
		}
		fields["judgment"] = fields["first_judgment"]
		delete(fields, "first_judgment")
		delete(fields, "correction")
		b, err := json.Marshal(fields)
		if err != nil { // impossible: they were read from JSON
			out = append(out, line...)
			continue
		}
		out, n = append(append(out, b...), '\n'), n+1
	}
	return out, n
}
