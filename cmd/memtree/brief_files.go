package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/memtree/memtree/internal/byhand"
)

// mostAnswered is the size limit of a file of answers, in bytes.
const mostAnswered = 256 << 20

// byFile names the reader of answers that name none.
const byFile = "file"

// handFlags name the files of questions for, and answers from, a reader outside of memtree.
type handFlags struct{ print, from string }

func (a *app) handFlags(c *cobra.Command, f *handFlags) {
	c.Flags().StringVar(&f.print, "print", "", a.say("write the questions to this file and ask no model; "+
		"- for standard output"))
	c.Flags().StringVar(&f.from, "from", "", a.say("take the answers from this file"))
}

// byHand returns the reader of --print and --from, nil if neither was set.
func (a *app) byHand(ctx context.Context, f *handFlags) (*byhand.Reader, error) {
	if f.print == "" && f.from == "" {
		return nil, nil
	}
	if f.from == "" {
		return byhand.New(""), nil
	}
	s, err := a.textOf(ctx, f.from, mostAnswered)
	if err != nil {
		return nil, err
	}
	answers, err := byhand.Read(bytes.NewReader([]byte(s)))
	if line, ok := errors.AsType[*byhand.LineError](err); ok {
		return nil, &failure{a.say("%s:%d %s", a.fileName(f.from), line.Line, a.lineProblem(line.Problem)), err}
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", a.fileName(f.from), err)
	}
	return byhand.New(cmp.Or(a.set("USER"), byFile), answers...), nil
}

// lineProblem describes why a line is not a valid answer.
func (a *app) lineProblem(p byhand.Problem) string {
	switch p {
	case byhand.NoObject:
		return a.say("is no JSON object; write one answer a line")
	case byhand.NoID:
		return a.say("has no id; copy that of the question")
	case byhand.NoAnswer:
		return a.say("has no answer")
	case byhand.TooLong:
		return a.say("is too long for an answer")
	case byhand.TooMany:
		return a.say("is one answer too many; take them in several files")
	}
	return string(p)
}

// printQuestions writes the open questions to the file of --print and returns their number.
func (a *app) printQuestions(name string, r *byhand.Reader) (int, error) {
	var out bytes.Buffer
	open := r.Open()
	if err := byhand.Write(&out, open); err != nil {
		return 0, err
	}
	if name == "-" {
		_, err := a.stdout.Write(out.Bytes())
		return len(open), err
	}
	return len(open), a.writeWhole(name, out.Bytes())
}
