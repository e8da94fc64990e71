package server

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/curation"
	"github.com/memtree/memtree/internal/jobs"
	"github.com/memtree/memtree/internal/token"
	"github.com/memtree/memtree/tree"
)

// learned records n wrong verdicts that missed one check, and lets the tree evolve.
func (w *world) learned(tok string, n int) {
	w.t.Helper()
	var all []string
	for i := range n {
		e := strings.NewReplacer(`"n1"`, fmt.Sprintf(`"n%d"`, i), `"t1"`, fmt.Sprintf(`"t%d"`, i), "/orders/42",
			fmt.Sprintf("/shop%d", i), "cart page", fmt.Sprintf("page of shop %d", i),
			"in the cart.", fmt.Sprintf("in the cart of shop %d.", i)).Replace(wrongTotal)
		all = append(all, e)
	}
	a := w.ask("POST", inDefault+"/evaluations", tok, "["+strings.Join(all, ",")+"]")
	require.Equal(w.t, http.StatusAccepted, a.Code, a.Body)
	require.NoError(w.t, w.trees.Get(Default).Wait(w.t.Context()))
	a = w.ask("POST", inDefault+"/evolve", tok, "{}")
	require.Equal(w.t, http.StatusAccepted, a.Code, a.Body)
	require.Equal(w.t, inDefault+"/jobs/j1", a.Header.Get("Location"))
	w.ended("j1")
}

// ended waits until a job of the default tree has ended.
func (w *world) ended(id string) jobs.Job {
	w.t.Helper()
	q := w.trees.byName[Default].jobs
	for {
		j, err := q.Get(w.t.Context(), id)
		require.NoError(w.t, err)
		if j.Over() {
			return j
		}
		q.Wait(w.t.Context(), &j)
	}
}

// held lets the jobs of the default tree wait until release is called, which they report as their progress.
func (w *world) held() (begun <-chan func(jobs.Progress), release func()) {
	begin, end := make(chan func(jobs.Progress), 9), make(chan struct{})
	q := jobs.Here(func() time.Time { return w.now })
	q.Work(func(ctx context.Context, _ *jobs.Job, tell func(jobs.Progress)) (jobs.AttemptResult, jobs.JobSpent) {
		begin <- tell
		select {
		case <-end:
		case <-ctx.Done():
		}
		return jobs.AttemptResult{}, jobs.JobSpent{}
	})
	w.trees.byName[Default].jobs = q
	return begin, sync.OnceFunc(func() { close(end) })
}

func TestJob(t *testing.T) {
	w := newWorld(t)
	tok := w.token("a", nil, token.Admin)
	w.learned(tok, 5)
	j := decode[JobView](t, w.ask("GET", inDefault+"/jobs/j1", tok, ""))
	require.Equal(t, jobs.Done, j.State)
	require.Contains(t, string(j.Result), `"plans"`)
	require.Equal(t, "a", j.By)
	require.Equal(t, jobs.Evolve, j.Kind)
	require.NotEmpty(t, j.On)
	require.Equal(t, http.StatusNotFound, w.ask("GET", inDefault+"/jobs/j2", tok, "").Code)
	require.Equal(t, http.StatusNotFound, w.ask("GET", "/v1/trees/other/jobs/j1", tok, "").Code, "a job is of one tree")
	list := decode[jobList](t, w.ask("GET", inDefault+"/jobs", tok, ""))
	require.Len(t, list.Jobs, 1)
	require.Equal(t, "j1", list.Jobs[0].ID)
	require.Empty(t, list.Jobs[0].Result)

	_, release := w.held()
	defer release()
	require.Equal(t, http.StatusAccepted, w.ask("POST", inDefault+"/evolve", tok, "{}").Code)
	p := w.ask("POST", inDefault+"/evolve", tok, "{}").problem(t)
	require.Equal(t, http.StatusConflict, p.Status)
	require.Contains(t, p.Detail, "j1")
	code := w.ask("POST", "/v1/trees/other/evolve", tok, "{}").Code
	require.Equal(t, http.StatusAccepted, code, "trees evolve side by side")
	p = w.ask("POST", inDefault+"/evolve", tok, `{"only":"nonsense"}`).problem(t)
	require.Equal(t, "body.only", p.Errors[0].Location)
}

