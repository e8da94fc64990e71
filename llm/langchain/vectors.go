package langchain

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"strings"

	"github.com/memtree/memtree/llm"
)

// vectorClient is the common interface of langchaingo's embedding clients, equal to its embeddings.EmbedderClient.
type vectorClient interface {
	CreateEmbedding(ctx context.Context, texts []string) ([][]float32, error)
}

// embedClient is a vectorClient for /embeddings of OpenAI and compatible servers, and for /api/embed of Ollama. The
// clients of langchaingo ignore the index of a vector, and cannot request base64, which is a fifth of the bytes.
type embedClient struct {
	provider, model, url string
	http                 *http.Client
}

func newEmbedClient(c ModelConfig, rt *transport) *embedClient {
	path := "embeddings"
	if c.Provider == Ollama {
		path = "api/embed"
	}
	return &embedClient{c.Provider, c.EmbedModel, rt.base.JoinPath(path).String(),
		&http.Client{Transport: rt, CheckRedirect: noRedirect}}
}

// CreateEmbedding sends one request. The transport checks the reply and reads the vectors.
func (e *embedClient) CreateEmbedding(ctx context.Context, texts []string) ([][]float32, error) {
	c, ok := ctx.Value(callKey{}).(*call)
	if !ok {
		c = &call{name: "embed", inputs: len(texts)}
		ctx = withCall(ctx, c)
	}
	fields := map[string]any{"model": e.model, "input": texts}
	if e.provider == Ollama {
		fields["truncate"] = true
	} else {
		fields[encodingFormat] = "base64"
	}
	body, err := json.Marshal(fields)
	if err != nil {
		return nil, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, e.url, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	reply, err := e.http.Do(r)
	if err != nil {
		return nil, err
	}
	_, err = io.Copy(io.Discard, reply.Body)
	return c.vectors, errors.Join(err, reply.Body.Close())
}

// errVectorForm means that a vector is neither a list of numbers nor base64 of numbers.
var errVectorForm = errors.New("a vector is neither a list of numbers nor base64 of them")

// readVectors returns the vectors of a reply, in the order of the n texts. A reply without exactly one for each text is
// an error. checkVectors checks the content later.
func readVectors(provider string, body []byte, n int) ([][]float32, llm.Usage, *llm.Error) {
	type item struct {
		Index     *int            `json:"index"`
		Embedding json.RawMessage `json:"embedding"`
	}
	var reply struct {
		Data       []*item           `json:"data"`       // OpenAI
		Embeddings []json.RawMessage `json:"embeddings"` // Ollama, which keeps the order of the texts
		Count      int               `json:"prompt_eval_count"`
		Usage      struct {
			Prompt int `json:"prompt_tokens"`
		} `json:"usage"`
	}
	if err := json.Unmarshal(body, &reply); err != nil {
		return nil, llm.Usage{}, noAnswer("the reply has another shape than embeddings: " + redacted(err.Error(), ""))
	}
	items := reply.Data
	if provider == Ollama {
		items = nil
		for _, e := range reply.Embeddings {
			items = append(items, &item{Embedding: e})
		}
	}
	if len(items) != n {
		return nil, llm.Usage{}, noAnswer(fmt.Sprintf("%d texts were sent, %d vectors came", n, len(items)))
	}
	vectors := make([][]float32, n)
	for i, d := range items {
		if d == nil {
			return nil, llm.Usage{}, noAnswer("a vector is missing")
		}
		if d.Index != nil {
			i = *d.Index
		}
		if i < 0 || i >= n || vectors[i] != nil {
			return nil, llm.Usage{}, noAnswer(fmt.Sprintf("the vector number %d comes twice or belongs to no text", i))
		}
		var err error
		if vectors[i], err = decodeVector(d.Embedding); err != nil {
			return nil, llm.Usage{}, &llm.Error{Kind: llm.KindMalformed, Err: err}
		}
	}
	return vectors, usageOf(max(reply.Usage.Prompt, reply.Count), 0), nil
}

// decodeVector reads a list of numbers, or base64 of little-endian float32 numbers. The result is not nil.
func decodeVector(raw []byte) ([]float32, error) {
	var text string
	if json.Unmarshal(raw, &text) == nil && !bytes.Equal(raw, []byte("null")) {
		b, err := base64.StdEncoding.DecodeString(text)
		if err != nil || len(b)%4 != 0 {
			return nil, errVectorForm
		}
		v := make([]float32, len(b)/4)
		for i := range v {
			v[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
		}
		return v, nil
	}
	var v []float32
	if err := json.Unmarshal(raw, &v); err != nil || v == nil {
		return nil, errVectorForm
	}
	if strings.Contains(string(raw), "null") { // null decodes to 0
		return nil, errors.New("a vector has a null in it")
	}
	return v, nil
}

// checkVectors scales n vectors to length 1. It returns an error for a vector that does not have dims finite numbers,
// or is zero; with dims 0 all must have the length of the first.
func checkVectors(vectors [][]float32, n, dims int) error {
	if len(vectors) != n {
		return noAnswer(fmt.Sprintf("%d texts were sent, %d vectors came", n, len(vectors)))
	}
	if dims == 0 && n > 0 {
		dims = len(vectors[0])
	}
	for _, v := range vectors {
		if err := normalise(v, dims); err != nil {
			return err
		}
	}
	return nil
}

// normalise scales v in place to length 1. It returns an error if v does not have dims finite numbers or is zero.
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
