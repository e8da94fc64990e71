package meter

import (
	"context"
	"slices"
	"unicode/utf8"

	"github.com/memtree/memtree/llm"
)

// EmbedStage is the stage under which a Meter counts calls of an embedder.
const EmbedStage = "embed"

// textsAtOnce is the most texts in one call of an embedder.
const textsAtOnce = 32

// embedder is an Embedder whose calls a Meter counts.
type embedder struct {
	llm.Embedder
	meter *Meter
	price func(llm.Usage) float64
}

// Embedder returns e as an Embedder whose calls m counts and limits like those of its generator. price returns the cost
// of tokens; nil: unknown, so Options.Cost does not limit these calls.
func (m *Meter) Embedder(e llm.Embedder, price func(llm.Usage) float64) llm.Embedder {
	return embedder{e, m, price}
}

// Unwrap returns the embedder, for [llm.Find].
func (e embedder) Unwrap() any { return e.Embedder }

// Embed embeds at most textsAtOnce texts in a call.
func (e embedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	out := make([][]float32, 0, len(texts))
	for some := range slices.Chunk(texts, textsAtOnce) {
		got, err := e.call(ctx, some)
		if err != nil {
			return nil, err
		}
		out = append(out, got...)
	}
	return out, nil
}

func (e embedder) call(ctx context.Context, texts []string) (got [][]float32, err error) {
	ctx, tally := llm.WithTally(ctx)
	c := counted{stage: EmbedStage, price: e.price, most: llm.Usage{InputTokens: characters(texts)}}
	err = e.meter.count(ctx, c, func(ctx context.Context) (llm.Usage, error) {
		var err error
		got, err = e.Embedder.Embed(ctx, texts)
		return tally.Usage(), err
	})
	return got, err
}

// characters returns an upper bound of the tokens in texts: their number of characters.
func characters(texts []string) int {
	n := 0
	for _, t := range texts {
		n += utf8.RuneCountInString(t)
	}
	return n
}

// EstimateTexts estimates how many calls of an embedder texts need, and how many tokens these use.
func EstimateTexts(texts []string) (calls int, u llm.Usage) {
	for _, t := range texts {
		u.InputTokens += Estimate(llm.Request{Prompt: t}).InputTokens
	}
	return (len(texts) + textsAtOnce - 1) / textsAtOnce, u
}
