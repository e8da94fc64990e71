package risk

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/memtree/memtree/internal/judgment"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// history makes n verdicts. If learnable, a fail on a cart is wrong exactly when the reason mentions a missing price;
// otherwise they are random.
func history(n int, learnable bool) []tree.Evaluation {
	rng := rand.New(rand.NewPCG(3, 4))
	pick := func(of ...string) string { return of[rng.IntN(len(of))] }
	out := make([]tree.Evaluation, n)
	for i := range out {
		verdict, what, why := pick("pass", "fail"), pick("cart", "invoice", "login"),
			pick("the price is not shown", "the total is off by one", "the button is disabled")
		wrong := rng.Float64() < 0.3
		if learnable {
			wrong = verdict == "fail" && strings.Contains(why, "price") && rng.Float64() < 0.9
		}
		correct := !wrong
		e := tree.Evaluation{
			ID: fmt.Sprintf("run-%d", i), CaseID: fmt.Sprintf("%s-%d", what, rng.IntN(9)), At: time.Unix(int64(i), 0).UTC(),
			Scene: tree.Scene{ID: what, Type: what}, Scope: tree.Scope{Product: "shop"}, Agent: tree.Agent{Name: "judge"},
			Prompt:      "check the " + what + " page",
			Observation: fmt.Sprintf("1. opened the %s\n2. looked at item %d\n", what, rng.IntN(1000)),
			Judgment:    tree.Raw(fmt.Sprintf(`{"verdict":%q,"reason":%q}`, verdict, why)), Correct: &correct,
		}
		if wrong {
			e.Direction = map[string]taxonomy.Direction{"pass": taxonomy.FalsePass, "fail": taxonomy.FalseFail}[verdict]
		}
		out[i] = e
	}
	return out
}

func learn(m *Model, es []tree.Evaluation) {
	for i := range es {
		m.Learn(es[i].ID, Extract(&es[i]), *es[i].Correct, es[i].Direction)
	}
}

func verdict(v, why string) *tree.Evaluation {
	return &tree.Evaluation{
		CaseID: "cart-1", Scene: tree.Scene{ID: "cart", Type: "cart"}, Scope: tree.Scope{Product: "shop"},
		Agent:  tree.Agent{Name: "judge"},
		Prompt: "check the cart page", Observation: "1. opened the cart\n2. looked at item 5\n",
		Judgment: tree.Raw(fmt.Sprintf(`{"verdict":%q,"reason":%q}`, v, why)),
	}
}

func TestNothingKnown(t *testing.T) {
	r := New().Score(verdict("fail", "the price is not shown"))
	require.False(t, r.Enough)
	require.Equal(t, Risk{P: 0.25, Low: 0, High: 1, Order: r.Order, Forecast: r.Forecast}, r)
}

func TestLearnsWhatPredicts(t *testing.T) {
	m := New()
	learn(m, history(200, true))
	bad := m.Score(verdict("fail", "the price is not shown"))
	require.True(t, bad.Enough)
	require.Greater(t, bad.P, 0.6)
	require.Equal(t, taxonomy.FalseFail, bad.Direction)
	require.NotEmpty(t, bad.Because)
	require.LessOrEqual(t, bad.Low, bad.P)
	require.GreaterOrEqual(t, bad.High, bad.P)
	named := false
	for _, b := range bad.Because {
		for _, w := range b.Words {
			named = named || w == "price"
		}
	}
	require.True(t, named, "%+v", bad.Because)
	good := m.Score(verdict("pass", "the price is not shown"))
	require.Less(t, good.P, 0.1)
	require.Equal(t, taxonomy.None, good.Direction, "a pass was never wrong")
}

func TestSaysWhereNothingPredicts(t *testing.T) {
	m := New()
	learn(m, history(300, false))
	r := m.Score(verdict("fail", "the price is not shown"))
	require.False(t, r.Enough)
	require.Empty(t, r.Because)
	require.InDelta(t, 0.3, r.P, 0.08)
	require.InDelta(t, r.Base, r.P, 0.01)
}

