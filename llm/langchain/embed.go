package langchain

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/memtree/memtree/llm"
)

const (
	batchSize = 32   // texts in a request, until the provider rejects that many
	maxText   = 6000 // characters of a text that are embedded; the rest is ignored
	minText   = 300  // a text that the provider finds too long is halved down to about this many characters
	maxDims   = 1 << 14
)

// EmbeddingModel is an llm.Embedder that calls a provider. It is safe for concurrent use.
type EmbeddingModel struct {
	id      string
	timeout time.Duration
	client  vectorClient
	http    *transport // nil for another client
	batch   atomic.Int64
	dims    atomic.Int64
}

var _ llm.Embedder = (*EmbeddingModel)(nil)

// OpenEmbedder returns the embedding model of c. It sends nothing before the first Embed. If c has no such model, the
// error is an llm.Error of KindNotSet.
func OpenEmbedder(c ModelConfig) (*EmbeddingModel, error) { return openEmbedder(c, defaults()) }

func openEmbedder(c ModelConfig, t tuning) (*EmbeddingModel, error) {
	switch {
	case c.EmbedModel == "":
		return nil, &llm.Error{Kind: llm.KindNotSet,
			Err: errors.New("no embedding model is configured: set MEMTREE_LLM_EMBED_MODEL")}
	case c.Provider == Anthropic:
		return nil, &llm.Error{Kind: llm.KindNotSet,
			Err: errors.New("anthropic has no embedding models: unset MEMTREE_LLM_EMBED_MODEL to use the built-in encoder")}
	}
	rt, err := newTransport(c, t)
	if err != nil {
		return nil, err
	}
	e := newEmbedder(c.Provider+":"+c.EmbedModel, newEmbedClient(c, rt), c.withDefaults().Timeout)
	e.http = rt
	return e, nil
}

// newEmbedder returns an embedder for any client of langchaingo, with a timeout for each request. For the id see
// [llm.Embedder].
func newEmbedder(id string, client vectorClient, timeout time.Duration) *EmbeddingModel {
	e := &EmbeddingModel{id: id, timeout: timeout, client: client}
	e.batch.Store(batchSize)
	return e
}

// Close closes idle connections to the provider. Running calls continue.
func (e *EmbeddingModel) Close() {
	if e.http != nil {
		e.http.close()
	}
}

// ID returns provider and model, such as "openai:text-embedding-3-small".
func (e *EmbeddingModel) ID() string { return e.id }

// Dims returns the length of the vectors, 0 before the first reply of the provider.
func (e *EmbeddingModel) Dims() int { return int(e.dims.Load()) }

// Embed returns one vector for each text, see [llm.Embedder]. The timeout applies to each request. Of a long text it
// embeds the first 6,000 characters, and fewer if the provider rejects them. It sends equal texts once.
func (e *EmbeddingModel) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	vectors := make([][]float32, len(texts))
	places := map[string][]int{} // indexes of a text
	var inputs []string          // the different texts, in order
	for i, t := range texts {
		if t = sent(t); t == "" {
			continue
		}
		if places[t] == nil {
			inputs = append(inputs, t)
		}
		places[t] = append(places[t], i)
	}
	for len(inputs) > 0 {
		n := min(len(inputs), int(e.batch.Load()))
		got, err := e.halving(ctx, inputs[:n])
		if err != nil {
			return nil, err
		}
		for i, v := range got {
			for _, at := range places[inputs[i]] {
				vectors[at] = slices.Clone(v)
			}
		}
		inputs = inputs[n:]
	}
	return e.fillEmpty(ctx, vectors)
}

// sent returns the part of a text that is sent.
func sent(s string) string {
	return firstRunes(strings.TrimSpace(strings.ToValidUTF8(s, "\ufffd")), maxText)
}

// halving embeds inputs with one request, and in halves if the provider rejects that many, because providers differ in
// their limits. The largest accepted size becomes the next batch size, unless a single text was the reason.
func (e *EmbeddingModel) halving(ctx context.Context, inputs []string) ([][]float32, error) {
	largest, tooLong := 0, false
	var ask func(inputs []string) ([][]float32, error)
	ask = func(inputs []string) ([][]float32, error) {
		got, err := e.request(ctx, inputs)
		n := len(inputs)
		kind := llm.KindOf(err)
		switch {
		case kind != llm.KindBadRequest && kind != llm.KindTooLarge:
			largest = max(largest, n)
			return got, err
		case n > 1:
			before, err := ask(inputs[:n/2])
			if err != nil {
				return nil, err
			}
			after, err := ask(inputs[n/2:])
			return append(before, after...), err
		case utf8.RuneCountInString(inputs[0]) >= 2*minText:
			tooLong = true
			return ask([]string{firstRunes(inputs[0], utf8.RuneCountInString(inputs[0])/2)})
		}
		tooLong = true
		return nil, err
	}
	got, err := ask(inputs)
	if err == nil && !tooLong && largest < len(inputs) {
		e.batch.Store(int64(largest))
	}
	return got, err
}

// fillEmpty sets the vectors of empty texts to zero. If the length of the vectors is unknown, it embeds one text to
// find out.
func (e *EmbeddingModel) fillEmpty(ctx context.Context, vectors [][]float32) ([][]float32, error) {
	for i, v := range vectors {
		if v != nil {
			continue
		}
		if e.Dims() == 0 {
			if _, err := e.request(ctx, []string{"a"}); err != nil {
				return nil, err
			}
		}
		vectors[i] = make([]float32, e.Dims())
	}
	return vectors, nil
}

// request embeds inputs with one request.
func (e *EmbeddingModel) request(ctx context.Context, inputs []string) ([][]float32, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, e.timeout, errDeadline)
	defer cancel()
	c := &call{name: "embed", inputs: len(inputs)}
	vectors, err := e.ask(withCall(ctx, c), inputs)
	if err == nil {
		err = checkVectors(vectors, len(inputs), e.Dims())
	}
	if err != nil {
		return nil, c.asError(ctx, err) // includes the usage
	}
	llm.Took(ctx, c.usage)
	if dims := len(vectors[0]); !e.dims.CompareAndSwap(0, int64(dims)) && e.Dims() != dims {
		return nil, malformed(fmt.Sprintf("vectors of %d and of %d numbers came", e.Dims(), dims))
	}
	return vectors, nil
}

func (e *EmbeddingModel) ask(ctx context.Context, inputs []string) (vectors [][]float32, err error) {
	defer recoverPanic(&err)
	return e.client.CreateEmbedding(ctx, inputs)
}

// firstRunes returns the first n characters of s.
func firstRunes(s string, n int) string {
	for i := range s {
		if n--; n < 0 {
			return s[:i]
		}
	}
	return s
}
