package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/internal/cli/say"
	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/llm/llmtest"
)

// runsMark precedes the runs in a request about misses.
const runsMark = `<data name="runs">`

// eachRun composes an answer about runs: the misses of each run in the request. It omits a run whose misses are no
// list.
func eachRun(asked string, misses func(run string) string) string {
	_, data, _ := strings.Cut(asked, runsMark)
	data, _, _ = strings.Cut(data, "</data>")
	var runs []string
	for i, run := range strings.Split(data, "\n#")[1:] {
		if m := misses(run); strings.HasPrefix(m, "[") {
			runs = append(runs, fmt.Sprintf(`{"run":%d,"misses":%s}`, i+1, m))
		}
	}
	return `{"runs":[` + strings.Join(runs, ",") + `]}`
}

// scripted serves a model like an OpenAI server. It performs the step whose key occurs in the request; for a request
// about several runs, one for each. It refuses if the step fails that way.
func scripted(t *testing.T, steps map[string]llmtest.ScriptStep) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in struct{ Messages []struct{ Content string } }
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil || len(in.Messages) == 0 {
			http.Error(w, "no", http.StatusBadRequest)
			return
		}
		asked := in.Messages[len(in.Messages)-1].Content
		for word, step := range steps {
			if !strings.Contains(asked, word) {
				continue
			}
			if step.Err == nil && strings.Contains(asked, runsMark) {
				step.Text = eachRun(asked, func(run string) string {
					for word, step := range steps {
						if strings.Contains(run, word) {
							return step.Text
						}
					}
					return ""
				})
			}
			message := map[string]any{"role": "assistant", "content": step.Text}
			switch llm.KindOf(step.Err) {
			case llm.KindTooLarge:
				w.WriteHeader(http.StatusRequestEntityTooLarge)
				_ = json.NewEncoder(w).Encode(map[string]any{"error": map[string]string{"message": "too many words"}})
				return
			case llm.KindUnauthorised:
				w.WriteHeader(http.StatusUnauthorized)
				_ = json.NewEncoder(w).Encode(map[string]any{"error": map[string]string{"message": "who are you"}})
				return
			case llm.KindRefused:
				message = map[string]any{"role": "assistant", "content": nil, "refusal": "I will not."}
			default:
			}
			reply := map[string]any{"model": "gpt-x", "choices": []any{
				map[string]any{"index": 0, "message": message, "finish_reason": "stop"},
			}}
			if step.Usage != (llm.Usage{}) {
				reply["usage"] = map[string]int{
					"prompt_tokens": step.Usage.InputTokens, "completion_tokens": step.Usage.OutputTokens,
				}
			}
			_ = json.NewEncoder(w).Encode(reply)
			return
		}
		http.Error(w, "nothing is scripted for this", http.StatusBadRequest)
	}))
	t.Cleanup(server.Close)
	return server.URL + "/v1"
}

// aCase is a wrong run on a page; the reason selects the step.
func aCase(page, reason string) string {
	b, _ := json.Marshal(map[string]any{
		"id": page, "case_id": page, "scene": map[string]string{"id": page}, "judgment": "pass", "ground_truth": "fail",
		"prompt": fmt.Sprintf("Check that the %s page shows the total of its items", page), "reason": reason,
	})
	return string(b) + "\n"
}

const sound = `[{"how":"The agent did not add up the items of the page.","check":"recompute","what":[],` +
	`"instead":"Add up the items of the page and compare the sum with the total."}]`

const sure = `{"reason":"Both say that the note is as it should be.","correct":true,"direction":"none"}`

