package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/internal/byhand"
	"github.com/memtree/memtree/internal/cli/say"
	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/llm/meter"
)

// mostAnswered is the size limit of a file of answers, in bytes.
const mostAnswered = 256 << 20

// byFile names the reader of answers that name none.
const byFile = "file"

// handFlags name the files of questions for, and answers from, a reader outside of memtree.
type handFlags struct{ print, from string }

func addHandFlags(v *say.Voice, c *cobra.Command, f *handFlags) {
	c.Flags().StringVar(&f.print, "print", "", v.Say("write the questions to this file and ask no model; "+
		"- for standard output"))
	if c.Flags().Lookup("dry-run") != nil {
		c.MarkFlagsMutuallyExclusive("print", "dry-run") // the file would have no question in it
	}
	c.Flags().StringVar(&f.from, "from", "", v.Say("take the answers from this file"))
}

// byHand returns the reader of --print and --from, nil if neither was set.
func byHand(ctx context.Context, a *app, f *handFlags) (*byhand.PreparedReader, error) {
	if f.print == "" && f.from == "" {
		return nil, nil
	}
	if f.from == "" {
		return byhand.New(""), nil
	}
	s, err := a.files.Text(ctx, f.from, mostAnswered)
	if err != nil {
		return nil, err
	}
	answers, err := byhand.Read(bytes.NewReader([]byte(s)))
	if line, ok := errors.AsType[*byhand.ReplyError](err); ok {
		return nil, a.Fail(err, "%s:%d %s", a.files.Name(f.from), line.Line, lineProblem(a.Voice, line.Problem))
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", a.files.Name(f.from), err)
	}
	return byhand.New(cmp.Or(a.Env("USER"), byFile), answers...), nil
}

// lineProblem describes why a line is not a valid answer.
func lineProblem(v *say.Voice, p byhand.ReplyProblem) string {
	return cmp.Or(map[byhand.ReplyProblem]string{
		byhand.NoObject: v.Say("is no JSON object; write one answer a line"),
		byhand.NoID:     v.Say("has no id; copy that of the question"), byhand.NoAnswer: v.Say("has no answer"),
		byhand.TooLong: v.Say("is too long for an answer"),
		byhand.TooMany: v.Say("is one answer too many; take them in several files"),
	}[p], string(p))
}

// handed is what came of a reader outside of memtree, as --json prints it.
type handed struct {
	Questions *int     `json:"questions,omitempty"` // printed questions
	Unused    []string `json:"unused,omitempty"`    // ids of answers that match no open question
}

// end writes the open questions to the file of --print. done reports that nothing more is to be printed: they went to
// standard output, or could not be written.
func (f *handFlags) end(a *app, r *byhand.PreparedReader, out *handed) (done bool, err error) {
	if r == nil {
		return false, nil
	}
	if out.Unused = r.Unused(); f.print == "" {
		return false, nil
	}
	var b bytes.Buffer
	open := r.Open()
	if err = byhand.Write(&b, open); err == nil && f.print == "-" {
		_, err = a.Stdout.Write(b.Bytes())
		return true, err
	}
	if err == nil {
		err = a.files.Write(f.print, b.Bytes())
	}
	out.Questions = new(len(open))
	return err != nil, err
}

// written is the line about questions that end wrote.
func (f *handFlags) written(v *say.Voice, questions int) string {
	return v.Say("Questions written to %s: %d. Put the answers into a file, a line each: {\"id\": ..., "+
		"\"answer\": {...}}, and take them with --from.", f.print, questions)
}

// modelUnset returns err, as a sentence if no model is set.
func modelUnset(v *say.Voice, err error) error {
	if llm.KindOf(err) != llm.KindNotSet {
		return err
	}
	return v.Fail(err, "no model is set; set MEMTREE_LLM_MODEL and MEMTREE_LLM_API_KEY (memtree llm check tries them)")
}

// readNew has a model read what is new, with what as the name of that: read does it, and calls step after every call.
// If --print or --from is set, it returns their reader, which o has then.
func readNew(
	ctx context.Context, a *app, f *handFlags, o *meter.Reading, what string,
	read func(m *memtree.Memory, step func(calls int)) error,
) (hand *byhand.PreparedReader, err error) {
	if hand, err = byHand(ctx, a, f); err != nil {
		return nil, err
	}
	if hand != nil {
		o.Reader = hand
	}
	err = a.store.WriteOrPlan(ctx, o.DryRun, func(m *memtree.Memory) error {
		o.Price, _ = a.model.PriceOf(a.model.Name)
		o.MaxCalls, o.MaxCost = a.model.Left()
		bar := a.Progress(what, func(n int64) string { return a.Say("%d calls", n) })
		defer bar.End()
		err := read(m, func(calls int) { bar.Step(int64(calls), 0) })
		bar.End()
		a.model.Halted(m.Health().Model, 0)
		return err
	})
	return hand, modelUnset(a.Voice, err)
}

// readJSON is what a reading used, as --json prints it.
type readJSON struct {
	Tokens    int  `json:"tokens"`
	Cost      any  `json:"cost"` // a number, or "unknown"
	Estimated bool `json:"estimated"`
	handed
}

func readOf(a *app, used meter.ReadUsage, dry bool) readJSON {
	return readJSON{
		Tokens: used.Usage.InputTokens + used.Usage.OutputTokens, Estimated: dry,
		Cost: a.model.CostOf(used.Calls, 0, used.Usage),
	}
}
