package main

import (
	"encoding/json"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/internal/cli/model"
	"github.com/memtree/memtree/internal/golden"
)

// scriptedAnswers serves the answers of a suite's answers.json: each run, or prompt of another kind, that contains a
// text gets the next answer for it; the last answer repeats.
func scriptedAnswers(t *testing.T, file string) string {
	t.Helper()
	var script []struct {
		Of, Says string
		Answers  []string
	}
	b, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(b, &script))
	var mu sync.Mutex
	asked := map[int]int{}
	return modelServer(t, func(w http.ResponseWriter, _, body string) {
		mu.Lock()
		defer mu.Unlock()
		next := func(of, text string) string {
			for i, s := range script {
				if s.Of == of && strings.Contains(text, s.Says) {
					asked[i]++
					return s.Answers[min(asked[i], len(s.Answers))-1]
				}
			}
			return ""
		}
		var in struct{ Messages []struct{ Content string } }
		if json.Unmarshal([]byte(body), &in) != nil || len(in.Messages) == 0 {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		text := in.Messages[len(in.Messages)-1].Content
		if strings.Contains(body, "apart") {
			text = next("evolve", text)
		} else {
			text = eachRun(text, func(run string) string { return next("analyse", run) })
		}
		_, _ = w.Write([]byte(openAI(text)))
	}) + "/v1"
}

// tapeStory runs a suite from an empty store to its figures, and returns the output and the tree.
func tapeStory(t *testing.T, suite, lang string, env map[string]string) (printed, made string) {
	t.Helper()
	u := newUser(t, env)
	ask := map[string]string{
		"en": "Check that the sum of the expense report is that of its lines",
		"zh": "检查报销单的合计是否等于各行金额之和",
	}[lang]
	var b strings.Builder
	for _, args := range [][]string{
		{"record", filepath.Join(suite, "runs.jsonl")}, {"evolve"}, {"evolve"},
		{"guide", "--prompt", ask, "--scene-type", "detail"}, {"stats"},
	} {
		b.WriteString("$ memtree " + strings.ReplaceAll(strings.Join(args, " "), suite+"/", "") + "\n")
		b.WriteString(u.do(exitOK, "", append(args, "--lang", lang)...) + "\n")
	}
	out := strings.ReplaceAll(b.String(), suite, "SUITE")
	// The row of the store has a path of this run, whose length decides where the row is broken.
	out = regexp.MustCompile(`(?m)^(store|记忆库)( +).*(?:\n +.*)*`).ReplaceAllString(out, "${1}${2}STORE")
	out = regexp.MustCompile(`\bt_[a-z2-7]{16,}[.a-z]*`).ReplaceAllString(out, "TRIAL")
	return out, u.do(exitOK, "", "tree", "--json", "--limit", "0")
}

func folder(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	require.NoError(t, filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		out[e.Name()] = string(b)
		return err
	}))
	return out
}

// TestRecordedModel records two suites with a scripted server, and compares the recordings and the result of playing
// them, byte for byte. With -update it rewrites them.
func TestRecordedModel(t *testing.T) {
	for _, lang := range []string{"en", "zh"} {
		t.Run(lang, func(t *testing.T) {
			suite := filepath.ToSlash(filepath.Join("testdata", "tape", lang))
			kept, fresh := filepath.Join(suite, "cassettes"), filepath.Join(t.TempDir(), "deep", "cassettes")
			_, recorded := tapeStory(t, suite, lang, map[string]string{
				"MEMTREE_LLM_MODEL": "m-1", "MEMTREE_LLM_API_KEY": checkKey,
				"MEMTREE_LLM_BASE_URL": scriptedAnswers(t, filepath.Join(suite, "answers.json")), model.RecordVariable: fresh})
			if golden.Updating() {
				require.NoError(t, os.RemoveAll(kept))
			}
			now := folder(t, fresh)
			for name, content := range now {
				require.NotContains(t, content, checkKey)
				golden.Equal(t, filepath.Join(kept, name), content)
			}
			require.Len(t, folder(t, kept), len(now), "the folder has a recording that nobody asks for; -update takes it out")

			// No key, and an address without a server: no request is sent.
			printed, played := tapeStory(t, suite, lang,
				map[string]string{model.ReplayVariable: kept, "MEMTREE_LLM_MODEL": "x", "MEMTREE_LLM_PRICE": "1,1"})
			golden.Equal(t, filepath.Join(suite, "story.golden"), printed)
			require.JSONEq(t, unversioned(recorded), unversioned(played), "playing makes the tree that recording made")
			again, _ := tapeStory(t, suite, lang, map[string]string{model.ReplayVariable: kept})
			require.Equal(t, printed, again)
			require.NotContains(t, printed+played, checkKey)
		})
	}
}

// unversioned removes from a tree what differs between two stores: the id of the tree, the ids of its changes, and
// the name of a model that produced nothing better than the rules.
func unversioned(made string) string {
	made = regexp.MustCompile(`"(o|k)_[a-z2-7]+"`).ReplaceAllString(made, `"$1"`)
	return regexp.MustCompile(`"(openai:m-1|recordings [0-9a-f]+)"`).ReplaceAllString(made, `"asked"`)
}

