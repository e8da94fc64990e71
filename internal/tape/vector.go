package tape

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strings"

	"github.com/memtree/memtree/llm"
)

// maxDims is the most numbers of a vector.
const maxDims = 1 << 14

// pack returns the bytes of a vector.
func pack(v []float32) []byte {
	b := make([]byte, 0, 4*len(v))
	for _, x := range v {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	return b
}

func unpack(b []byte) []float32 {
	v := make([]float32, len(b)/4)
	for i := range v {
		v[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return v
}

// isVector reports whether b encodes a vector as an [llm.Embedder] returns it, up to rounding.
func isVector(b []byte) bool {
	if len(b) == 0 || len(b)%4 != 0 || len(b) > 4*maxDims {
		return false
	}
	const rounding = 1e-3
	sum := 0.0
	for _, x := range unpack(b) {
		sum += float64(x) * float64(x)
	}
	return math.Abs(math.Sqrt(sum)-1) < rounding // false for NaN
}

// vectorRecorder is an Embedder in front of another. It writes each vector to a file.
type vectorRecorder struct {
	llm.Embedder
	to *Recorder
}

// Embedder returns an embedder that passes texts to e and records their vectors, except those of blank texts.
func (r *Recorder) Embedder(e llm.Embedder) llm.Embedder { return vectorRecorder{e, r} }

// Unwrap returns the embedder, for [llm.Find].
func (v vectorRecorder) Unwrap() any { return v.Embedder }

func (v vectorRecorder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	got, err := v.Embedder.Embed(ctx, texts)
	if err != nil || len(got) != len(texts) {
		return got, err
	}
	for i, t := range texts {
		if b := pack(got[i]); strings.TrimSpace(t) != "" && isVector(b) {
			v.to.write(TextKey(t), &recording{Format: format, Name: "embed", Model: v.to.line(v.ID()), Vector: b})
		}
	}
	return got, nil
}

// vectorPlayer is an Embedder that answers from recordings.
type vectorPlayer struct {
	*Player
	dims int
}

// Embedder returns an embedder that answers with recorded vectors and calls no model, or nil if no vector is recorded.
// The embedder fails with [llm.KindNotRecorded] for a text without a recording, unless the text is blank. If the
// recorded vectors are of several models, Embedder returns a [*FolderError].
func (p *Player) Embedder() (llm.Embedder, error) {
	if p.embedModel == "" {
		return nil, nil //nolint:nilnil // there is none, and that is no error
	}
	for _, c := range p.all {
		if c.Vector != nil && (c.Model != p.embedModel || len(c.Vector) != 4*p.dims) {
			one := fmt.Sprintf("%s with %d numbers", c.Model, len(c.Vector)/4)
			other := fmt.Sprintf("%s with %d numbers", p.embedModel, p.dims)
			return nil, &FolderError{Path: p.dir, Problem: IsMixed, Err: errors.New(min(one, other) + ", " + max(one, other))}
		}
	}
	return vectorPlayer{p, p.dims}, nil
}

// ID returns the ID of the embedder that was recorded: vectors of that embedder can be compared with those of p.
func (p vectorPlayer) ID() string { return p.embedModel }

// Dims returns the length of the vectors.
func (p vectorPlayer) Dims() int { return p.dims }

// Embed implements llm.Embedder.
func (p vectorPlayer) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	if err := ctx.Err(); err != nil {
		return nil, &llm.Error{Kind: llm.KindCancelled, Err: err}
	}
	out := make([][]float32, len(texts))
	for i, t := range texts {
		c, ok := p.all[TextKey(t)]
		switch {
		case ok && c.Vector != nil:
			out[i] = unpack(c.Vector)
		case strings.TrimSpace(t) == "":
			out[i] = make([]float32, p.dims)
		default:
			return nil, &llm.Error{Kind: llm.KindNotRecorded,
				Err: &unrecordedError{Name: "embed", File: filepath.Join(p.dir, TextKey(t)+suffix)}}
		}
	}
	return out, nil
}
