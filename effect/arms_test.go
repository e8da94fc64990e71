package effect

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/internal/golden"
)

func recorded(arm, c string, attempt int, correct bool) Recorded {
	return Recorded{Study: "s", Case: c, Arm: arm, Attempt: attempt, Correct: &correct}
}

func TestCompareByHand(t *testing.T) {
	ps := Compare([]Recorded{
		recorded("with", "1", 1, false), recorded("with", "1", 2, true),
		recorded("none", "1", 1, false), // after one attempt both are wrong
		recorded("with", "2", 0, true), recorded("none", "2", 1, false),
		recorded("with", "3", 1, true), recorded("none", "3", 1, true),
		recorded("with", "3", 1, false), // a duplicate: the first is used
		recorded("with", "4", 1, true),  // in one arm only
	})
	require.Len(t, ps, 1)
	p := ps[0]
	require.Equal(t, [2]string{"none", "with"}, [2]string{p.A, p.B})
	require.Equal(t, []int{3, 0, 1, 1}, []int{p.N, p.OnlyA, p.OnlyB, p.Attempt})
	require.InDelta(t, 1.0/3, p.Lift, 1e-12)
	require.InDelta(t, 1, p.E, 1e-9, "one case either way says nothing: 2 · B(2,1)")
	require.False(t, p.Claimed())

	p = Pair{N: 56, OnlyB: 15}
	p.measure()
	require.InDelta(t, 32768.0/16, p.E, 1e-6)
	require.True(t, p.Claimed())
	p = Pair{}
	p.measure()
	require.Equal(t, Pair{Low: -1, High: 1, E: 1}, p)
}

func TestCompareSeriesAreArms(t *testing.T) {
	a, b := recorded("memory", "1", 1, true), recorded("memory", "1", 1, false)
	a.Series, b.Series = "one", "two"
	ps := Compare([]Recorded{a, b, recorded("none", "1", 1, false)})
	require.Len(t, ps, 3)
	require.Equal(t, [2]string{"none", "memory (one)"}, [2]string{ps[0].A, ps[0].B})
	require.Equal(t, [2]string{"memory (one)", "memory (two)"}, [2]string{ps[2].A, ps[2].B})
}

func TestParseRecorded(t *testing.T) {
	rs, err := ParseRecorded([]byte("{\"study\":\"s\",\"case_id\":\"c\",\"arm\":\"a\",\"correct\":false,\"order\":3}\n\n"))
	require.NoError(t, err)
	require.Len(t, rs, 1)
	require.False(t, *rs[0].Correct)
	const write = `; write {"study": "…", "case_id": "…", "arm": "…", "correct": true}`
	for line, problem := range map[string]string{
		`hello`:                                  `line 2 is not JSON: at byte 1 comes "hello"` + write,
		`{"study":x`:                             `line 2 is not JSON: at byte 10 comes "x"` + write,
		`{"study":"s"`:                           `line 2 is not JSON: it ends too early` + write,
		`{} and more than would fit on one line`: `line 2 is not JSON: at byte 4 comes "and more than would fit "` + write,
		`[1]`:                                    `line 2 is no object but is of type array` + write,
		`{"correct":"yes"}`:                      `line 2 has a field "correct" that is of type string` + write,
		`{"attempt":1.5}`:                        `line 2 has a field "attempt" that is of type number` + write,
		`{"study":"s","case_id":"c","correct":true}`: `line 2: field "arm" is missing or empty; ` +
			`a recorded run says study, case_id, arm and correct`,
		`{"study":"s","case_id":"c","arm":"a"}`: `line 2: field "correct" is missing or empty; ` +
			`a recorded run says study, case_id, arm and correct`,
		`{"study":"s","case_id":"c","arm":"a","correct":true,"attempt":-1}`: `line 2: field "attempt" is -1; ` +
			`use 1 for the first try`,
		strings.Repeat("x", maxLine+1): `line 2 has 65537 bytes; a recorded run has a few hundred`,
	} {
		_, err := ParseRecorded([]byte("\n" + line))
		require.EqualError(t, err, problem)
	}
}

func FuzzParseRecorded(f *testing.F) {
	f.Add([]byte(`{"study":"s","case_id":"c","arm":"a","correct":true}`))
	f.Add([]byte(`{"study":"s","case_id":"c","arm":"a","correct":true}` + "\n" +
		`{"study":"s","case_id":"c","arm":"b","correct":false,"attempt":7}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		rs, err := ParseRecorded(data)
		if err != nil {
			return
		}
		for _, p := range Compare(rs) {
			require.LessOrEqual(t, p.OnlyA+p.OnlyB, p.N)
			require.GreaterOrEqual(t, p.Lift, p.Low)
			require.LessOrEqual(t, p.Lift, p.High)
			require.Positive(t, p.E)
		}
	})
}

// TestRealArms compares the recorded arms of two published studies.
func TestRealArms(t *testing.T) {
	dir := cmp.Or(os.Getenv("MEMTREE_SHARED"), filepath.Join("..", "..", "shared"))
	var out strings.Builder
	fmt.Fprintf(&out, "%-48s %-22s %-38s %4s %3s %6s %14s %8s\n", "study", "a", "b", "n", "at", "lift", "95 %", "e")
	for _, name := range []string{"arms-reflexion", "arms-cheatsheet"} {
		file, err := os.ReadFile(filepath.Join(dir, "data", "arms", name+".jsonl"))
		if err != nil {
			t.Skip("the recorded arms are not here; set MEMTREE_SHARED to measure on them")
		}
		rs, err := ParseRecorded(file)
		require.NoError(t, err)
		for _, p := range Compare(rs) {
			mark := ""
			if p.Claimed() {
				mark = "claimed"
			}
			fmt.Fprintf(&out, "%-48s %-22s %-38s %4d %3d %+6.3f %+6.3f..%+6.3f %8.2g %s\n",
				p.Study, p.A, p.B, p.N, p.Attempt, p.Lift, p.Low, p.High, p.E, mark)
			large := strings.HasSuffix(p.Study, "alfworld") || strings.Contains(p.A+p.B, "RetrievalSynthesis")
			if none := strings.Contains(p.Study, "GPQA"); large || none {
				require.Equal(t, large, p.Claimed(), "%s: %s against %s", p.Study, p.A, p.B)
			}
		}
	}
	golden.Equal(t, "testdata/arms.golden", out.String())
}
