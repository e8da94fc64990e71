package prompts_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/prompts"
)

func miss(check, how, instead string) string {
	m := map[string]any{"how": how, "check": check, "what": []string{"总额", " "}, "instead": instead}
	b, _ := json.Marshal(m) //nolint:errchkjson // texts
	return string(b)
}

func run(number, misses string) string { return `{"run":` + number + `,"misses":[` + misses + `]}` }

func answered(runs ...string) json.RawMessage {
	return json.RawMessage(`{"runs":[` + strings.Join(runs, ",") + `]}`)
}

// The good runs of an answer are used, whatever the others are.
func TestReadAnalyse(t *testing.T) {
	in := inputs()["full.en"] // an English run, then a Chinese one
	sums := miss("recompute", "It did not\n add up.", "Add the lines up.")
	for name, c := range map[string]struct {
		answer json.RawMessage
		bad    [2]string
	}{
		"both":          {answered(run("2", ""), run("1", sums)), [2]string{}},
		"one forgotten": {answered(run("1", sums)), [2]string{"", "no answer about this run"}},
		"twice":         {answered(run("1", sums), run("2", ""), run("1", "")), [2]string{"two answers", ""}},
		"three times": {answered(run("1", sums), run("2", ""), run("1", ""), run("1", "")),
			[2]string{"two answers", ""}},
		"out of range": {answered(run("0", sums), run("3", sums), run("-1", sums), run("1", sums)),
			[2]string{"", "no answer"}},
		"unknown check": {answered(run("1", miss("add_up", "It.", "")), run("2", "")),
			[2]string{`"add_up" is not in the list`, ""}},
		"one of two":    {answered(run("1", miss("add_up", "", "")+","+sums), run("2", "")), [2]string{}},
		"new, no cause": {answered(run("1", miss("new", "x", "")), run("2", "")), [2]string{"is empty", ""}},
		"new, too long": {answered(run("1", miss("new: "+strings.Repeat("a ", 400), "", "")), run("2", "")),
			[2]string{"characters", ""}},
		"new, in a foreign": {answered(run("1", miss("new: 没有撤销", "", "")), run("2", "")), [2]string{"in English", ""}},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := in.Read(c.answer)
			require.NoError(t, err)
			require.Len(t, out, 2)
			for i, bad := range c.bad {
				if bad == "" {
					require.NoError(t, out[i].Err)
					continue
				}
				require.ErrorContains(t, out[i].Err, bad)
				require.Empty(t, out[i].Misses)
			}
			if c.bad[0] == "" {
				require.Equal(t, []prompts.AnalyseMiss{{Check: "recompute", What: []string{"总额"}, How: "It did not add up.",
					Instead: "Add the lines up."}}, out[0].Misses)
			}
		})
	}
	out, err := in.Read(answered(run("2", miss("new：没有把撤销做到底", "It is English.", "逐项撤销。"))))
	require.NoError(t, err)
	require.Equal(t, []prompts.AnalyseMiss{{Cause: "没有把撤销做到底", What: []string{"总额"}, Instead: "逐项撤销。"}}, out[1].Misses)
	for _, unreadable := range []string{`[]`, `{"runs":{}}`, `{}`, `{"runs":[]}`, `{"runs":[{"run":7,"misses":[]}]}`,
		string(answered(run("1", miss("add_up", "", ""))))} {
		_, err := in.Read(json.RawMessage(unreadable))
		require.Error(t, err, unreadable)
	}
}

// The limits hold for everything that is read from any answer.
func FuzzReadAnalyse(f *testing.F) {
	in := inputs()["full.en"]
	for _, s := range []string{`{"runs":[]}`, `null`, `{"runs":[{"run":1e9,"misses":null}]}`,
		string(answered(run("1", miss("recompute", "a\x00b", "<data>")),
			run("2", strings.Repeat(miss("new: 原因是这样", "", "")+",", 9)+miss("settle", "", ""))))} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		out, err := in.Read(raw)
		usable := false
		for i, o := range out {
			usable = usable || o.Err == nil
			require.True(t, o.Err == nil || len(o.Misses) == 0)
			require.LessOrEqual(t, len(o.Misses), 4)
			for _, m := range o.Misses {
				require.True(t, (m.Check == "") != (m.Cause == ""))
				require.True(t, m.Check == "" || m.Check == "recompute" || m.Check == "settle")
				require.LessOrEqual(t, len(m.What), 4)
				for _, s := range append(m.What, m.How, m.Instead, m.Cause) {
					require.LessOrEqual(t, utf8.RuneCountInString(s), 600)
					require.NotContains(t, s, "\n")
				}
			}
			require.Less(t, i, len(in.Runs))
		}
		require.Equal(t, usable, err == nil)
	})
}
