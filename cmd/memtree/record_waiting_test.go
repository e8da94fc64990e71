package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/internal/cli/input"
	"github.com/memtree/memtree/internal/cli/say"
)

// A record that forms runs of an earlier command reports their cases: nothing else does.
func TestRecordCountsWhatWaited(t *testing.T) {
	for lang, said := range map[string]string{
		"en": "New cases of runs recorded before, which waited: 1.", "zh": "此前记录、一直等待处理的运行中新增案例：1 个。",
	} {
		store, runs := filepath.Join(t.TempDir(), "store"), filepath.Join(t.TempDir(), "runs.jsonl")
		require.NoError(t, os.WriteFile(runs, []byte(twoRuns), 0o600))
		record := func(more ...string) string {
			code, out, errs := try(t, "", append([]string{"record", runs, "--store", store, "--lang", lang}, more...)...)
			require.Zero(t, code, errs)
			requireNarrow(t, out)
			return out
		}
		code, _, errs := try(t, "", "init", "--store", store)
		require.Zero(t, code, errs)
		leave(t, store)
		out := record()
		require.Contains(t, out, said)
		require.NotContains(t, out, "Nothing has changed.")
		require.NotContains(t, record(), said, "nothing waits any more")
	}
}

// The JSON of a record has the cases of runs that waited.
func TestRecordCountsWhatWaitedInJSON(t *testing.T) {
	store, runs := filepath.Join(t.TempDir(), "store"), filepath.Join(t.TempDir(), "runs.jsonl")
	require.NoError(t, os.WriteFile(runs, []byte(twoRuns), 0o600))
	code, _, errs := try(t, "", "init", "--store", store)
	require.Zero(t, code, errs)
	leave(t, store)
	code, out, errs := try(t, "", "record", runs, "--store", store, "--json")
	require.Zero(t, code, errs)
	var got struct {
		Accepted, Formed, Waited int
	}
	require.NoError(t, json.Unmarshal([]byte(out), &got))
	require.Zero(t, got.Accepted)
	require.Equal(t, 1, got.Waited)
	require.Zero(t, got.Formed)
}

// An interrupted record does not claim that nothing was recorded when it formed what waited.
func TestStoppedRecordTellsWhatItFormed(t *testing.T) {
	a, _ := inTest()
	r := &recorder{app: a, RunFiles: &input.RunFiles{Bar: a.Progress("", say.Count)}}
	require.ErrorContains(t, r.stopped(context.Canceled), "nothing was recorded")
	r.out.Waited = 256
	require.ErrorContains(t, r.stopped(context.Canceled), "256 new cases were formed, which are kept")
}
