package llmtest

import (
	"context"
	"math"
	"unicode"

	"github.com/memtree/memtree/llm"
)

// Spell embeds a text by its letters and digits: each adds one to a place of its
// own (of 128, characters beyond ASCII share them), and the sum is normalised. So
// texts that share letters are similar, the order of letters and the case do not
// matter, and anyone can work out a cosine by hand.
type Spell struct{}

const spellDims = 128

// ID names the embedder.
func (Spell) ID() string { return "spell-128" }

// Dims is 128.
func (Spell) Dims() int { return spellDims }

// Embed spells the texts.
func (Spell) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	if err := ctx.Err(); err != nil {
		return nil, &llm.Error{Kind: llm.KindCancelled, Err: err}
	}
	vectors := make([][]float32, len(texts))
	for i, t := range texts {
		vectors[i] = spell(t)
	}
	return vectors, nil
}

func spell(text string) []float32 {
	v := make([]float32, spellDims)
	var sum float64
	for _, r := range text {
		if r = unicode.ToLower(r); unicode.IsLetter(r) || unicode.IsDigit(r) {
			sum += float64(2*v[r%spellDims] + 1) // (x+1)² − x²
			v[r%spellDims]++
		}
	}
	if sum == 0 {
		return v
	}
	for i := range v {
		v[i] = float32(float64(v[i]) / math.Sqrt(sum))
	}
	return v
}
