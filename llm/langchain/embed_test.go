package langchain

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/llms/openai"

	"github.com/memtree/memtree/llm"
)

func (p *provider) embedder(t *testing.T, kind string) *EmbeddingModel {
	t.Helper()
	e, err := openEmbedder(ModelConfig{Provider: kind, EmbedModel: "e-1", BaseURL: p.URL, APIKey: secret,
		Timeout: time.Second},
		quick)
	require.NoError(t, err)
	t.Cleanup(e.Close)
	return e
}

// vector returns the test provider's vector of a text: its length in bytes, and one.
func vector(text string) string { return fmt.Sprintf("[%d,1]", len(text)) }

// embedOpenAI replies with the vectors in reverse order, as a provider may.
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
	require.Equal(t, 2*2+1+9, p.calls(), "32 and 16 are refused, with base64 and without until a batch was good, "+
		"8 is kept: nine batches for 69 texts")
	require.Equal(t, "base64", p.bodies[p.calls()-1]["encoding_format"])

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
		var vectors []string
		for _, text := range p.bodies[n]["input"].([]any) {
			vectors = append(vectors, vector(text.(string)))
		}
		_, _ = io.WriteString(w, `{"embeddings":[`+strings.Join(vectors, ",")+`]}`)
	})
	got, err := p.embedder(t, Ollama).Embed(t.Context(), []string{"abc", "é", "a\xffb", strings.Repeat("汉", 7000)})
	require.NoError(t, err)
	require.InDelta(t, 3, got[0][0]/got[0][1], 1e-4)
	require.InDelta(t, 2, got[1][0]/got[1][1], 1e-4)
	require.InDelta(t, 5, got[2][0]/got[2][1], 1e-4)
	require.InDelta(t, 18000, got[3][0]/got[3][1], 1, "6,000 characters of three bytes")
	require.Equal(t, []string{"/api/embed"}, p.paths, "all in one request")
	require.NotContains(t, p.bodies[0], "encoding_format")
}