// TestAlikeWithOppositeTruths: of runs that are alike in everything chance decides which were right. Nothing tells them
// apart, so nothing makes the next one sure, with a second look and without, however many there are.
func TestAlikeWithOppositeTruths(t *testing.T) {
	alike := func() *tree.Evaluation { return verdict("fail", "the price is not shown on the page") }
	for seed := range uint64(8) {
		rng := rand.New(rand.NewPCG(8, seed))
		for _, look := range []uint8{0, 3, 5} {
			m := New()
			for i := range 400 {
				e := alike()
				e.ID = fmt.Sprint("r", i)
				m.Learn(e.ID, Extract(e).WithLook(look), rng.IntN(2) == 0, taxonomy.FalseFail)
				if i != 59 && i != 119 && i != 399 {
					continue
				}
				r := m.ScoreLooked(alike(), look)
				require.InDelta(t, .5, r.P, .3, "seed %d, look %d, after %d", seed, look, i+1)
				require.Less(t, r.Low, .8, "seed %d, look %d, after %d: no correction comes of it", seed, look, i+1)
				require.Greater(t, r.High, .2, "seed %d, look %d, after %d", seed, look, i+1)
			}
		}
	}
}

func TestTooFewTruths(t *testing.T) {
	m := New()
	learn(m, history(29, true))
	require.False(t, m.Score(verdict("fail", "the price is not shown")).Enough)
}

// Data known only after the verdict changes nothing.
func TestNoLeak(t *testing.T) {
	m := New()
	es := history(150, true)
	learn(m, es[:100])
	for i, e := range es[100:] {
		want := m.Score(&e)
		other := es[100+(i+17)%50]
		not := !*e.Correct
		e.GroundTruth, e.Correct, e.Direction, e.Reason, e.Trial = tree.Raw(`{"verdict":"fail"}`), &not, other.Direction,
			other.Observation, "t_1"
		e.ID, e.At = other.ID, other.At
		require.Equal(t, want, m.Score(&e))
		e.GroundTruth, e.Correct, e.Direction, e.Reason = nil, nil, taxonomy.None, ""
		require.Equal(t, want, m.Score(&e))
	}
}

func TestScoringChangesNothing(t *testing.T) {
	a, b := New(), New()
	for _, e := range history(120, true) {
		a.Score(&e)
		a.Score(verdict("other", "words"))
		a.Learn(e.ID, Extract(&e), *e.Correct, e.Direction)
		b.Learn(e.ID, Extract(&e), *e.Correct, e.Direction)
	}
	require.Equal(t, saved(t, b), saved(t, a))
}

func saved(tb testing.TB, m *Model) []byte {
	tb.Helper()
	var b bytes.Buffer
	require.NoError(tb, m.Save(&b))
	return b.Bytes()
}

func TestSaveAndLoad(t *testing.T) {
	es := history(260, true)
	for _, n := range []int{0, 1, 200} {
		m := New()
		learn(m, es[:n])
		b := saved(t, m)
		again, err := Load(bytes.NewReader(b))
		require.NoError(t, err)
		require.Equal(t, b, saved(t, again))
		learn(m, es[n:])
		learn(again, es[n:])
		e := verdict("fail", "the price is not shown")
		require.Equal(t, m.Score(e), again.Score(e))
	}
}

func TestLoadRefuses(t *testing.T) {
	m := New()
	learn(m, history(40, true))
	b := saved(t, m)
	for name, bad := range map[string][]byte{
		"nothing": nil, "cut": b[:len(b)-1], "head": b[:10], "other": append([]byte("mt-rusk\n"), b[8:]...),
		"flipped": flip(b, len(b)/2),
		"version": flip(b, len(magic)), "length": flip(b, headBytes-1),
	} {
		_, err := Load(bytes.NewReader(bad))
		require.ErrorIs(t, err, errFormat, name)
	}
}

func flip(b []byte, at int) []byte {
	c := bytes.Clone(b)
	c[at] ^= 0x40
	return c
}

