package langchain

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/llm"
)

func (p *provider) embedder(t *testing.T, kind string) *EmbeddingModel {
	t.Helper()
	e, err := openEmbedder(Config{Provider: kind, EmbedModel: "e-1", BaseURL: p.URL, APIKey: secret, Timeout: time.Second},
		quick)
	require.NoError(t, err)
	t.Cleanup(e.Close)
	return e
}

// vector returns the test provider's vector of a text: its length in bytes, and one.
func vector(text string) string { return fmt.Sprintf("[%d,1]", len(text)) }

// embedOpenAI answers with the vectors in reverse order, as a provider may.
func embedOpenAI(most int) func(p **provider) func(http.ResponseWriter, *http.Request, int) {
	return func(p **provider) func(http.ResponseWriter, *http.Request, int) {
		return func(w http.ResponseWriter, r *http.Request, n int) {
			input, _ := (*p).bodies[n]["input"].([]any)
			if len(input) > most {
				say(400, `{"error":{"message":"batch size is invalid"}}`)(w, r, n)
				return
			}
			var items []string
			for i, text := range slices.Backward(input) {
				items = append(items, fmt.Sprintf(`{"index":%d,"embedding":%s}`, i, vector(text.(string))))
			}
			_, _ = io.WriteString(w, `{"data":[`+strings.Join(items, ",")+`]}`)
		}
	}
}

func TestEmbed(t *testing.T) {
	var p *provider
	p = serve(t, embedOpenAI(10)(&p))
	e := p.embedder(t, OpenAI)
	require.Equal(t, "openai:e-1", e.ID())
	require.Zero(t, e.Dims())

	var texts []string
	for i := range 70 {
		texts = append(texts, strings.Repeat("x", i+1))
	}
	texts[5] = "  "
	got, err := e.Embed(t.Context(), texts)
	require.NoError(t, err)
	require.Equal(t, 2, e.Dims())
	require.Len(t, got, 70)
	require.Equal(t, []float32{0, 0}, got[5])
	for i, v := range got {
		if i == 5 {
			continue
		}
		require.InDelta(t, 1, float64(v[0])*float64(v[0])+float64(v[1])*float64(v[1]), 1e-6)
		require.InDelta(t, i+1, v[0]/v[1], 1e-3, "vector %d belongs to text %d", i, i)
	}
	require.Equal(t, 2+9, p.calls(), "32 and 16 are refused, 8 is kept: nine batches for 69 texts")

	none, err := e.Embed(t.Context(), nil)
	require.NoError(t, err)
	require.Empty(t, none)
}

func TestEmbedOnlyEmpty(t *testing.T) {
	var p *provider
	p = serve(t, embedOpenAI(10)(&p))
	got, err := p.embedder(t, OpenAI).Embed(t.Context(), []string{"", "\n"})
	require.NoError(t, err)
	require.Equal(t, [][]float32{{0, 0}, {0, 0}}, got)
}

func TestEmbedOllama(t *testing.T) {
	var p *provider
	p = serve(t, func(w http.ResponseWriter, _ *http.Request, n int) {
		text, _ := p.bodies[n]["input"].(string)
		_, _ = io.WriteString(w, `{"embeddings":[`+vector(text)+`]}`)
	})
	got, err := p.embedder(t, Ollama).Embed(t.Context(), []string{"abc", "é", "a\xffb", strings.Repeat("汉", 7000)})
	require.NoError(t, err)
	require.InDelta(t, 3, got[0][0]/got[0][1], 1e-4)
	require.InDelta(t, 2, got[1][0]/got[1][1], 1e-4)
	require.InDelta(t, 5, got[2][0]/got[2][1], 1e-4)
	require.InDelta(t, 18000, got[3][0]/got[3][1], 1, "6,000 characters of three bytes")
	require.Equal(t, "/api/embed", p.paths[0])
}

