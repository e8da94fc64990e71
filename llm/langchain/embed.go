package langchain

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync/atomic"

	"github.com/memtree/memtree/llm"
)

const (
	batchSize = 32   // texts in a request, until the provider refuses so many
	maxText   = 6000 // characters of a text that are embedded; the rest is ignored
	maxDims   = 1 << 16
)

// vectorClient is the method that all of langchaingo's embedding clients have.
type vectorClient interface {
	CreateEmbedding(ctx context.Context, texts []string) ([][]float32, error)
}

// EmbeddingModel is an open embedding model. It is safe for concurrent use.
type EmbeddingModel struct {
	config Config
	client vectorClient
	http   *transport
	batch  atomic.Int64
	dims   atomic.Int64
}

var _ llm.Embedder = (*EmbeddingModel)(nil)

// OpenEmbedder prepares the embedding model of c. It sends nothing before the first
// Embed. Without such a model it fails with the kind llm.KindNotSet.
func OpenEmbedder(c Config) (*EmbeddingModel, error) { return openEmbedder(c, defaults()) }

func openEmbedder(c Config, t tuning) (*EmbeddingModel, error) {
	switch {
	case c.EmbedModel == "":
		return nil, &llm.Error{Kind: llm.KindNotSet,
			Err: errors.New("no embedding model is configured: set MEMTREE_LLM_EMBED_MODEL")}
	case c.Provider == Anthropic:
		return nil, &llm.Error{Kind: llm.KindNotSet,
			Err: errors.New("anthropic has no embedding models: unset MEMTREE_LLM_EMBED_MODEL to use the built-in table")}
	}
	rt, err := newTransport(c, t)
	if err != nil {
		return nil, err
	}
	model, err := newClient(c, c.EmbedModel, rt)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", c.Provider, err)
	}
	client, ok := model.(vectorClient)
	if !ok {
		return nil, fmt.Errorf("open %s: it cannot embed", c.Provider)
	}
	e := &EmbeddingModel{config: c.withDefaults(), client: client, http: rt}
	e.batch.Store(batchSize)
	return e, nil
}

// Close closes idle connections. It does not affect calls under way.
func (e *EmbeddingModel) Close() { e.http.close() }

// ID returns provider and model.
func (e *EmbeddingModel) ID() string { return e.config.Provider + ":" + e.config.EmbedModel }

// Dims returns the length of the vectors, 0 before the first of them came.
func (e *EmbeddingModel) Dims() int { return int(e.dims.Load()) }

// Embed implements [llm.Embedder]. The configured timeout applies to each request and
// not to the whole. Of a long text it embeds the first 6,000 characters.
func (e *EmbeddingModel) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	vectors := make([][]float32, len(texts))
	var places []int // indexes of the texts that are not empty
	for i, t := range texts {
		if strings.TrimSpace(t) != "" {
			places = append(places, i)
		}
	}
	for len(places) > 0 {
		n := min(len(places), int(e.batch.Load()))
		got, err := e.request(ctx, texts, places[:n])
		if kind := llm.KindOf(err); n > 1 && (kind == llm.KindBadRequest || kind == llm.KindTooLarge) {
			e.batch.Store(int64(n / 2)) // many providers limit the batch, each to a different size
			continue
		}
		if err != nil {
			return nil, err
		}
		for i, v := range got {
			vectors[places[i]] = v
		}
		places = places[n:]
	}
	return e.fillEmpty(ctx, vectors)
}

// fillEmpty gives empty texts their zero vectors. If the length of the vectors is not
// known yet, it embeds one text to find out.
func (e *EmbeddingModel) fillEmpty(ctx context.Context, vectors [][]float32) ([][]float32, error) {
	for i, v := range vectors {
		if v != nil {
			continue
		}
		if e.Dims() == 0 {
			if _, err := e.request(ctx, []string{"a"}, []int{0}); err != nil {
				return nil, err
			}
		}
		vectors[i] = make([]float32, e.Dims())
	}
	return vectors, nil
}

