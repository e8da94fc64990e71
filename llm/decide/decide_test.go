package decide_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/llm/decide"
)

var questions = []decide.DecisionQuestion{
	{Name: "holds", Kind: decide.Yes, Ask: "Does the verdict hold?"},
	{Name: "by", Kind: decide.Choice, Ask: "Who failed?", Options: []string{"agent", "beyond"}},
	{Name: "far", Kind: decide.Score, Ask: "How far did it come?", Options: []string{"nothing", "half", "all"}},
}

// server is scripted: it keeps the last request and answers with a status and a body.
func server(t *testing.T, status int, body string, asked *map[string]any) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		if asked != nil {
			*asked = map[string]any{}
			_ = json.Unmarshal(b, asked)
			(*asked)["key"] = r.Header.Get("Authorization")
		}
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}))
	t.Cleanup(s.Close)
	return s
}

func TestForms(t *testing.T) {
	for path, reply := range map[string]string{
		"/v1/systemone": `{"model":"m","answers":{"holds":{"type":"noul","noul":0.9},
			"by":{"type":"choice","choice":"beyond","probabilities":{"agent":0.2,"beyond":0.8}},
			"far":{"type":"score","score":1.2,"probabilities":[0.1,0.6,0.3]}},"usage":{"input_tokens":40,"output_tokens":0}}`,
		"/v1/decisions": `{"model":"m","answers":[{"type":"predicate","name":"holds","probability":0.9},
			{"type":"choice","name":"by","choice":"beyond","probabilities":[{"value":"agent","probability":0.2},
			{"value":"beyond","probability":0.8}]},{"type":"score","name":"far","score":1.2,"probabilities":[
			{"value":0,"label":"nothing","probability":0.1},{"value":1,"label":"half","probability":0.6},
			{"value":2,"label":"all","probability":0.3}]}],"usage":{"input_tokens":40}}`,
	} {
		var asked map[string]any
		s := server(t, 200, reply, &asked)
		c, err := decide.Open(s.URL+path, "m", "k")
		require.NoError(t, err)
		a, err := c.Decide(t.Context(), "the state", questions)
		require.NoError(t, err, path)
		require.InDelta(t, 0.9, a.Of["holds"].P, 1e-9)
		require.Equal(t, 1, a.Of["by"].Best)
		require.InDeltaSlice(t, []float64{0.1, 0.6, 0.3}, a.Of["far"].Options, 1e-9)
		require.Equal(t, 40, a.Usage.InputTokens)
		require.Equal(t, "Bearer k", asked["key"])
		require.Equal(t, "m", asked["model"])
	}
}

func TestChat(t *testing.T) {
	top := `[{"token":" Yes","logprob":-0.2231},{"token":"no","logprob":-1.6094},{"token":"B","logprob":-5}]`
	s := server(t, 200, `{"model":"m","choices":[{"logprobs":{"content":[{"top_logprobs":`+top+`}]}}],
		"usage":{"prompt_tokens":9,"completion_tokens":1}}`, nil)
	c, err := decide.Open(s.URL+"/v1/chat/completions", "m", "")
	require.NoError(t, err)
	a, err := c.Decide(t.Context(), "the state", questions[:2])
	require.NoError(t, err)
	require.InDelta(t, 0.8, a.Of["holds"].P, 0.001)
	require.Equal(t, 1, a.Of["by"].Best)
	require.Equal(t, 18, a.Usage.InputTokens, "one call a question")
}

func TestFaults(t *testing.T) {
	for _, x := range []struct {
		status int
		body   string
		want   llm.ErrorKind
	}{
		{401, "", llm.KindUnauthorised}, {404, "", llm.KindNotFound}, {429, "", llm.KindRateLimited},
		{400, "", llm.KindBadRequest}, {503, "", llm.KindUnavailable}, {302, "", llm.KindNoAnswer},
		{200, "<html>", llm.KindMalformed}, {200, `{}`, llm.KindMalformed},
		{200, `{"answers":{"holds":{"type":"noul"}}}`, llm.KindMalformed},
		{200, `{"answers":{"holds":{"noul":1.5}}}`, llm.KindMalformed},
		{200, `{"answers":{"by":{"probabilities":"x"}}}`, llm.KindMalformed},
		{200, string(make([]byte, 2<<20)), llm.KindTooLarge},
	} {
		c, err := decide.Open(server(t, x.status, x.body, nil).URL+"/systemone", "m", "")
		require.NoError(t, err)
		_, err = c.Decide(t.Context(), "s", questions)
		require.Equal(t, x.want, llm.KindOf(err), "%d %.40s", x.status, x.body)
	}
	c, err := decide.Open(server(t, 200, `{"answers":{}}`, nil).URL+"/systemone", "m", "")
	require.NoError(t, err)
	a, err := c.Decide(t.Context(), "s", questions)
	require.NoError(t, err)
	require.Empty(t, a.Of, "a question may be refused")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = c.Decide(ctx, "s", questions)
	require.Equal(t, llm.KindCancelled, llm.KindOf(err))
	for _, bad := range []string{
		"", "ftp://x/systemone", "http://x/v1/other", "http://a:b@x/systemone", "http://x/systemone?k=1",
	} {
		_, err := decide.Open(bad, "m", "")
		require.Error(t, err, bad)
	}
}

func FuzzReplies(f *testing.F) {
	f.Add(`{"answers":{"holds":{"noul":0.5}}}`, uint8(0))
	f.Add(`{"answers":[{"type":"predicate","name":"holds","probability":0.5}]}`, uint8(1))
	f.Add(`{"choices":[{"logprobs":{"content":[{"top_logprobs":[{"token":"yes","logprob":0}]}]}}]}`, uint8(2))
	f.Fuzz(func(t *testing.T, body string, form uint8) {
		path := []string{"/systemone", "/decisions", "/chat/completions"}[form%3]
		c, err := decide.Open(server(t, 200, body, nil).URL+path, "m", "")
		require.NoError(t, err)
		a, err := c.Decide(t.Context(), "s", questions)
		for _, x := range a.Of {
			require.True(t, err != nil || x.P >= 0 && x.P <= 1)
		}
	})
}
