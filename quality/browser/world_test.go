package browser

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/curation"
	"github.com/memtree/memtree/effect"
	"github.com/memtree/memtree/fixtures"
	"github.com/memtree/memtree/ingest"
	"github.com/memtree/memtree/internal/token"
	"github.com/memtree/memtree/knowledge"
	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/server"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/transfer"
	"github.com/memtree/memtree/tree"
)

// world is a service with two trees: one with lessons, unlabelled runs, trials and imports, and an empty one.
type world struct {
	t      testing.TB
	m      *memtree.Memory
	url    string
	secret string // a token with all scopes
	now    time.Time
}

func shared(name string) string {
	return filepath.Join(cmp.Or(os.Getenv("MEMTREE_SHARED"), "../../../shared"), "data", filepath.FromSlash(name))
}

// runs returns those of the shared suite, or those of the demo if that is missing.
func runs(t testing.TB) []memtree.Evaluation {
	t.Helper()
	b, err := os.ReadFile(shared("lessons/suite-a/runs.jsonl"))
	if err != nil {
		t.Logf("the demo's runs are taken: %v", err)
		b, err = os.ReadFile("../../cmd/memtree/rooms.jsonl")
		require.NoError(t, err)
		more, err := fixtures.Files.ReadFile("shop.jsonl")
		require.NoError(t, err)
		b = append(b, more...)
	}
	var out []memtree.Evaluation
	for e, err := range ingest.Read("runs.jsonl", bytes.NewReader(b)) {
		require.NoError(t, err)
		out = append(out, e)
	}
	return out
}

func newWorld(t testing.TB) *world {
	t.Helper()
	w := &world{t: t, now: time.Date(2026, 5, 1, 8, 0, 0, 0, time.UTC)}
	w.m = w.open()
	trees := server.NewTrees()
	require.NoError(t, trees.Add(server.Default, w.m, false, nil))
	require.NoError(t, trees.Add("empty", w.open(), false, nil))
	dir := t.TempDir()
	tok, secret, err := token.New("ann", []token.Permission{token.Admin}, nil, time.Now(), time.Hour)
	require.NoError(t, err)
	require.NoError(t, token.Add(dir, tok))
	w.secret = secret
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	s := server.New(trees, server.Options{Tokens: token.NewKeeper(dir), Version: "test"})
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	ended := make(chan error)
	go func() { ended <- s.Serve(ctx, l) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if err := trees.Close(); err != nil {
			t.Error(err)
		}
	})
	w.url = "http://" + l.Addr().String()
	return w
}

func (w *world) open() *memtree.Memory {
	held := effect.Fixed(1. / 3)
	m, err := memtree.Open(w.t.Context(), "", &memtree.Options{
		InMemory: true, Deadline: time.Minute, Holdout: &held, Now: func() time.Time { return w.now },
	})
	require.NoError(w.t, err)
	return m
}

// fill gives the first tree the content of a team after some weeks.
func (w *world) fill() {
	all := runs(w.t)
	known := len(all) * 7 / 10
	w.record(w.m, all[:known])
	w.evolve(w.m, nil)
	w.try(all[:known])
	for i := range all[known:] {
		e := &all[known+i]
		e.GroundTruth, e.Correct, e.Direction, e.Reason = nil, nil, "", ""
	}
	w.record(w.m, all[known:])
	w.evolve(w.m, &memtree.EvolveOptions{Review: true})
	w.bring(runs(w.t)[len(all)/3:])
	w.state("A seat is held for 15 minutes.", "A seat is held for 20 minutes.",
		"The board with a title as long as nobody would give one, "+strings.Repeat("and one more word, ", 8)+"is updated once a night.")
	w.walk()
	w.explore()
}

// explore is a run under way, with hostile texts, and an ended one.
func (w *world) explore() {
	for _, id := range []string{"explore", "ended"} {
		_, err := w.m.Runs().Start(w.t.Context(), ledger.Work{Run: id, Text: "Explore the <b>shop</b>", By: "bot"})
		require.NoError(w.t, err)
	}
	long := strings.Repeat("averylongwordwithoutanyplacetobreakit", 9)
	_, err := w.m.Runs().Add(w.t.Context(), []ledger.Work{
		{Run: "explore", Kind: ledger.WorkTask, Task: "1", State: "doing", Text: "look at " + long},
		{Run: "explore", Kind: ledger.WorkFinding, Page: "/" + long, State: "high", Text: "<script>alert(1)</script>"},
		{Run: "explore", Kind: ledger.WorkVisit, Page: "/cart/" + long},
		{Run: "ended", Kind: ledger.WorkEnd, State: "failure", Text: "no card"},
		{Run: "ended", Kind: ledger.WorkNote, Text: "late"},
	})
	require.NoError(w.t, err)
	_, err = w.m.Runs().Add(w.t.Context(), []ledger.Work{{Run: "ended", Kind: ledger.WorkFeedback, Rating: 4, Text: "good"}})
	require.NoError(w.t, err)
}