func TestTheWindowForgets(t *testing.T) {
	s := newStore()
	f := func(i int) Features {
		return Features{value: 1, reason: []uint32{7, uint32(100 + i)}, seen: []uint32{9}}
	}
	for i := range window + 5 {
		s.add(remembered{id: fmt.Sprint(i), f: f(i)})
	}
	require.Len(t, s.ring, window)
	require.Len(t, s.reason[7], window)
	require.Empty(t, s.reason[100], "the first one left")
	require.Len(t, s.reason, 1+window)
	ns := s.nearest(s.reason, []uint32{7, 105}, 2, func(r *remembered) []uint32 { return r.f.reason },
		func(*remembered) bool { return true })
	require.Equal(t, "5", s.ring[ns[0].at].id)
	require.Equal(t, fmt.Sprint(window+4), s.ring[ns[1].at].id, "the latest of the equals")
}

func TestManyValues(t *testing.T) {
	m := New()
	for i := range 100 {
		e := verdict(fmt.Sprintf("v%d", i), "because")
		m.Learn("x", Extract(e), i%2 == 0, taxonomy.Other)
	}
	require.Len(t, m.all.values, maxValues)
	p := m.Score(verdict("v99", "because")).Order
	require.False(t, math.IsNaN(p))
}

func TestFeaturesRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := tree.Evaluation{
			Prompt: rapid.String().Draw(t, "prompt"), Observation: rapid.StringN(0, 3000, -1).Draw(t, "observation"),
			CaseID: rapid.String().Draw(t, "case"), Judgment: tree.Raw(fmt.Sprintf(`{"verdict":"pass","reason":%q}`,
				rapid.StringMatching(`[a-z 一-九]{0,900}`).Draw(t, "reason"))),
		}
		f := Extract(&e)
		s := f.Encode()
		require.LessOrEqual(t, len(s), maxFeatures)
		g, err := Decode(s)
		require.NoError(t, err)
		require.Equal(t, s, g.Encode())
	})
}

func TestFeaturesOfLongTexts(t *testing.T) {
	var b strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&b, "word%d ", i)
	}
	e := tree.Evaluation{Prompt: b.String(), Observation: b.String(),
		Judgment: tree.Raw(fmt.Sprintf(`{"verdict":"pass","reason":%q}`, b.String()))}
	f := Extract(&e)
	require.Len(t, f.reason, maxReason)
	require.Len(t, f.seen, maxSeen)
	require.LessOrEqual(t, len(f.Encode()), maxFeatures)
}

func FuzzDecode(f *testing.F) {
	x := Extract(verdict("fail", "the price is not shown"))
	f.Add(x.Encode())
	f.Add("")
	f.Fuzz(func(t *testing.T, s string) {
		g, err := Decode(s)
		if err != nil {
			if !errors.Is(err, errFeatures) {
				t.Fatal(err)
			}
			return
		}
		m := New()
		m.Learn("a", g, false, taxonomy.Other)
		m.Learn("b", g, true, taxonomy.None)
		_, err = Decode(g.Encode())
		require.NoError(t, err)
	})
}

func FuzzLoad(f *testing.F) {
	m := New()
	learn(m, history(2, true))
	f.Add(saved(f, m)[headBytes:])
	f.Add(saved(f, New())[headBytes:])
	f.Fuzz(func(t *testing.T, body []byte) {
		m, err := decodeModel(body)
		if err != nil {
			require.ErrorIs(t, err, errFormat)
			return
		}
		r := m.Score(verdict("fail", "the price is not shown"))
		if r.P < 0 || r.P > 1 || math.IsNaN(r.P) {
			t.Fatal(r)
		}
		learn(m, history(3, true))
	})
}

func TestShape(t *testing.T) {
	s := shapeOf("check the cart", "1. open\n2. look\n12) click\n", "The cart is not shown, however it may be 2")
	require.InDelta(t, math.Log1p(12), s[seenSteps], shapeUnit)
	require.InDelta(t, math.Log1p(3), s[seenLines], shapeUnit)
	for _, i := range []int{negations, hedges, contrasts, digits, onTask} {
		require.Positive(t, s[i], i)
	}
	zh := shapeOf("检查购物车", "打开购物车", "没有显示价格，但是可能正在加载")
	for _, i := range []int{negations, hedges, contrasts} {
		require.Positive(t, zh[i], i)
	}
}

