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
	"github.com/memtree/memtree/curation"
	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/store"
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

// sound is an answer about up to ten runs of several, whatever they are.
func sound() []byte {
	var runs []any
	for i := range 10 {
		runs = append(runs, map[string]any{"run": i + 1, "misses": []any{map[string]any{
			"how":   "The agent did not look for the validation message of the empty field.",
			"check": "validation_there", "what": []string{},
			"instead": "Look for a validation message beside the field that is left empty.",
		}}})
	}
	b, _ := json.Marshal(map[string]any{"runs": runs}) //nolint:errchkjson // texts
	return b
}

func TestAModelReadsTenAtOnce(t *testing.T) {
	a := &analyst{answer: func() (llm.Answer, error) { return llm.Answer{JSON: sound(), Model: "scripted"}, nil }}
	m := open(t, t.TempDir(), &memtree.Options{Generator: a})
	_, err := m.RecordAll(t.Context(), several(93))
	require.NoError(t, err)
	require.NoError(t, m.Wait(t.Context()))
	all := nodes(t, m)
	require.Len(t, all, 93)
	for _, n := range all {
		require.Equal(t, "model", n.Provenance.Analyst, n.ID)
		require.Equal(t, "form_validation_error", n.ErrorType)
		require.False(t, n.Provenance.Again)
	}
	require.EqualValues(t, 10, a.calls.Load(), "ten in a call, and none again")
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
				require.True(t, n.Provenance.Again)
			}
			_, err = m.Evolve(t.Context(), nil)
			require.NoError(t, err)
			for _, n := range nodes(t, m) {
				require.True(t, n.Type != tree.Case || n.Provenance.Again == (name != "nonsense"),
					"a model that was not there is asked again, one that has twice nothing to say is not")
			}
		})
	}
}

// The model, when it answers again, reads what the rules read because it had failed: with Reread the cases without a
// lesson, with Evolve all, within the bound on calls. Nothing else calls it.
func TestAModelReadsWhatTheRulesHadTo(t *testing.T) {
	var ill atomic.Bool
	ill.Store(true)
	a := &analyst{answer: func() (llm.Answer, error) {
		if ill.Load() {
			return llm.Answer{}, &llm.Error{Kind: llm.KindNoAnswer, Err: errors.New("a web page")}
		}
		return llm.Answer{JSON: sound(), Model: "scripted"}, nil
	}}
	m := open(t, t.TempDir(), &memtree.Options{Generator: a})
	wait := func() (again int) {
		require.NoError(t, m.Wait(t.Context()))
		c, err := tree.Count(m.Tree().Scan(t.Context(), store.Filter{Level: 1}))
		require.NoError(t, err)
		_, err = m.Verify(t.Context(), func(problem error) { t.Error(problem) })
		require.NoError(t, err)
		return c.Again
	}
	_, err := m.RecordAll(t.Context(), several(12))
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
	require.GreaterOrEqual(t, v.Calls, 2, "what the others would take is estimated")
	require.Equal(t, asked, a.calls.Load(), "and nothing is asked")
	v, err = m.Evolve(t.Context(), &memtree.EvolveOptions{MaxCalls: new(1)})
	require.NoError(t, err)
	require.Equal(t, 1, v.Calls)
	require.Contains(t, []int{10, 2}, v.Again, "two questions are asked at once, and one of them is over the bound")
	left := 12 - v.Again
	n, err := m.Reread(t.Context())
	require.NoError(t, err)
	require.Zero(t, n, "lessons stand on the others")
	require.Equal(t, left, wait())
	v, err = m.Evolve(t.Context(), nil)
	require.NoError(t, err)
	require.Equal(t, left, v.Again)
	require.Zero(t, wait())
	for _, n := range nodes(t, m) {
		if n.Type == tree.Case {
			require.Equal(t, "model", n.Provenance.Analyst)
		}
	}
}

// Runs that were recorded and learned from before there was a model are read when there is one, by Evolve, and at
// a price that is known before.
func TestWhatCameBeforeTheModel(t *testing.T) {
	dir := t.TempDir()
	m := open(t, dir, nil)
	_, err := m.RecordAll(t.Context(), several(8))
	require.NoError(t, err)
	_, err = m.Evolve(t.Context(), nil)
	require.NoError(t, err)
	require.NoError(t, m.Close())

	a := &analyst{answer: func() (llm.Answer, error) { return llm.Answer{JSON: sound(), Model: "scripted"}, nil }}
	m = open(t, dir, &memtree.Options{Generator: a})
	require.NoError(t, m.Wait(t.Context()))
	require.Zero(t, a.calls.Load(), "nothing but Evolve asks for these")
	v, err := m.Evolve(t.Context(), &memtree.EvolveOptions{DryRun: true})
	require.NoError(t, err)
	require.Positive(t, v.Calls)
	require.Zero(t, a.calls.Load())
	v, err = m.Evolve(t.Context(), nil)
	require.NoError(t, err)
	require.Equal(t, 8, v.Again)
	for _, n := range nodes(t, m) {
		require.True(t, n.Type != tree.Case || n.Provenance.Analyst == "model", n.ID)
	}
	asked := a.calls.Load()
	_, err = m.Evolve(t.Context(), nil)
	require.NoError(t, err)
	require.Equal(t, asked, a.calls.Load(), "each once")
}

// A case whose checks a person decided keeps them when there is a model later.
func TestAModelLeavesWhatAPersonDecided(t *testing.T) {
	dir := t.TempDir()
	m := open(t, dir, nil)
	_, err := m.RecordAll(t.Context(), several(2))
	require.NoError(t, err)
	require.NoError(t, m.Wait(t.Context()))
	mine := nodes(t, m)[0]
	_, err = m.Curation().About(t.Context(), mine.ID, curation.AboutOptions{Is: []string{"recompute"}})
	require.NoError(t, err)
	require.NoError(t, m.Close())

	a := &analyst{answer: func() (llm.Answer, error) { return llm.Answer{JSON: sound(), Model: "scripted"}, nil }}
	m = open(t, dir, &memtree.Options{Generator: a})
	v, err := m.Evolve(t.Context(), nil)
	require.NoError(t, err)
	require.Equal(t, 1, v.Again, "the other case")
	n, err := m.Tree().Get(t.Context(), mine.ID)
	require.NoError(t, err)
	require.True(t, n.Has("recompute"))
	require.Equal(t, "rules", n.Provenance.Analyst)
}

// Wait calls no model. Reread does, once it answers.
func TestRereadAsks(t *testing.T) {
	var ill atomic.Bool
	ill.Store(true)
	a := &analyst{answer: func() (llm.Answer, error) {
		if ill.Load() {
			return llm.Answer{}, &llm.Error{Kind: llm.KindUnavailable, Err: errors.New("no")}
		}
		return llm.Answer{JSON: sound(), Model: "scripted"}, nil
	}}
	m := open(t, t.TempDir(), &memtree.Options{Generator: a})
	_, err := m.RecordAll(t.Context(), several(3))
	require.NoError(t, err)
	require.NoError(t, m.Wait(t.Context()))
	ill.Store(false)
	asked := a.calls.Load()
	require.NoError(t, m.Wait(t.Context()))
	require.Equal(t, asked, a.calls.Load())
	n, err := m.Reread(t.Context())
	require.NoError(t, err)
	require.Equal(t, 3, n)
	require.Equal(t, asked+1, a.calls.Load())
}
