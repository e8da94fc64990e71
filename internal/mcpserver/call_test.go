package mcpserver

import (
	"bytes"
	"context"
	"log/slog"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree"
)

// TestPanicIsAnAnswer: a mistake of ours ends neither the session nor the process, and is logged.
func TestPanicIsAnAnswer(t *testing.T) {
	m, err := memtree.Open(t.Context(), "", &memtree.Options{InMemory: true})
	require.NoError(t, err)
	defer m.Close()
	var log bytes.Buffer
	o := Options{Logger: slog.New(slog.NewTextHandler(&log, nil))}
	x := New(m, &o)
	tool := &mcp.Tool{Name: "break", Annotations: &mcp.ToolAnnotations{Title: "Break"}}
	add(&server{m: m, o: o}, x, tool, func(context.Context, toolCall, statsIn) (statsOut, error) { panic("oh") })
	here, there := mcp.NewInMemoryTransports()
	ss, err := x.Connect(t.Context(), there, nil)
	require.NoError(t, err)
	cs, err := mcp.NewClient(&mcp.Implementation{Name: "agent"}, nil).Connect(t.Context(), here, nil)
	require.NoError(t, err)
	for range 2 {
		r, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: "break"})
		require.NoError(t, err)
		require.True(t, r.IsError)
		require.Contains(t, r.Content[0].(*mcp.TextContent).Text, "go on without memory")
	}
	require.Contains(t, log.String(), "panic=oh")
	require.NoError(t, cs.Close())
	require.NoError(t, ss.Wait())
}
