// Package embed turns texts into vectors without a network or a model. A static table inside the binary has one vector
// per English or Chinese word; the vector of a text is the sum of the vectors of its words.
//
//	t, err := embed.Default()
//	v := t.Vector("点击Submit按钮后表单没有提交") // 256 numbers, length 1
//
// The similarity of two texts is the dot product of their vectors; take a negative one as 0. The table is good at
// related words of one language and weak across languages. Use it beside a lexical score, not in place of one.
// FORMAT.md describes the file, NOTICE names its sources, and recipe.py made it.
package embed

import (
	"context"
	_ "embed" // the table
	"sync"

	"github.com/memtree/memtree/llm"
)

var _ llm.Embedder = (*WordVectors)(nil)

//go:embed memtree-en-zh-256.bin
var builtin string

// The name and hash are constants, so that opening does not have to read all 8.5 MB. A test compares the hash.
const (
	builtinName = "memtree-en-zh-256"
	builtinHash = "23d1e400"
)

var openBuiltin = sync.OnceValues(func() (*WordVectors, error) {
	t, err := parse(builtin)
	if err != nil {
		return nil, err
	}
	t.id = builtinName + "/" + builtinHash
	return t, nil
})

// Default returns the table that is part of the binary. The first call parses it, which takes about a millisecond;
// all callers share it.
func Default() (*WordVectors, error) { return openBuiltin() }

// Embed returns the [WordVectors.Vector] of every text, in order. If ctx ends before it is done, it returns ctx's
// error.
func (t *WordVectors) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	out := make([][]float32, len(texts))
	for i, s := range texts {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		out[i] = t.Vector(s)
	}
	return out, nil
}
