package mcpserver_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/enhance"
)

func (c *client) read(uri string) string {
	c.t.Helper()
	r, err := c.ReadResource(c.t.Context(), &mcp.ReadResourceParams{URI: uri})
	require.NoError(c.t, err)
	require.Equal(c.t, "application/json", r.Contents[0].MIMEType)
	require.True(c.t, json.Valid([]byte(r.Contents[0].Text)))
	return r.Contents[0].Text
}

func TestResources(t *testing.T) {
	c := dial(t, 0, "en", wrong(1))
	id := c.first(1).ID
	require.Contains(t, c.read("memtree://tree"), id)
	require.Contains(t, c.read("memtree://taxonomy"), `"recompute"`)
	require.Contains(t, c.read("memtree://node/"+id), "did not add up")
	for _, uri := range []string{"memtree://node/c_none", "memtree://node/..%2F..", "memtree://nothing",
		"file:///etc/passwd"} {
		_, err := c.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
		require.Error(t, err, uri)
	}
	r, err := c.ListResources(t.Context(), nil)
	require.NoError(t, err)
	require.Equal(t, "memtree://taxonomy memtree://tree",
		names(r.Resources, func(x *mcp.Resource) string { return x.URI }))
	x, err := c.ListResourceTemplates(t.Context(), nil)
	require.NoError(t, err)
	require.Equal(t, "memtree://node/{id}", x.ResourceTemplates[0].URITemplate)
}

func TestPrompts(t *testing.T) {
	for lang, says := range map[string]string{"en": "call record_outcome with the task", "zh": "请调用 record_outcome"} {
		c := dial(t, all, lang, wrong(1))
		got := c.prompt("before_testing", map[string]string{"task": wrong(1).Prompt, "route": "/cart"})
		require.True(t, strings.HasPrefix(got, wrong(1).Prompt+"\n\n"+enhance.Open), got)
		require.Contains(t, got, says)
		require.Contains(t, c.prompt("after_testing", map[string]string{"trial": "t_1"}), "trial t_1")
	}
	c := dial(t, 0, "en")
	list, err := c.ListPrompts(t.Context(), nil)
	require.NoError(t, err)
	require.Equal(t, "before_testing", names(list.Prompts, func(p *mcp.Prompt) string { return p.Name }))
	require.Equal(t, "Check the total", c.prompt("before_testing", map[string]string{"task": "Check the total"}))
	for says, in := range map[string]map[string]string{
		"task is missing":             {},
		`there is no argument "tsk"`:  {"task": "x", "tsk": "y"},
		"task has 100001 characters":  {"task": strings.Repeat("x", 100_001)},
		"has a NUL character in it; ": {"task": "a\x00"},
	} {
		_, err := c.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "before_testing", Arguments: in})
		require.ErrorContains(t, err, says)
		wire, ok := errors.AsType[*jsonrpc.Error](err)
		require.True(t, ok, says)
		require.EqualValues(t, jsonrpc.CodeInvalidParams, wire.Code, says)
	}
}

func (c *client) prompt(name string, in map[string]string) string {
	c.t.Helper()
	r, err := c.GetPrompt(c.t.Context(), &mcp.GetPromptParams{Name: name, Arguments: in})
	require.NoError(c.t, err)
	require.Len(c.t, r.Messages, 1)
	return r.Messages[0].Content.(*mcp.TextContent).Text
}
