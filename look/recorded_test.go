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
	"github.com/memtree/memtree/internal/replay"
	"github.com/memtree/memtree/internal/tape"
	"github.com/memtree/memtree/prompts"
	"github.com/memtree/memtree/risk"
	"github.com/memtree/memtree/tree"
)

// recordedLook is a reader's answer to one real request, without a sentence of the data: quotations are places in the
// evidence as shown, [0, 0] for one that is not there.
type recordedLook struct {
	Verdict string          `json:"verdict"` // hash of the evaluation's id
	Request string          `json:"request"` // key of the request, as in package tape
	Drawn   string          `json:"drawn"`   // riskiest, undecided, or fresh: undecided ones of tasks not seen before
	Points  []recordedPoint `json:"points"`
	Against *[2]int         `json:"against,omitempty"`
	By      string          `json:"by"`
	Holds   string          `json:"holds"`
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

// recorded returns the recorded looks by the hash of the evaluation's id.
func recorded(t *testing.T) map[string]*recordedLook {
	t.Helper()
	b, err := os.ReadFile("testdata/webjudge.looks.jsonl")
	require.NoError(t, err)
	out := map[string]*recordedLook{}
	for line := range strings.Lines(string(b)) {
		var r recordedLook
		require.NoError(t, json.Unmarshal([]byte(line), &r))
		out[r.Verdict] = &r
	}
	return out
}

// TestQualityLooks replays recorded looks at webjudge in time order through the check of quotations and the risk, each
// verdict scored before its truth. A large model looked by hand, from the rendered requests alone.
func TestQualityLooks(t *testing.T) {
	es := inTime(evaluations(t, "webjudge"))
	set, err := prompts.Load(nil)
	require.NoError(t, err)
	answers := recorded(t)
	looks := map[string]Look{}
	drawn := map[string]string{}
	for i := range es {
		sum := sha256.Sum256([]byte(es[i].ID))
		r := answers[hex.EncodeToString(sum[:8])]
		if r == nil {
			continue
		}
		in := question(&es[i], nil)
		p, err := set.Look(in)
		require.NoError(t, err)
		require.Equal(t, r.Request, tape.Key(set.Request(p, in.Lang, maxTokens)), "the request is another one; look again")
		looks[es[i].ID] = lookOf(&es[i], &in, r.answer(in.Shown()))
		drawn[es[i].ID] = r.Drawn
	}
	require.Len(t, looks, len(answers))

	var b strings.Builder
	b.WriteString("Recorded looks by code: right and wrong verdicts.\n\n")
	names := []string{"none", "supported", "holds", "unseen", "doubted", "refuted"}
	for _, of := range []string{"riskiest", "undecided", "fresh"} {
		counts := map[uint8][2]int{}
		for i := range es {
			if l, ok := looks[es[i].ID]; ok && drawn[es[i].ID] == of {
				n := counts[l.Code()]
				if *es[i].Correct {
					n[0]++
				} else {
					n[1]++
				}
				counts[l.Code()] = n
			}
		}
		fmt.Fprintf(&b, "%-10s", of)
		for code, name := range names {
			fmt.Fprintf(&b, "  %s %d %d", name, counts[uint8(code)][0], counts[uint8(code)][1])
		}
		fmt.Fprintf(&b, "  beyond %d %d\n", counts[Beyond][0], counts[Beyond][1])
	}
	b.WriteString("\nEvery verdict scored before its truth. At .8: turned round where P is at least .8.\n\n" +
		"                    looks  AUC   second half  found 10, 20 %  ECE    Brier   at .8: put right, broken\n")
	for _, arm := range []string{"", "riskiest", "undecided", "fresh", "undecided fresh", "riskiest undecided fresh"} {
		b.WriteString(lookedRow(es, arm, func(id string) uint8 {
			l, ok := looks[id]
			if !ok || !strings.Contains(arm, drawn[id]) {
				return None
			}
			return l.Code()
		}))
	}
	t.Log("\n" + b.String())
	golden.Equal(t, "testdata/looks.golden", b.String())
}

// lookedRow measures the risk of a stream with the codes of looks.
func lookedRow(es []tree.Evaluation, arm string, code func(id string) uint8) string {
	m, n, right, broken := risk.New(), 0, 0, 0
	var ps []replay.Prediction
	for i := range es {
		e := &es[i]
		c := code(e.ID)
		if c != None {
			n++
		}
		r := m.ScoreLooked(e, c)
		if r.P >= 0.8 && *e.Correct {
			broken++
		} else if r.P >= 0.8 {
			right++
		}
		ps = append(ps, replay.Prediction{P: r.P, Order: r.Order, Base: r.Base, Wrong: !*e.Correct, Case: e.CaseID})
		m.Learn(e.Key(), risk.Extract(e).WithLook(c), *e.Correct, e.Direction)
	}
	r := replay.Point(ps)
	if arm == "" {
		arm = "none"
	}
	if len(arm) > 20 {
		arm = "all"
	}
	return fmt.Sprintf("%-18s %6d  %.3f %.3f        %.2f, %.2f      %.3f  %.4f  %d, %d\n", arm, n, *r.AUC,
		*r.AUCSecondHalf, r.Found.At10, r.Found.At20, r.ECE, r.Brier, right, broken)
}