func TestTapeMistakes(t *testing.T) {
	dir := t.TempDir()
	file, broken := filepath.Join(dir, "file"), filepath.Join(dir, "broken")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	require.NoError(t, os.MkdirAll(broken, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(broken, strings.Repeat("a", 32)+".json"), []byte(`{"format":9}`), 0o600))
	asked := false
	server := modelServer(t, func(http.ResponseWriter, string, string) { asked = true }) + "/v1"
	for _, lang := range []string{"en", "zh"} {
		var page strings.Builder
		for _, c := range []struct{ record, replay, model string }{
			{file, "", "m"}, {filepath.Join(file, "below"), "", "m"}, {dir, dir, "m"}, {dir, "", ""},
			{"", file, ""}, {"", filepath.Join(dir, "none"), ""}, {"", dir, ""}, {"", broken, ""},
		} {
			env := map[string]string{model.RecordVariable: c.record, model.ReplayVariable: c.replay}
			if c.model != "" {
				env["MEMTREE_LLM_MODEL"], env["MEMTREE_LLM_BASE_URL"] = c.model, server
			}
			u := newUser(t, env)
			out := strings.ReplaceAll(u.do(exitFailed, fourCases(), "record", "-", "--lang", lang), dir, "DIR")
			require.Regexp(t, "MEMTREE_LLM_RE(CORD|PLAY)", out)
			require.Equal(t, 1, strings.Count(out, "\n"), out)
			page.WriteString(out)
			bare := newUser(t, map[string]string{"MEMTREE_STORE": env["MEMTREE_STORE"]})
			require.EqualValues(t, 0, bare.json("", "stats")["evaluations"])
			u.do(exitOK, "", "stats") // commands without a model still work
			u.do(exitOK, "", "guide", "--prompt", "Check the total")
			code, _ := llmCheck(t, env, "--json")
			require.Equal(t, exitFailed, code)
		}
		golden.Equal(t, "testdata/tape/mistakes."+lang+".golden", page.String())
	}
	require.False(t, asked)
}

// TestNotRecorded: the rules do what was not recorded; it is marked to be repeated, and reported. Nothing else is
// delayed.
func TestNotRecorded(t *testing.T) {
	kept := filepath.ToSlash(filepath.Join("testdata", "tape", "en", "cassettes"))
	u := newUser(t, map[string]string{model.ReplayVariable: kept})
	out := flat(u.do(exitOK, fourCases(), "record", "-"))
	require.Contains(t, out, "Answers played from recordings: 0; no model was asked, cost 0.")
	require.Contains(t, out, "Not recorded, so the rules answered: 1 questions, such as analyse.en@")
	require.Contains(t, out, "which would be in "+kept+"/")
	require.Contains(t, out, "4 by the rules because it gave no answer (not recorded 4)")
	v := u.json("", "stats")
	require.EqualValues(t, 4, v["again"])

	suite := filepath.Join("testdata", "tape", "en", "runs.jsonl")
	v = u.json("", "record", suite)
	require.EqualValues(t, 3, v["byModel"], "recordings are found all the same")
	m := v["model"].(map[string]any)
	require.Equal(t, true, m["played"])
	require.EqualValues(t, 0, m["cost"])
	require.EqualValues(t, 0, u.json("", "evolve", "--dry-run")["cost"])
	require.Empty(t, u.json("", "stats")["spent"].(map[string]any)["models"], "what is played is not counted as asked")
	code, page := llmCheck(t, map[string]string{model.ReplayVariable: kept})
	require.Zero(t, code)
	require.Contains(t, flat(page), "No model is asked: 3 answers are played from "+kept+", at no cost.")
	require.Contains(t, flat(page), "recordings · m-1-2026 no key needed · from MEMTREE_LLM_REPLAY")
}

// TestTapesHoldNoKey: neither the key nor the user info of an address is written to a file, in whatever text it
// occurs.
func TestTapesHoldNoKey(t *testing.T) {
	const plain = "Plain-Canary-Key-77" // of no form that a provider has published
	says := `{"runs":[{"run":1,"misses":[{"how":"It did not add up the items of the page; the key is ` + plain +
		`, github ghp_0123456789abcdefghijABCDEFGHIJ012345.","check":"recompute","what":["` + plain + `"],` +
		`"instead":"When there is a total, add up its items; see https://u:pw-canary@host/."}]}]}`
	dir := filepath.Join(t.TempDir(), "tapes")
	u := newUser(t, map[string]string{"MEMTREE_LLM_MODEL": "m-" + plain, "MEMTREE_LLM_API_KEY": plain,
		model.RecordVariable: dir, "MEMTREE_LLM_BASE_URL": modelServer(t, reply(200, strings.ReplaceAll(openAI(says),
			"m-1-2026", "m-"+plain))) + "/v1"})
	u.do(exitOK, fourCases(), "record", "-")
	files := folder(t, dir)
	require.NotEmpty(t, files)
	for name, content := range files {
		for _, canary := range []string{plain, "pw-canary", "ghp_0123"} {
			require.NotContains(t, name+content, canary)
		}
		require.Contains(t, content, "[redacted:key]")
		require.NotContains(t, content, "Check", "the prompt is not recorded")
	}
}
