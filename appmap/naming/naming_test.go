package naming_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/appmap"
	"github.com/memtree/memtree/appmap/naming"
	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/llm/llmtest"
	"github.com/memtree/memtree/llm/meter"
	"github.com/memtree/memtree/store"
)

// mapOf returns a map of a page with buttons.
func mapOf(product string, names ...string) *appmap.Map {
	w := ledger.Walk{Source: "explorer", Product: product}
	for _, n := range names {
		w.Seen = append(w.Seen, ledger.Sighting{Kind: ledger.SeenElement, URL: "/login", Role: "button", Name: n})
	}
	w.Identify()
	m := appmap.New()
	m.Add(&ledger.Entry{Walk: &w})
	return m
}

func sources(m *appmap.Map, names *appmap.Names, model llm.Generator) naming.Sources {
	m.Name(names)
	return naming.Sources{
		Map:   func(_ context.Context, read func(*appmap.Map)) error { read(m); return nil },
		Names: names, Save: func(context.Context) {}, Model: model,
	}
}

// What a reader calls an element finds it; nothing is read twice, and what the answer leaves out is read too.
func TestRead(t *testing.T) {
	m, names := mapOf("shop", "Sign in", "Cancel"), &appmap.Names{}
	model := llmtest.NewScript(llmtest.ScriptStep{
		Text: `{"elements":[{"e":"e2","names":["open sesame","登录","SIGN IN"]}]}`})
	n := naming.New(sources(m, names, model))
	find := func(q string) []appmap.FoundSelector { return m.Find(appmap.SelectorQuery{Text: q, Least: -1}) }
	require.Empty(t, find("open sesame"))
	dry, err := n.Read(t.Context(), &naming.Options{Reading: meter.Reading{DryRun: true}})
	require.NoError(t, err)
	require.Equal(t, 1, dry.Calls)
	require.Positive(t, dry.Usage.InputTokens)
	did, err := n.Read(t.Context(), nil)
	require.NoError(t, err)
	require.Equal(t, naming.ReadResult{Elements: 2, ReadUsage: meter.ReadUsage{Calls: 1, Usage: did.Usage}, Names: 3}, did)
	require.Contains(t, model.Requests()[0].Prompt, "e2 /login | button | Sign in")
	require.Equal(t, "Sign in", find("open sesame")[0].Name)
	list, read := names.Of(appmap.Thing{Product: "shop", Page: "/login", Role: "button", Name: "Sign in"})
	require.True(t, read)
	require.Equal(t, []string{"open sesame", "登录"}, list, "its own name is none")
	again, err := n.Read(t.Context(), nil)
	require.NoError(t, err)
	require.Zero(t, again)
}

// A product that no model may see is not shown; without a model, and in a store that is only read, nothing happens.
func TestReadRefuses(t *testing.T) {
	s := sources(mapOf("bank", "Pay"), &appmap.Names{}, llmtest.NewScript())
	s.Hidden = func(product string) bool { return product == "bank" }
	did, err := naming.New(s).Read(t.Context(), nil)
	require.NoError(t, err)
	require.Zero(t, did.Elements)
	s.Model = nil
	_, err = naming.New(s).Read(t.Context(), nil)
	require.Equal(t, llm.KindNotSet, llm.KindOf(err))
	s.ReadOnly = true
	_, err = naming.New(s).Read(t.Context(), nil)
	require.ErrorIs(t, err, store.ErrReadOnly)
}

// Elements whose question fails are left for the next time, and after three failures in a row no more is asked.
func TestReadFails(t *testing.T) {
	var all []string
	for i := range 200 {
		all = append(all, fmt.Sprintf("Button %d", i))
	}
	var steps []llmtest.ScriptStep
	for range 6 {
		steps = append(steps, llmtest.ScriptStep{Text: `{"elements":[{"e":"x","names":[]}]}`})
	}
	names := &appmap.Names{}
	did, err := naming.New(sources(mapOf("shop", all...), names, llmtest.NewScript(steps...))).Read(t.Context(), nil)
	require.NoError(t, err)
	require.Equal(t, 200, did.Elements)
	require.Equal(t, 200, did.Left)
	require.NotEmpty(t, did.Why)
	require.Zero(t, names.Len())
}