// state states facts. The second differs from the first in its number only, so a person has to settle them.
func (w *world) state(facts ...string) {
	for _, f := range facts {
		_, err := w.m.Curation().KnowFact(w.t.Context(), ledger.Statement{Text: f, Kind: ledger.Rule,
			Scope: tree.Scope{Product: "travel"}, Pages: []string{"/seats"}}, curation.Options{By: "ann"})
		require.NoError(w.t, err)
	}
}

// fact returns the id of a fact that contradicts another one.
func (w *world) fact() string {
	open, err := w.m.Knowledge().List(w.t.Context(), knowledge.Filter{Open: true})
	require.NoError(w.t, err)
	require.NotEmpty(w.t, open, "nothing is disputed")
	return open[0].ID
}

// walk puts three pages, with elements, into the map.
func (w *world) walk() {
	seen := []ledger.Sighting{{Kind: ledger.SeenLink, URL: "/seats", To: "/facts", Name: "Facts"}}
	for _, page := range []string{"/seats", "/facts", "/a/very/long/route/that/has/many/parts/and/no/place/to/break/it"} {
		seen = append(seen, ledger.Sighting{Kind: ledger.SeenPage, URL: page, Title: "Page " + page},
			ledger.Sighting{Kind: ledger.SeenElement, URL: page, Role: "button", Name: "Save <b>all</b>"},
			ledger.Sighting{Kind: ledger.SeenAction, URL: page, Do: "click", Role: "button", Name: "Save <b>all</b>",
				Selector: "getByRole('button', { name: 'Save' })", MS: 40})
	}
	_, err := w.m.Map().Add(w.t.Context(), ledger.Walk{Product: "travel", Source: "playwright", Seen: seen})
	require.NoError(w.t, err)
}

func (w *world) record(m *memtree.Memory, es []memtree.Evaluation) {
	_, err := m.RecordAll(w.t.Context(), es)
	require.NoError(w.t, err)
	require.NoError(w.t, m.Wait(w.t.Context()))
}

func (w *world) evolve(m *memtree.Memory, o *memtree.EvolveOptions) {
	_, err := m.Evolve(w.t.Context(), o)
	require.NoError(w.t, err)
}

// try runs some tests again, with guidance or held out. With guidance more of them are right.
func (w *world) try(es []memtree.Evaluation) {
	var wrong []memtree.Evaluation
	for _, e := range es {
		if e.Correct != nil && !*e.Correct {
			wrong = append(wrong, e)
		}
	}
	const trials = 120
	for i := range trials {
		e := wrong[i*7%len(wrong)%20]
		w.now = w.now.Add(3 * time.Hour)
		run := fmt.Sprint("trial-", i)
		g, err := w.m.Guide(w.t.Context(), memtree.Query{
			Prompt: e.Prompt, Scene: e.Scene, Scope: tree.Scope{Product: e.Scope.Product, Suite: e.Scope.Suite}, RunID: run,
		})
		require.NoError(w.t, err)
		right := g.Text != "" && i%4 > 0 || g.Text == "" && i%3 == 0
		again := memtree.Evaluation{
			ID: run + "|" + e.CaseID, RunID: run, CaseID: e.CaseID, Prompt: e.Prompt, Scene: e.Scene, Scope: e.Scope,
			Judgment: e.Judgment, GroundTruth: e.GroundTruth, Reason: e.Reason, Trial: g.Trial, At: w.now,
		}
		if right {
			again.Judgment, again.Reason = e.GroundTruth, ""
		}
		w.record(w.m, []memtree.Evaluation{again})
	}
}

// bring imports the lessons of another team.
func (w *world) bring(es []memtree.Evaluation) {
	other, err := memtree.Open(w.t.Context(), "", &memtree.Options{
		InMemory: true, Label: "north team", Now: func() time.Time { return w.now },
	})
	require.NoError(w.t, err)
	defer func() { require.NoError(w.t, other.Close()) }()
	w.record(other, es)
	w.evolve(other, nil)
	s, err := other.Transfer().Export(w.t.Context(), nil)
	require.NoError(w.t, err)
	_, err = w.m.Transfer().Import(w.t.Context(), s.Nodes(w.t.Context()), &transfer.ImportOptions{})
	require.NoError(w.t, err)
}

// lesson returns the lesson in use with the most cases.
func (w *world) lesson() (best tree.Node) {
	for n, err := range w.m.Tree().Scan(w.t.Context(), store.Filter{Level: 2}) {
		require.NoError(w.t, err)
		if n.Live() && len(n.Children) > len(best.Children) {
			best = n
		}
	}
	require.NotEmpty(w.t, best.ID, "nothing was learned")
	return best
}
