package langchain

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/tree"
)

var topics = []string{
	"postcode field", "delivery date", "gift voucher", "phone number", "company name", "discount code",
	"invoice address", "payment card",
}

// wrong returns n wrong judgments, each on a different page.
func wrong(n int) []tree.Evaluation {
	out := make([]tree.Evaluation, n)
	for i := range out {
		topic := topics[i%len(topics)]
		out[i] = tree.Evaluation{
			ID: fmt.Sprint("run-", i), CaseID: fmt.Sprint("t-", i), At: time.Date(2026, 1, 28, 9, 0, i, 0, time.UTC),
			Scene:    tree.Scene{ID: fmt.Sprint("S", i), Type: "form"},
			Judgment: tree.Quote("pass"), GroundTruth: tree.Quote("fail"),
			Prompt: fmt.Sprintf("Check that the %s is refused when it is left empty, screen %d", topic, i),
			Reason: fmt.Sprintf("The %s was accepted although it was empty and no validation message was shown.", topic),
		}
	}
	return out
}

// analysis is an answer that fits all of them, ten in a request.
var analysis = func() string {
	var runs []any
	for i := range 10 {
		runs = append(runs, map[string]any{"run": i + 1, "misses": []any{map[string]any{
			"how":   "The agent did not look for the validation message of the empty field.",
			"check": "validation_there", "what": []string{},
			"instead": "Look for a validation message beside the field that is left empty.",
		}}})
	}
	b, _ := json.Marshal(map[string]any{"runs": runs})
	return string(b)
}()

// A provider that fails seven calls in ten: every evaluation is formed once, in at most 3.5 calls for ten cases, and
// once the provider recovers all cases are analysed by the model.
func TestFormingWithAProviderThatOftenFails(t *testing.T) {
	const cases = 1000
	var calls, failed, ill atomic.Int64
	ill.Store(7)
	var mu sync.Mutex
	tried := map[uint64]uint64{} // requests so far, by their hash
	faults := []http.HandlerFunc{
		func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(503) },
		func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(429) },
		func(w http.ResponseWriter, r *http.Request) { hangUp(w, r, 0) },
		func(http.ResponseWriter, *http.Request) {},
		func(w http.ResponseWriter, r *http.Request) { cut(200)(w, r, 0) },
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		calls.Add(1)
		body, _ := io.ReadAll(r.Body)
		h := fnv.New64a()
		_, _ = h.Write(body)
		mu.Lock()
		n := tried[h.Sum64()]
		tried[h.Sum64()]++
		mu.Unlock()
		dice := rand.New(rand.NewPCG(h.Sum64(), n)) //nolint:gosec // seeded, to be the same again
		if dice.Int64N(10) < ill.Load() {
			failed.Add(1)
			faults[dice.IntN(len(faults))](w, r)
			return
		}
		say(200, wrote(analysis, "stop"))(w, r, 0)
	}))
	t.Cleanup(server.Close)
	tune := quick
	tune.trip = defaults().trip
	model, err := openModel(ModelConfig{Provider: OpenAI, Model: "m", BaseURL: server.URL, Timeout: time.Minute}, tune)
	require.NoError(t, err)
	t.Cleanup(model.Close)
	m, err := memtree.Open(t.Context(), "", &memtree.Options{InMemory: true, Generator: model})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, m.Close()) })

	_, err = m.RecordAll(t.Context(), wrong(cases))
	require.NoError(t, err)
	require.NoError(t, m.Wait(t.Context()))
	info, err := m.Tree().Info(t.Context())
	require.NoError(t, err)
	require.Equal(t, [4]int{cases, 0, 0, cases}, [4]int{info.Evaluations, info.Outbox, info.Dead, info.Nodes})
	byRules := count(t, m).Again
	require.Positive(t, byRules)
	t.Logf("%d calls for %d cases; %d wait for the model", calls.Load(), cases, byRules)
	require.InDelta(t, .7, float64(failed.Load())/float64(calls.Load()), .1)
	require.LessOrEqual(t, float64(calls.Load()), 3.5*cases/10)

	ill.Store(0)
	again := 0
	require.Eventually(t, func() bool { // a provider that failed often is not called for some time
		v, err := m.Evolve(t.Context(), &memtree.EvolveOptions{MaxCalls: new(cases)})
		again += v.Again
		return err == nil && again >= byRules
	}, 3*time.Minute, time.Second)
	require.Equal(t, byRules, again)
	require.Zero(t, count(t, m).Again)
	for n, err := range m.Tree().Scan(t.Context(), store.Filter{Level: 1}) {
		require.NoError(t, err)
		require.Equal(t, "model", n.Provenance.Analyst, n.ID)
		require.Len(t, n.Occurrences, 1)
	}
	require.LessOrEqual(t, float64(calls.Load()), 3.5*cases/10)
}

func count(t *testing.T, m *memtree.Memory) tree.Counts {
	t.Helper()
	c, err := tree.Count(m.Tree().Scan(t.Context(), store.Filter{}))
	require.NoError(t, err)
	return c
}
