package llmtest

import (
	"context"
	"math"
	"unicode"

	"github.com/memtree/memtree/llm"
)

// Spell is an llm.Embedder that counts letters and digits: each adds one to one of 128 numbers (characters beyond ASCII
// share numbers), and the vector is normalised. Texts with common letters are similar, the order and case of letters do
// not matter, and a cosine can be computed by hand.
type Spell struct{}

const spellDims = 128

// ID returns "spell-128".
func (Spell) ID() string { return "spell-128" }

// Dims returns 128, the length of the vectors.
func (Spell) Dims() int { return spellDims }

// Embed returns one vector for each text. It fails only if ctx has ended.
func (Spell) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	if err := ctx.Err(); err != nil {
		return nil, &llm.Error{Kind: llm.KindCancelled, Err: err}
	}
	vectors := make([][]float32, len(texts))
	for i, t := range texts {
		vectors[i] = letterVector(t)
	}
	return vectors, nil
}

func letterVector(text string) []float32 {
	v := make([]float32, spellDims)
	var sum float64
	for _, r := range text {
		if r = unicode.ToLower(r); unicode.IsLetter(r) || unicode.IsDigit(r) {
			sum += float64(2*v[r%spellDims] + 1) // (x+1)² − x²: keeps sum the squared length
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
