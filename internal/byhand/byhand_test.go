package byhand

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/llm"
)

var request = llm.Request{Name: "brief.en@1", System: "s", Prompt: "p", MaxTokens: 10,
	Schema: json.RawMessage(`{"type":"object","properties":{"n":{"type":"number"}},"required":["n"]}`)}

// TestReader: a question without an answer is stored once; with an answer it returns that; an answer to another
// question is not used.
func TestReader(t *testing.T) {
	r := New("client")
	for range 2 {
		_, err := r.Generate(t.Context(), request)
		require.Equal(t, llm.KindNotRecorded, llm.KindOf(err))
	}
	open := r.Open()
	require.Len(t, open, 1)
	require.Equal(t, "p", open[0].Prompt)

	r = New("client", Reply{ID: open[0].ID, Answer: json.RawMessage(`{"n":1}`)}, Reply{ID: "other"})
	a, err := r.Generate(t.Context(), request)
	require.NoError(t, err)
	require.JSONEq(t, `{"n":1}`, string(a.JSON))
	require.Equal(t, "client", a.Model)
	require.Equal(t, "client", llm.NameOf(r))
	require.Equal(t, []string{"other"}, r.Unused())

	r = New("client", Reply{ID: open[0].ID, By: "me", Answer: json.RawMessage(`{"m":1}`)})
	_, err = r.Generate(t.Context(), request)
	require.Equal(t, llm.KindMalformed, llm.KindOf(err), "an answer has to fit the schema")
}

func TestWriteRead(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, Write(&out, []PendingRequest{{ID: "a", Prompt: "<data>\nx"}, {ID: "b"}}))
	require.Equal(t, 2, strings.Count(out.String(), "\n"))
	require.Contains(t, out.String(), "<data>", "people read it")
	for _, c := range []struct {
		name, file string
		answers    int
		line       int
	}{
		{"nothing", "", 0, 0},
		{"two", "\ufeff{\"id\":\"a\",\"answer\":{}}\r\n\n{\"id\":\"b\",\"by\":\"me\",\"answer\":{\"n\":1}}", 2, 0},
		{"cut off", "{\"id\":\"a\",\"answer\":{}}\n{\"id\":\"b\",\"ans", 0, 2},
		{"no id", "{\"answer\":{}}", 0, 1},
		{"no answer", "{\"id\":\"a\"}", 0, 1},
		{"too long", "\n" + strings.Repeat("x", mostLine+1), 0, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := Read(strings.NewReader(c.file))
			require.Len(t, got, c.answers)
			if c.line == 0 {
				require.NoError(t, err)
				return
			}
			var bad *ReplyError
			require.ErrorAs(t, err, &bad)
			require.Equal(t, c.line, bad.Line)
		})
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"id":"a","answer":{}}`))
	f.Fuzz(func(t *testing.T, file []byte) {
		answers, err := Read(bytes.NewReader(file))
		if err != nil {
			require.Empty(t, answers)
		}
		_, _ = New("x", answers...).Generate(t.Context(), request)
	})
}
