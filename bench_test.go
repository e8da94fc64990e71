package memtree_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/tree"
)

// stream makes judged runs that read like test cases: a few hundred screens,
// a vocabulary that keeps growing, one in three wrong either way.
func stream(n int) []memtree.Evaluation {
	rng := rand.New(rand.NewPCG(1, 2))
	verbs := strings.Fields("check verify open submit edit delete filter sort upload search confirm cancel approve compare export scroll")
	things := strings.Fields("order invoice profile address coupon cart ticket report chart calendar message setting token dialog table banner")
	faults := strings.Fields("missing disabled duplicated truncated misaligned stale hidden untranslated unsorted overlapping unresponsive wrong")
	kinds := []string{"form", "list", "table", "modal", "login", "search", "detail", "navigation"}
	pick := func(w []string) string { return w[rng.IntN(len(w))] }
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
		thing, fault := pick(things), pick(faults)
		es[i] = memtree.Evaluation{
			ID: fmt.Sprint("run-", i), RunID: fmt.Sprint("r", i/50), CaseID: fmt.Sprintf("CASE_%d", i), At: day.Add(time.Duration(i) * time.Second),
			Scene:    tree.Scene{ID: fmt.Sprintf("SCENE_%03d", screen), Type: kinds[screen%len(kinds)], Route: fmt.Sprintf("/%s/%d/%s%d", thing, i, pick(verbs), screen)},
			Prompt:   fmt.Sprintf("%s the %s of customer name%d, then %s the %s and %s that no %s is %s on the %s page", pick(verbs), thing, i, pick(verbs), pick(things), pick(verbs), pick(things), fault, pick(things)),
			Judgment: tree.Raw(fmt.Sprintf(`{"verdict":%q,"reason":"the %s looks fine"}`, judged, thing)), GroundTruth: tree.Raw(fmt.Sprintf(`{"verdict":%q}`, truth)),
			Reason: fmt.Sprintf("The agent overlooked that the %s was %s while the page was still loading item%d.", thing, fault, i),
		}
	}
	return es
}

func recorded(b *testing.B, dir string, n int) *memtree.Memory {
	b.Helper()
	m, err := memtree.Open(b.Context(), dir, nil)
	require.NoError(b, err)
	for es := stream(n); len(es) > 0; {
		k := min(256, len(es))
		_, err := m.RecordAll(b.Context(), es[:k])
		require.NoError(b, err)
		es = es[k:]
	}
	require.NoError(b, m.Wait(b.Context()))
	return m
}

// BenchmarkRecord is one evaluation, accepted durably in batches of 256 and
// formed: what `memtree record` does, without reading the file.
func BenchmarkRecord(b *testing.B) {
	es := stream(b.N)
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

// BenchmarkGuide is the guidance for a prompt not seen before, at 10,000 wrong
// runs, with the text and the trial.
func BenchmarkGuide(b *testing.B) {
	m := recorded(b, b.TempDir(), 15000)
	defer m.Close()
	asks := stream(16000)[15000:]
	took := make([]time.Duration, 0, b.N)
	b.ResetTimer()
	for i := range b.N {
		e := asks[i%len(asks)]
		start := time.Now()
		_, err := m.Guide(context.Background(), memtree.Query{Prompt: e.Prompt, Scene: e.Scene})
		took = append(took, time.Since(start))
		require.NoError(b, err)
	}
	b.StopTimer()
	quantiles(b, took)
}

// BenchmarkOpenGuide is a cold question: open the store of 10,000 wrong runs,
// ask once, close.
func BenchmarkOpenGuide(b *testing.B) {
	dir := b.TempDir()
	require.NoError(b, recorded(b, dir, 15000).Close())
	e := stream(1)[0]
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
