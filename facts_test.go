package memtree

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/brief"
	"github.com/memtree/memtree/curation"
	"github.com/memtree/memtree/effect"
	"github.com/memtree/memtree/enhance"
	"github.com/memtree/memtree/knowledge"
	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

var none = effect.Fixed(0)

var seat = ledger.Statement{Text: "A seat is held for 15 minutes.", Kind: ledger.Rule, Pages: []string{"/seats"},
	Scope: tree.Scope{Product: "travel"}}

func seatQuery(run string) Query {
	return Query{Prompt: "Seat 12A can be chosen.", Scene: tree.Scene{Route: "/seats"},
		Scope: tree.Scope{Product: "travel", Test: "T1"}, RunID: run}
}

// TestFactsAreGiven: a fact is told from the moment a person states it until one contradicts it, and again after an
// undo; the trial names it, and its outcome credits it.
func TestFactsAreGiven(t *testing.T) {
	ctx := t.Context()
	m, err := Open(ctx, "", &Options{Deadline: time.Minute, InMemory: true, Holdout: &none})
	require.NoError(t, err)
	defer func() { require.NoError(t, m.Close()) }()
	ann, bob := curation.Options{By: "ann"}, curation.Options{By: "bob"}
	d, err := m.Curation().KnowFact(ctx, seat, ann)
	require.NoError(t, err)
	id := d.Fact.ID

	g, err := m.Guide(ctx, seatQuery("r1"))
	require.NoError(t, err)
	require.Equal(t, enhance.Open+"\n[Known about this product] May have changed; go by what you see:\n"+
		"- A seat is held for 15 minutes.\n"+enhance.Close, g.Text)
	require.Equal(t, []enhance.Item{{ID: id, Type: enhance.OfFact, ErrorType: ledger.OfFacts,
		Direction: taxonomy.FalseFail,
		Score:     5. / 6, By: enhance.ByPage}}, g.Items)
	require.Contains(t, g.Wording, "+known")
	err = m.Record(ctx, tree.Evaluation{ID: "e1", Prompt: seatQuery("").Prompt, Judgment: tree.Raw(`"pass"`),
		GroundTruth: tree.Raw(`"pass"`), Trial: g.Trial})
	require.NoError(t, err)
	require.NoError(t, m.Wait(ctx))
	f := theFact(t, m)
	require.Equal(t, 1, f.Right)
	require.Greater(t, f.Trust, 5./6)

	refused := &curation.RefusedError{}
	_, err = m.Curation().ConfirmFact(ctx, id, ann)
	require.ErrorAs(t, err, &refused, "who stated it confirms nothing")
	_, err = m.Curation().ContradictFact(ctx, id, bob)
	require.NoError(t, err)
	g, err = m.Guide(ctx, seatQuery("r2"))
	require.NoError(t, err)
	require.True(t, g.Abstained, "a person contradicted it: it is given to no further run")
	x, err := m.Explain(ctx, seatQuery(""))
	require.NoError(t, err)
	require.Equal(t, knowledge.LeftDisputed, x.FactsNear[0].Left)
	_, err = m.Curation().ConfirmFact(ctx, id, ann)
	require.ErrorAs(t, err, &refused)
	require.Equal(t, curation.Theirs, refused.Why)
	u, err := m.Curation().Undo(ctx, "", bob)
	require.NoError(t, err)
	require.Equal(t, curation.DecisionContradict, u.Undone.Kind)
	g, err = m.Guide(ctx, seatQuery("r3"))
	require.NoError(t, err)
	require.False(t, g.Abstained)
}

func theFact(t *testing.T, m *Memory) knowledge.Fact {
	t.Helper()
	all, err := m.Knowledge().All(t.Context())
	require.NoError(t, err)
	require.Len(t, all, 1)
	return all[0]
}

