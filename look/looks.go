package look

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/llm/decide"
	"github.com/memtree/memtree/llm/meter"
	"github.com/memtree/memtree/prompts"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/tree"
)

// Access connects Looks with a memory. Book, Now, Hidden, Clean, Before and Save are required.
type Access struct {
	Book     *Archive                                              // the looks so far
	Model    llm.Generator                                         // model that looks unless Options has one; nil: none
	Name     string                                                // name of Model, if its answers do not report one
	Now      func() time.Time                                      // returns the present time
	ReadOnly bool                                                  // Read fails, but not a dry run
	Hidden   func(product string) bool                             // whether no model may read runs of the product
	Clean    func(tree.Evaluation) tree.Evaluation                 // removes secrets from an evaluation
	Before   func(context.Context, *tree.Evaluation) []string      // memories of similar tests, one line each
	Picture  func(ctx context.Context, sum string) ([]byte, error) // picture of a run by its SHA-256; nil: none are shown
	Save     func(ctx context.Context, every time.Duration)        // saves the looks, but not twice within every
}

// Looks makes second looks at the verdicts of a memory. Its methods are safe for concurrent use.
type Looks struct{ a Access }

// New returns Looks with the access a.
func New(a Access) *Looks { return &Looks{a} }

// Book returns the Archive with the looks so far.
func (s *Looks) Book() *Archive { return s.a.Book }

// Of returns the look at run e, and whether there is one. e may still contain secrets.
func (s *Looks) Of(e tree.Evaluation) (Look, bool) {
	e = s.a.Clean(e)
	return s.a.Book.Get(&e)
}

// Options sets the limits of a Read. The zero value sets none.
type Options struct {
	meter.Reading
	Decider  decide.Decider   // model to ask for probabilities instead; it quotes nothing; nil: none
	Progress func(ReadResult) // called after every look; may be nil
}

// ReadResult is what a Read did. With DryRun it has only Asked, Known, Empty, and the usage that looks at all other
// verdicts would need, whatever the limits of the Read.
type ReadResult struct {
	Asked   int `json:"asked"`   // verdicts given to Read
	Known   int `json:"known"`   // verdicts of Asked that were looked at before
	Empty   int `json:"empty"`   // verdicts of Asked without evidence that a model may look at
	Looks   int `json:"looks"`   // new looks
	Against int `json:"against"` // new looks that contradict the verdict
	Unfound int `json:"unfound"` // quotations of points that were not found in the evidence
	meter.ReadUsage
	Left int    `json:"left"`          // verdicts without an answer; the next Read asks again
	Why  string `json:"why,omitempty"` // the last error of a call, for a log

	Kind llm.ErrorKind `json:"kind,omitempty"` // kind of the error in Why; llm.KindBound if a limit ended the Read
}

// Limits of a Read.
const (
	atOnce    = 4
	maxTokens = 700 // of an answer
	mostInRow = 5   // consecutive calls without an answer, after which it stops
	saveEvery = 30 * time.Second
)

// Read has a model look at the verdicts of es, in this order, except those that were looked at before. A verdict
// without an answer is no error, see ReadResult.Left. If Read ends early, it keeps the looks so far. Without a model or
// a Decider the error is of llm.KindNotSet, except with DryRun.
func (s *Looks) Read(ctx context.Context, es []tree.Evaluation, o Options) (ReadResult, error) {
	out := ReadResult{Asked: len(es)}
	if s.a.ReadOnly && !o.DryRun {
		return out, fmt.Errorf("look: %w", store.ErrReadOnly)
	}
	model, err := o.Model(s.a.Model)
	if err != nil && o.Decider == nil {
		return out, fmt.Errorf("look: %w", err)
	}
	asks, err := s.questions(ctx, es, s.a.Picture != nil && llm.Sees(model), &out)
	if err != nil {
		return out, fmt.Errorf("look: %w", err)
	}
	if o.DryRun {
		each := s.a.Book.answerTokens(o.Decider != nil)
		for i := range asks {
			out.Calls++
			out.Usage.InputTokens += meter.Estimate(asks[i].request).InputTokens
			out.Usage.OutputTokens += each
			for _, p := range asks[i].pictures {
				out.Usage.InputTokens += llm.Tokens(p.Width, p.Height)
			}
		}
		out.Cost = o.Price.Of(out.Usage)
		return out, nil
	}
	s.ask(ctx, model, asks, &o, &out)
	if out.Left > 0 && out.Kind == "" {
		out.Kind = llm.KindBound
	}
	s.a.Save(context.WithoutCancel(ctx), 0)
	if err := ctx.Err(); err != nil {
		return out, fmt.Errorf("look: %w", err)
	}
	return out, nil
}

