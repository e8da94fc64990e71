package tree_test

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/tree"
)

// torture adds the cases of the JSON test suite, if it is available: each alone, and as a value within an object.
func torture(f *testing.F, field string) {
	f.Helper()
	dir := os.Getenv("MEMTREE_SHARED")
	if dir == "" {
		dir = "../../shared"
	}
	file, err := os.Open(filepath.Join(dir, "data/security/json_nst_suite.jsonl")) //nolint:gosec // a test's own data
	if err != nil {
		return // the fixed seeds remain
	}
	f.Cleanup(func() { _ = file.Close() }) // it was read
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 4<<20)
	for lines.Scan() {
		var c struct {
			B64 []byte `json:"b64"`
		}
		if json.Unmarshal(lines.Bytes(), &c) == nil {
			f.Add(c.B64)
			f.Add([]byte(`{"` + field + `":` + string(c.B64) + `}`))
		}
	}
}

// stable checks that decoded data encodes and decodes to the same data from then on.
func stable[T any](t *testing.T, b []byte, check func(*T) error) {
	t.Helper()
	var v T
	if json.Unmarshal(b, &v) != nil || check(&v) != nil {
		return
	}
	once, err := json.Marshal(v)
	require.NoError(t, err, "what is lawful can be written")
	var back T
	require.NoError(t, json.Unmarshal(once, &back))
	require.NoError(t, check(&back))
	twice, err := json.Marshal(back)
	require.NoError(t, err)
	require.Equal(t, string(once), string(twice))
}

func FuzzEvaluation(f *testing.F) {
	f.Add([]byte(`{"id":"r1","case_id":"c1","prompt":"p","judgment":{"verdict":"pass"},"ground_truth":"fail",` +
		`"at":"2026-01-05T09:00:00Z"}`))
	torture(f, "judgment")
	f.Fuzz(func(t *testing.T, b []byte) {
		stable(t, b, func(e *tree.Evaluation) error {
			_, _ = e.Key(), e.Digest()
			return e.Check()
		})
	})
}

// FuzzTrial reads ledger entries, because a trial is part of one.
func FuzzTrial(f *testing.F) {
	at := time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC)
	for _, e := range []ledger.Entry{
		{Seq: 1, At: at, Trial: &ledger.Trial{ID: "t_1", At: at, Arm: ledger.ArmMemory, P: .9,
			Injected: []ledger.Injection{{ID: "c_1", Rank: 1}}}},
		{Seq: 2, At: at, Outcome: &ledger.Outcome{Trial: "t_1", Correct: true}},
		{Seq: 3, At: at, Verdict: &ledger.Verdict{Evaluation: "r1"}},
	} {
		b, err := json.Marshal(e)
		require.NoError(f, err)
		f.Add(b)
	}
	torture(f, "trial")
	f.Fuzz(func(t *testing.T, b []byte) {
		stable(t, b, func(e *ledger.Entry) error {
			_, err := e.At.MarshalJSON() // a year that JSON cannot encode
			if err == nil && e.Trial != nil {
				_, err = e.Trial.At.MarshalJSON()
			}
			return err
		})
	})
}

// FuzzEntry: checking any ledger line ends without a panic, and an accepted line reads back as written.
func FuzzEntry(f *testing.F) {
	for _, e := range []ledger.Entry{
		{Correction: &ledger.Correction{
			Evaluation: "v_1", P: 0.9, Bound: 0.8, Signals: []string{"words"}, Asked: ledger.Other, Done: ledger.Other,
			First: tree.Raw(`"pass"`), Other: tree.Raw(`"fail"`), Now: tree.Raw(`"fail"`), Changed: true,
		}},
		{Ablation: &ledger.Ablation{
			Trial: "t_1", Evaluation: "v_1", Pairs: 2, Given: []string{"c_1"},
			Tried: []ledger.Tried{{Correct: true}, {Given: []string{"c_1"}}}, Blame: ledger.OnMemory,
		}},
	} {
		b, err := json.Marshal(e)
		require.NoError(f, err)
		f.Add(b)
	}
	torture(f, "correction")
	f.Fuzz(func(t *testing.T, b []byte) {
		var e ledger.Entry
		if json.Unmarshal(b, &e) != nil {
			return
		}
		c, a := e.Correction, e.Ablation
		if c != nil && c.Check() != nil || a != nil && a.Check() != nil {
			return
		}
		once, err := json.Marshal(e)
		require.NoError(t, err)
		var again ledger.Entry
		require.NoError(t, json.Unmarshal(once, &again))
		twice, err := json.Marshal(again)
		require.NoError(t, err)
		require.Equal(t, string(once), string(twice))
	})
}
