package look

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
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
	Model    llm.Generator                                         // model that looks; nil: only that of Options does
	Name     string                                                // name of Model, if its answers do not report one
	Now      func() time.Time                                      // returns the present time
	ReadOnly bool                                                  // nothing is written, so Read fails without DryRun
	Hidden   func(product string) bool                             // whether no model may read runs of the product
	Clean    func(tree.Evaluation) tree.Evaluation                 // removes secrets from an evaluation
	Before   func(context.Context, *tree.Evaluation) []string      // memories of similar tests, one line each
	Picture  func(ctx context.Context, sum string) ([]byte, error) // picture of a run by its SHA-256; nil: none are shown
	Save     func(ctx context.Context, every time.Duration)        // saves the looks, unless they were saved within every
}

// Looks makes second looks at the verdicts of a memory. Its methods are safe for concurrent use.
type Looks struct{ a Access }

// New returns the Looks of the memory that a connects.
func New(a Access) *Looks { return &Looks{a} }

// Book returns the Archive with the looks so far.
func (s *Looks) Book() *Archive { return s.a.Book }

// Of returns the look at run e, and whether there is one. e may have its secrets.
func (s *Looks) Of(e tree.Evaluation) (Look, bool) {
	e = s.a.Clean(e)
	return s.a.Book.Get(&e)
}

// Options bounds a Read. The zero value sets no bounds.
type Options struct {
	DryRun   bool             // call no model and write nothing; Usage and Cost are estimates
	MaxCalls *int             // most calls of the model; nil: no bound
	MaxCost  *float64         // most cost of the calls, by Price; nil: no bound
	Price    meter.Price      // price of the model's tokens
	Reader   llm.Generator    // model to call instead of Access.Model; nil: Access.Model
	Decider  decide.Decider   // model to ask for probabilities instead; it quotes nothing; nil: none
	Progress func(ReadResult) // called after every look; may be nil
}

// ReadResult is what a Read did, or with DryRun would do.
type ReadResult struct {
	Asked   int       `json:"asked"`         // verdicts given to Read
	Known   int       `json:"known"`         // verdicts of Asked that were looked at before
	Empty   int       `json:"empty"`         // verdicts of Asked without evidence that a model may look at
	Looks   int       `json:"looks"`         // new looks
	Against int       `json:"against"`       // new looks that contradict the verdict
	Unfound int       `json:"unfound"`       // quotations that are not in the evidence
	Calls   int       `json:"calls"`         // calls of the model
	Usage   llm.Usage `json:"usage"`         // tokens of Calls
	Cost    float64   `json:"-"`             // cost of Usage, by Price
	Left    int       `json:"left"`          // verdicts without an answer; the next Read asks again
	Why     string    `json:"why,omitempty"` // the last error, for a log

	Kind llm.ErrorKind `json:"kind,omitempty"` // kind of the error in Why; llm.KindBound if bounds ended the Read
}

// Limits of a Read.
const (
	atOnce    = 4
	maxTokens = 700 // of an answer
	mostInRow = 5   // consecutive calls without an answer, after which it stops
	saveEvery = 30 * time.Second
)

// Read has a model look at the verdicts of es, in this order, except those that were looked at before. If it ends
// early, it keeps the looks so far. Without a model and a Decider the error is of llm.KindNotSet, but not with DryRun.
func (s *Looks) Read(ctx context.Context, es []tree.Evaluation, o Options) (ReadResult, error) {
	out := ReadResult{Asked: len(es)}
	model := o.Reader
	if model == nil {
		model = s.a.Model
	}
	switch {
	case s.a.ReadOnly && !o.DryRun:
		return out, fmt.Errorf("look: %w", store.ErrReadOnly)
	case model == nil && o.Decider == nil && !o.DryRun:
		return out, fmt.Errorf("look: %w", &llm.Error{Kind: llm.KindNotSet, Err: errors.New("no model is configured")})
	}
	set := prompts.Load()
	asks, err := s.questions(ctx, es, set, s.a.Picture != nil && llm.Sees(model), &out)
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
	ctx context.Context, es []tree.Evaluation, set *prompts.Set, sees bool, out *ReadResult,
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
		p, err := set.Look(in)
		if err != nil {
			return nil, err
		}
		asks = append(asks, verdictQuestion{e, in, set.Request(p, in.Lang, maxTokens), pictures})
	}
	return asks, ctx.Err()
}

