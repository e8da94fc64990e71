package memtree_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/curation"
	"github.com/memtree/memtree/harness"
	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/risk"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// hasty returns the history of a judge that judges too early: when it fails a page because
// something is not shown, it is wrong, since the page was still loading.
func hasty(n int) []memtree.Evaluation {
	out := make([]memtree.Evaluation, n)
	for i := range out {
		judgment, truth := `{"verdict":"pass","reason":"The total is right"}`, `{"verdict":"pass"}`
		switch i % 4 {
		case 1:
			judgment = `{"verdict":"fail","reason":"The price is not shown on the page"}`
		case 3:
			judgment, truth = `{"verdict":"fail","reason":"The total is 3 and should be 4"}`, `{"verdict":"fail"}`
		}
		out[i] = memtree.Evaluation{
			ID: fmt.Sprintf("run-%d", i), CaseID: fmt.Sprintf("case-%d", i), At: day.Add(time.Duration(i) * time.Minute),
			Scene: tree.Scene{ID: "CART", Type: "cart"}, Prompt: fmt.Sprintf("Check item %d of the cart", i),
			Judgment: tree.Raw(judgment), GroundTruth: tree.Raw(truth),
		}
	}
	return out
}

func unjudged() memtree.Evaluation {
	e := hasty(2)[1]
	e.ID, e.CaseID, e.Prompt, e.GroundTruth = "new", "case-new", "Check the last item of the cart", nil
	return e
}

func TestRisk(t *testing.T) {
	dir := t.TempDir()
	m := open(t, dir, nil)
	before, err := m.Risk(t.Context(), unjudged())
	require.NoError(t, err)
	require.False(t, before.Enough)
	_, err = m.RecordAll(t.Context(), hasty(120))
	require.NoError(t, err)
	require.NoError(t, m.Wait(t.Context()))
	r, err := m.Risk(t.Context(), unjudged())
	require.NoError(t, err)
	require.True(t, r.Enough)
	require.Equal(t, 120, r.Known)
	require.Greater(t, r.P, 0.7)
	require.Equal(t, taxonomy.FalseFail, r.Direction)
	require.NotEmpty(t, r.Because)
	require.NoError(t, m.Close())

	kept, err := filepath.Glob(filepath.Join(dir, "derived", "risk.*"))
	require.NoError(t, err)
	require.Len(t, kept, 1)
	again := func(o *memtree.Options) {
		m := open(t, dir, o)
		x, err := m.Risk(t.Context(), unjudged())
		require.NoError(t, err)
		require.Equal(t, r, x)
		require.NoError(t, m.Close())
	}
	again(nil)
	again(&memtree.Options{ReadOnly: true})
	b, err := os.ReadFile(kept[0])
	require.NoError(t, err)
	b[len(b)/2] ^= 1
	require.NoError(t, os.WriteFile(kept[0], b, 0o600))
	again(nil)
	require.NoError(t, os.RemoveAll(filepath.Join(dir, "derived")))
	again(&memtree.Options{ReadOnly: true})
	again(nil)
}

func TestRiskRefuses(t *testing.T) {
	m := open(t, t.TempDir(), nil)
	_, err := m.Risk(t.Context(), memtree.Evaluation{Prompt: "x"})
	var f *tree.FieldError
	require.ErrorAs(t, err, &f)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = m.Risk(ctx, unjudged())
	require.ErrorIs(t, err, context.Canceled)
}

func TestWrapSaysTheRisk(t *testing.T) {
	m := open(t, t.TempDir(), nil)
	_, err := m.RecordAll(t.Context(), hasty(120))
	require.NoError(t, err)
	require.NoError(t, m.Wait(t.Context()))
	e := unjudged()
	run := memtree.Wrap(m, func(context.Context, harness.Test) (harness.TestResult, error) {
		return harness.TestResult{Judgment: e.Judgment}, nil
	}, nil)
	r, err := run(t.Context(), harness.Test{ID: e.CaseID, Prompt: e.Prompt, Scene: e.Scene,
		GroundTruth: tree.Raw(`{"verdict":"pass"}`)})
	require.NoError(t, err)
	require.NotNil(t, r.Risk)
	require.Greater(t, r.Risk.P, 0.7)
}

