package server

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/pprof"
	"runtime"
	runtimepprof "runtime/pprof"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/memtree/memtree/internal/jobs"
)

// meters count requests for Prometheus.
type meters struct {
	mu sync.Mutex
	of map[string]*requestCounter // by route

	nights map[string]*nights // by tree
}

// nights counts the evolves of the schedule.
type nights struct {
	by   map[jobs.JobState]uint64
	last time.Time
}

func (m *meters) ran(tree string, state jobs.JobState, at time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	x := m.nights[tree]
	if x == nil {
		x = &nights{by: map[jobs.JobState]uint64{}}
		m.nights[tree] = x
	}
	x.by[state]++
	x.last = at
}

// writeNights writes the results of the schedule for the trees that a caller sees.
func (m *meters) writeNights(b *strings.Builder, c *caller) {
	m.mu.Lock()
	defer m.mu.Unlock()
	head(b, "memtree_scheduled_evolves_total", "counter", "Evolves of the schedule by tree and how they ended.")
	for _, tree := range slices.Sorted(maps.Keys(m.nights)) {
		for _, state := range slices.Sorted(maps.Keys(m.nights[tree].by)) {
			if c.sees(tree) {
				fmt.Fprintf(b, "memtree_scheduled_evolves_total{tree=%q,state=%q} %d\n", tree, state, m.nights[tree].by[state])
			}
		}
	}
	head(b, "memtree_scheduled_evolve_timestamp_seconds", "gauge", "When the schedule last let a tree evolve.")
	for _, tree := range slices.Sorted(maps.Keys(m.nights)) {
		if c.sees(tree) {
			fmt.Fprintf(b, "memtree_scheduled_evolve_timestamp_seconds{tree=%q} %d\n", tree, m.nights[tree].last.Unix())
		}
	}
}

type requestCounter struct {
	codes  map[int]uint64
	within []uint64 // requests by the lowest bound they are within; the last is beyond all
	sum    float64  // seconds
}

// bounds are those of the histogram, in seconds.
var bounds = []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30}

func (m *meters) note(route string, status int, took time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	x := m.of[route]
	if x == nil {
		x = &requestCounter{codes: map[int]uint64{}, within: make([]uint64, len(bounds)+1)}
		m.of[route] = x
	}
	x.codes[status]++
	i, _ := slices.BinarySearch(bounds, took.Seconds())
	x.within[i]++
	x.sum += took.Seconds()
}

// write writes the counts in the text format of Prometheus.
func (m *meters) write(b *strings.Builder) {
	m.mu.Lock()
	defer m.mu.Unlock()
	head(b, "memtree_requests_total", "counter", "Requests by route and status.")
	for _, route := range slices.Sorted(maps.Keys(m.of)) {
		for _, code := range slices.Sorted(maps.Keys(m.of[route].codes)) {
			fmt.Fprintf(b, "memtree_requests_total{route=%q,code=\"%d\"} %d\n", route, code, m.of[route].codes[code])
		}
	}
	head(b, "memtree_request_seconds", "histogram", "How long requests took.")
	for _, route := range slices.Sorted(maps.Keys(m.of)) {
		x, n := m.of[route], uint64(0)
		for i, in := range x.within {
			n += in
			le := "+Inf"
			if i < len(bounds) {
				le = strconv.FormatFloat(bounds[i], 'g', -1, 64)
			}
			fmt.Fprintf(b, "memtree_request_seconds_bucket{route=%q,le=%q} %d\n", route, le, n)
		}
		fmt.Fprintf(b, "memtree_request_seconds_sum{route=%q} %g\nmemtree_request_seconds_count{route=%q} %d\n", route, x.sum,
			route, n)
	}
}

func head(b *strings.Builder, name, kind, help string) {
	fmt.Fprintf(b, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, kind)
}

// metrics returns the state of the service and its trees, for Prometheus.
func (s *Server) metrics(w http.ResponseWriter, r *http.Request) {
	b := &strings.Builder{}
	s.meters.write(b)
	one := func(name, help string, value float64) {
		head(b, name, "gauge", help)
		fmt.Fprintf(b, "%s %g\n", name, value)
	}
	one("memtree_requests_in_flight", "Requests that are answered now.", float64(len(s.guard.flying)))
	one("memtree_streams_in_flight", "Streams that go on now.", float64(len(s.guard.streams)))
	one("go_goroutines", "Goroutines that exist.", float64(runtime.NumGoroutine()))
	var mem runtime.MemStats
	runtime.ReadMemStats(&mem)
	one("go_memstats_sys_bytes", "Bytes taken from the system.", float64(mem.Sys))
	one("go_memstats_heap_inuse_bytes", "Bytes of the heap in use.", float64(mem.HeapInuse))
	s.meters.writeNights(b, callerOf(r.Context()))
	s.treeMetrics(b, r)
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	_, _ = io.WriteString(w, b.String()) // the client may have gone
}

// treeMetrics writes the contents of each tree of the caller.
func (s *Server) treeMetrics(b *strings.Builder, r *http.Request) {
	rows := map[string][]string{}
	names := []string{"nodes", "evaluations", "outbox", "dead", "ledger_entries", "store_bytes", "writable",
		"failed_guidance", "lost_trials"}
	for _, name := range s.trees.names {
		if !callerOf(r.Context()).sees(name) {
			continue
		}
		t := s.trees.get(name)
		info, err := t.Tree().Info(r.Context())
		if err != nil {
			continue // readyz reports a tree that cannot be read
		}
		h, writable := t.Health(), 1.0
		if t.writable() != nil {
			writable = 0
		}
		if f := h.Following; f != nil {
			rows["lag_seconds"] = append(rows["lag_seconds"], fmt.Sprintf("memtree_tree_lag_seconds{tree=%q} %g\n", name,
				f.Lag.Seconds()))
			rows["waiting_here"] = append(rows["waiting_here"], fmt.Sprintf("memtree_tree_waiting_here{tree=%q} %d\n", name,
				f.Waiting))
		}
		for i, v := range []float64{float64(info.Nodes), float64(info.Evaluations), float64(info.Outbox), float64(info.Dead),
			float64(info.Entries), float64(info.Bytes), writable, float64(h.GuideFailures), float64(h.TrialsLost)} {
			rows[names[i]] = append(rows[names[i]], fmt.Sprintf("memtree_tree_%s{tree=%q} %g\n", names[i], name, v))
		}
	}
	for _, name := range append(names, "lag_seconds", "waiting_here") {
		if len(rows[name]) == 0 {
			continue
		}
		head(b, "memtree_tree_"+name, "gauge", "Of a tree: "+strings.ReplaceAll(name, "_", " ")+".")
		b.WriteString(strings.Join(rows[name], ""))
	}
}

// profile serves the profiles of the process.
func profile(w http.ResponseWriter, r *http.Request) {
	w.Header().Del("Content-Security-Policy")
	switch name := r.PathValue("name"); name {
	case "profile":
		pprof.Profile(w, r)
	case "trace":
		pprof.Trace(w, r)
	default:
		if runtimepprof.Lookup(name) == nil {
			writeProblem(w, newProblem(http.StatusNotFound, typeNotFound, "There is no such profile; goroutine, heap, "+
				"allocs, block, mutex, threadcreate, profile and trace are."))
			return
		}
		pprof.Handler(name).ServeHTTP(w, r)
	}
}
