package brief

import (
	"context"
	"slices"
	"time"

	"github.com/memtree/memtree/llm/meter"
	"github.com/memtree/memtree/store"
)

const (
	atOnce    = 4                // concurrent calls of a model
	mostInRow = 3                // consecutive calls without an answer before a model is no longer called
	saveEvery = 30 * time.Second // while the book is read
)

// read is Read.
func (s *Briefs) read(ctx context.Context, tests []UpcomingTest, o *ReadOptions) (out ReadResult, err error) {
	if s.a.ReadOnly && !o.DryRun {
		return out, store.ErrReadOnly
	}
	if _, err := o.Model(s.a.Model); err != nil {
		return out, err
	}
	if err := s.a.Formed(ctx); err != nil {
		return out, err
	}
	if err := s.turn.Acquire(ctx, 1); err != nil {
		return out, err
	}
	defer s.turn.Release(1)
	if s.a.Sync != nil && !o.DryRun {
		if err := s.a.Sync(ctx); err != nil {
			return out, err
		}
	}
	book, questions, err := s.open(ctx, tests, o)
	if err != nil {
		return out, err
	}
	for i := range questions {
		t, n := questions[i].Size()
		out.Tests, out.Memories = out.Tests+t, max(out.Memories, n)
	}
	err = s.ask(ctx, book, questions, o, &out)
	if !o.DryRun {
		s.a.Save(context.WithoutCancel(ctx), 0)
	}
	out.Book = book.Known()
	return out, err
}

// ask sends the questions, atOnce at a time. It stops after mostInRow consecutive ones without an answer.
func (s *Briefs) ask(ctx context.Context, book *Book, questions []ReadingTask, o *ReadOptions, out *ReadResult) error {
	r := s.reader(ctx, o.Reader)
	ask := func(i int, of *meter.Meter) func(meter.ReadUsage) {
		r := *r
		r.Model = of
		done, err := r.Read(ctx, book, questions[i])
		return func(used meter.ReadUsage) {
			out.ReadUsage = used
			out.ReadCounts.Add(done)
			if err != nil {
				t, _ := questions[i].Size()
				out.Left += max(0, t-done.Tests)
				out.Why = err.Error()
			}
			s.a.Save(ctx, saveEvery)
			if o.Progress != nil {
				o.Progress(*out)
			}
		}
	}
	var left int
	left, out.ReadUsage = o.Each(ctx, r.Model, len(questions), atOnce, mostInRow, ask)
	for _, q := range questions[len(questions)-left:] {
		t, _ := q.Size()
		out.Left += t
	}
	slices.Sort(out.Refused)
	slices.Sort(out.Unsaid)
	return ctx.Err()
}
