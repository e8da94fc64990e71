package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/memtree/memtree/formation"
	"github.com/memtree/memtree/internal/cli/screen"
	"github.com/memtree/memtree/internal/embed"
	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/tree"
)

// embedders are the embedders of a replay: the built-in table, or the configured embedding model.
var embedders = []string{"table", "model"}

// replayEmbedder returns the embedder of a replay, nil for the built-in table. A model embeds the prompts of all
// runs, each once, before anything is measured: a result with part of the vectors would mean nothing.
func replayEmbedder(ctx context.Context, a *app, stream []tree.Evaluation, which string) (llm.Embedder, error) {
	if which == embedders[0] {
		return nil, nil
	}
	m, err := a.model.Embedder()
	switch {
	case err != nil:
		return nil, err
	case m == nil:
		return nil, a.Fail(nil, "--embedder model needs an embedding model; set MEMTREE_LLM_EMBED_MODEL, "+
			"and `memtree llm check` says whether it answers")
	}
	e := embed.NewCache(m, func(s string) string {
		s, _ = formation.RedactText(s)
		return s
	})
	prompts := make([]string, len(stream))
	for i := range stream {
		prompts[i] = stream[i].Prompt
	}
	bar := a.Progress(a.Say("embedding"), screen.Count)
	defer bar.End()
	done := 0
	for some := range slices.Chunk(prompts, 64) {
		if _, err := e.Embed(ctx, some); err != nil {
			if ctx.Err() != nil {
				return nil, fmt.Errorf("embed: %w", ctx.Err())
			}
			return nil, a.Fail(err, "the embedding model failed, so nothing was measured: %s", err)
		}
		done += len(some)
		bar.Step(int64(done), int64(len(prompts)))
	}
	return e, nil
}