func TestImplies(t *testing.T) {
	m := newLearner(lateBits, usual)
	pass, fail, odd := hash("value", "pass"), hash("value", "fail"), hash("value", "odd")
	m.values = []*value{{hash: pass, base: count{right: 3}}, {hash: fail, base: count{right: 1, wrong: 2}},
		{hash: odd, base: count{wrong: 4}}}
	check := func(said uint32, wrong bool, other uint32, is bool, weight float32) {
		t.Helper()
		gotIs, gotWeight := m.implies(said, wrong, other)
		require.Equal(t, weight, gotWeight)
		if weight > 0 {
			require.Equal(t, is, gotIs)
		}
	}
	check(pass, false, fail, true, 1)  // pass is right: fail would be wrong
	check(pass, true, fail, false, 1)  // pass is wrong: fail is the only other value
	check(odd, true, fail, false, 0.5) // odd is wrong: pass or fail
	check(pass, true, odd, false, 0)   // odd was never right
	check(fail, true, fail, true, 1)
}

func BenchmarkScore(b *testing.B) {
	m := New()
	learn(m, history(window+100, true))
	e := verdict("fail", "the price is not shown")
	b.ReportAllocs()
	for b.Loop() {
		m.Score(e)
	}
}

func BenchmarkLearn(b *testing.B) {
	m := New()
	es := history(window+100, true)
	learn(m, es)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		e := &es[i%len(es)]
		m.Learn(e.ID, Extract(e), *e.Correct, e.Direction)
	}
}

// A judge who is mostly wrong is recognized, whatever the verdicts are about.
func TestABadJudgeIsFound(t *testing.T) {
	m := New()
	rng := rand.New(rand.NewPCG(7, 8))
	ask := func(judge string) *tree.Evaluation {
		e := verdict("pass", "")
		e.Agent.Name, e.CaseID = judge, fmt.Sprint(rng.Uint64())
		e.Prompt, e.Observation = "check page "+e.CaseID, ""
		return e
	}
	for range 200 {
		bad := rng.IntN(4) == 0
		e := ask(map[bool]string{true: "bad", false: "good"}[bad])
		m.Learn("x", Extract(e), rng.Float64() < map[bool]float64{true: 0.2, false: 0.95}[bad], taxonomy.FalsePass)
	}
	require.Greater(t, m.Score(ask("bad")).P, 0.5)
	require.Less(t, m.Score(ask("good")).P, 0.2)
}

// TestOppositeFields learns verdicts that are spelled alike and mean the opposite.
func TestOppositeFields(t *testing.T) {
	m := New()
	for i := range 3 {
		e := tree.Evaluation{ID: fmt.Sprint(i), Prompt: "Check the cart", Judgment: tree.Raw(`{"has_defect":true}`)}
		m.Learn(e.ID, Extract(&e), false, taxonomy.FalseFail)
	}
	for said, want := range map[string]taxonomy.Direction{
		`{"has_defect":true}`: taxonomy.FalseFail, `"fail"`: taxonomy.FalseFail, `{"passed":true}`: taxonomy.None,
		`{"has_defect":false}`: taxonomy.None,
	} {
		r := m.Score(&tree.Evaluation{Prompt: "Check the cart", Judgment: tree.Raw(said)})
		require.Equal(t, want, r.Direction, said)
	}

	old := Extract(&tree.Evaluation{Prompt: "Check the cart", Judgment: tree.Raw(`true`)})
	m.Learn("old", old, false, taxonomy.FalseFail) // of a defect, as an older version spelled it
	r := m.Score(&tree.Evaluation{Prompt: "Check the cart", Judgment: tree.Raw(`{"passed":true}`)})
	require.Equal(t, taxonomy.None, r.Direction)
}

// TestValue lists how verdicts are counted.
func TestValue(t *testing.T) {
	for said, want := range map[string]string{
		`{"has_defect":true}`: "fail", `{"has_defect":false}`: "pass", `{"has_defect":1}`: "fail", `{"passed":true}`: "true",
		`{"passed":false}`: "false", `"PASS"`: "pass", `{"verdict":"FAIL: no price"}`: "fail", `"A>B"`: "a>b",
		`{"verdict":"done"}`: "done", `{"verdict":"partial"}`: "partial", `7`: "",
	} {
		value, _, _ := readVerdict(judgment.Decode(tree.Raw(said)))
		require.Equal(t, want, value, said)
	}
}
