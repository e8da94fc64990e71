package mcpserver_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/internal/mcpserver"
)

// TestBehindHTTP mounts the same server behind HTTP, with what each caller may do.
func TestBehindHTTP(t *testing.T) {
	m, err := memtree.Open(t.Context(), "", &memtree.Options{InMemory: true})
	require.NoError(t, err)
	defer m.Close()
	h := mcp.NewStreamableHTTPHandler(func(r *http.Request) *mcp.Server {
		o := &mcpserver.Options{}
		if r.Header.Get("Authorization") == "Bearer writer" {
			o.May = all
		}
		return mcpserver.New(m, o)
	}, &mcp.StreamableHTTPOptions{Stateless: true})
	srv := httptest.NewServer(h)
	defer srv.Close()
	for token, tools := range map[string]int{"reader": 10, "writer": 21} {
		web := &http.Client{Transport: bearer{token}}
		cs, err := mcp.NewClient(&mcp.Implementation{Name: "web"}, nil).Connect(t.Context(),
			&mcp.StreamableClientTransport{Endpoint: srv.URL, HTTPClient: web, MaxRetries: -1}, nil)
		require.NoError(t, err)
		r, err := cs.ListTools(t.Context(), nil)
		require.NoError(t, err)
		require.Len(t, r.Tools, tools)
		ask := &mcp.CallToolParams{Name: "get_guidance", Arguments: map[string]any{"prompt": "x"}}
		res, err := cs.CallTool(t.Context(), ask)
		require.NoError(t, err)
		require.False(t, res.IsError)
		require.Equal(t, token == "writer", strings.Contains(said(res), "trial"))
		require.NoError(t, cs.Close())
		web.CloseIdleConnections()
	}
}

type bearer struct{ token string }

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+b.token)
	return http.DefaultTransport.RoundTrip(r)
}

func (bearer) CloseIdleConnections() { http.DefaultClient.CloseIdleConnections() }

// TestAnswersAreBounded: however long the texts of a memory are, an answer is not.
func TestAnswersAreBounded(t *testing.T) {
	e := wrong(1)
	long := strings.Repeat(" The page shows a long list of lines.", 1500)
	e.Prompt += long
	e.Reason += long
	c := dial(t, 0, "en", e)
	id := c.first(1).ID
	require.Less(t, len(c.call("get_memory", map[string]any{"id": id}, nil)), 16<<10)
	require.Less(t, len(c.call("search_memories", map[string]any{"query": "order total", "limit": 20}, nil)), 16<<10)
	require.Less(t, len(c.read("memtree://node/"+id)), 16<<10)
}

func BenchmarkNew(b *testing.B) {
	m, err := memtree.Open(b.Context(), "", &memtree.Options{InMemory: true})
	require.NoError(b, err)
	defer m.Close()
	for b.Loop() {
		mcpserver.New(m, &mcpserver.Options{May: all})
	}
}