func TestEmbedFaults(t *testing.T) {
	data := func(items string) string { return `{"data":[` + items + `]}` }
	a, b := `{"index":0,"embedding":[1,0]}`, `{"index":1,"embedding":[0,1]}`
	for name, c := range map[string]struct {
		status     int
		body, want string
		kind       llm.Kind
	}{
		"one missing":      {200, data(a), "2 texts were sent, 1 vectors came", llm.KindMalformed},
		"one too many":     {200, data(a + "," + b + "," + b), "3 vectors came", llm.KindMalformed},
		"none":             {200, data(""), "0 vectors came", llm.KindMalformed},
		"no data":          {200, `{}`, "0 vectors came", llm.KindMalformed},
		"null vector":      {200, data(a + ",null"), "a vector is missing", llm.KindMalformed},
		"the same twice":   {200, data(a + "," + a), "comes twice", llm.KindMalformed},
		"for another text": {200, data(a + `,{"index":7,"embedding":[0,1]}`), "belongs to no text", llm.KindMalformed},
		"negative":         {200, data(a + `,{"index":-1,"embedding":[0,1]}`), "belongs to no text", llm.KindMalformed},
		"NaN":              {200, data(a + `,{"index":1,"embedding":[NaN,1]}`), "no JSON", llm.KindMalformed},
		"infinite":         {200, data(a + `,{"index":1,"embedding":[1e39,1]}`), "another shape", llm.KindMalformed},
		"null number":      {200, data(a + `,{"index":1,"embedding":[null,1]}`), "a null in it", llm.KindMalformed},
		"nothing but zero": {200, data(a + `,{"index":1,"embedding":[0,0]}`), "no length", llm.KindMalformed},
		"empty":            {200, data(a + `,{"index":1,"embedding":[]}`), "0 numbers", llm.KindMalformed},
		"of another length": {200, data(a + `,{"index":1,"embedding":[1,2,3]}`), "3 numbers, those before had 2",
			llm.KindMalformed},
		"base64":              {200, data(a + `,{"index":1,"embedding":"AAAA"}`), "another shape", llm.KindMalformed},
		"a web page":          {200, "<html>", "a web page", llm.KindMalformed},
		"unauthorised":        {401, `{"error":{"message":"bad ` + secret + `"}}`, "bad [key]", llm.KindUnauthorised},
		"down":                {503, "", "HTTP 503", llm.KindUnavailable},
		"refused at any size": {400, `{"error":{"message":"no"}}`, "no", llm.KindBadRequest},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := serve(t, say(c.status, c.body)).embedder(t, OpenAI).Embed(t.Context(), []string{"one", "two"})
			require.ErrorContains(t, err, c.want)
			require.NotContains(t, err.Error(), secret)
			require.Equal(t, c.kind, llm.KindOf(err))
		})
	}
	for _, body := range []string{`{"embeddings":[]}`, `{"embeddings":[[null]]}`, `{"embeddings":[[1],[2]]}`,
		`{"embeddings":[null]}`, `{}`, `{"embeddings":5}`} {
		_, err := serve(t, say(200, body)).embedder(t, Ollama).Embed(t.Context(), []string{"one"})
		require.Equal(t, llm.KindMalformed, llm.KindOf(err), body)
	}
	// A bad reply does not set the length of vectors.
	e := serve(t, then(say(200, data(`{"embedding":[1,2,3]},{"embedding":[1,2]}`)), say(200, data(a+","+b)))).embedder(t,
		OpenAI)
	_, err := e.Embed(t.Context(), []string{"one", "two"})
	require.Error(t, err)
	_, err = e.Embed(t.Context(), []string{"one", "two"})
	require.NoError(t, err)
	require.Equal(t, 2, e.Dims())

	// If the reply does not number the vectors, they are in the order of the texts.
	got, err := serve(t, say(200, data(`{"embedding":[1,0]},{"embedding":[0,2]}`))).embedder(t, OpenAI).Embed(t.Context(),
		[]string{"one", "two"})
	require.NoError(t, err)
	require.Equal(t, [][]float32{{1, 0}, {0, 1}}, got)
}

func TestNormaliseRefusesWhatIsNoNumber(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for _, v := range [][]float32{{nan, 1}, {inf, 1}, {0, 0}, {}} {
		require.Equal(t, llm.KindMalformed, llm.KindOf(normalise(v, len(v))), v)
	}
	v := []float32{3e38, 3e38, -3e38}
	require.NoError(t, normalise(v, 3), "large numbers do not overflow")
	require.InDelta(t, 0.577, v[0], 1e-3)
	_, err := json.Marshal(v)
	require.NoError(t, err)
}