// request embeds the texts at places with one request.
func (e *EmbeddingModel) request(ctx context.Context, texts []string, places []int) ([][]float32, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, e.config.Timeout, errDeadline)
	defer cancel()
	inputs := make([]string, len(places))
	for i, p := range places {
		inputs[i] = firstRunes(strings.ToValidUTF8(texts[p], "\ufffd"), maxText)
	}
	c := &call{name: "embed", inputs: len(inputs)}
	vectors, err := e.ask(withCall(ctx, c), inputs)
	if err != nil {
		return nil, c.asError(ctx, err)
	}
	if len(vectors) != len(inputs) {
		return nil, malformed(fmt.Sprintf("%d texts were sent, %d vectors came", len(inputs), len(vectors)))
	}
	dims := e.Dims()
	if dims == 0 {
		dims = len(vectors[0])
	}
	for _, v := range vectors {
		if err := normalise(v, dims); err != nil {
			return nil, err
		}
	}
	if !e.dims.CompareAndSwap(0, int64(dims)) && e.Dims() != dims {
		return nil, malformed(fmt.Sprintf("vectors of %d and of %d numbers came", e.Dims(), dims))
	}
	return vectors, nil
}

func (e *EmbeddingModel) ask(ctx context.Context, inputs []string) (vectors [][]float32, err error) {
	defer recoverPanic(&err)
	return e.client.CreateEmbedding(ctx, inputs)
}

// normalise scales v in place to the length 1. It refuses a v that has not dims finite
// numbers or is zero.
func normalise(v []float32, dims int) error {
	if len(v) == 0 || len(v) > maxDims {
		return malformed(fmt.Sprintf("a vector has %d numbers", len(v)))
	}
	if len(v) != dims {
		return malformed(fmt.Sprintf("a vector has %d numbers, those before had %d", len(v), dims))
	}
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if !(sum > 0) || math.IsInf(sum, 0) {
		return malformed("a vector has no length or holds what is no number")
	}
	length := math.Sqrt(sum)
	for i := range v {
		v[i] = float32(float64(v[i]) / length)
	}
	return nil
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

// inspectOpenAIVectors sorts the vectors by the texts they belong to. The reply numbers
// them and promises no order, and langchaingo ignores the numbers.
func inspectOpenAIVectors(body []byte, c *call) ([]byte, *llm.Error) {
	type item struct {
		Index     *int       `json:"index"`
		Embedding []*float32 `json:"embedding"`
	}
	var reply struct {
		Data []*item `json:"data"`
	}
	if err := json.Unmarshal(body, &reply); err != nil {
		return nil, malformed("the reply has another shape than embeddings: " + redacted(err.Error(), ""))
	}
	if len(reply.Data) != c.inputs {
		return nil, malformed(fmt.Sprintf("%d texts were sent, %d vectors came", c.inputs, len(reply.Data)))
	}
	ordered := make([]*item, c.inputs)
	for i, d := range reply.Data {
		if d == nil {
			return nil, malformed("a vector is missing")
		}
		at := i
		if d.Index != nil {
			at = *d.Index
		}
		if at < 0 || at >= len(ordered) || ordered[at] != nil {
			return nil, malformed(fmt.Sprintf("the vector number %d comes twice or belongs to no text", at))
		}
		if !hasNoNull(d.Embedding) {
			return nil, malformed("a vector has a null in it")
		}
		ordered[at] = d
	}
	out, err := json.Marshal(map[string]any{"data": ordered})
	if err != nil {
		return nil, malformed("the vectors cannot be written again: " + err.Error())
	}
	return out, nil
}

// inspectOllamaVectors checks that no vector has a null. Ollama keeps the order of the texts.
func inspectOllamaVectors(body []byte) *llm.Error {
	var reply struct {
		Embeddings [][]*float32 `json:"embeddings"`
	}
	if err := json.Unmarshal(body, &reply); err != nil {
		return malformed("the reply has another shape than embeddings: " + redacted(err.Error(), ""))
	}
	for _, v := range reply.Embeddings {
		if !hasNoNull(v) {
			return malformed("a vector has a null in it")
		}
	}
	return nil
}

func hasNoNull(v []*float32) bool {
	for _, x := range v {
		if x == nil {
			return false
		}
	}
	return true
}