func TestRecordSaysWhoReadTheCases(t *testing.T) {
	runs := filepath.Join(t.TempDir(), "runs.jsonl")
	require.NoError(t, os.WriteFile(runs, []byte(aCase("cart", "It did not add up the items.")+
		aCase("invoice", "It did not add up the items of the invoice.")+
		aCase("refund", "Somebody should look at this one again.")+aCase("voucher", "")+
		`{"id":"memo","prompt":"Read the memo",`+
		`"judgment":"The head of the memo names Ana and its date is the third of May.","ground_truth":"fail"}`+"\n"+
		`{"id":"note","prompt":"Read the note",`+
		`"judgment":"The head of the note names Ben and its date is the fifth of May.","ground_truth":"pass"}`+"\n"), 0o600))
	env := map[string]string{
		"MEMTREE_LLM_MODEL": "gpt-x", "MEMTREE_LLM_API_KEY": "sk-ours",
		"MEMTREE_LLM_BASE_URL": scripted(t, map[string]llmtest.ScriptStep{
			"the cart page": {Text: sound}, "the invoice page": {Text: "sorry"},
			"the memo": {Text: "who knows"}, "the note": {Text: sure},
			"the refund page": {Text: "sorry"}, "the voucher page": {Text: "sorry"},
		}),
	}
	record := func(t *testing.T, args ...string) string {
		env["MEMTREE_STORE"] = filepath.Join(t.TempDir(), "store")
		var out, errs strings.Builder
		do := func(args ...string) int {
			return run(t.Context(), say.Process{Args: args, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs,
				Getenv: func(k string) string { return env[k] }})
		}
		require.Zero(t, do("init"), errs.String())
		out.Reset()
		require.Zero(t, do(append([]string{"record", runs}, args...)...), errs.String())
		require.NotContains(t, out.String()+errs.String(), "sk-ours")
		return out.String()
	}
	t.Run("in words", func(t *testing.T) {
		out := record(t)
		requireNarrow(t, out)
		said := strings.Join(strings.Fields(out), " ")
		require.Contains(t, said, "Of the accepted: 1 right, 4 wrong, 1 without a label.")
		require.Contains(t, said, "Of the new cases: 1 read by the model gpt-x, "+
			"3 by the rules because its answer could not be used (malformed or not grounded 3).")
		require.Contains(t, said, "Without a label because the model did not tell whether the judgment is right: "+
			"1 (malformed or not grounded 1).")
		require.Contains(t, said, "The model's last failure: ")
		require.Contains(t, said, "Of the new cases: 2 with a known check, 1 with a cause that no check fits, "+
			"1 without a stated cause. An evaluator's note (reason) would state it.")
	})
	t.Run("in Chinese", func(t *testing.T) {
		out := record(t, "--lang", "zh")
		requireNarrow(t, out)
		said := strings.Join(strings.Fields(out), "")
		require.Contains(t, said, "由模型gpt-x分析1")
		require.Contains(t, said, "由规则分析3（")
		require.Contains(t, said, "没有说明原因1")
	})
	t.Run("as JSON", func(t *testing.T) {
		var v struct{ Analysis json.RawMessage }
		require.NoError(t, json.Unmarshal([]byte(record(t, "--json")), &v))
		var a map[string]any
		require.NoError(t, json.Unmarshal(v.Analysis, &a))
		require.NotEmpty(t, a["modelError"])
		delete(a, "modelError")
		b, err := json.Marshal(a)
		require.NoError(t, err)
		require.JSONEq(t, `{"cases":4,"checked":2,"worded":1,"silent":1,"misses":4,"expected":0,"byModel":1,
			"byRules":3,"models":{"gpt-x":1},
			"unusable":{"malformed":3},"unanswered":{},"uncompared":{"malformed":1}}`, string(b))
	})
}

// TestRecordCountsOnlyItsOwn: runs of an earlier command, or of the file before, are not reported again.
func TestRecordCountsOnlyItsOwn(t *testing.T) {
	store := filepath.Join(t.TempDir(), "store")
	record := func(in string, args ...string) string {
		code, out, errs := try(t, in, append(args, "--store", store)...)
		require.Zero(t, code, errs)
		return strings.Join(strings.Fields(out), " ")
	}
	record("", "init")
	record(aCase("cart", "It did not add up the items."), "record", "-", "--async")
	out := record(aCase("invoice", "")+aCase("refund", "Somebody should look at this one again."), "record", "-")
	require.Contains(t, out, "New cases: 2.")
	require.NotContains(t, out, "with a known check")
	require.NotContains(t, out, "model")
	require.Contains(t, out, "1 without a stated cause")
	out = record(aCase("invoice", ""), "record", "-")
	require.Contains(t, out, "Nothing has changed.")
	require.NotContains(t, out, "Of the new cases")
	out = record(aCase("badge", ""), "record", "-", "--quiet")
	require.Contains(t, out, "Of the new cases: 1 without a stated cause. error type")
}
