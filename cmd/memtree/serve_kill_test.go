package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestServiceEndsUnderLoad: clients note which runs were acknowledged; whichever way the service ends, all of them
// are stored afterwards, once and with their content.
func TestServiceEndsUnderLoad(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("it is ended by a signal")
	}
	store := filepath.Join(t.TempDir(), "store")
	code, _, errs := try(t, "", "init", "--store", store)
	require.Zero(t, code, errs)
	all := &clients{sent: map[string]bool{}}
	for round, by := range []os.Signal{syscall.SIGKILL, syscall.SIGTERM, syscall.SIGKILL} {
		s := serving(t, "--store", store, "--insecure-loopback")
		enough := all.load(t.Context(), s.url, round)
		<-enough
		require.NoError(t, s.cmd.Process.Signal(by))
		said := <-s.rest
		err := s.cmd.Wait()
		all.running.Wait()
		if by == syscall.SIGTERM {
			require.NoError(t, err, said)
			require.Contains(t, said, "what was acknowledged is kept")
		}
		require.NotContains(t, said, "panic")
	}
	require.GreaterOrEqual(t, len(all.acknowledged), 3*enoughBatches)

	s := serving(t, "--store", store, "--insecure-loopback")
	for _, batch := range all.acknowledged {
		status, body := s.ask("POST", "/v1/trees/default/evaluations", "", batch)
		require.Equal(t, http.StatusAccepted, status, body)
		require.Contains(t, body, `"accepted":0`, "it was acknowledged, and is not there: %s", batch)
	}
	s.end(syscall.SIGTERM)
	for _, command := range []string{"verify", "evolve"} { // evolve forms what waits first
		code, _, errs = try(t, "", command, "--store", store)
		require.Zero(t, code, errs)
	}
	code, out, errs := try(t, "", "stats", "--store", store, "--json")
	require.Zero(t, code, errs)
	var v struct{ Evaluations, Outbox, Dead int }
	require.NoError(t, json.Unmarshal([]byte(out), &v))
	require.GreaterOrEqual(t, v.Evaluations, perBatch*len(all.acknowledged))
	require.LessOrEqual(t, v.Evaluations, perBatch*len(all.sent), "something is there twice")
	require.Zero(t, v.Outbox+v.Dead)
	t.Logf("batches of %d: %d acknowledged, %d sent; %d runs kept",
		perBatch, len(all.acknowledged), len(all.sent), v.Evaluations)
}

const (
	perBatch      = 5
	enoughBatches = 60 // acknowledged before the service is ended
)

// clients send batches of runs and note which were acknowledged.
type clients struct {
	running      sync.WaitGroup
	mu           sync.Mutex
	sent         map[string]bool
	acknowledged []string
}

// load has four clients send until the service no longer answers. The returned channel is closed when enough batches
// were acknowledged.
func (c *clients) load(ctx context.Context, url string, round int) <-chan struct{} {
	enough := make(chan struct{})
	var n atomic.Int64
	for client := range 4 {
		c.running.Go(func() {
			h := &http.Client{Transport: &http.Transport{}, Timeout: 20 * time.Second}
			defer h.CloseIdleConnections()
			for i := 0; ; i++ {
				batch := batchOf(fmt.Sprintf("r%d-c%d-%d", round, client, i))
				c.mu.Lock()
				c.sent[batch] = true
				c.mu.Unlock()
				if !c.post(ctx, h, url, batch) {
					return
				}
				if n.Add(1) == enoughBatches {
					close(enough)
				}
			}
		})
	}
	return enough
}

// post reports whether the batch was acknowledged: the header of the answer has arrived.
func (c *clients) post(ctx context.Context, h *http.Client, url, batch string) bool {
	to := url + "/v1/trees/default/evaluations"
	q, err := http.NewRequestWithContext(ctx, http.MethodPost, to, strings.NewReader(batch))
	if err != nil {
		return false
	}
	q.Header.Set("Content-Type", "application/json")
	a, err := h.Do(q)
	if err != nil {
		return false
	}
	defer a.Body.Close()
	_, _ = io.Copy(io.Discard, a.Body)
	if a.StatusCode != http.StatusAccepted {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.acknowledged = append(c.acknowledged, batch)
	return true
}

// batchOf returns runs with ids of this prefix, every third with a wrong verdict.
func batchOf(id string) string {
	var b bytes.Buffer
	for i := range perBatch {
		truth := "pass"
		if i%3 == 0 {
			truth = "fail"
		}
		sep := ','
		if i == 0 {
			sep = '['
		}
		fmt.Fprintf(&b, `%c{"id":"%s-%d","case_id":"case-%d","prompt":"Check the total of cart %d","judgment":"pass",`+
			`"ground_truth":%q,"reason":"The agent did not add up the prices."}`, sep, id, i, i, i, truth)
	}
	return b.String() + "]"
}