// ask asks the questions, some at a time.
func (s *Looks) ask(ctx context.Context, model llm.Generator, asks []verdictQuestion, o *Options, out *ReadResult) {
	if o.Decider != nil {
		s.askDecider(ctx, asks, o, out)
		return
	}
	of := meter.New(model, meter.Options{Calls: o.MaxCalls, Cost: o.MaxCost, Price: o.Price.Of, InRow: mostInRow})
	var mu sync.Mutex
	left := of.Each(ctx, len(asks), atOnce, func(i int) {
		l, err := s.look(ctx, of, &asks[i])
		mu.Lock()
		defer mu.Unlock()
		out.add(&l, err)
		spent := of.Total()
		out.Calls, out.Usage = spent.Calls, spent.Usage
		s.a.Save(ctx, saveEvery)
		if o.Progress != nil {
			o.Progress(*out)
		}
	})
	out.Left += left
	spent := of.Total()
	out.Calls, out.Usage, out.Cost = spent.Calls, spent.Usage, o.Price.Of(spent.Usage)
}

// askDecider asks a model that decides, one verdict after another, within the bounds on calls and cost.
func (s *Looks) askDecider(ctx context.Context, asks []verdictQuestion, o *Options, out *ReadResult) {
	inRow := 0
	for i := range asks {
		over := o.MaxCalls != nil && out.Calls >= *o.MaxCalls || o.MaxCost != nil && o.Price.Of(out.Usage) >= *o.MaxCost
		if ctx.Err() != nil || over || inRow >= mostInRow {
			out.Left += len(asks) - i
			break
		}
		l, used, err := s.decided(ctx, o.Decider, &asks[i])
		out.Calls, out.Usage = out.Calls+1, out.Usage.Add(used)
		if inRow++; err == nil {
			inRow = 0
		}
		out.add(&l, err)
		s.a.Save(ctx, saveEvery)
		if o.Progress != nil {
			o.Progress(*out)
		}
	}
	out.Cost = o.Price.Of(out.Usage)
}

// look asks one question and stores the answer.
func (s *Looks) look(ctx context.Context, model llm.Generator, a *verdictQuestion) (Look, error) {
	var v prompts.LookOutput
	read := func(raw json.RawMessage) (bad error) {
		v, bad = a.in.Read(raw)
		return bad
	}
	var loaded bool
	if a.request.Images, loaded = s.images(ctx, a.pictures); !loaded {
		if err := s.blind(a); err != nil {
			return Look{}, err
		}
	}
	answer, err := llm.Ask(ctx, model, a.request, read)
	if llm.KindOf(err) == llm.KindBadRequest && len(a.request.Images) > 0 { // it does not take these images
		if err = s.blind(a); err == nil {
			answer, err = llm.Ask(ctx, model, a.request, read)
		}
	}
	a.request.Images = nil // so that not all of them are held
	if err != nil {
		return Look{}, err //nolint:wrapcheck // the caller reports it
	}
	l := lookOf(&a.e, &a.in, &v)
	l.At, l.By, l.Prompt, l.Tokens = s.a.Now().UTC(), answer.Model, a.request.Name, answer.Usage.OutputTokens
	if l.By == "" {
		l.By = s.a.Name
	}
	s.a.Book.Put(l)
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
	set := prompts.Load()
	a.in.Pictures = 0
	p, err := set.Look(a.in)
	if err != nil {
		return fmt.Errorf("look: %w", err)
	}
	a.request = set.Request(p, a.in.Lang, maxTokens)
	return nil
}
