package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/internal/cli/say"
	"github.com/memtree/memtree/llm/llmtest"
)

// The JSON shapes that other programs read. A field here must exist with its type; others may be added.
type (
	recordShape struct {
		Accepted, Duplicate, Correct, Wrong, Unlabelled, Formed, Occurrences *int
		Rejected                                                             []struct {
			Line         *int
			Field, Error *string
		}
	}
	itemShape struct {
		ID, Type, ErrorType, Direction *string
		Score                          *float64
		Signals                        map[string]struct{ Raw, Calibrated, Weight, Contribution *float64 }
	}
	guideShape struct {
		Trial, Text, Hash *string
		Abstained         *bool
		Items             []itemShape
		Nearest           *itemShape
	}
	statsShape struct {
		Levels, Types, Directions, Statuses map[string]int
		Bytes                               *int64
		Format                              *string
		Model                               map[string]any
	}
	groupShape struct{ N, Wrong *int }
	shareShape struct{ N, Warned *int }
	rowShape   struct {
		Name             *string
		AUC              *float64
		Guided, Unguided *groupShape
		Warned           *struct {
			N, Warned            *int
			Exact, Similar       *float64
			Recurrence, Transfer *shareShape
		}
	}
	replayShape struct {
		N, Wrong *int
		Rows     []rowShape
		Evolved  *rowShape
	}
)

// shaped decodes the output of a command, and fails if a field is missing.
func shaped[T any](t *testing.T, out string) T {
	t.Helper()
	var v T
	require.NoError(t, json.Unmarshal([]byte(out), &v), out)
	b, err := json.Marshal(v)
	require.NoError(t, err)
	if regexp.MustCompile(`[^\\]":null`).Match(b) {
		t.Fatalf("something of the shape is missing in\n%s", out)
	}
	return v
}

const shapeRuns = `{"id":"r1","case_id":"cart-1","scene":{"id":"CART","type":"list","route":"/cart"},` +
	`"prompt":"Check that the cart total equals the sum of the item prices",` +
	`"judgment":"pass","ground_truth":"fail","reason":"the amounts were not compared"}` + "\n" +
	`{"id":"r2","scene":{"id":"CART"},"prompt":"Check that an item can be removed",` +
	`"judgment":"pass","ground_truth":"pass"}` + "\n" +
	`{"id":"r3","scene":{"id":"CART"},"prompt":"Check the total of the cart again",` +
	`"judgment":"fail","ground_truth":"pass","reason":"the page was still loading"}` + "\n" +
	`{"judgment":"pass"}` + "\n"

func TestShapes(t *testing.T) {
	dir := t.TempDir()
	store, runs := filepath.Join(dir, "store"), filepath.Join(dir, "runs.jsonl")
	require.NoError(t, os.WriteFile(runs, []byte(shapeRuns), 0o600))
	do := func(want int, args ...string) string {
		code, out, errs := try(t, "", append(args, "--store", store, "--json")...)
		require.Equal(t, want, code, "%v: %s", args, errs)
		return out
	}
	do(exitOK, "init")
	rec := shaped[recordShape](t, do(exitRejected, "record", runs))
	require.Equal(t, []int{3, 0, 1, 2, 0, 2, 0}, []int{
		*rec.Accepted, *rec.Duplicate, *rec.Correct, *rec.Wrong, *rec.Unlabelled, *rec.Formed, *rec.Occurrences,
	})
	require.Len(t, rec.Rejected, 1)
	require.Equal(t, 4, *rec.Rejected[0].Line)

	g := shaped[guideShape](t, do(exitOK, "guide", "--prompt", "Check the cart total against the item prices",
		"--scene", "CART", "--route", "/cart"))
	require.False(t, *g.Abstained)
	require.NotEmpty(t, g.Items)
	require.NotEmpty(t, g.Items[0].Signals)
	require.NotEmpty(t, *g.Text)

	s := shaped[statsShape](t, do(exitOK, "stats"))
	require.Equal(t, map[string]int{"case": 2}, s.Levels)
	require.Equal(t, map[string]int{"false_pass": 1, "false_fail": 1}, s.Directions)

	var tr struct{ Nodes []json.RawMessage }
	require.NoError(t, json.Unmarshal([]byte(do(exitOK, "tree")), &tr))
	require.Len(t, tr.Nodes, 2)
	var node struct{ ID string }
	require.NoError(t, json.Unmarshal(tr.Nodes[0], &node))
	require.JSONEq(t, string(tr.Nodes[0]), do(exitOK, "show", node.ID), "show and tree print a node alike")
	require.JSONEq(t, string(tr.Nodes[0]), do(exitOK, "show", node.ID[:8]), "the beginning of an id is enough")

	rep := shaped[replayShape](t, do(exitRejected, "replay", "--evolve", runs))
	require.Equal(t, []int{3, 2, 6}, []int{*rep.N, *rep.Wrong, len(rep.Rows)})
	require.Equal(t, rep.Rows[3], *rep.Evolved)

	var v struct {
		OK       *bool
		Problems []string
	}
	require.NoError(t, json.Unmarshal([]byte(do(exitOK, "verify")), &v))
	require.True(t, *v.OK)
}

func TestTheKeyIsNeverShown(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	const secret = "sk-canary-0123456789"
	for _, asJSON := range []bool{false, true} {
		var out, errs strings.Builder
		env := map[string]string{"MEMTREE_LLM_MODEL": "some-model", "MEMTREE_LLM_API_KEY": secret, "MEMTREE_STORE": dir}
		do := func(args ...string) int {
			return run(t.Context(), say.Process{
				Args: args, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs,
				Getenv: func(k string) string { return env[k] },
			})
		}
		args := []string{"stats"}
		if asJSON {
			args = append(args, "--json")
		}
		require.Zero(t, do("init"), errs.String())
		require.Zero(t, do(args...), errs.String())
		require.Contains(t, out.String(), "some-model")
		require.NotContains(t, out.String()+errs.String(), secret)
		require.Contains(t, out.String(), "set")
	}
}

