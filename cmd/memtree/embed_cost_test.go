package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/internal/cli/say"
)

// TestTheEmbeddingModelCosts: calls of an embedding model are bounded, priced, counted and recorded like those of a
// generative model.
func TestTheEmbeddingModelCosts(t *testing.T) {
	var seen []string
	server := spellServer(t, &seen, func(texts []string) int { return 1000 * len(texts) })
	tapes := filepath.Join(t.TempDir(), "tapes")
	env := map[string]string{
		"MEMTREE_LLM_EMBED_MODEL": "spell", "MEMTREE_LLM_API_KEY": "sk-ours", "MEMTREE_LLM_BASE_URL": server.URL + "/v1",
	}
	const runs = `{"prompt":"Check the total of the cart","judgment":"pass","ground_truth":"fail",` +
		`"reason":"It did not add up the items."}`
	store := ""
	do := func(args ...string) string {
		t.Helper()
		var out, errs strings.Builder
		code := run(t.Context(), say.Process{
			Args: append(args, "--store", store), Stdin: strings.NewReader(runs), Stdout: &out, Stderr: &errs,
			Getenv: func(k string) string { return env[k] },
		})
		out.WriteString(errs.String())
		if code != exitOK {
			out.WriteString("exit " + string(rune('0'+code)))
		}
		return strings.Join(strings.Fields(out.String()), " ")
	}
	newStore := func(name string) { store = filepath.Join(t.TempDir(), name); do("init") }

	newStore("bounded")
	require.Contains(t, do("record", "-", "--max-calls", "0"), "found by words alone: the embedder openai:spell failed: "+
		"model over the bound")
	require.Contains(t, do("record", "-", "--max-cost", "1", "--price", "1,1"), "what the tokens of spell cost too")
	require.Empty(t, seen)

	newStore("priced")
	require.Contains(t, do("record", "-", "--dry-run"), "The embedding model would be asked about 1 times, for 1 texts")
	require.Contains(t, do("record", "-", "--dry-run", "--json"), `"cost": "unknown"`)
	require.Empty(t, seen, "a plan asks nobody")
	env["MEMTREE_LLM_EMBED_PRICE"] = "twenty"
	require.Contains(t, do("record", "-"), `MEMTREE_LLM_EMBED_PRICE is "twenty"; give what a million tokens cost`)
	env["MEMTREE_LLM_EMBED_PRICE"] = "20"
	env["MEMTREE_LLM_RECORD"] = tapes
	said := do("record", "-")
	require.Contains(t, said, "Model calls: 1, tokens in 1000, out 0. Cost: 0.02.")
	require.NotContains(t, said, "The model read", "no model is set that reads cases")
	require.Len(t, seen, 1)
	require.Contains(t, do("stats"), "asked openai:spell since")
	require.Contains(t, do("stats", "--json"), `"model": "openai:spell", "calls": 1`)
	require.Contains(t, do("stats", "--json"), `"inputTokens": 1000`)

	server.Close()
	delete(env, "MEMTREE_LLM_RECORD")
	env["MEMTREE_LLM_REPLAY"] = tapes
	newStore("played")
	require.NotContains(t, do("record", "-"), "by words alone")
	require.Contains(t, do("stats"), "openai:spell · vectors of 1 of 1 memories")
	require.Contains(t, do("stats", "--json"), `"spent": { "since": null`, "nobody was asked")
	require.Contains(t, do("llm", "check"), "Vectors are played too: 1.")
}