// TestFactReplacesAction: on the page of a false alarm the fact that its note says is told, and the action is not.
func TestFactReplacesAction(t *testing.T) {
	ctx := t.Context()
	m, err := Open(ctx, "", &Options{Deadline: time.Minute, InMemory: true, Holdout: &none})
	require.NoError(t, err)
	defer func() { require.NoError(t, m.Close()) }()
	q := seatQuery("")
	err = m.Record(ctx, tree.Evaluation{ID: "e1", CaseID: "T1", Prompt: q.Prompt, Scene: q.Scene, Scope: q.Scope,
		Judgment: tree.Raw(`"fail"`), GroundTruth: tree.Raw(`"pass"`),
		Reason: "The agent's own first attempt held it; it did not wait until the hold was over"})
	require.NoError(t, err)
	require.NoError(t, m.Wait(ctx))
	g, err := m.Guide(ctx, q)
	require.NoError(t, err)
	require.Len(t, g.Items, 1)
	id := g.Items[0].ID
	require.NoError(t, m.core.Apply(ctx, store.Batch{Entries: []ledger.Entry{{At: time.Now(), Known: &ledger.FactEntry{
		Op: ledger.FactStated, Fact: seat.ID(), Says: &seat, Source: ledger.FromNote, Case: id, Test: "T1"}}}}))
	g, err = m.Guide(ctx, q)
	require.NoError(t, err)
	require.Len(t, g.Items, 1)
	require.Equal(t, seat.ID(), g.Items[0].ID)
	x, err := m.Explain(ctx, q)
	require.NoError(t, err)
	require.Contains(t, x.Considered[0].Left.Reason, "given in its place")
}

// TestDoorRefusesFacts: the door takes no entry on a fact that breaks a law.
func TestDoorRefusesFacts(t *testing.T) {
	m, err := Open(t.Context(), "", &Options{Deadline: time.Minute, InMemory: true, Holdout: &none})
	require.NoError(t, err)
	defer func() { require.NoError(t, m.Close()) }()
	wrong := seat
	wrong.Text = ""
	for _, k := range []ledger.FactEntry{
		{}, {Op: "guess", Fact: "f_1", Source: ledger.FromTeam}, {Op: ledger.FactConfirmed, Fact: "c_1",
			Source: ledger.FromTeam},
		{Op: ledger.FactStated, Fact: "f_1", Source: ledger.FromTeam}, {Op: ledger.FactStated, Fact: "f_1", Says: &seat,
			Source: ledger.FromTeam}, {Op: ledger.FactStated, Fact: wrong.ID(), Says: &wrong, Source: ledger.FromTeam},
		{Op: ledger.FactConfirmed, Fact: "f_1", Source: "nobody"},
		{Op: ledger.FactConfirmed, Fact: "f_1", Source: ledger.FromTeam, Why: "two\nlines"},
	} {
		err := m.core.Apply(t.Context(), store.Batch{Entries: []ledger.Entry{{At: time.Now(), Known: &k}}})
		var field *tree.FieldError
		require.ErrorAs(t, err, &field, "%+v", k)
	}
}

// BenchmarkGuideFacts is guidance where so many facts are known.
func BenchmarkGuideFacts(b *testing.B) {
	for _, n := range []int{0, 100_000} {
		m, err := Open(context.Background(), "", &Options{Deadline: time.Minute, InMemory: true, Holdout: &none})
		require.NoError(b, err)
		var es []ledger.Entry
		for i := range n {
			s := ledger.Statement{Text: fmt.Sprintf("The %s of order%d is shown after %d seconds.",
				[]string{"total", "price", "list", "state"}[i%4], i, i%60),
				Kind: ledger.Behaviour, Scope: tree.Scope{Product: fmt.Sprint("p", i%3)}}
			es = append(es, ledger.Entry{At: time.Now(), Known: &ledger.FactEntry{Op: ledger.FactStated, Fact: s.ID(), Says: &s,
				Source: ledger.FromNote, Case: fmt.Sprint("c_", i)}})
			if len(es) == 1000 {
				require.NoError(b, m.core.Apply(context.Background(), store.Batch{Entries: es}))
				es = nil
			}
		}
		_, err = m.Knowledge().All(context.Background())
		require.NoError(b, err)
		q := Query{Prompt: "Open the list and check that the total of order77 is shown after 3 seconds",
			Scope: tree.Scope{Product: "p1"}}
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				_, err := m.Guide(context.Background(), q)
				require.NoError(b, err)
			}
		})
		require.NoError(b, m.Close())
	}
}

