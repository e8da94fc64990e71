package memtree_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/brief"
	"github.com/memtree/memtree/curation"
	"github.com/memtree/memtree/effect"
	"github.com/memtree/memtree/find"
	"github.com/memtree/memtree/harness"
	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/llm/llmtest"
	"github.com/memtree/memtree/look"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/tree"
)

// TestReadOnlyFollows: each answer of a memory that only reads has what another process has committed before the
// question, above all what a person refused.
func TestReadOnlyFollows(t *testing.T) {
	dir := t.TempDir()
	m := open(t, dir, nil)
	r := open(t, dir, &memtree.Options{ReadOnly: true})
	given := func() int {
		g, err := r.Guide(t.Context(), ask)
		require.NoError(t, err)
		return len(g.Items)
	}
	require.Zero(t, given())
	require.NoError(t, m.Record(t.Context(), missed(1)))
	require.NoError(t, m.Wait(t.Context()))
	require.Equal(t, 1, given())
	id := liveOf(t, m, tree.Case)[0].ID
	_, err := m.Curation().Ban(t.Context(), id, curation.Options{By: "ann"})
	require.NoError(t, err)
	require.Zero(t, given())
	_, err = m.Curation().Undo(t.Context(), "", curation.Options{By: "ann"})
	require.NoError(t, err)
	require.Equal(t, 1, given())
	_, err = m.Curation().Forget(t.Context(), id, curation.Options{By: "ann", Why: "private", Purge: true})
	require.NoError(t, err)
	require.Zero(t, given())
	require.Eventually(t, func() bool { return r.Health().Memories == 0 }, 5*time.Second, time.Millisecond)
	require.NoError(t, m.Record(t.Context(), missed(2)))
	require.NoError(t, m.Wait(t.Context()))
	require.Equal(t, 1, given())
}