func encoded(numbers ...float32) string {
	var b []byte
	for _, x := range numbers {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	return strconv.Quote(base64.StdEncoding.EncodeToString(b))
}

// TestEmbedBase64: vectors are requested as base64 and may be numbers nevertheless. A provider that rejects the
// parameter, by name or not, or returns invalid base64, receives no such parameter from then on.
func TestEmbedBase64(t *testing.T) {
	one := func(v string) handler {
		return say(200, `{"data":[{"index":0,"embedding":`+v+`}],"usage":{"prompt_tokens":9}}`)
	}
	for name, c := range map[string]struct {
		first handler
		calls int
	}{
		"base64":           {one(encoded(3, 4)), 2},
		"numbers":          {one("[3,4]"), 2},
		"refused by name":  {say(422, `{"detail":"Unexpected encoding_format"}`), 3},
		"refused":          {say(400, `{"error":"invalid request"}`), 3},
		"no base64":        {one(`"@@@@"`), 3},
		"cut base64":       {one(`"AAAA"`), 3},
		"an object for it": {one(`{}`), 3},
	} {
		t.Run(name, func(t *testing.T) {
			p := serve(t, func(w http.ResponseWriter, r *http.Request, n int) {
				if n == 0 {
					c.first(w, r, n)
					return
				}
				one("[3,4]")(w, r, n)
			})
			e := p.embedder(t, OpenAI)
			for range 2 {
				got, err := e.Embed(t.Context(), []string{"one"})
				require.NoError(t, err)
				require.InDeltaSlice(t, []float32{0.6, 0.8}, got[0], 1e-6)
			}
			require.Equal(t, c.calls, p.calls())
			require.Equal(t, "base64", p.bodies[0]["encoding_format"])
			if c.calls == 3 {
				require.NotContains(t, p.bodies[1], "encoding_format")
				require.NotContains(t, p.bodies[2], "encoding_format", "it has been learned")
			}
		})
	}
}

// TestEmbedTwins: a duplicate text is sent once, and its vectors are separate slices.
func TestEmbedTwins(t *testing.T) {
	var p *provider
	p = serve(t, embedOpenAI(10)(&p))
	got, err := p.embedder(t, OpenAI).Embed(t.Context(), []string{"a", "bcd", "a ", "a"})
	require.NoError(t, err)
	require.Len(t, p.bodies[0]["input"], 2)
	require.Equal(t, got[0], got[2])
	require.Equal(t, got[0], got[3])
	got[0][0] = 7
	require.NotEqual(t, got[0], got[3])
	require.NotEqual(t, got[1], got[3])
}

// TestEmbedLongText: of a text that is too long for the model the accepted part is embedded, and the others keep their
// batch size.
func TestEmbedLongText(t *testing.T) {
	for name, refuse := range map[string]handler{
		"openai":    say(400, `{"error":{"message":"maximum context length is 512 tokens"}}`),
		"llama.cpp": say(500, `{"error":{"message":"input is too large to process. increase the physical batch size"}}`),
	} {
		t.Run(name, func(t *testing.T) {
			var p *provider
			answer := embedOpenAI(1000)(&p)
			p = serve(t, func(w http.ResponseWriter, r *http.Request, n int) {
				for _, text := range p.bodies[n]["input"].([]any) {
					if len(text.(string)) > 1000 {
						refuse(w, r, n)
						return
					}
				}
				answer(w, r, n)
			})
			e := p.embedder(t, OpenAI)
			texts := []string{strings.Repeat("y", 3000)}
			for i := range 63 {
				texts = append(texts, strings.Repeat("x", i+1))
			}
			got, err := e.Embed(t.Context(), texts)
			require.NoError(t, err)
			require.InDelta(t, 750, got[0][0]/got[0][1], 1e-2)
			require.InDelta(t, 63, got[63][0]/got[63][1], 1e-3)
			require.EqualValues(t, batchSize, e.batch.Load())
		})
	}
}

// TestNewEmbedder applies the same checks to a client of langchaingo itself.
func TestNewEmbedder(t *testing.T) {
	p := serve(t, then(say(200, `{"data":[{"embedding":[3,4]}]}`), say(200, `{"data":[{"embedding":[0,0]}]}`)))
	client, err := openai.New(openai.WithToken("k"), openai.WithBaseURL(p.URL), openai.WithEmbeddingModel("e"),
		openai.WithHTTPClient(p.Client()))
	require.NoError(t, err)
	e := newEmbedder("mine", client, time.Second)
	defer e.Close()
	got, err := e.Embed(t.Context(), []string{"one"})
	require.NoError(t, err)
	require.Equal(t, "mine", e.ID())
	require.InDeltaSlice(t, []float32{0.6, 0.8}, got[0], 1e-6)
	_, err = e.Embed(t.Context(), []string{"two"})
	require.Equal(t, llm.KindMalformed, llm.KindOf(err))
}

// FuzzReadVectors: for any reply, accepted vectors are as many as the texts, each of length 1 and of equal dimension.
func FuzzReadVectors(f *testing.F) {
	for _, s := range []string{
		`{"data":[{"index":1,"embedding":[1,2]},{"index":0,"embedding":` + encoded(3, 4) + `}]}`,
		`{"embeddings":[[1,0],[null,1]]}`, `{"data":[null]}`, `{"data":[{"embedding":"AAAA"}]}`,
		`{"embeddings":[[1e38,1e38]]}`, `{"data":[{"index":0,"index":1,"embedding":null}]}`, `{"embeddings":[]}`,
	} {
		f.Add([]byte(s), 2, true)
		f.Add([]byte(s), 1, false)
	}
	f.Fuzz(func(t *testing.T, body []byte, n int, ollama bool) {
		n = 1 + (n%4+4)%4
		vectors, usage, e := readVectors(map[bool]string{true: Ollama, false: OpenAI}[ollama], body, n)
		if e != nil {
			require.Contains(t, []llm.ErrorKind{llm.KindMalformed, llm.KindNoAnswer}, e.Kind)
			return
		}
		require.GreaterOrEqual(t, usage.InputTokens, 0)
		if checkVectors(vectors, n, 0) != nil {
			return
		}
		require.Len(t, vectors, n)
		for _, v := range vectors {
			require.Len(t, v, len(vectors[0]))
			var sum float64
			for _, x := range v {
				sum += float64(x) * float64(x)
			}
			require.InDelta(t, 1, sum, 1e-3)
		}
	})
}

func TestEmbedFaults(t *testing.T) {
	data := func(items string) string { return `{"data":[` + items + `]}` }
	a, b := `{"index":0,"embedding":[1,0]}`, `{"index":1,"embedding":[0,1]}`
	for name, c := range map[string]struct {
		status     int
		body, want string
		kind       llm.ErrorKind
	}{
		"one missing":      {200, data(a), "2 texts were sent, 1 vectors came", llm.KindNoAnswer},
		"one too many":     {200, data(a + "," + b + "," + b), "3 vectors came", llm.KindNoAnswer},
		"none":             {200, data(""), "0 vectors came", llm.KindNoAnswer},
		"no data":          {200, `{}`, "0 vectors came", llm.KindNoAnswer},
		"null vector":      {200, data(a + ",null"), "a vector is missing", llm.KindNoAnswer},
		"the same twice":   {200, data(a + "," + a), "comes twice", llm.KindNoAnswer},
		"for another text": {200, data(a + `,{"index":7,"embedding":[0,1]}`), "belongs to no text", llm.KindNoAnswer},
		"negative":         {200, data(a + `,{"index":-1,"embedding":[0,1]}`), "belongs to no text", llm.KindNoAnswer},
		"NaN":              {200, data(a + `,{"index":1,"embedding":[NaN,1]}`), "no JSON", llm.KindNoAnswer},
		"infinite": {200, data(a + `,{"index":1,"embedding":[1e39,1]}`), "neither a list of numbers",
			llm.KindMalformed},
		"null number":      {200, data(a + `,{"index":1,"embedding":[null,1]}`), "a null in it", llm.KindMalformed},
		"nothing but zero": {200, data(a + `,{"index":1,"embedding":[0,0]}`), "no length", llm.KindMalformed},
		"empty":            {200, data(a + `,{"index":1,"embedding":[]}`), "0 numbers", llm.KindMalformed},
		"of another length": {200, data(a + `,{"index":1,"embedding":[1,2,3]}`), "3 numbers, those before had 2",
			llm.KindMalformed},
		"base64":              {200, data(a + `,{"index":1,"embedding":"AAAA"}`), "nor base64", llm.KindMalformed},
		"a web page":          {200, "<html>", "a web page", llm.KindNotFound},
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
		require.Contains(t, []llm.ErrorKind{llm.KindMalformed, llm.KindNoAnswer}, llm.KindOf(err), body)
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
