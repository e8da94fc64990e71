package server

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/internal/token"
)

// bearer sends a token with every request.
type bearer struct{ token string }

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+b.token)
	return http.DefaultTransport.RoundTrip(r)
}

// TestMCP: an agent gets the tools that its token may use, in the trees that it may see, and its changes are in the
// audit log.
func TestMCP(t *testing.T) {
	log := &bytes.Buffer{}
	w := newWorld(t, func(o *Options) { o.Audit = slog.New(slog.NewJSONHandler(log, nil)) })
	srv := httptest.NewServer(w.s.Handler())
	defer srv.Close()
	defer http.DefaultClient.CloseIdleConnections()
	dial := func(tree, tok string) (*mcp.ClientSession, error) {
		return mcp.NewClient(&mcp.Implementation{Name: "agent"}, nil).Connect(t.Context(), &mcp.StreamableClientTransport{
			Endpoint: srv.URL + "/v1/trees/" + tree + "/mcp", HTTPClient: &http.Client{Transport: bearer{tok}},
			MaxRetries: -1, DisableStandaloneSSE: true}, nil)
	}
	writer := w.token("writer", []string{Default}, token.Write)
	for tok, tools := range map[string]int{w.token("reader", nil, token.Read): 10, writer: 21} {
		cs, err := dial(Default, tok)
		require.NoError(t, err)
		r, err := cs.ListTools(t.Context(), nil)
		require.NoError(t, err)
		require.Len(t, r.Tools, tools)
		res, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: "record_outcome",
			Arguments: map[string]any{"prompt": "Check the total", "judgment": "pass"}})
		require.Equal(t, tools == 21, err == nil && !res.IsError)
		require.NoError(t, cs.Close())
	}
	require.Contains(t, log.String(),
		`"token":"writer","route":"mcp","tool":"record_outcome","tree":"default","done":true`)
	require.Len(t, w.s.mcp, 2, "one server a tree and what is allowed")
	bringer := w.token("bringer", nil, token.Import)
	for _, x := range [][2]string{{"other", writer}, {Default, "mt_wrong"}, {Default, bringer}} {
		_, err := dial(x[0], x[1])
		require.Error(t, err)
	}
	for body, code := range map[string]string{
		`oops`: "-32700", `{}`: "-32600", `[]`: "-32600", `null`: "-32600", `{"jsonrpc":"2.0","id":3,"method":5}`: `"id":3,`,
	} {
		a := w.ask("POST", inDefault+"/mcp", writer, body)
		require.Equal(t, http.StatusBadRequest, a.Code)
		require.Equal(t, "application/json", a.Header.Get("Content-Type"))
		require.Contains(t, a.Body, code)
	}
	a := w.ask("POST", inDefault+"/mcp", writer, `{}`, "Origin", "https://evil.example")
	require.Equal(t, http.StatusForbidden, a.Code)
	a = w.ask("POST", inDefault+"/mcp", writer, `{}`, "Host", "evil.example")
	require.Equal(t, http.StatusMisdirectedRequest, a.Code)
}
