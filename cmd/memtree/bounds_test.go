package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/internal/cli/model"
	"github.com/memtree/memtree/internal/cli/say"
	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/llm/llmtest"
)

// user runs commands with variables on one store.
type user struct {
	t   *testing.T
	env map[string]string
}

func newUser(t *testing.T, env map[string]string) *user {
	t.Helper()
	u := &user{t, env}
	env["MEMTREE_STORE"] = filepath.Join(t.TempDir(), "store")
	u.do(exitOK, "", "init")
	return u
}

func (u *user) do(code int, stdin string, args ...string) string {
	u.t.Helper()
	var out, errs strings.Builder
	got := run(u.t.Context(), say.Process{Args: args, Stdin: strings.NewReader(stdin), Stdout: &out, Stderr: &errs,
		Getenv: func(k string) string { return u.env[k] }})
	require.Equal(u.t, code, got, "%s %s", out.String(), errs.String())
	require.NotContains(u.t, out.String()+errs.String(), "sk-ours")
	return out.String() + errs.String()
}

func (u *user) json(stdin string, args ...string) map[string]any {
	u.t.Helper()
	var v map[string]any
	require.NoError(u.t, json.Unmarshal([]byte(u.do(exitOK, stdin, append(args, "--json")...)), &v))
	return v
}

func flat(s string) string { return strings.Join(strings.Fields(s), " ") }

func fourCases() string {
	return aCase("cart", "It did not add up the items.") +
		aCase("invoice", "It did not add up the items of the invoice.") +
		aCase("refund", "It did not add up the refund.") +
		aCase("voucher", "It did not add up the voucher.")
}

// manyCases need three model calls.
func manyCases() string {
	var b strings.Builder
	for i := range 30 {
		b.WriteString(aCase(fmt.Sprint("order", i), fmt.Sprintf("It did not add up order %d.", i)))
	}
	return b.String()
}

func withModel(t *testing.T, steps map[string]llmtest.ScriptStep) map[string]string {
	t.Helper()
	return map[string]string{"MEMTREE_LLM_MODEL": "gpt-x", "MEMTREE_LLM_API_KEY": "sk-ours",
		"MEMTREE_LLM_BASE_URL": scripted(t, steps)}
}

func soundly() map[string]llmtest.ScriptStep {
	return map[string]llmtest.ScriptStep{" page": {Text: sound, Usage: llm.Usage{InputTokens: 1000, OutputTokens: 100}}}
}

func TestRecordWithinBounds(t *testing.T) {
	u := newUser(t, withModel(t, soundly()))
	v := u.json(manyCases(), "record", "-", "--max-calls", "2")
	require.EqualValues(t, 2, v["calls"])
	require.EqualValues(t, 20, v["byModel"])
	require.EqualValues(t, 10, v["byRules"])
	require.EqualValues(t, 0, v["modelFailures"], "a bound is no failure")
	require.Equal(t, model.Unknown, v["model"].(map[string]any)["cost"], "no price is known")
	require.EqualValues(t, 1, v["model"].(map[string]any)["beyond"])
	by := map[string]any{"gpt-x": 20.0}
	require.Equal(t, map[string]any{"byModel": 20.0, "byRules": 10.0, "again": 10.0, "models": by},
		u.json("", "stats")["analyses"])
	require.Contains(t, flat(u.do(exitOK, "", "stats")),
		"20 by the model, 10 by the rules; 10 of them wait to be done again by a model")

	out := flat(newUser(t, withModel(t, soundly())).do(exitOK, manyCases(), "record", "-", "--max-calls", "1"))
	require.Contains(t, out, "10 read by the model gpt-x, 20 by the rules because it gave no answer (over the bound 20).")
	require.Contains(t, out, "Model calls: 1, tokens in 1000, out 100. Cost: unknown.")
	require.Contains(t, out, "Because of the bound on the model, 2 questions were not asked, or not to the end; "+
		"the rules did what they could, and it is marked to be done again.")
	u = newUser(t, withModel(t, soundly()))
	out = flat(u.do(exitOK, manyCases(), "record", "-", "--max-calls", "1", "--lang", "zh"))
	require.Contains(t, out, "超出上限 20")
	require.Contains(t, out, "有 2 个问题没有问或没有问完")
}

func TestCostOfRecord(t *testing.T) {
	env := withModel(t, soundly())
	u := newUser(t, env)
	require.NoError(t, os.WriteFile(filepath.Join(env["MEMTREE_STORE"], "memtree.yaml"),
		[]byte("prices:\n  - model: gpt-x\n    in: 1\n    out: 5\n"), 0o600))
	v := u.json(fourCases(), "record", "-")
	require.InDelta(t, (1000*1+100*5)/1e6, v["model"].(map[string]any)["cost"], 1e-9)
	stages := v["model"].(map[string]any)["stages"].([]any)
	require.Len(t, stages, 1)
	require.Equal(t, "analyse", stages[0].(map[string]any)["stage"])
	out := flat(newUser(t, env).do(exitOK, fourCases(), "record", "-", "--price", "2,10"))
	require.Contains(t, out, "Cost: 0.003.")

	v = newUser(t, env).json(fourCases(), "record", "-", "--price", "2,10", "--max-cost", "0")
	require.EqualValues(t, 0, v["calls"])
	require.InDelta(t, 0, v["model"].(map[string]any)["cost"], 0)
	require.Contains(t, newUser(t, env).do(exitUsage, "", "record", "-", "--max-cost", "1"), "--max-cost needs to know")
	require.Contains(t, newUser(t, env).do(exitUsage, "", "record", "-", "--max-time", "-1s"), "--max-time is -1s")
	require.Contains(t, newUser(t, env).do(exitUsage, "", "record", "-", "--max-time", "soon"),
		"it takes a time such as 90s or 5m")
	env["MEMTREE_LLM_PRICE"] = "cheap"
	require.Contains(t, newUser(t, env).do(exitUsage, "", "record", "-"), `the price is "cheap"`)
}

