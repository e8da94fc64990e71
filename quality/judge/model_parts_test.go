package judge

import (
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAnswersAreAskedOnce(t *testing.T) {
	var prompts []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		prompts = append(prompts, string(b))
		fmt.Fprint(w, `{"p": [0.75, 0.25]}`)
	}))
	t.Cleanup(server.Close)
	path := filepath.Join(t.TempDir(), "answers.jsonl")
	t.Setenv("MEMTREE_JUDGE_ANSWERS", path)
	x := mistake{screen: screen{ID: "T1", Prompt: "the task"}, builds: [2]build{{seen: "page {task}"}, {seen: "page two"}}}
	open := func() *model {
		m := &model{url: server.URL, head: "examples ", turn: "{page} | {task} | {memory}.", answers: map[string]float64{}}
		m.readAnswers(t, strings.Repeat("0", 64))
		return m
	}

	m := open()
	require.InDelta(t, math.Log(3), m.score(t, x, 0, ""), 1e-6)
	require.InDelta(t, math.Log(3), m.score(t, x, 0, ""), 1e-6)
	m.score(t, x, 1, "a memory")
	require.Len(t, prompts, 2)
	require.Contains(t, prompts[0], `examples page {task} | the task | .`, "what a page says is no place to fill")
	require.Contains(t, prompts[1], `page two | the task | a memory\n\n.`)

	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = f.WriteString(`{"h":"cut in tw`)
	require.NoError(t, err)
	require.NoError(t, f.Close())

	again := open()
	again.score(t, x, 0, "")
	require.Zero(t, again.fresh, "it was answered in an earlier run")
	again.score(t, x, 1, "")
	require.Equal(t, 1, again.fresh)
	require.Len(t, open().answers, 3, "the line that was cut harms no other")
}