func TestJobEvents(t *testing.T) {
	w := newWorld(t)
	tok := w.token("a", nil, token.Admin)
	begun, release := w.held()
	defer release()
	require.Equal(t, http.StatusAccepted, w.ask("POST", inDefault+"/evolve", tok, "{}").Code)
	q, err := http.NewRequestWithContext(t.Context(), "GET", "http://"+w.listen()+inDefault+"/jobs/j1/events", nil)
	require.NoError(t, err)
	q.Header.Set("Authorization", "Bearer "+tok)
	a, err := http.DefaultClient.Do(q)
	require.NoError(t, err)
	defer a.Body.Close()
	require.Equal(t, "text/event-stream", a.Header.Get("Content-Type"))
	lines := bufio.NewScanner(a.Body)
	event := func() (name string, of JobView) {
		for lines.Scan() && lines.Text() != "" {
			if s, ok := strings.CutPrefix(lines.Text(), "event: "); ok {
				name = s
			}
			if s, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
				require.NoError(t, json.Unmarshal([]byte(s), &of))
			}
		}
		return name, of
	}
	name, of := event()
	require.Equal(t, "progress", name)
	require.Equal(t, jobs.Running, of.State)
	(<-begun)(jobs.Progress{Done: 3})
	_, of = event()
	require.Equal(t, 3, of.Progress.Done)
	release()
	name, _ = event()
	require.Equal(t, "end", name)
}

func TestNodes(t *testing.T) {
	w := newWorld(t)
	tok := w.token("a", nil, token.Admin)
	w.learned(tok, 5)
	var ids []string
	for cursor := ""; ; {
		page := decode[nodes](t, w.ask("GET", inDefault+"/nodes?limit=2&cursor="+cursor, tok, ""))
		for _, n := range page.Nodes {
			ids = append(ids, n.ID)
		}
		if cursor = page.Next; cursor == "" {
			break
		}
		require.Len(t, page.Nodes, 2)
	}
	info, err := w.trees.Get(Default).Tree().Info(t.Context())
	require.NoError(t, err)
	require.Len(t, ids, info.Nodes)
	require.IsIncreasing(t, ids)
	lessons := decode[nodes](t, w.ask("GET", inDefault+"/nodes?level=experience", tok, "")).Nodes
	require.Len(t, lessons, 1)
	for _, bad := range []string{
		"limit=0", "limit=201", "limit=x", "level=leaf", "cursor=..%2f", "cursor=zzz", "colour=red", "direction=up",
	} {
		p := w.ask("GET", inDefault+"/nodes?"+bad, tok, "").problem(t)
		require.Equal(t, http.StatusUnprocessableEntity, p.Status, bad)
	}

	id := lessons[0].ID
	a := w.ask("GET", inDefault+"/nodes/"+id, tok, "")
	l := decode[lineage](t, a)
	require.Equal(t, id, l.Node.ID)
	require.Len(t, l.Below, len(l.Node.Children))
	below := decode[lineage](t, w.ask("GET", inDefault+"/nodes/"+l.Below[0].ID, tok, ""))
	require.Equal(t, id, below.Above[0].ID)
	require.NotNil(t, below.Node.CaseData, "the evidence")
	tag := a.Header.Get("ETag")
	same := w.ask("GET", inDefault+"/nodes/"+id, tok, "", "If-None-Match", tag)
	require.Equal(t, http.StatusNotModified, same.Code)
	require.Empty(t, same.Body)
	require.Equal(t, tag, same.Header.Get("ETag"))
	require.Equal(t, http.StatusOK, w.ask("POST", inDefault+"/nodes/"+id+"/pin", tok, `{}`).Code)
	require.Equal(t, http.StatusOK, w.ask("GET", inDefault+"/nodes/"+id, tok, "", "If-None-Match", tag).Code)
	require.Equal(t, http.StatusNotFound, w.ask("GET", inDefault+"/nodes/c_none", tok, "").problem(t).Status)
}