func TestRecordCountsFailures(t *testing.T) {
	u := newUser(t, withModel(t, map[string]llmtest.ScriptStep{
		"cart page": {Text: sound}, "invoice page": {Text: "sorry"}, "refund page": {Text: "sorry"}, "voucher page": {},
	}))
	v := u.json(fourCases(), "record", "-")
	require.EqualValues(t, 1, v["byModel"])
	require.EqualValues(t, 3, v["byRules"])
	require.EqualValues(t, 3, v["modelFailures"])
	require.EqualValues(t, 1, v["calls"], "an answer about one of four is used")
	require.Equal(t, model.Unknown, v["model"].(map[string]any)["cost"])
	require.EqualValues(t, 1, v["model"].(map[string]any)["untold"])
	for of, calls := range map[llmtest.ScriptStep]int{
		{Text: "sorry"}: 2, {Err: &llm.Error{Kind: llm.KindRefused}}: 1, {Err: &llm.Error{Kind: llm.KindTooLarge}}: 1,
	} {
		v = newUser(t, withModel(t, map[string]llmtest.ScriptStep{" page": of})).json(fourCases(), "record", "-")
		require.EqualValues(t, 4, v["modelFailures"])
		require.EqualValues(t, calls, v["calls"])
	}
}

// TestEstimates compares the estimates of dry runs with the usage that a server reports.
func TestEstimates(t *testing.T) {
	lesson := `{"lessons":[{"group":1,"apart":"","cases":[1,2,3,4],"en":{"title":"Totals not added up",` +
		`"do":"Where a page shows items and a total, add up the items and compare the sum with the total.",` +
		`"mistake":"the total is taken as it is shown","when":"a page shows a total of items"},` +
		`"zh":{"title":"合计没有相加","do":"页面有多项和合计时，把各项相加，再与合计比较。",` +
		`"mistake":"把显示的合计当成正确","when":"页面显示多项的合计"}}]}`
	env := withModel(t, map[string]llmtest.ScriptStep{})
	env["MEMTREE_LLM_PRICE"] = "1,4"
	env["MEMTREE_LLM_BASE_URL"] = modelServer(t, func(w http.ResponseWriter, _, body string) {
		var in struct{ Messages []struct{ Content string } }
		require.NoError(t, json.Unmarshal([]byte(body), &in))
		read := 0
		for _, m := range in.Messages {
			read += len(m.Content) / 4
		}
		said := eachRun(in.Messages[len(in.Messages)-1].Content, func(string) string { return sound })
		if strings.Contains(body, `"lessons`) || strings.Contains(body, `\"lessons`) {
			said = lesson
		}
		c, _ := json.Marshal(said)
		_, _ = fmt.Fprintf(w, `{"model":"gpt-x","choices":[{"index":0,`+
			`"message":{"role":"assistant","content":%s},"finish_reason":"stop"}],`+
			`"usage":{"prompt_tokens":%d,"completion_tokens":%d}}`, c, read, len(said)/4)
	}) + "/v1"
	u := newUser(t, env)
	near := func(of map[string]any, spent map[string]any) {
		t.Helper()
		require.Equal(t, true, of["estimated"])
		require.InEpsilon(t, spent["calls"], of["calls"], 0.3)
		cost := spent["cost"]
		if cost == nil {
			cost = spent["model"].(map[string]any)["cost"]
		}
		require.InEpsilon(t, cost, of["cost"], 0.3)
	}
	runs := fourCases() + aCase("order", "It did not add up the order.") + aCase("basket", "It did not add up the basket.")
	dry := u.json(runs, "record", "-", "--dry-run")
	require.EqualValues(t, 6, dry["wrong"])
	near(dry, u.json(runs, "record", "-"))
	require.EqualValues(t, 6, u.json(runs, "record", "-", "--dry-run")["duplicate"])
	dry = u.json("", "evolve", "--dry-run")
	require.Positive(t, dry["calls"])
	require.Contains(t, flat(u.do(exitOK, "", "evolve", "--dry-run")), "An evolve would ask the model about")
	kept := u.json("", "evolve", "--max-calls", "0")
	require.EqualValues(t, 0, kept["calls"])
	require.InDelta(t, 0, kept["cost"], 0)
	done := u.json("", "evolve")
	near(dry, done)
	require.EqualValues(t, done["byModel"], 1)
	env["MEMTREE_LLM_PRICE"] = ""
	require.EqualValues(t, 0, u.json("", "evolve", "--dry-run")["calls"], "nothing is left to ask")
}

func TestEvolveDoesNotInventAPrice(t *testing.T) {
	u := newUser(t, map[string]string{"MEMTREE_LLM_PROVIDER": "none"})
	runs := fourCases() + aCase("order", "It did not add up the order.") + aCase("basket", "It did not add up the basket.")
	u.do(exitOK, runs, "record", "-")
	maps.Copy(u.env, withModel(t, map[string]llmtest.ScriptStep{" page": {Err: &llm.Error{Kind: llm.KindUnauthorised}}}))
	u.env["MEMTREE_LLM_PROVIDER"] = "openai"
	dry := u.json("", "evolve", "--dry-run")
	require.Positive(t, dry["calls"])
	require.Equal(t, model.Unknown, dry["cost"])
	require.Contains(t, flat(u.do(exitOK, "", "evolve", "--dry-run")), "cost unknown")
	out := flat(u.do(exitOK, "", "evolve"))
	require.Contains(t, out, "Written by the model: 0, by the rules: 1 (key refused 1).")
}
