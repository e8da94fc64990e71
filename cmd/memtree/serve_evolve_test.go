//go:build unix

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/fixtures"
	"github.com/memtree/memtree/internal/cli/access"
	"github.com/memtree/memtree/server"
	"github.com/memtree/memtree/store/postgres/pgtest"
)

// scribe is a model that writes about every group what its first case says. It counts, by prompt, what it was asked and
// what it has answered. While it is stopped it answers nothing.
type scribe struct {
	mu              sync.Mutex
	asked, answered map[string]int
	left            int           // calls that are answered before it stops; negative: it does not
	stopped         chan struct{} // closed when it stops
	goOn            chan struct{} // closed when it goes on
	waiting         atomic.Int32  // calls that wait until it does
}

var (
	caseNote   = regexp.MustCompile(`(?m)^1\. .*(?:note|true|说明|实际)[:：] ?([^|\n]+)$`)
	caseStarts = regexp.MustCompile(`(?m)^\d+\. `)
	withDigits = regexp.MustCompile(`\S*\d\S*`)
)

func (s *scribe) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var q struct{ Messages []struct{ Content string } }
	_ = json.NewDecoder(r.Body).Decode(&q)
	prompt := ""
	for _, m := range q.Messages {
		prompt += m.Content + "\n"
	}
	if !s.mayAnswer(r.Context(), prompt) {
		return
	}
	lessons := []map[string]any{}
	for i, group := range strings.Split(prompt, `<data name="group `)[1:] {
		why := "the result was not looked at"
		if m := caseNote.FindStringSubmatch(group); m != nil {
			why = strings.TrimSpace(withDigits.ReplaceAllString(m[1], ""))
		}
		data, _, _ := strings.Cut(group, "</data>")
		var numbers []int
		for n := range caseStarts.FindAllString(data, -1) {
			numbers = append(numbers, n+1)
		}
		lessons = append(lessons, map[string]any{"group": i + 1, "apart": "", "cases": numbers,
			"en": map[string]any{"title": "What went wrong", "do": "Look at this first. " + why, "mistake": why,
				"when": "the verdict turns on it"},
			"zh": map[string]any{"title": "出了什么错", "do": "先看这一处，再下结论。", "mistake": "没有看", "when": "结论取决于它"}})
	}
	text, _ := json.Marshal(map[string]any{"lessons": lessons})
	_ = json.NewEncoder(w).Encode(map[string]any{"model": "scribe", "usage": map[string]int{"prompt_tokens": 10},
		"choices": []any{map[string]any{"finish_reason": "stop", "message": map[string]string{"content": string(text)}}}})
}