// TestFactsAreRead: where a reader has read a test, it is given the facts that the reader picked, on whatever page, and
// none that it passed over, but what a person states on its page; a newer fact is found by the search.
func TestFactsAreRead(t *testing.T) {
	ctx := t.Context()
	lines := map[string]string{}
	reader := answering(func(r llm.Request) string {
		for _, l := range regexp.MustCompile(`(m\d+) known · (\S+)`).FindAllStringSubmatch(r.Prompt, -1) {
			lines[l[2]] = l[1]
		}
		return fmt.Sprintf(`{"told":[{"t":"t1","m":%q,"because":"Seat 12A","say":""}]}`, lines["Staging"])
	})
	m, err := Open(ctx, "", &Options{Deadline: time.Minute, InMemory: true, Holdout: &none, Generator: reader})
	require.NoError(t, err)
	defer func() { require.NoError(t, m.Close()) }()
	state := func(text string, pages ...string) string {
		d, err := m.Curation().KnowFact(ctx, ledger.Statement{Text: text, Kind: ledger.Rule, Pages: pages,
			Scope: tree.Scope{Product: "travel"}}, curation.Options{By: "ann"})
		require.NoError(t, err)
		return d.Fact.ID
	}
	codes := state("Staging sends no mail; codes are always 888888.")
	state("A seat that is chosen is held for 15 minutes.")
	onPage := state("The map is drawn by a third party.", "/seats")
	q := Query{Prompt: "Seat 12A that is chosen can be paid.", Scene: tree.Scene{Route: "/seats"},
		Scope: tree.Scope{Product: "travel"}}
	did, err := m.Briefs().Read(ctx, []brief.UpcomingTest{brief.TestOf(q.Prompt, q.Scene, q.Scope)}, nil)
	require.NoError(t, err)
	require.Equal(t, 1, did.Told)
	require.Len(t, lines, 3)
	given := func() (ids []string) {
		x, err := m.Explain(ctx, q)
		require.NoError(t, err)
		for _, it := range x.Items {
			ids = append(ids, it.ID)
		}
		return ids
	}
	require.Equal(t, []string{codes, onPage}, given())
	newer := state("Seat rows that are chosen are paid later.")
	require.Equal(t, []string{codes, onPage, newer}, given())
}

// TestFactsArePurged: a purge removes the statement of a fact, those it replaced and what people wrote about them from
// every file of the store; nothing brings it back from there; a purged case takes what its note states along.
func TestFactsArePurged(t *testing.T) {
	ctx, dir := t.Context(), t.TempDir()
	m, err := Open(ctx, dir, &Options{Deadline: time.Minute, Holdout: &none})
	require.NoError(t, err)
	ann := curation.Options{By: "ann", Why: "zugzwang says so"}
	d, err := m.Curation().KnowFact(ctx, ledger.Statement{Text: "The quokka account pays by invoice."}, ann)
	require.NoError(t, err)
	d, err = m.Curation().EditFact(ctx, d.Fact.ID, func(s *ledger.Statement) { s.Text = "The quokka pays by wallet." },
		ann)
	require.NoError(t, err)
	_, err = m.Curation().KnowFact(ctx, seat, curation.Options{By: "ann"})
	require.NoError(t, err)
	_, err = m.Curation().ForgetFact(ctx, d.Fact.ID, curation.Options{By: "bob", Purge: true, DryRun: true})
	require.NoError(t, err)
	require.Len(t, facts(t, m), 3, "a dry run removes nothing")
	_, err = m.Curation().ForgetFact(ctx, d.Fact.ID, curation.Options{By: "bob", Purge: true})
	require.NoError(t, err)
	require.Len(t, facts(t, m), 1)
	_, err = m.Curation().ForgetFact(ctx, d.Fact.ID, curation.Options{Purge: true})
	require.ErrorIs(t, err, tree.ErrNotFound)
	require.NoError(t, m.Close())
	require.NoError(t, filepath.WalkDir(dir, func(path string, f fs.DirEntry, err error) error {
		if err == nil && !f.IsDir() {
			b, err := os.ReadFile(path)
			require.NoError(t, err)
			require.NotContains(t, string(b), "quokka", path)
			require.NotContains(t, string(b), "zugzwang", path)
		}
		return err
	}))
	m, err = Open(ctx, dir, nil)
	require.NoError(t, err)
	require.Len(t, facts(t, m), 1)
	require.NoError(t, m.Close())
}

func facts(t *testing.T, m *Memory) []knowledge.Fact {
	t.Helper()
	all, err := m.Knowledge().All(t.Context())
	require.NoError(t, err)
	return all
}

// answering is a model that answers by a function.
type answering func(llm.Request) string

func (f answering) Generate(_ context.Context, r llm.Request) (llm.Answer, error) {
	return llm.Answer{JSON: []byte(f(r)), Model: "answering"}, nil
}