func TestWords(t *testing.T) {
	w := newWorld(t)
	tok := w.token("lead", nil, token.Admin)
	w.learned(tok, 5)
	lesson := decode[nodes](t, w.ask("GET", inDefault+"/nodes?level=experience", tok, "")).Nodes[0]
	say := func(word, body string) answer {
		t.Helper()
		return w.ask("POST", inDefault+"/nodes/"+lesson.ID+"/"+word, tok, body)
	}
	taught := w.ask("POST", inDefault+"/lessons", tok, `{"lesson":"Compare the unit with that of the order.",`+
		`"when":["an infusion rate is set"],"for":["PUMP_1"]}`)
	own := decode[curation.DecisionResult](t, taught).Changes[0].Node
	require.Equal(t, []string{"PUMP_1"}, own.Taught.For)
	require.NotEmpty(t, own.Taught.By, "the name of the token")
	again := w.ask("POST", inDefault+"/lessons", tok, `{"lesson":"Compare the unit with that of the order.",`+
		`"when":["an infusion rate is set"]}`).problem(t)
	require.Equal(t, http.StatusConflict, again.Status)
	d := decode[curation.DecisionResult](t, say("ban", `{"why":"it misleads"}`))
	require.Equal(t, tree.DecisionBan, d.Action.Kind)
	require.Equal(t, "lead", d.Action.By, "who speaks is the token, if nobody is named")
	p := say("ban", `{}`).problem(t)
	require.Equal(t, http.StatusConflict, p.Status)
	require.Contains(t, p.Detail, "that has been said")
	p = say("undo", `{"by":"Ann"}`).problem(t)
	require.Equal(t, http.StatusConflict, p.Status)
	require.Contains(t, p.Detail, "lead decided otherwise")
	require.Equal(t, http.StatusOK, say("undo", `{"by":"Ann","over":true}`).Code)
	p = say("edit", `{"lesson":{"title":"t","description":"d","lessons":[{"check":"always say pass"}]}}`).problem(t)
	require.Equal(t, http.StatusUnprocessableEntity, p.Status)
	require.NotEmpty(t, p.Errors, "the gates say why")
	d = decode[curation.DecisionResult](t, say("forget", `{"dryRun":true}`))
	require.NotEmpty(t, d.Changes)
	require.Equal(t, http.StatusOK, say("forget", `{"why":"gone"}`).Code)
	require.Equal(t, http.StatusUnprocessableEntity, say("pin", `{"why":7}`).problem(t).Status)

	a := w.ask("POST", inDefault+"/relabel", tok, `{"evaluation":"n1","groundTruth":"pass","reason":"a wrong label"}`)
	require.Equal(t, http.StatusOK, a.Code, a.Body)
	require.Equal(t, http.StatusNotFound,
		w.ask("POST", inDefault+"/relabel", tok, `{"evaluation":"zzz","groundTruth":"pass"}`).problem(t).Status)
	a = w.ask("POST", inDefault+"/evaluations", tok, `[{"id":"right","prompt":"p","judgment":"pass","ground_truth":"pass"},
		{"id":"rig","prompt":"p","judgment":"pass","ground_truth":"pass"}]`)
	require.Equal(t, http.StatusAccepted, a.Code, a.Body)
	p = w.ask("POST", inDefault+"/relabel", tok, `{"evaluation":"right","groundTruth":"fail"}`).problem(t)
	require.Equal(t, http.StatusConflict, p.Status)
	require.Contains(t, p.Detail, "was not kept")
	for _, body := range []string{`{"evaluation":"n1"}`, `{"evaluation":"n1","groundTruth":null}`,
		`{"evaluation":"n2","groundTruth":"who knows, some free text"}`} {
		p = w.ask("POST", inDefault+"/relabel", tok, body).problem(t)
		require.Equal(t, http.StatusUnprocessableEntity, p.Status, body)
		require.Contains(t, p.Detail, "body.groundTruth: ", body)
	}
	p = w.ask("POST", inDefault+"/relabel", tok, `{"evaluation":"ri","groundTruth":"fail"}`).problem(t)
	require.Equal(t, http.StatusUnprocessableEntity, p.Status)
	require.Contains(t, p.Detail, "names several runs: rig, right; give the whole id")
}

func TestReview(t *testing.T) {
	w := newWorld(t)
	tok := w.token("lead", nil, token.Admin)
	q := decode[queue](t, w.ask("GET", inDefault+"/review", tok, ""))
	require.NotNil(t, q.Proposals)
	p := w.ask("POST", inDefault+"/review", tok, `{"accept":["j_none"]}`).problem(t)
	require.Equal(t, http.StatusUnprocessableEntity, p.Status)
}

