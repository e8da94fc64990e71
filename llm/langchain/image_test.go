package langchain

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"image"
	"image/png"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/llm"
)

// TestImagesArrive: the bytes of an image are what each provider is sent, after the prompt.
func TestImagesArrive(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, png.Encode(&b, image.NewGray(image.Rect(0, 0, 7, 5))))
	i, err := llm.NewImage(b.Bytes())
	require.NoError(t, err)
	r := ask
	r.Images = []llm.Image{i, i}
	code := base64.StdEncoding.EncodeToString(b.Bytes())
	replies := map[string]string{
		OpenAI: `{"model":"m","choices":[{"message":{"role":"assistant","content":"{\"ok\":true}"},` +
			`"finish_reason":"stop"}]}`,
		Anthropic: `{"model":"c","role":"assistant","type":"message","stop_reason":"tool_use","content":[` +
			`{"type":"tool_use","id":"1","name":"answer","input":{"ok":true}}],"usage":{"input_tokens":9}}`,
		Ollama: `{"model":"o","message":{"role":"assistant","content":"{\"ok\":true}"},"done":true,"done_reason":"stop"}`,
	}
	for provider, want := range map[string]string{
		OpenAI: `{"role":"user","content":[{"type":"text","text":"is it JSON?"},` +
			`{"type":"image_url","image_url":{"url":"data:image/png;base64,` + code + `"}},` +
			`{"type":"image_url","image_url":{"url":"data:image/png;base64,` + code + `"}}]}`,
		Anthropic: `{"role":"user","content":[{"type":"text","text":"is it JSON?"},` +
			`{"type":"image","source":{"type":"base64","media_type":"image/png","data":"` + code + `"}},` +
			`{"type":"image","source":{"type":"base64","media_type":"image/png","data":"` + code + `"}}]}`,
		Ollama: `{"role":"user","content":"is it JSON?","images":["` + code + `","` + code + `"]}`,
	} {
		p := serve(t, say(200, replies[provider]))
		m := p.model(t, provider, quick)
		require.False(t, m.Sees())
		_, err := m.Generate(t.Context(), r)
		require.ErrorContains(t, err, "MEMTREE_LLM_IMAGES=on", "off by default")
		require.Empty(t, p.bodies, "nothing was sent")

		m.config.Images = true
		require.True(t, llm.Sees(m))
		_, err = m.Generate(t.Context(), r)
		require.NoError(t, err, provider)
		var sent struct{ Messages []json.RawMessage }
		require.NoError(t, json.Unmarshal([]byte(encode(t, p.bodies[0])), &sent))
		require.JSONEq(t, want, string(sent.Messages[len(sent.Messages)-1]), provider)

		bad := ask
		bad.Images = []llm.Image{{Type: "image/png", Bytes: []byte("<html>")}}
		_, err = m.Generate(t.Context(), bad)
		require.ErrorContains(t, err, "is no PNG, JPEG or WebP picture")
		require.Len(t, p.bodies, 1, "a file that is no image is not sent")
	}
}

func TestImagesAreConfigured(t *testing.T) {
	for s, want := range map[string]bool{"": false, "off": false, "on": true} {
		c, err := FromEnv(func(name string) string {
			return map[string]string{"MEMTREE_LLM_MODEL": "m", "MEMTREE_LLM_API_KEY": "k", "MEMTREE_LLM_IMAGES": s}[name]
		})
		require.NoError(t, err)
		require.Equal(t, want, c.Images, s)
	}
	_, err := FromEnv(func(name string) string {
		return map[string]string{"MEMTREE_LLM_MODEL": "m", "MEMTREE_LLM_API_KEY": "k", "MEMTREE_LLM_IMAGES": "yes"}[name]
	})
	require.ErrorContains(t, err, `MEMTREE_LLM_IMAGES is "yes"`)
}