// TestReadOnlyFollowsEverything: a memory that only reads answers as the memory that writes does, from the first
// question after a change, whatever the change is of.
func TestReadOnlyFollowsEverything(t *testing.T) {
	ctx := t.Context()
	person := curation.Options{By: "ann"}
	waiting := func(m *memtree.Memory) any {
		box, err := m.Inbox().List(ctx, 0)
		require.NoError(t, err)
		var out []string
		for _, u := range box.Waiting {
			out = append(out, fmt.Sprint(u.Evaluation.ID, u.Skipped))
		}
		return fmt.Sprint(out)
	}
	open1 := memtree.Evaluation{ID: "open 1", Prompt: "Check the cart", Judgment: tree.Raw(`"pass"`), At: day,
		Observation: "The cart is empty."}
	open2 := open1
	open2.ID = "open 2"
	record := func(t *testing.T, m *memtree.Memory, es ...memtree.Evaluation) {
		for _, e := range es {
			require.NoError(t, m.Record(ctx, e))
		}
		require.NoError(t, m.Wait(ctx))
	}
	known := func(m *memtree.Memory) any {
		all, err := m.Knowledge().All(ctx)
		require.NoError(t, err)
		return fmt.Sprintf("%+v", all)
	}
	refused := func(m *memtree.Memory) any {
		var out []string
		for n, err := range m.Tree().Scan(ctx, store.Filter{Level: 1}) {
			require.NoError(t, err)
			text, no := m.Curation().Given(&n, "en")
			out = append(out, fmt.Sprint(text, len(no)))
		}
		return fmt.Sprint(out)
	}
	fact, dir := "", t.TempDir()
	writer := open(t, dir, &memtree.Options{Generator: llmtest.Echo{}})
	only := open(t, dir, &memtree.Options{ReadOnly: true})
	for _, x := range []struct {
		name   string
		change func(t *testing.T, m *memtree.Memory)
		ask    func(m *memtree.Memory) any
	}{
		{"inbox", func(t *testing.T, m *memtree.Memory) { record(t, m, open1, open2) }, waiting},
		{"skipped", func(t *testing.T, m *memtree.Memory) { require.NoError(t, m.Inbox().Skip("open 1", true)) }, waiting},
		{"look", func(t *testing.T, m *memtree.Memory) {
			_, err := m.Inbox().Looks().Read(ctx, []memtree.Evaluation{open1}, look.Options{})
			require.NoError(t, err)
		}, func(m *memtree.Memory) any {
			l, ok := m.Inbox().Looks().Of(open1)
			return fmt.Sprint(l.Seen, l.Why, ok)
		}},
		{"spent", func(t *testing.T, m *memtree.Memory) {
			_, err := m.Inbox().Looks().Read(ctx, []memtree.Evaluation{open2}, look.Options{})
			require.NoError(t, err)
			_, err = m.Briefs().Read(ctx, []brief.UpcomingTest{{Prompt: "Check nothing"}}, nil)
			require.NoError(t, err)
		}, func(m *memtree.Memory) any { return fmt.Sprint(m.Health().Spent.Models) }},
		{"label", func(t *testing.T, m *memtree.Memory) {
			_, err := m.Curation().Label(ctx, []string{"open 2"}, curation.Truth{Correct: new(true)}, person)
			require.NoError(t, err)
		}, waiting},
		{"memories", func(t *testing.T, m *memtree.Memory) { record(t, m, missed(1), missed(2)) },
			func(m *memtree.Memory) any { return m.Health().Memories }},
		{"brief", func(t *testing.T, m *memtree.Memory) {
			_, err := m.Briefs().Read(ctx, []brief.UpcomingTest{{Prompt: ask.Prompt}}, nil)
			require.NoError(t, err)
		}, func(m *memtree.Memory) any {
			x, err := m.Explain(ctx, ask)
			require.NoError(t, err)
			return fmt.Sprint(x.Brief != nil, m.Briefs().Known().Read)
		}},
		{"fact", func(t *testing.T, m *memtree.Memory) {
			d, err := m.Curation().KnowFact(ctx, ledger.Statement{Text: "A zanzibar is held for 15 minutes."}, person)
			require.NoError(t, err)
			fact = d.Fact.ID
		}, known},
		{"purged fact", func(t *testing.T, m *memtree.Memory) {
			_, err := m.Curation().ForgetFact(ctx, fact, curation.Options{By: "ann", Purge: true})
			require.NoError(t, err)
		}, known},
		{"map", func(t *testing.T, m *memtree.Memory) {
			_, err := m.Map().Add(ctx, ledger.Walk{Source: "a", Product: "shop", Seen: []ledger.Sighting{
				{Kind: ledger.SeenElement, URL: "/cart", Role: "button", Name: "Order total"}}})
			require.NoError(t, err)
		}, func(m *memtree.Memory) any {
			hits, err := m.Search(ctx, find.Search{Text: "order total", Kinds: []string{"element"}})
			require.NoError(t, err)
			return len(hits)
		}},
		{"run", func(t *testing.T, m *memtree.Memory) {
			_, err := m.Runs().Start(ctx, ledger.Work{Run: "r-1", Text: "Check the totals of the shop"})
			require.NoError(t, err)
		}, func(m *memtree.Memory) any { x, err := m.Runs().Get(ctx, "r-1"); return fmt.Sprint(x.Goal, err) }},
		{"refusal", func(t *testing.T, m *memtree.Memory) {
			_, err := m.Curation().Ban(ctx, liveOf(t, m, tree.Case)[0].ID, person)
			require.NoError(t, err)
		}, refused},
		{"refusal taken back", func(t *testing.T, m *memtree.Memory) {
			_, err := m.Curation().Undo(ctx, "", person)
			require.NoError(t, err)
		}, refused},
		{"purged case", func(t *testing.T, m *memtree.Memory) {
			_, err := m.Curation().Forget(ctx, liveOf(t, m, tree.Case)[0].ID, curation.Options{By: "ann", Purge: true})
			require.NoError(t, err)
		}, func(m *memtree.Memory) any {
			g, err := m.Guide(ctx, ask)
			require.NoError(t, err)
			return fmt.Sprint(len(g.Items), m.Briefs().Known().Read, waiting(m))
		}},
	} {
		t.Run(x.name, func(t *testing.T) {
			before := x.ask(only)
			require.Equal(t, x.ask(writer), before)
			x.change(t, writer)
			require.NotEqual(t, before, x.ask(writer))
			require.Equal(t, x.ask(writer), x.ask(only))
		})
	}
}

// TestReadOnlyStops: when the breaker of the memory that writes opens, one that only reads gives nothing from its next
// question on.
func TestReadOnlyStops(t *testing.T) {
	clock, dir := day, t.TempDir()
	m := openAt(t, dir, &clock, effect.Fixed(0.3))
	teach(t, m)
	r := open(t, dir, &memtree.Options{ReadOnly: true})
	given := func(m *memtree.Memory) int {
		g, err := m.Guide(t.Context(), badPlace)
		require.NoError(t, err)
		return len(g.Items)
	}
	require.Equal(t, 1, given(r))
	live(t, m, memtree.Wrap(m, scripted(2), &harness.WrapOptions{Judge: explains}), &clock, badPlace, 200)
	require.Eventually(t, func() bool { return given(m) == 0 }, time.Minute, 10*time.Millisecond)
	require.Eventually(t, func() bool { return given(r) == 0 }, 5*time.Second, time.Millisecond,
		"the breaker is saved right after it opened")
}
