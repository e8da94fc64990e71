// Package embed turns texts into vectors without a network or a model: a static table with one
// vector per English or Chinese word, shipped inside the binary, whose rows are added up.
//
//	t, err := embed.Default()
//	v := t.Vector("点击Submit按钮后表单没有提交") // 256 numbers, length 1
//
// The similarity of two texts is the dot product of their vectors; take a negative one as 0. The
// table is good at near words of one language and weak across languages: it stands beside a lexical
// score, not in its place. FORMAT.md describes the file, NOTICE what it was derived from, and
// recipe.py is how it was made.
package embed

import (
	"context"
	_ "embed" // the table
	"sync"

	"github.com/memtree/memtree/llm"
)

var _ llm.Embedder = (*Table)(nil)

//go:embed memtree-en-zh-256.bin
var builtin string

// The name and hash are written down so that opening needs no pass over 8.5 MB; a test compares the hash.
const (
	builtinName = "memtree-en-zh-256"
	builtinHash = "23d1e400"
)

var openBuiltin = sync.OnceValues(func() (*Table, error) {
	t, err := parse(builtin)
	if err != nil {
		return nil, err
	}
	t.id = builtinName + "/" + builtinHash
	return t, nil
})

// Default returns the table that is part of the binary. It is parsed at the first call (about a millisecond) and shared after that.
func Default() (*Table, error) { return openBuiltin() }

// Embed returns the [Table.Vector] of every text, in order. It ends early, with ctx's error, when ctx ends.
func (t *Table) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	out := make([][]float32, len(texts))
	for i, s := range texts {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		out[i] = t.Vector(s)
	}
	return out, nil
}