// spellServer starts a server whose embedding model spells the text into the vector. It notes the texts, and reports
// the tokens of usage; nil: none.
func spellServer(t *testing.T, seen *[]string, usage func(texts []string) int) *httptest.Server {
	t.Helper()
	var mu sync.Mutex
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in struct{ Input []string }
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil || !strings.HasSuffix(r.URL.Path, "/embeddings") {
			http.Error(w, "no", http.StatusBadRequest)
			return
		}
		vectors, _ := llmtest.Spell{}.Embed(r.Context(), in.Input)
		type datum struct {
			Index     int       `json:"index"`
			Embedding []float32 `json:"embedding"`
		}
		data := make([]datum, len(vectors))
		for i, v := range vectors {
			data[i] = datum{i, v}
		}
		reply := map[string]any{"data": data}
		if usage != nil {
			reply["usage"] = map[string]int{"prompt_tokens": usage(in.Input)}
		}
		mu.Lock()
		defer mu.Unlock()
		*seen = append(*seen, in.Input...)
		_ = json.NewEncoder(w).Encode(reply)
	}))
	t.Cleanup(server.Close)
	return server
}

// TestTheEmbeddingModelIsUsed: the server's vectors are used for search, and stats shows its model.
func TestTheEmbeddingModelIsUsed(t *testing.T) {
	var seen []string
	server := spellServer(t, &seen, nil)
	env := map[string]string{
		"MEMTREE_LLM_EMBED_MODEL": "spell", "MEMTREE_LLM_API_KEY": "sk-ours", "MEMTREE_LLM_BASE_URL": server.URL + "/v1",
		"MEMTREE_STORE": filepath.Join(t.TempDir(), "store"),
	}
	do := func(args ...string) string {
		var out, errs strings.Builder
		code := run(t.Context(), say.Process{
			Args: args,
			Stdin: strings.NewReader(`{"prompt":"Check the total of the cart","judgment":"pass","ground_truth":"fail",` +
				`"reason":"It did not add up the items."}`),
			Stdout: &out, Stderr: &errs, Getenv: func(k string) string { return env[k] },
		})
		require.Zero(t, code, errs.String())
		return out.String() + errs.String()
	}
	do("init")
	do("record", "-")
	require.Len(t, seen, 1)
	require.Contains(t, do("stats"), "openai:spell · vectors of 1 of 1 memories")
	require.Contains(t, do("stats", "--json"), `"vectors": {
    "have": 1,
    "of": 1
  }`)
	require.Contains(t, do("stats"), "openai · embedding with spell · ")
	do("guide", "--prompt", "Look at the cart's total")
	require.Equal(t, "Look at the cart's total", seen[len(seen)-1])
	asked := len(seen)
	do("guide", "--prompt", "Look at the cart's total")
	require.Len(t, seen, asked, "a prompt is sent once")
	require.Contains(t, do("replay", "-", "--embedder", "model"), "Search model:\nopenai:spell.")
	require.Len(t, seen, asked+1, "each prompt once, for all that is measured")
	require.Contains(t, do("replay", "-", "--embedder", "model", "--evolve", "--json"), `"embedder": "openai:spell"`)
	require.NotContains(t, do("replay", "-", "--json"), "embedder")
	require.Len(t, seen, asked+2)
	server.Close()
	require.Contains(t, do("guide", "--prompt", "Check the total of the cart"), "Add up")
	env["MEMTREE_STORE"] = filepath.Join(t.TempDir(), "later")
	do("init")
	require.Contains(t, do("record", "-"), "found by words alone: the embedder openai:spell")
	require.Contains(t, do("record", "-"), "found by words alone: the embedder openai:spell", "and still")
	require.Contains(t, do("stats"), "vectors of 0 of 1 memories; the others are found by")
	require.Contains(t, do("stats", "--lang", "zh"), "其向量：0 / 1 条记忆；")
}

func TestAKeyAloneIsNoModel(t *testing.T) {
	for _, c := range []struct {
		env  map[string]string
		code int
		says string
	}{
		{map[string]string{"OPENAI_API_KEY": "sk-other-programs"}, exitOK, ""},
		{map[string]string{"MEMTREE_LLM_API_KEY": "sk-ours"}, exitFailed, "MEMTREE_LLM_MODEL is not"},
	} {
		dir := filepath.Join(t.TempDir(), "store")
		do := func(args ...string) (int, string) {
			var out, errs strings.Builder
			code := run(t.Context(), say.Process{
				Args: append(args, "--store", dir), Stdin: strings.NewReader(shapeRuns), Stdout: &out, Stderr: &errs,
				Getenv: func(k string) string { return c.env[k] },
			})
			return code, errs.String()
		}
		code, errs := do("init")
		require.Zero(t, code, errs)
		code, errs = do("guide", "--prompt", "Check the cart")
		require.Zero(t, code, "a question needs no model: %s", errs)
		code, errs = do("stats")
		require.Zero(t, code, errs)
		code, errs = do("record", "-")
		require.Contains(t, errs, c.says)
		if c.code == exitFailed {
			require.Equal(t, exitFailed, code)
		} else {
			require.Equal(t, exitRejected, code, errs)
		}
	}
}
