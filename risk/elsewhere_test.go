package risk

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/effect"
	"github.com/memtree/memtree/internal/golden"
	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/tree"
)

// tallied counts es as the ledger of another tree would.
func tallied(es []tree.Evaluation) *ledger.Tally {
	c := NewCounter()
	for i := range es {
		e := &es[i]
		f := Extract(e)
		c.Add(&ledger.Verdict{
			Labelled: true, Correct: *e.Correct, Direction: e.Direction, Product: e.Scope.Product,
			Scene: e.Scene, Agent: e.Agent, Features: f.Encode(),
		})
	}
	return c.Tally("o_other")
}

// misleading returns t with the counts of its rows permuted, and the weights of its shapes turned round.
func misleading(t *ledger.Tally, seed uint64) *ledger.Tally {
	out := *t
	out.Rows = slices.Clone(t.Rows)
	rand.New(rand.NewPCG(seed, 3)).Shuffle(len(out.Rows), func(i, j int) {
		a, b := &out.Rows[i], &out.Rows[j]
		a.Right, a.Wrong, b.Right, b.Wrong = b.Right, b.Wrong, a.Right, a.Wrong
	})
	out.Shapes = slices.Clone(t.Shapes)
	for i := range out.Shapes {
		s := &out.Shapes[i]
		s.Passes, s.Fails = negated(s.Passes), negated(s.Fails)
	}
	return &out
}

func negated(of []float64) (out []float64) {
	for _, x := range of {
		out = append(out, -x)
	}
	return out
}

// twoTeams are the verdicts that one team counted, and the history of another.
type twoTeams struct {
	name        string
	there, here []tree.Evaluation
}

// madeUp is a world in which two judges of five and two scene types of six are often wrong.
func madeUp() twoTeams {
	w := twoTeams{name: "made up"}
	rng := rand.New(rand.NewPCG(7, 8))
	for i := range 700 {
		judge, scene := rng.IntN(5), rng.IntN(6)
		p := 0.1
		if judge < 2 {
			p += 0.3
		}
		if scene < 2 {
			p += 0.3
		}
		correct := rng.Float64() >= p
		e := tree.Evaluation{
			ID: fmt.Sprintf("e%d", i), CaseID: fmt.Sprintf("c%d", i), Correct: &correct, Judgment: tree.Raw(`"pass"`),
			Prompt: "Check the page", Agent: tree.Agent{Name: fmt.Sprintf("judge %d", judge)},
			Scene: tree.Scene{Type: fmt.Sprintf("scene %d", scene)},
		}
		if !correct {
			e.Direction = "false_pass"
		}
		if i < 400 {
			w.there = append(w.there, e)
		} else {
			w.here = append(w.here, e)
		}
	}
	return w
}

// foretold returns the predictions for es of a model with the tally t, or of a new one if t is nil.
func foretold(es []tree.Evaluation, t *ledger.Tally) []effect.Prediction {
	m := New()
	if t != nil {
		m.Believe(t)
	}
	ps, _ := run(es, m)
	return ps
}

// afterwards returns the AUCs of the first thirty verdicts, the first hundred, and the rest.
func afterwards(ps []effect.Prediction) (out [3]float64) {
	n := min(hundred, len(ps)-30)
	for i, part := range [][]effect.Prediction{ps[:30], ps[:n], ps[n:]} {
		out[i] = 0.5
		if x := effect.RiskFigures(part).AUC; x != nil {
			out[i] = *x
		}
	}
	return out
}

// measured returns the AUCs of w's history without counts, with them, and with misleading ones: means over orders.
func (w *twoTeams) measured(orders int) (out [3][3]float64) {
	right := tallied(w.there)
	for seed := range uint64(orders) { //nolint:gosec // small
		es := shuffled(w.here, seed)
		for k, t := range []*ledger.Tally{nil, right, misleading(right, seed)} {
			for i, x := range afterwards(foretold(es, t)) {
				out[k][i] += x / float64(orders)
			}
		}
	}
	return out
}

func TestElsewhereHelpsFirst(t *testing.T) {
	w := madeUp()
	auc := w.measured(8)
	require.Greater(t, auc[1][0], auc[0][0]+0.03, "the first thirty are told apart better")
	require.Greater(t, auc[1][1], auc[0][1])
	require.Greater(t, auc[2][2], auc[0][2]-0.02, "own truths outweigh what misleads")
}

func TestElsewhereMovesNoProbability(t *testing.T) {
	w := madeUp()
	without, with := foretold(w.here, nil), foretold(w.here, tallied(w.there))
	moved := false
	for i := range with {
		require.Equal(t, without[i].P, with[i].P)
		moved = moved || without[i].Order != with[i].Order
	}
	require.True(t, moved)
}

