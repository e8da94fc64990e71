package brief

import (
	"context"
	"slices"
	"sync"
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
	switch {
	case o.DryRun:
	case s.a.ReadOnly:
		return out, store.ErrReadOnly
	case s.a.Model == nil && o.Reader == nil:
		return out, errNoModel
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
	r := s.reader(ctx, o.Reader)
	if o.DryRun {
		err = estimate(r, questions, o, &out)
	} else {
		err = s.ask(ctx, book, r, questions, o, &out)
		s.a.Save(context.WithoutCancel(ctx), 0)
	}
	out.Book = book.Known()
	return out, err
}

// estimate adds up the cost of the questions.
func estimate(r *modelReader, questions []ReadingTask, o *ReadOptions, out *ReadResult) error {
	for i := range questions {
		request, err := r.Request(&questions[i])
		if err != nil {
			return err
		}
		out.Calls++
		out.Usage = out.Usage.Add(meter.Estimate(request))
	}
	out.Cost = o.Price.Of(out.Usage)
	return nil
}

// ask sends the questions, atOnce at a time. It stops after mostInRow consecutive ones without an answer.
func (s *Briefs) ask(
	ctx context.Context, book *Book, r *modelReader, questions []ReadingTask, o *ReadOptions, out *ReadResult,
) error {
	of := meter.New(r.Model, meter.Options{
		Calls: o.MaxCalls, Cost: o.MaxCost, Price: o.Price.Of, InRow: mostInRow,
	})
	r.Model = of
	var mu sync.Mutex
	left := of.Each(ctx, len(questions), atOnce, func(i int) {
		done, err := r.Read(ctx, book, questions[i])
		mu.Lock()
		defer mu.Unlock()
		out.ReadCounts.Add(done)
		if err != nil {
			t, _ := questions[i].Size()
			out.Left += max(0, t-done.Tests)
			out.Why = err.Error()
		}
		spent := of.Total()
		out.Calls, out.Usage = spent.Calls, spent.Usage
		s.a.Save(ctx, saveEvery)
		if o.Progress != nil {
			o.Progress(*out)
		}
	})
	for _, q := range questions[len(questions)-left:] {
		t, _ := q.Size()
		out.Left += t
	}
	spent := of.Total()
	out.Calls, out.Usage, out.Cost = spent.Calls, spent.Usage, o.Price.Of(spent.Usage)
	slices.Sort(out.Refused)
	slices.Sort(out.Unsaid)
	return ctx.Err()
}
