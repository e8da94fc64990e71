package memtree

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/memtree/memtree/formation"
	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/tree"
)

// modelCalls is how many questions a model is asked at once.
const modelCalls = 4

// batchModel is a Generator that remembers its answers, and its failures, until forget. So the
// questions of a batch can be put to a slow model at once, and the batch can then be formed in
// order with the remembered answers. A panic in a provider's code becomes an error. It is safe
// for concurrent use.
type batchModel struct {
	of llm.Generator

	mu   sync.Mutex
	said map[string]*answer
}

// answer is the answer to one question, or the error; once makes sure that it is asked once.
type answer struct {
	once sync.Once
	a    llm.Answer
	err  error
}

// forget drops all answers. What was a failure is asked again in the next batch.
func (b *batchModel) forget() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.said = map[string]*answer{}
}

// Generate asks each question once. Who asks it again waits for the same answer.
func (b *batchModel) Generate(ctx context.Context, r llm.Request) (llm.Answer, error) {
	key := tree.Hash(r.Name, r.System, r.Prompt, string(r.Schema))
	b.mu.Lock()
	if b.said == nil {
		b.said = map[string]*answer{}
	}
	x := b.said[key]
	if x == nil {
		x = &answer{}
		b.said[key] = x
	}
	b.mu.Unlock()
	x.once.Do(func() {
		defer func() {
			if r := recover(); r != nil {
				x.err = &llm.Error{Kind: llm.KindNoAnswer, Err: fmt.Errorf("the model's code panicked: %v", r)}
			}
		}()
		x.a, x.err = b.of.Generate(ctx, r)
	})
	return x.a, x.err
}

// askAhead forms a batch only to have the model asked, modelCalls questions at once. The
// answers stay in batchModel. A failure stays there too: it comes back, and is handled, when
// the batch is formed.
func (m *Memory) askAhead(ctx context.Context, es []tree.Evaluation, view formation.View) {
	var asking sync.WaitGroup
	places := make(chan struct{}, modelCalls)
	for _, e := range es {
		places <- struct{}{}
		asking.Go(func() {
			defer func() { <-places }()
			if _, err := m.former.Form(ctx, e, view); err != nil {
				m.opts.Logger.Debug("asked ahead in vain", "evaluation", e.Key(), "error", err)
			}
		})
	}
	asking.Wait()
}

// formOne forms an evaluation with the model. If the model fails, the rules form it, and the
// case is marked to be analysed again later.
func (m *Memory) formOne(ctx context.Context, e tree.Evaluation, view formation.View) (formation.Formed, error) {
	formed, err := m.former.Form(ctx, e, view)
	var failed *llm.Error
	if errors.As(err, &failed) && ctx.Err() == nil {
		m.opts.Logger.Warn("the model did not answer, the rules analyst did", "evaluation", e.Key(), "error", err)
		formed, byRules := m.former.FormByRules(ctx, e, view)
		formed.ModelErr = err
		return formed, byRules
	}
	return formed, err
}