// mayAnswer counts a call, and waits while the model is stopped. It returns false if the caller is gone by then.
func (s *scribe) mayAnswer(ctx context.Context, prompt string) bool {
	s.mu.Lock()
	s.asked[prompt]++
	goOn := s.goOn
	if s.left == 0 && s.stopped != nil {
		close(s.stopped)
		s.stopped = nil
	}
	waits := s.left == 0
	if s.left > 0 {
		s.left--
	}
	if waits {
		s.waiting.Add(1)
		defer s.waiting.Add(-1)
	}
	s.mu.Unlock()
	if waits {
		select {
		case <-goOn:
		case <-ctx.Done():
			return false
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answered[prompt]++
	return true
}

// stopAfter lets n more calls be answered, a negative number all. stopped is closed at the first one that is not.
func (s *scribe) stopAfter(n int) (stopped <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.goOn != nil {
		close(s.goOn)
	}
	s.left, s.stopped, s.goOn = n, make(chan struct{}), make(chan struct{})
	return s.stopped
}

// counts returns the number of calls, of answers, and of answered prompts.
func (s *scribe) counts() (calls, answers, prompts int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, n := range s.asked {
		calls += n
	}
	for _, n := range s.answered {
		answers += n
	}
	return calls, answers, len(s.answered)
}

// TestServeJobs: a job is taken by one of the services of a tree. Two services are killed in the middle of an evolve;
// the third one ends it. What the model had answered is not asked again, and an evolve after it asks nothing.
func TestServeJobs(t *testing.T) {
	database := pgtest.Start(t, "fsync=off")
	url, runs := database.URL("postgres"), filepath.Join(t.TempDir(), "runs.jsonl")
	b, err := fixtures.Files.ReadFile("tau.jsonl")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(runs, b, 0o600))
	t.Setenv(access.LocalVariable, t.TempDir())
	code, _, errs := try(t, "", "record", runs, "--store", url)
	require.Zero(t, code, errs)

	conn, err := pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	defer conn.Close(context.Background())
	model := &scribe{asked: map[string]int{}, answered: map[string]int{}, left: -1}
	at := httptest.NewServer(model)
	defer at.Close()
	t.Setenv("MEMTREE_LLM_BASE_URL", at.URL)
	t.Setenv("MEMTREE_LLM_MODEL", "scribe")
	t.Setenv("MEMTREE_LLM_PROVIDER", "openai")
	t.Setenv("MEMTREE_LLM_API_KEY", "none")
	var all []*service
	for range 3 {
		t.Setenv(access.LocalVariable, t.TempDir())
		all = append(all, serving(t, "--store", url, "--insecure-loopback"))
	}
	last := func() *service { return all[len(all)-1] }
	get := func(id string) (j server.JobView) {
		status, body := last().ask("GET", "/v1/trees/default/jobs/"+id, "", "")
		require.Equal(t, http.StatusOK, status, body)
		require.NoError(t, json.Unmarshal([]byte(body), &j))
		return j
	}
	evolve := func() string {
		status, body := last().ask("POST", "/v1/trees/default/evolve", "", "{}")
		require.Equal(t, http.StatusAccepted, status, body)
		var j server.JobView
		require.NoError(t, json.Unmarshal([]byte(body), &j))
		return j.ID
	}
	ended := func(id string) (j server.JobView) {
		require.Eventually(t, func() bool {
			j = get(id)
			return j.State == "done" || j.State == "failed"
		}, 2*time.Minute, 50*time.Millisecond)
		require.EqualValues(t, "done", j.State, "%+v", j.Problem)
		return j
	}

	stopped := model.stopAfter(2)
	id := evolve()
	for kill := range 2 {
		<-stopped
		_, answers, _ := model.counts()
		require.Eventually(t, func() bool { // the last answer has arrived
			var kept int
			require.NoError(t, conn.QueryRow(t.Context(), "SELECT count(*) FROM memtree.reply").Scan(&kept))
			return kept == answers
		}, time.Minute, 10*time.Millisecond)
		on := get(id).On
		at := slices.IndexFunc(all, func(s *service) bool {
			return strings.HasSuffix(on, fmt.Sprint(":", s.cmd.Process.Pid))
		})
		require.GreaterOrEqual(t, at, 0, on)
		require.NoError(t, all[at].cmd.Process.Kill())
		<-all[at].rest
		_ = all[at].cmd.Wait()
		all = slices.Delete(all, at, at+1)
		require.Eventually(t, func() bool { // the model has noticed that its caller is gone, and answers nobody
			return model.waiting.Load() == 0
		}, time.Minute, time.Millisecond)
		stopped = model.stopAfter(2 - 3*kill)
	}
	j := ended(id)
	calls, answers, prompts := model.counts()
	require.Equal(t, 3, j.Attempts)
	require.GreaterOrEqual(t, j.Calls, calls, "those that were under way are counted too, sent or not")
	require.Equal(t, prompts, answers, "nothing that was answered is asked again")
	require.Greater(t, answers, 4)

	j = ended(evolve())
	require.Zero(t, j.Calls)
	again, _, _ := model.counts()
	require.Equal(t, calls, again)
	last().end(syscall.SIGTERM)
}
