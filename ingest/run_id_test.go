package ingest

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// keysOf returns the keys of the runs in a file, in order.
func keysOf(t require.TestingT, file, run string) []string {
	var keys []string
	for e, err := range ReadRun("runs.jsonl", strings.NewReader(file), run, nil) {
		require.NoError(t, err)
		keys = append(keys, e.Key())
	}
	return keys
}

func distinct(keys ...string) int {
	return len(slices.Compact(slices.Sorted(slices.Values(keys))))
}

func TestRunsAreToldApart(t *testing.T) {
	line := func(more string) string {
		return `{"case_id":"c","prompt":"p","judgment":"pass","ground_truth":"fail"` + more + "}\n"
	}
	plain := line("")
	first, second := line(`,"at":"2026-01-28T01:00:00Z"`), line(`,"at":"2026-01-29T01:00:00Z"`)
	for name, c := range map[string]struct {
		nights []string // files
		want   int      // runs
	}{
		"two nights by their time":             {[]string{first, second}, 2},
		"two nights in one file":               {[]string{first + second}, 2},
		"the same time is the same run":        {[]string{first + first}, 1},
		"a time in two spellings":              {[]string{first, line(`,"timestamp":1769562000`)}, 1},
		"equal lines of one file are two runs": {[]string{plain + plain}, 2},
		"a file that grew":                     {[]string{plain, plain + plain, plain + plain + plain}, 3},
		"equal lines of two files are one run": {[]string{plain, plain}, 1},
		"a line between changes nothing":       {[]string{plain, line(`,"attempt":2`) + plain}, 2},
		"two trials":                           {[]string{line(`,"trial":"t_1"`), line(`,"trial":"t_2"`)}, 2},
		"a run id is taken at its word": {[]string{line(`,"run_id":"r"`) + line(`,"run_id":"r",`+
			`"at":"2026-01-29T01:00:00Z"`)}, 1},
		"an id is taken at its word":            {[]string{line(`,"id":"x"`) + line(`,"id":"x","attempt":3`)}, 1},
		"an attempt":                            {[]string{plain, line(`,"attempt":2`)}, 2},
		"another judgment is always another":    {[]string{plain, strings.Replace(plain, `"pass"`, `"fine"`, 1)}, 2},
		"white space in a judgment, never seen": {[]string{plain, strings.Replace(plain, `"pass"`, ` "pass" `, 1)}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			var all []string
			for _, file := range c.nights {
				keys := keysOf(t, file, "")
				require.Equal(t, keys, keysOf(t, file, ""), "a file read twice")
				all = append(all, keys...)
			}
			require.Equal(t, c.want, distinct(all...))
		})
	}
	require.Equal(t, 2, distinct(append(keysOf(t, plain, "night 1"), keysOf(t, plain, "night 2")...)...),
		"a run named for the file")
	require.Equal(t, 2, distinct(keysOf(t, plain+plain, "night 1")...))
	require.Equal(t, keysOf(t, line(`,"run_id":"r"`), ""), keysOf(t, line(`,"run_id":"r"`), "night 1"),
		"what names its run keeps it")
	require.Equal(t, keysOf(t, line(`,"run_id":"night 1"`), ""), keysOf(t, plain, "night 1"), "as if each line said so")
}

// TestRunsOfAnyFile checks what must hold for any lines in a file.
func TestRunsOfAnyFile(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		few := func(name string) string { return rapid.SampledFrom([]string{"", "1", "2"}).Draw(t, name) }
		file, lines := "", rapid.IntRange(1, 12).Draw(t, "lines")
		timed := rapid.Bool().Draw(t, "timed")
		for range lines {
			o := map[string]any{"prompt": "p" + few("prompt"), "judgment": few("judgment") + "x", "id": few("id"),
				"run_id": few("run"), "trial": few("trial")}
			if timed {
				o["at"] = "NIGHT"
			}
			b, err := json.Marshal(o)
			require.NoError(t, err)
			file += string(b) + "\n"
		}
		night := func(day int) string {
			return strings.ReplaceAll(file, "NIGHT", fmt.Sprintf("2026-01-%02dT01:00:00Z", day))
		}
		keys := keysOf(t, night(1), "")
		require.Equal(t, keys, keysOf(t, night(1), ""), "the same file twice is once")
		grown := keysOf(t, night(1)+night(2), "")
		require.Equal(t, keys, grown[:lines], "what is added at the end changes nothing before it")

		seen := map[string]bool{}
		for _, k := range keys {
			seen[k] = true
		}
		i := 0
		for e, err := range Read("runs.jsonl", strings.NewReader(night(2))) {
			require.NoError(t, err)
			named := e.ID != "" || strings.Contains(file, `"run_id":"`+e.RunID+`"`) || e.Trial != ""
			if timed && !named {
				require.False(t, seen[e.Key()], "a second night is a second run")
			}
			if !timed || named {
				require.Equal(t, keys[i], e.Key())
			}
			i++
		}
		require.NotEmpty(t, slices.Collect(maps.Keys(seen)))
	})
}
