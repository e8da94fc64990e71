package memtree_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/tree"
)

// analyst is a model that gives every analysis the same answer, or fails.
type analyst struct {
	calls  atomic.Int64
	now    atomic.Int64
	most   atomic.Int64
	answer func() (llm.Answer, error)
}

func (a *analyst) Generate(context.Context, llm.Request) (llm.Answer, error) {
	a.calls.Add(1)
	n := a.now.Add(1)
	defer a.now.Add(-1)
	for most := a.most.Load(); n > most && !a.most.CompareAndSwap(most, n); most = a.most.Load() {
	}
	return a.answer()
}

func several(n int) []memtree.Evaluation {
	topics := []string{"postcode field", "delivery date", "gift voucher", "phone number", "company name", "discount code",
		"invoice address", "payment card"}
	var es []memtree.Evaluation
	for i := range n {
		e := missed(i)
		e.Scene.ID = fmt.Sprint("S", i)
		e.Prompt = fmt.Sprintf("Check that the %s is refused when it is left empty, screen %d", topics[i%len(topics)], i)
		e.Reason = fmt.Sprintf("The %s was accepted although it was empty and no validation message was shown.",
			topics[i%len(topics)])
		es = append(es, e)
	}
	return es
}

func TestAModelAnalysesEachOnce(t *testing.T) {
	a := &analyst{answer: func() (llm.Answer, error) {
		b, err := json.Marshal(map[string]any{
			"errorType":     "form_validation_error",
			"errorReason":   "The agent did not look for the validation message of the empty field.",
			"specificError": "An empty field was accepted and no message was shown.",
			"avoidanceStrategy": "When a form is submitted with an empty field, " +
				"check that a validation message appears beside that field.",
			"confidence": 0.8,
		})
		return llm.Answer{JSON: b, Model: "scripted"}, err
	}}
	m := open(t, t.TempDir(), &memtree.Options{Generator: a})
	_, err := m.RecordAll(t.Context(), several(12))
	require.NoError(t, err)
	require.NoError(t, m.Wait(t.Context()))
	all := nodes(t, m)
	require.Len(t, all, 12)
	for _, n := range all {
		require.Equal(t, "model", n.Provenance.Analyst, n.ID)
		require.Equal(t, "form_validation_error", n.ErrorType)
		require.False(t, n.Provenance.Again)
	}
	require.EqualValues(t, 12, a.calls.Load(), "asked ahead, and not again")
	require.LessOrEqual(t, a.most.Load(), int64(4))
}

func TestRulesAnswerWhereTheModelDoesNot(t *testing.T) {
	for name, answer := range map[string]func() (llm.Answer, error){
		"unavailable": func() (llm.Answer, error) {
			return llm.Answer{}, &llm.Error{Kind: llm.KindUnavailable, Err: errors.New("no")}
		},
		"panics":   func() (llm.Answer, error) { panic("provider bug") },
		"nonsense": func() (llm.Answer, error) { return llm.Answer{JSON: []byte(`{"a":1}`)}, nil },
	} {
		t.Run(name, func(t *testing.T) {
			m := open(t, t.TempDir(), &memtree.Options{Generator: &analyst{answer: answer}})
			_, err := m.RecordAll(t.Context(), several(3))
			require.NoError(t, err)
			require.NoError(t, m.Wait(t.Context()))
			all := nodes(t, m)
			require.Len(t, all, 3)
			for _, n := range all {
				require.Equal(t, "rules", n.Provenance.Analyst)
				require.NotEmpty(t, strings.TrimSpace(n.Content.Guidance))
				require.Equal(t, name != "nonsense", n.Provenance.Again,
					"a model that was not there is asked again, one that has nothing to say is not")
			}
		})
	}
}

// What the rules read because the model failed is read by it when it answers: by Wait what no lesson
// stands on yet, by Evolve all of it, within the bound on calls. Nothing else asks.
func TestAModelReadsWhatTheRulesHadTo(t *testing.T) {
	sound, err := json.Marshal(map[string]any{
		"errorType":     "edge_case_error",
		"errorReason":   "The agent did not look for the validation message of the empty field.",
		"specificError": "An empty field was accepted and no message was shown.",
		"avoidanceStrategy": "When a form is submitted with an empty field, " +
			"check that a validation message appears beside that field.",
		"confidence": 0.8,
	})
	require.NoError(t, err)
	var ill atomic.Bool
	ill.Store(true)
	a := &analyst{answer: func() (llm.Answer, error) {
		if ill.Load() {
			return llm.Answer{}, &llm.Error{Kind: llm.KindNoAnswer, Err: errors.New("a web page")}
		}
		return llm.Answer{JSON: sound, Model: "scripted"}, nil
	}}
	m := open(t, t.TempDir(), &memtree.Options{Generator: a})
	wait := func() (again int) {
		require.NoError(t, m.Wait(t.Context()))
		c, err := tree.Count(m.Tree().Scan(t.Context(), tree.Filter{Level: 1}))
		require.NoError(t, err)
		_, err = m.Verify(t.Context(), func(problem error) { t.Error(problem) })
		require.NoError(t, err)
		return c.Again
	}
	_, err = m.RecordAll(t.Context(), several(12))
	require.NoError(t, err)
	require.Equal(t, 12, wait())
	asked := a.calls.Load()
	require.Equal(t, 12, wait(), "who was asked in vain is not asked again at once")
	require.Equal(t, asked, a.calls.Load())

	v, err := m.Evolve(t.Context(), nil) // lessons of the rules
	require.NoError(t, err)
	require.Zero(t, v.Again)
	require.NotEmpty(t, v.Plans)
	learned := 0
	for _, n := range nodes(t, m) {
		if n.Type == tree.Case && n.Parent != "" {
			learned++
		}
	}
	require.Positive(t, learned)

	ill.Store(false)
	asked = a.calls.Load()
	v, err = m.Evolve(t.Context(), &memtree.EvolveOptions{DryRun: true})
	require.NoError(t, err)
	require.Zero(t, v.Again)
	require.GreaterOrEqual(t, v.Calls, 12, "what the others would take is estimated")
	require.Equal(t, asked, a.calls.Load(), "and nothing is asked")
	v, err = m.Evolve(t.Context(), &memtree.EvolveOptions{MaxCalls: new(5)})
	require.NoError(t, err)
	require.Equal(t, [2]int{5, 5}, [2]int{v.Again, v.Calls})
	require.Equal(t, 7, wait(), "lessons stand on the others")
	v, err = m.Evolve(t.Context(), nil)
	require.NoError(t, err)
	require.Equal(t, 7, v.Again)
	require.Zero(t, wait())
	for _, n := range nodes(t, m) {
		if n.Type == tree.Case {
			require.Equal(t, "model", n.Provenance.Analyst)
		}
	}
}