func TestWrapRunsAgainWhatIsLikelyWrong(t *testing.T) {
	m := open(t, t.TempDir(), nil)
	_, err := m.RecordAll(t.Context(), hasty(120))
	require.NoError(t, err)
	require.NoError(t, m.Wait(t.Context()))
	e := unjudged()
	c := harness.Test{ID: e.CaseID, RunID: "tonight", Prompt: e.Prompt, Scene: e.Scene,
		GroundTruth: tree.Raw(`{"verdict":"pass"}`)}
	var attempts []int
	var broken error
	agent := func(_ context.Context, given harness.Test) (harness.TestResult, error) {
		attempts = append(attempts, given.Attempt)
		if len(attempts) > 1 {
			return harness.TestResult{Judgment: tree.Raw(`{"verdict":"pass"}`)}, broken
		}
		return harness.TestResult{Judgment: e.Judgment}, nil
	}

	r, err := memtree.Wrap(m, agent, nil)(t.Context(), c)
	require.NoError(t, err)
	require.Nil(t, r.First, "nobody asked for it")
	require.Equal(t, ledger.Flag, r.Correction.Done, "it is said all the same")
	require.Equal(t, []int{0}, attempts)

	attempts, c.RunID = nil, "second"
	r, err = memtree.Wrap(m, agent, rerunAbove(0.99999))(t.Context(), c)
	require.NoError(t, err)
	require.Nil(t, r.First)

	attempts, c.RunID = nil, "third"
	r, err = memtree.Wrap(m, agent, rerunAbove(0.5))(t.Context(), c)
	require.NoError(t, err)
	require.Equal(t, []int{0, 2}, attempts)
	require.NotNil(t, r.First)
	require.JSONEq(t, `{"verdict":"pass"}`, string(r.Judgment))
	require.JSONEq(t, string(e.Judgment), string(r.First.Judgment))
	require.Equal(t, r.Trial, r.First.Trial, "it is the second attempt of one trial")
	require.Equal(t, ledger.Rerun, r.Correction.Done)
	require.True(t, r.Correction.Changed)

	c.RunID = "fourth"
	attempts, broken = nil, errors.New("the browser is gone")
	r, err = memtree.Wrap(m, agent, rerunAbove(0.5))(t.Context(), c)
	require.NoError(t, err, "the first run stands")
	require.Nil(t, r.First)
	require.Equal(t, ledger.WhyRunFailed, r.Correction.Why)
	require.JSONEq(t, string(e.Judgment), string(r.Judgment))
	require.NoError(t, m.Close())
}

func rerunAbove(above float64) *harness.WrapOptions {
	return &harness.WrapOptions{Correct: harness.CorrectOptions{Above: above, Do: ledger.Rerun}}
}

func TestRiskSeesThePage(t *testing.T) {
	m := open(t, t.TempDir(), nil)
	task := `Can the "Gift wrap" button be used?`
	scene := tree.Scene{ID: "cart", Type: "cart", Route: "/cart"}
	require.NoError(t, m.Record(t.Context(), memtree.Evaluation{
		CaseID: "cart-1", Prompt: task, Scene: scene, Judgment: tree.Raw(`{"has_defect": false}`),
		GroundTruth: tree.Raw(`{"has_defect": true, "defect_details": ["The \"Gift wrap\" button is disabled."]}`),
	}))
	require.NoError(t, m.Wait(t.Context()))
	page := "- main:\n  - heading \"Cart\"\n  - text: Lamp\n  - button \"Gift wrap\""
	ask := func(verdict, observation string) risk.Risk {
		r, err := m.Risk(t.Context(), memtree.Evaluation{CaseID: "cart-1", RunID: "2", Prompt: task, Scene: scene,
			Judgment: tree.Raw(verdict), Observation: observation})
		require.NoError(t, err)
		return r
	}
	none := ask(`{"has_defect": false}`, "")
	require.Greater(t, ask(`{"has_defect": false}`, page+" [disabled]\n").P, none.P, "it is broken still, and was passed")
	require.Less(t, ask(`{"has_defect": false}`, page+"\n").P, none.P, "it was repaired")
	require.Less(t, ask(`{"has_defect": true}`, page+" [disabled]\n").P, ask(`{"has_defect": true}`, page+"\n").P)
	require.Equal(t, "facts", ask(`{"has_defect": false}`, page+" [disabled]\n").Because[0].Signal)
}

// TestRiskDuringPurge: a caller that requests risks while a person purges gets an answer, of the model before or
// after.
func TestRiskDuringPurge(t *testing.T) {
	m := open(t, t.TempDir(), nil)
	var es []memtree.Evaluation
	for i := range 30 {
		e := missed(i)
		e.Reason += string(rune('a' + i))
		es = append(es, e)
	}
	_, err := m.RecordAll(t.Context(), es)
	require.NoError(t, err)
	require.NoError(t, m.Wait(t.Context()))
	all := nodes(t, m)
	require.NotEmpty(t, all)
	var wg sync.WaitGroup
	stop := make(chan struct{})
	for range 4 {
		wg.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				if _, err := m.Risk(t.Context(), missed(99)); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	for _, n := range all[:min(len(all), 10)] {
		_, err := m.Curation().Forget(t.Context(), n.ID, curation.Options{Purge: true})
		require.NoError(t, err)
	}
	close(stop)
	wg.Wait()
}
