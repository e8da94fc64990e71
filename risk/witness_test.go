package risk

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/effect"
	"github.com/memtree/memtree/tree"
)

// witnessed returns a history in which nothing but the opinions of a second look and the judge's own confidence can
// predict. The look is right with probability good, or always says the same if good is 0.
func witnessed(n int, good float64, seed uint64) (es []tree.Evaluation, wrong []bool, looks []uint8) {
	rng := rand.New(rand.NewPCG(seed, 3))
	for i := range n {
		is := rng.Float64() < 0.25
		look := uint8(1)
		if good > 0 && is == (rng.Float64() < good) {
			look = 2
		}
		es = append(es, tree.Evaluation{ID: fmt.Sprint(i), Prompt: "check", Judgment: tree.Raw(`{"verdict":"pass"}`)})
		wrong, looks = append(wrong, is), append(looks, look)
	}
	return es, wrong, looks
}

func runWitnessed(es []tree.Evaluation, wrong []bool, looks []uint8) effect.RiskMeasure {
	m := New()
	var ps []effect.Prediction
	for i := range es {
		r := m.ScoreLooked(&es[i], looks[i])
		ps = append(ps, effect.Prediction{P: r.P, Order: r.Order, Base: r.Base, Wrong: wrong[i], Case: es[i].ID})
		m.Learn(es[i].ID, Extract(&es[i]).WithLook(looks[i]), !wrong[i], "")
	}
	return effect.RiskFigures(ps)
}

// TestWitness: a reader is believed as far as it was right in this store, and one who always says the same not at all.
func TestWitness(t *testing.T) {
	es, wrong, good := witnessed(600, 0.9, 1)
	r := runWitnessed(es, wrong, good)
	require.Greater(t, *r.AUC, 0.85)
	require.Less(t, r.ECE, 0.05)

	_, _, none := witnessed(600, 0, 1)
	with, without := runWitnessed(es, wrong, none), runWitnessed(es, wrong, make([]uint8, len(es)))
	require.Equal(t, without, with, "a reader that always says the same changes nothing")

	// One that is mostly wrong is read the other way round, but not before its truths are known.
	_, _, bad := witnessed(600, 0.1, 1)
	require.Greater(t, *runWitnessed(es, wrong, bad).AUC, 0.8)
}

func TestConfidenceIsEvidence(t *testing.T) {
	m := New()
	rng := rand.New(rand.NewPCG(4, 4))
	at := func(sure float64) *tree.Evaluation {
		judged := fmt.Sprintf(`{"verdict":"pass","confidence":%.2f}`, sure)
		return &tree.Evaluation{Prompt: "check", Judgment: tree.Raw(judged)}
	}
	for i := range 300 {
		sure := rng.Float64()
		e := at(sure)
		m.Learn(fmt.Sprint(i), Extract(e), rng.Float64() < 0.5+sure/2, "")
	}
	low, high := m.Score(at(0.05)), m.Score(at(0.95))
	require.Greater(t, low.Order, high.Order)
	require.Equal(t, "confidence", low.Because[0].Signal)
}

func TestFeaturesOfWitnesses(t *testing.T) {
	e := tree.Evaluation{Prompt: "check", Judgment: tree.Raw(`{"verdict":"pass","reason":"all fine"}`)}
	plain := Extract(&e)
	require.Equal(t, byte('A'), plain.Encode()[0], "without an opinion the code is that of older versions")
	looked := plain.WithLook(7)
	back, err := Decode(looked.Encode())
	require.NoError(t, err)
	require.Equal(t, looked.witness, back.witness)
	require.Equal(t, looked.Encode(), back.Encode())
	require.Equal(t, uint8(maxLook), plain.WithLook(200).witness[secondLook])
}
