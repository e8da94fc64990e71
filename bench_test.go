package memtree_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/fixtures"
	"github.com/memtree/memtree/harness"
	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/tree"
)

// sentences returns the sentences that people and agents wrote in the fixtures.
func sentences(tb testing.TB) []string {
	tb.Helper()
	var all []string
	for _, name := range []string{"tau.jsonl", "whoandwhen.jsonl", "agentrx.jsonl", "gui-zh.jsonl", "midscene.jsonl"} {
		b, err := fixtures.Files.ReadFile(name)
		require.NoError(tb, err)
		for line := range bytes.Lines(b) {
			var e struct{ Prompt, Reason string }
			require.NoError(tb, json.Unmarshal(line, &e))
			for _, s := range text.Sentences(e.Prompt + "\n" + e.Reason) {
				if len(s) > 20 {
					all = append(all, s)
				}
			}
		}
	}
	return all
}

// stream makes judged runs that read like test cases, on a few hundred screens. One in three is
// right. Each has two sentences of real test cases with some words dropped. Every second one
// has a name that no other has.
func stream(tb testing.TB, n int) []memtree.Evaluation {
	tb.Helper()
	rng := rand.New(rand.NewPCG(1, 2))
	say := sentences(tb)
	draw := func() string {
		var words []string
		for w := range strings.FieldsSeq(say[rng.IntN(len(say))] + " " + say[rng.IntN(len(say))]) {
			if rng.Float64() > 0.15 {
				words = append(words, w)
			}
		}
		return strings.Join(words, " ")
	}
	kinds := []string{"form", "list", "table", "modal", "login", "search", "detail", "navigation"}
	es := make([]memtree.Evaluation, n)
	for i := range es {
		screen := rng.IntN(300)
		judged, truth := "pass", "fail"
		switch rng.IntN(3) {
		case 0:
			judged, truth = "fail", "pass"
		case 1:
			judged = "fail"
		}
		prompt := "Check: " + draw()
		if i%2 == 0 {
			prompt += fmt.Sprintf(" as customer%d", i)
		}
		es[i] = memtree.Evaluation{
			ID: fmt.Sprint("run-", i), RunID: fmt.Sprint("r", i/50), CaseID: fmt.Sprintf("CASE_%d", i),
			At: day.Add(time.Duration(i) * time.Second),
			Scene: tree.Scene{ID: fmt.Sprintf("SCENE_%03d", screen), Type: kinds[screen%len(kinds)],
				Route: fmt.Sprintf("/shop/%d/page%d", i, screen)},
			Prompt: prompt, Judgment: tree.Raw(fmt.Sprintf(`{"verdict":%q,"reason":%q}`, judged, "it looks as it should")),
			GroundTruth: tree.Raw(fmt.Sprintf(`{"verdict":%q}`, truth)), Reason: draw(),
		}
	}
	return es
}

func recorded(b *testing.B, dir string, n int) *memtree.Memory {
	b.Helper()
	m, err := memtree.Open(b.Context(), dir, nil)
	require.NoError(b, err)
	for es := stream(b, n); len(es) > 0; {
		k := min(256, len(es))
		_, err := m.RecordAll(b.Context(), es[:k])
		require.NoError(b, err)
		es = es[k:]
	}
	require.NoError(b, m.Wait(b.Context()))
	return m
}

// BenchmarkRecord measures what `memtree record` does for one evaluation, without reading the
// file: it is accepted durably in batches of 256, and formed.
func BenchmarkRecord(b *testing.B) {
	es := stream(b, b.N)
	m, err := memtree.Open(b.Context(), b.TempDir(), nil)
	require.NoError(b, err)
	b.ResetTimer()
	for len(es) > 0 {
		k := min(256, len(es))
		_, err := m.RecordAll(b.Context(), es[:k])
		require.NoError(b, err)
		es = es[k:]
	}
	require.NoError(b, m.Wait(b.Context()))
	require.NoError(b, m.Close())
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "evals/s")
}

// BenchmarkGuide measures Guide for prompts not seen before, after 10,000 wrong runs, with the
// text and the trial.
func BenchmarkGuide(b *testing.B) {
	m := recorded(b, b.TempDir(), 15000)
	defer m.Close()
	asks := stream(b, 16000)[15000:]
	took := make([]time.Duration, 0, b.N)
	b.ResetTimer()
	for i := range b.N {
		e := asks[i%len(asks)]
		e.Prompt += fmt.Sprint(" ", i) // so that no prompt is repeated
		start := time.Now()
		_, err := m.Guide(context.Background(), memtree.Query{Prompt: e.Prompt, Scene: e.Scene})
		took = append(took, time.Since(start))
		require.NoError(b, err)
	}
	b.StopTimer()
	quantiles(b, took)
}

// BenchmarkGuideLong is BenchmarkGuide for prompts of almost 1 MB.
func BenchmarkGuideLong(b *testing.B) {
	m := recorded(b, b.TempDir(), 3000)
	defer m.Close()
	rest := strings.Repeat("check the total of the order list, 核对总额 ", tree.MaxField/64)
	took := make([]time.Duration, 0, b.N)
	b.ResetTimer()
	for i := range b.N {
		prompt := fmt.Sprint(i, " ", rest)
		start := time.Now()
		_, err := m.Guide(context.Background(), memtree.Query{Prompt: prompt})
		took = append(took, time.Since(start))
		require.NoError(b, err)
	}
	b.StopTimer()
	quantiles(b, took)
}

// BenchmarkOpenGuide measures a single question from a cold start: open the store of 10,000
// wrong runs, ask once, close.
func BenchmarkOpenGuide(b *testing.B) {
	dir := b.TempDir()
	require.NoError(b, recorded(b, dir, 15000).Close())
	e := stream(b, 1)[0]
	took := make([]time.Duration, 0, b.N)
	for b.Loop() {
		start := time.Now()
		m, err := memtree.Open(b.Context(), dir, &memtree.Options{ReadOnly: true})
		require.NoError(b, err)
		_, err = m.Guide(b.Context(), memtree.Query{Prompt: e.Prompt, Scene: e.Scene})
		require.NoError(b, err)
		require.NoError(b, m.Close())
		took = append(took, time.Since(start))
	}
	quantiles(b, took)
}

func quantiles(b *testing.B, took []time.Duration) {
	b.Helper()
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(took[len(took)*95/100].Microseconds())/1000, "p95-ms")
}

// The cost of deciding what is done about a verdict that is likely to be wrong, its risk included.
func BenchmarkCorrect(b *testing.B) {
	m, err := memtree.Open(b.Context(), "", &memtree.Options{InMemory: true})
	require.NoError(b, err)
	defer m.Close()
	_, err = m.RecordAll(b.Context(), hasty(4000))
	require.NoError(b, err)
	require.NoError(b, m.Wait(b.Context()))
	e := unjudged()
	correct := func(i int) {
		e.ID = fmt.Sprint("new-", i)
		c, err := m.Correct(b.Context(), e, harness.CorrectOptions{Do: ledger.Other})
		require.NoError(b, err)
		require.NotNil(b, c)
	}
	correct(0) // reads the ledger
	for i := 1; b.Loop(); i++ {
		correct(i)
	}
}