func TestElsewhereTakenOut(t *testing.T) {
	w, m := madeUp(), New()
	e := &w.here[0]
	before := m.Score(e)
	require.True(t, m.Believe(tallied(w.there)))
	first := m.Score(e)
	require.NotZero(t, first.Elsewhere)
	require.True(t, m.Believe(tallied(w.there)), "a later tally replaces the earlier")
	require.Equal(t, first, m.Score(e))
	require.True(t, m.Believe(&ledger.Tally{Origin: "o_other"}))
	require.Equal(t, before, m.Score(e))
}

func TestElsewhereSaved(t *testing.T) {
	w, m := madeUp(), New()
	m.Believe(tallied(w.there))
	again, err := Load(bytes.NewReader(saved(t, m)))
	require.NoError(t, err)
	require.Equal(t, m.Score(&w.here[0]), again.Score(&w.here[0]))
}

func TestElsewhereLimits(t *testing.T) {
	m := New()
	require.False(t, m.Believe(&ledger.Tally{Rows: []ledger.TallyRow{{Of: ledger.OfAll, Right: 5}}}))
	for i := range maxElsewhere + 1 {
		ok := m.Believe(&ledger.Tally{Origin: fmt.Sprint(i), Verdicts: 5, Rows: []ledger.TallyRow{{Of: ledger.OfAll,
			Right: 5}}})
		require.Equal(t, i < maxElsewhere, ok)
	}
}

// FuzzTally: a tally is rejected, or moves an order at most as far as allowed.
func FuzzTally(f *testing.F) {
	w := madeUp()
	seed, err := json.Marshal(tallied(w.there))
	require.NoError(f, err)
	f.Add(seed)
	f.Add([]byte(`{"origin":"o","verdicts":9,"rows":[{"of":"all","right":-5,"wrong":1e9}]}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		var x ledger.Tally
		if json.Unmarshal(b, &x) != nil {
			return
		}
		var told elsewhere
		require.Equal(t, x.Check() == nil, told.believe(&x))
		features := Extract(&w.here[0])
		by := told.by(&w.here[0], &features, 0)
		require.True(t, by >= -farthest && by <= farthest)
	})
}

// TestQualityRiskElsewhere measures the value of another team's counts.
func TestQualityRiskElsewhere(t *testing.T) {
	ws := []twoTeams{madeUp()}
	for _, s := range streams(t) {
		if s.nothing || s.name == "webjudge" {
			continue
		}
		w := twoTeams{name: s.name + ", half the cases"}
		for i := range s.es {
			h := fnv.New32a()
			_, _ = h.Write([]byte(caseOf(&s.es[i])))
			if h.Sum32()%2 == 0 {
				w.there = append(w.there, s.es[i])
			} else {
				w.here = append(w.here, s.es[i])
			}
		}
		ws = append(ws, w)
	}
	for _, s := range everyStream(t) {
		if s.name != "judgebench" && s.name != "webjudge" {
			continue
		}
		for _, j := range byJudge(s) {
			others := slices.DeleteFunc(slices.Clone(s.es), func(e tree.Evaluation) bool { return e.Agent == j.es[0].Agent })
			ws = append(ws, twoTeams{name: j.name, there: others, here: j.es})
		}
	}
	for _, s := range streams(t) {
		if s.name != "webjudge, once a run" {
			continue
		}
		for _, product := range []string{"webarena", "visualwebarena", "workarena"} { // the fourth has four wrong ones
			w := twoTeams{name: "webjudge once, " + product}
			for _, e := range s.es {
				if e.Scope.Product == product {
					w.here = append(w.here, e)
				} else {
					w.there = append(w.there, e)
				}
			}
			ws = append(ws, w)
		}
	}
	var b strings.Builder
	b.WriteString("AUC of a team's own verdicts: without what another team counted, with it, and with its counts dealt " +
		"out anew\n(misleading). Means of eight orders. A judge's or a product's name: the other team has all others.\n\n")
	fmt.Fprintf(&b, "%-33s %5s %5s  %-20s  %-20s  %s\n%-33s %5s %5s", "", "", "", "first thirty", "first hundred",
		"after these", "", "there", "here")
	b.WriteString(strings.Repeat("  none  with  mislead ", 3) + "\n")
	for _, w := range ws {
		auc := w.measured(8)
		fmt.Fprintf(&b, "%-33s %5d %5d", w.name, len(w.there), len(w.here))
		for i := range 3 {
			fmt.Fprintf(&b, "  %.3f %.3f %.3f   ", auc[0][i], auc[1][i], auc[2][i])
		}
		b.WriteByte('\n')
		require.Greater(t, auc[2][2], auc[0][2]-0.02, w.name)
	}
	t.Log("\n" + b.String())
	golden.Equal(t, "testdata/elsewhere.golden", b.String())
}