// TestTravel: what leaves one tree comes into another one, and waits there.
func TestTravel(t *testing.T) {
	w := newWorld(t)
	tok := w.token("a", nil, token.Admin)
	w.learned(tok, 5)
	for _, form := range []string{"memtree", "seed"} {
		file := w.ask("GET", inDefault+"/export?format="+form, tok, "")
		require.Equal(t, http.StatusOK, file.Code, file.Body)
		require.Equal(t, fmt.Sprint(len(file.Body)), file.Header.Get("Content-Length"))
		a := w.ask("POST", "/v1/trees/other/import?dryRun=true", tok, file.Body, "Content-Type", "application/octet-stream")
		require.Equal(t, http.StatusOK, a.Code, a.Body)
		require.Positive(t, decode[imported](t, a).Counts["new"], form)
	}
	file := w.ask("GET", inDefault+"/export", tok, "")
	importer := w.token("ci", nil, token.Import)
	a := w.ask("POST", "/v1/trees/other/import", importer, file.Body, "Content-Type", "application/octet-stream")
	require.Equal(t, http.StatusOK, a.Code, a.Body)
	waits := decode[nodes](t, w.ask("GET", "/v1/trees/other/nodes?status=quarantined", tok, "")).Nodes
	require.NotEmpty(t, waits)
	g := w.ask("POST", "/v1/trees/other/guidance", tok, `{"prompt":"Check the order total","scene":{"route":"/shop1"}}`)
	require.Contains(t, g.Body, `"abstained":true`, "no agent is told before they are promoted")
	a = w.ask("POST", "/v1/trees/other/promote", tok, `{"ids":["`+waits[len(waits)-1].ID+`"]}`)
	require.Equal(t, http.StatusOK, a.Code, a.Body)
	again := w.ask("POST", "/v1/trees/other/promote", tok, `{"ids":["`+waits[len(waits)-1].ID+`"]}`).problem(t)
	require.Equal(t, http.StatusUnprocessableEntity, again.Status)
	require.Equal(t, "body.ids[0]", again.Errors[0].Location)

	for what, body := range map[string]string{"nothing": "", "cut": file.Body[:len(file.Body)/2], "text": "hello",
		"json": `[{"id":7}]`, "zeros": strings.Repeat("\x00", 1000)} {
		p := w.ask("POST", "/v1/trees/other/import", importer, body, "Content-Type", "application/octet-stream").problem(t)
		require.Contains(t, []int{http.StatusUnprocessableEntity, http.StatusBadRequest}, p.Status, "%s: %s", what, p.Detail)
	}
	p := w.ask("GET", inDefault+"/export?minConfidence=NaN", tok, "").problem(t)
	require.Equal(t, http.StatusUnprocessableEntity, p.Status)
	p = w.ask("GET", inDefault+"/export?format=seed&risk=true", tok, "").problem(t)
	require.Equal(t, "query.risk", p.Errors[0].Location)
}

func TestReadRoutes(t *testing.T) {
	w := newWorld(t)
	tok := w.token("a", nil, token.Admin)
	w.learned(tok, 5)
	s := decode[struct {
		Levels map[string]int
		Trials struct{ Asked int }
	}](t, w.ask("GET", inDefault+"/stats", tok, ""))
	require.Equal(t, 5, s.Levels["case"])
	require.Contains(t, w.ask("GET", inDefault+"/effect?lang=zh", tok, "").Body, `"verdict":"`)
	require.Contains(t, w.ask("POST", inDefault+"/risk", tok, `{"prompt":"p","judgment":"pass"}`).Body, `"p":`)
	p := w.ask("POST", inDefault+"/risk", tok, `[{"prompt":"p","judgment":1},{"prompt":"p","judgment":2}]`).problem(t)
	require.Equal(t, http.StatusUnprocessableEntity, p.Status)
	x := w.ask("POST", inDefault+"/explain", tok, `{"prompt":"Check the order total"}`)
	require.Contains(t, x.Body, `"considered":[{`)
	time.Sleep(time.Millisecond)
	m := w.ask("GET", "/metrics", tok, "")
	require.Contains(t, m.Body, `memtree_requests_total{route="record",code="202"} 1`)
	require.Contains(t, m.Body, `memtree_tree_nodes{tree="default"}`)
	require.Equal(t, http.StatusOK, w.ask("GET", "/debug/pprof/goroutine", tok, "").Code)
	a := w.ask("GET", "/debug/pprof/cmdline", tok, "")
	require.Equal(t, http.StatusNotFound, a.Code, "the command line may hold names")
}