// verdictQuestion is a question about one verdict.
type verdictQuestion struct {
	e       tree.Evaluation
	in      prompts.LookInput
	request llm.Request

	pictures []tree.Picture // to be shown with it
}

// questions returns the questions about verdicts that were not looked at, with the last pictures of a run if the reader
// sees.
func (s *Looks) questions(
	ctx context.Context, es []tree.Evaluation, sees bool, out *ReadResult,
) ([]verdictQuestion, error) {
	var asks []verdictQuestion
	done := s.a.Book.places()
	for i := range es {
		e := s.a.Clean(es[i])
		at := placeOf(&e)
		var pictures []tree.Picture
		if sees {
			pictures = shownPictures(&e)
		}
		switch {
		case done[at]:
			out.Known++
			continue
		case visible(&e) == "" && len(pictures) == 0 || s.a.Hidden(e.Scope.Product):
			out.Empty++
			continue
		}
		done[at] = true
		in := question(&e, s.a.Before(ctx, &e))
		if orders(&in) || nothingLeft(in.Evidence) && len(pictures) == 0 {
			out.Empty++
			continue
		}
		in.Pictures = len(pictures)
		p, err := prompts.Load().Look(in)
		if err != nil {
			return nil, err
		}
		asks = append(asks, verdictQuestion{e, in, prompts.Load().Request(p, in.Lang, maxTokens), pictures})
	}
	return asks, ctx.Err()
}

// ask asks the questions, some at a time.
func (s *Looks) ask(ctx context.Context, model llm.Generator, asks []verdictQuestion, o *Options, out *ReadResult) {
	left, used := o.Each(ctx, model, len(asks), atOnce, mostInRow, func(i int, of *meter.Meter) func(meter.ReadUsage) {
		l, err := s.look(ctx, of, o, &asks[i])
		return func(used meter.ReadUsage) {
			out.ReadUsage = used
			out.add(&l, err)
			s.a.Save(ctx, saveEvery)
			if o.Progress != nil {
				o.Progress(*out)
			}
		}
	})
	out.ReadUsage = used
	out.Left += left
}

// look asks one question and stores the answer.
func (s *Looks) look(ctx context.Context, of *meter.Meter, o *Options, a *verdictQuestion) (l Look, err error) {
	if o.Decider != nil {
		l, err = s.decided(ctx, of, o, a)
	} else {
		l, err = s.quoted(ctx, of, a)
	}
	if err != nil {
		return Look{}, err
	}
	s.a.Book.Put(l)
	return l, nil
}

// quoted asks a model that answers in words, with quotations.
func (s *Looks) quoted(ctx context.Context, model llm.Generator, a *verdictQuestion) (Look, error) {
	var loaded bool
	if a.request.Images, loaded = s.images(ctx, a.pictures); !loaded {
		if err := s.blind(a); err != nil {
			return Look{}, err
		}
	}
	v, answer, err := llm.AskFor(ctx, model, a.request, a.in.Read)
	if llm.KindOf(err) == llm.KindBadRequest && len(a.request.Images) > 0 { // it does not take these images
		if err = s.blind(a); err == nil {
			v, answer, err = llm.AskFor(ctx, model, a.request, a.in.Read)
		}
	}
	a.request.Images = nil // so that not all of them are held
	if err != nil {
		return Look{}, err //nolint:wrapcheck // the caller reports it
	}
	l := lookOf(&a.e, &a.in, &v)
	l.At, l.By = s.a.Now().UTC(), cmp.Or(answer.Model, s.a.Name)
	l.Prompt, l.Tokens = a.request.Name, answer.Usage.OutputTokens
	return l, nil
}

func (r *ReadResult) add(l *Look, err error) {
	if err != nil {
		r.Left++
		r.Why, r.Kind = err.Error(), llm.KindOf(err)
		return
	}
	r.Looks++
	if l.Contradicts() {
		r.Against++
	}
	for i := range l.Points {
		if l.Points[i].Quote != "" && !l.Points[i].Found {
			r.Unfound++
		}
	}
}

// blind makes the question one without pictures.
func (s *Looks) blind(a *verdictQuestion) error {
	a.in.Pictures = 0
	p, err := prompts.Load().Look(a.in)
	if err != nil {
		return fmt.Errorf("look: %w", err)
	}
	a.request = prompts.Load().Request(p, a.in.Lang, maxTokens)
	return nil
}
