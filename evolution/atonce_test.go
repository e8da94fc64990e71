package evolution

import (
	"context"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/llm"
)

// uneven is a model whose answers come after random times. It ends a context at one of its calls, and counts the
// answers to each prompt.
type uneven struct {
	scribe
	r       *rand.Rand
	at      int // the call that ends the context; 0: none
	stop    context.CancelFunc
	answers map[string]int
	now     int // calls under way
	atOnce  int // the most of them
}

func (u *uneven) Generate(ctx context.Context, r llm.Request) (llm.Answer, error) {
	u.mu.Lock()
	wait := time.Duration(u.r.IntN(1000)) * time.Millisecond
	u.now++
	u.atOnce = max(u.atOnce, u.now)
	u.mu.Unlock()
	time.Sleep(wait)
	u.mu.Lock()
	u.now--
	if u.at--; u.at == 0 {
		u.stop()
	}
	u.mu.Unlock()
	if ctx.Err() != nil {
		return llm.Answer{}, &llm.Error{Kind: llm.KindCancelled, Err: ctx.Err()}
	}
	u.mu.Lock()
	u.answers[r.Prompt]++
	u.mu.Unlock()
	return u.scribe.Generate(ctx, r)
}

// TestAtOnce: several calls are made at once, and the tree is the same in whatever order their answers come. A plan
// that is cut short keeps every answer that came, and the next one asks for the others alone, in the same calls.
func TestAtOnce(t *testing.T) {
	nodes, tax := many(900, 140), parsed(t, causeChecks(8))
	var first string
	calls := 0
	for seed := range uint64(3) {
		synctest.Test(t, func(t *testing.T) {
			m, o := planted(t, nodes), with(tax)
			model := &uneven{r: rand.New(rand.NewPCG(seed, 1)), answers: map[string]int{}}
			o.Generator, o.Model, o.Cache = model, "scribe", kept{m}
			if seed == 2 {
				ctx, cancel := context.WithCancel(t.Context())
				model.at, model.stop = 9, cancel
				for _, err := range evolver(t, o).Plan(ctx, m, PlanOptions{}) {
					require.ErrorIs(t, err, context.Canceled)
				}
			}
			m.evolve(o, PlanOptions{})
			require.Equal(t, askedAtOnce, model.atOnce)
			for prompt, n := range model.answers {
				require.Equal(t, 1, n, prompt)
			}
			if first == "" {
				first, calls = m.text(), len(model.answers)
			}
			require.Equal(t, first, m.text())
			require.Len(t, model.answers, calls)
		})
	}
	require.Greater(t, calls, 2*askedAtOnce)
}
