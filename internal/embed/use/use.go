// Package use turns texts into vectors with a small neural network: Google's Universal Sentence Encoder, multilingual
// v3, with the pieces of English and Chinese texts. It needs no network connection and no model server.
//
//	e, err := use.Default()
//	v := e.Vector("点击Submit按钮后表单没有提交") // 512 numbers, length 1
//
// The similarity of two texts is the dot product of their vectors. Every processor computes the same bits: products
// are of integers, and sums of floats have a fixed order.
//
// pieces.go cuts a text into pieces by two tries (trie.go), data.go reads their rows, network.go has the convolutions
// over them, layer.go the products, floats.go the loops between these, and head.go what turns the mean of all pieces
// into the vector. kernel_amd64.go multiplies with VNNI, AVX2 or SSSE3, floats_amd64.go has the loops for AVX2.
// FORMAT.md describes the data, NOTICE names its sources, recipe.py made it.
package use

import (
	"context"
	_ "embed" // the data
	"sync"

	"github.com/memtree/memtree/llm"
)

var _ llm.Embedder = (*Encoder)(nil)

// A []byte is mapped from the binary like a string, and the kernels can read it without unsafe. Nothing writes to it.
//
//go:embed use-en-zh-512.bin
var builtin []byte

// The name and hash are constants, so that opening does not have to read the data. A test compares the hash.
const (
	builtinName = "use-en-zh-512"
	builtinHash = "ea9e6be7"
)

const (
	// maxRunes is the number of characters of a text that are read.
	maxRunes = 4000
	// maxPieces is the number of pieces of a text that are read.
	maxPieces = 254
)

var openBuiltin = sync.OnceValues(func() (*Encoder, error) {
	e, err := parse(builtin)
	if err != nil {
		return nil, err
	}
	e.id = builtinName + "/" + builtinHash
	return e, nil
})

// Default returns the Encoder that is part of the binary. All callers share it. Default reads only a header; the first
// text takes some tens of microseconds longer than later ones.
func Default() (*Encoder, error) { return openBuiltin() }

// ID returns the name of the encoder and the beginning of a hash of its data. Vectors of encoders with different ids
// must not be compared.
func (e *Encoder) ID() string { return e.id }

// Dims returns 512, the length of every vector.
func (e *Encoder) Dims() int { return dims }

// Embed returns the [Encoder.Vector] of every text, in order. If ctx ends before it is done, it returns ctx's error.
func (e *Encoder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	out := make([][]float32, len(texts))
	for i, s := range texts {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		out[i] = e.Vector(s)
	}
	return out, nil
}

// Vector returns the vector of s: 512 numbers, of length 1. It reads the first 4,000 characters and of those the first
// 254 pieces. Unless it knows pieces for more than half of the characters, it returns the zero vector, whose similarity
// to any vector is 0. It remembers the latest vectors.
func (e *Encoder) Vector(s string) []float32 { return e.recent.vector(s, e.compute) }

func (e *Encoder) compute(s string) []float32 {
	w, _ := e.work.Get().(*work)
	if w == nil {
		w = &work{}
	}
	defer e.work.Put(w)
	out := make([]float32, dims)
	if pieces, ok := e.pieces(w, s); ok {
		e.net().forward(e, w, pieces, out)
	}
	return out
}
