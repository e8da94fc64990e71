package look

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/internal/golden"
	"github.com/memtree/memtree/prompts"
	"github.com/memtree/memtree/tree"
)

// recordedLook is a reader's answer about one real verdict, without a sentence of the data: quotations are places in
// the evidence as shown, [0, 0] for one that is not there.
type recordedLook struct {
	Verdict string          `json:"verdict"` // hash of the evaluation's id
	Seen    string          `json:"seen"`    // hash of the task, evidence and claim that the reader was given
	Drawn   string          `json:"drawn"`   // how the verdict was chosen
	Points  []recordedPoint `json:"points"`
	Against *[2]int         `json:"against,omitempty"`
	By      string          `json:"by"`
	Holds   string          `json:"holds"`
	Chance  *int            `json:"chance,omitempty"` // nil: it was not asked for
}

type recordedPoint struct {
	Shown string  `json:"shown"`
	Quote *[2]int `json:"quote,omitempty"`
}

// answer returns the reader's answer, given the evidence as shown.
func (r *recordedLook) answer(shown string) *prompts.LookOutput {
	quote := func(at *[2]int) string {
		switch {
		case at == nil:
			return ""
		case *at == [2]int{}:
			return "these words are not there"
		}
		return shown[at[0]:at[1]]
	}
	out := &prompts.LookOutput{Against: quote(r.Against), By: r.By, Holds: r.Holds}
	for i, p := range r.Points {
		out.Points = append(out.Points, prompts.LookPoint{Point: fmt.Sprint(i), Shown: p.Shown, Quote: quote(p.Quote)})
	}
	return out
}

// look returns what comes of the answer.
func (r *recordedLook) look(e *tree.Evaluation, in *prompts.LookInput) Look {
	l := lookOf(e, in, r.answer(in.Shown()))
	l.Chance = r.Chance
	return l
}

// recorded returns the recorded looks of a data set by the hash of the evaluation's id.
func recorded(t *testing.T, name string) map[string]*recordedLook {
	t.Helper()
	b, err := os.ReadFile("testdata/" + name + ".looks.jsonl")
	require.NoError(t, err)
	out := map[string]*recordedLook{}
	for line := range strings.Lines(string(b)) {
		var r recordedLook
		require.NoError(t, json.Unmarshal([]byte(line), &r))
		out[r.Verdict] = &r
	}
	return out
}

func hashed(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:8])
}

// TestQualityLooks replays recorded looks through the check of quotations. A large model looked by hand, from the
// rendered requests alone. The codes are what package risk is measured with.
func TestQualityLooks(t *testing.T) {
	var table, codes strings.Builder
	table.WriteString("Recorded looks by code: right and wrong verdicts.\n\n")
	names := []string{"none", "supported", "holds", "unseen", "doubted", "refuted"}
	for _, name := range []string{"webjudge", "judgebench", "tau"} {
		answers := recorded(t, name)
		counts, unfound := map[string]map[uint8][2]int{}, 0
		for _, e := range inTime(evaluations(t, name)) {
			r := answers[hashed(e.ID)]
			if r == nil {
				continue
			}
			delete(answers, hashed(e.ID))
			in := question(&e, nil)
			// Of 59 claims a sentence is left out since, because it reads like an order. The readers had the whole claim.
			had := in
			had.Claim = claimOf(&e)
			require.Equal(t, r.Seen, hashed(had.State()), "the reader was given something else; look again")
			l := r.look(&e, &in)
			fmt.Fprintln(&codes, name, r.Verdict, r.Drawn, l.Code())
			if counts[r.Drawn] == nil {
				counts[r.Drawn] = map[uint8][2]int{}
			}
			n := counts[r.Drawn][l.Code()]
			if *e.Correct {
				n[0]++
			} else {
				n[1]++
			}
			counts[r.Drawn][l.Code()] = n
			for _, p := range l.Points {
				if p.Quote != "" && !p.Found {
					unfound++
				}
			}
		}
		require.Empty(t, answers)
		for _, of := range []string{"riskiest", "undecided", "fresh", "rest", "all"} {
			if counts[of] == nil {
				continue
			}
			fmt.Fprintf(&table, "%-10s %-9s", name, of)
			for code, what := range names[1:] {
				fmt.Fprintf(&table, "  %s %d %d", what, counts[of][uint8(code+1)][0], counts[of][uint8(code+1)][1])
			}
			fmt.Fprintf(&table, "  beyond %d %d", counts[of][Beyond][0], counts[of][Beyond][1])
			for i, what := range []string{"95", "85", "70", "less"} {
				fmt.Fprintf(&table, "  %s %d %d", what, counts[of][sure+uint8(i)][0], counts[of][sure+uint8(i)][1])
			}
			table.WriteByte('\n')
		}
		fmt.Fprintf(&table, "%-10s quotations of a point that count for nothing: %d\n", name, unfound)
	}
	t.Log("\n" + table.String())
	golden.Equal(t, "testdata/looks.golden", table.String())
	golden.Equal(t, "../risk/testdata/looks.txt", codes.String())
}
