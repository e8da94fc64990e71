package storetest

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// source makes choices: a seeded generator, or rapid.
type source interface{ IntN(n int) int }

// modelStep is one operation. run returns its result as text; equal results give equal texts.
type modelStep struct {
	name string
	run  func(ctx context.Context, s store.Store) (string, error)
}

// texts are used in payloads; every byte of them has to be returned.
var texts = []string{
	"The total is wrong.", "总金额不对,应为 ¥42。", "🙂👩‍👩‍👧 emoji", `<b>&amp; "quotes" \ / </script>`, "line\nbreak\ttab\r\n",
	"\u2028\u2029\ufeff\u200b", "e\u0301 é İ ı ß", strings.Repeat("长文本 long text ", 60), "\x01\x7f",
	"'; drop table nodes; --",
}

var testTime = time.Date(2026, 1, 28, 9, 0, 0, 0, time.UTC)

// aCase returns the i-th case of the tests, with text as its description.
func aCase(i int, text string) tree.Node {
	directions := []taxonomy.Direction{taxonomy.FalsePass, taxonomy.FalseFail, taxonomy.Other}
	n := tree.Node{
		Type: tree.Case, Level: 1, ErrorType: []string{"state_detection_error", "async_timing_error", "other_error"}[i%3],
		Direction: directions[i/3%3], Lang: []string{"en", "zh"}[i%2],
		Status:   []tree.Status{tree.Active, tree.Probation, tree.Quarantined}[i/2%3],
		Children: []string{}, Origin: tree.Origin{ID: "o_test"}, Provenance: tree.Provenance{By: "formation"},
		Content: tree.Content{Description: text, Guidance: texts[i%len(texts)], Confidence: .5,
			AppliesWhen: []string{text}},
		Metadata:    tree.Metadata{CreatedAt: testTime, UpdatedAt: testTime.Add(time.Duration(i) * time.Nanosecond)},
		Occurrences: []tree.Occurrence{{Evaluation: fmt.Sprint("ev", i), At: testTime}},
		Counters:    map[string]tree.Counters{"o_test": {Used: i, Correct: 1}},
		CaseData: &tree.CaseData{
			TestCase: tree.TestCase{CaseID: fmt.Sprint("t", i), Prompt: "Check the order 订单. " + texts[i%len(texts)],
				GroundTruth: tree.Raw(`{"has_defect":true,"why":"<&>"}`)},
			AgentJudgment: "pass", ActualError: text, ErrorReason: "r", AvoidanceHint: "h",
		},
	}
	n.ID = tree.EvidenceID(&n)
	return n
}

// evaluation returns the i-th evaluation. Variant 0 has no label and variant 1 has one;
// variant 2 has other content under the same key, and no label.
func evaluation(i, variant int) tree.Evaluation {
	e := tree.Evaluation{
		ID: fmt.Sprint("ev", i), CaseID: fmt.Sprint("t", i), At: testTime, Prompt: "Check " + texts[i%len(texts)],
		Judgment: tree.Raw(`{"verdict":"pass <&> 通过"}`),
	}
	switch variant {
	case 1:
		e.GroundTruth = tree.Raw(`"fail"`)
	case 2:
		e.Observation = "something else"
	}
	return e
}

// errorClass returns the part of an error that callers act on.
func errorClass(err error) string {
	for _, known := range []error{
		tree.ErrNotFound, store.ErrConflict, store.ErrClosed, store.ErrReadOnly, store.ErrFailed, store.ErrFull,
		store.ErrCompacted, context.Canceled,
	} {
		if errors.Is(err, known) {
			return known.Error()
		}
	}
	return err.Error()
}

// asJSON returns v as JSON.
func asJSON(v any) string {
	b, err := encode(v)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

// allAsJSON returns everything that a sequence yields as lines of JSON.
func allAsJSON[V any](seq iter.Seq2[V, error]) (string, error) {
	var b strings.Builder
	for v, err := range seq {
		if err != nil {
			return b.String(), err
		}
		b.WriteString(asJSON(v) + "\n")
	}
	return b.String(), nil
}

// nextStep chooses an operation. It uses the model m to choose one that is likely to have an effect. Reads return the
// content read; writes return the store's result.
func nextStep(r source, m *MapStore) modelStep {
	switch r.IntN(10) {
	case 0, 1, 2:
		return commitStep(r, m)
	case 3, 4:
		return acceptStep(r)
	case 5:
		n := r.IntN(4)
		return modelStep{fmt.Sprint("lease ", n), func(ctx context.Context, s store.Store) (string, error) {
			es, err := s.Lease(ctx, n)
			return listAsJSON(es), err
		}}
	case 6:
		keys := []string{fmt.Sprint("ev", r.IntN(8)), fmt.Sprint("ev", r.IntN(8))}
		return modelStep{fmt.Sprint("release ", keys), func(ctx context.Context, s store.Store) (string, error) {
			return "", s.Release(ctx, keys)
		}}
	case 7:
		id := aCase(r.IntN(9), "").ID
		return modelStep{"get " + id, func(ctx context.Context, s store.Store) (string, error) {
			n, err := s.Get(ctx, id)
			if err != nil {
				return "", err
			}
			return asJSON(n), nil
		}}
	case 8:
		return scanStep(r)
	default:
		after := uint64(r.IntN(6)) //nolint:gosec // small
		return modelStep{fmt.Sprint("ledger, dead letters, changes after ", after),
			func(ctx context.Context, s store.Store) (string, error) {
				return history(ctx, s, after)
			}}
	}
}

// listAsJSON returns a list as JSON, the same for nil and empty.
func listAsJSON[V any](list []V) string {
	if len(list) == 0 {
		return "none"
	}
	return asJSON(list)
}

// scanStep returns a scan with a random filter.
func scanStep(r source) modelStep {
	f := store.Filter{
		Level: r.IntN(3), ErrorType: []string{"", "other_error", "nothing"}[r.IntN(3)],
		Direction: []taxonomy.Direction{"", taxonomy.FalsePass}[r.IntN(2)],
		Status:    []tree.Status{"", tree.Active, tree.Probation}[r.IntN(3)],
		After:     []string{"", "c_", "c_m", "e_"}[r.IntN(4)],
	}
	if r.IntN(2) == 0 {
		f = store.Filter{}
	}
	return modelStep{fmt.Sprintf("scan %+v", f), func(ctx context.Context, s store.Store) (string, error) {
		return allAsJSON(s.Scan(ctx, f))
	}}
}

// acceptStep returns an Accept of one to three evaluations.
func acceptStep(r source) modelStep {
	var es []tree.Evaluation
	for range 1 + r.IntN(3) {
		es = append(es, evaluation(r.IntN(8), min(r.IntN(4), 2)))
	}
	return modelStep{fmt.Sprint("accept ", asJSON(es)), func(ctx context.Context, s store.Store) (string, error) {
		receipts, err := s.Accept(ctx, es)
		return listAsJSON(receipts), err
	}}
}

// commitStep returns a commit of a random batch; sometimes a part of it is stale, repeated or unknown.
func commitStep(r source, m *MapStore) modelStep {
	var b store.Batch
	made := map[string]int{}
	for range r.IntN(3) {
		n := aCase(r.IntN(9), texts[r.IntN(len(texts))])
		basis := m.nodes[n.ID].revision + made[n.ID]
		if r.IntN(12) == 0 {
			basis = max(0, basis+r.IntN(3)-1)
		}
		op := tree.OpAdd
		if basis > 0 {
			op = tree.OpRevise
		}
		c := tree.NewChange(op, n, basis, "formation", "step "+fmt.Sprint(m.version))
		if other := aCase(r.IntN(9), "").ID; other != n.ID && r.IntN(4) == 0 {
			c = c.On(other, m.nodes[other].revision+made[other])
		}
		b.Changes = append(b.Changes, c)
		made[n.ID]++
		if r.IntN(8) == 0 {
			b.Changes = append(b.Changes, c) // a repetition, which has to be ignored
		}
	}
	for _, a := range m.outbox {
		switch r.IntN(6) {
		case 0:
			b.Done = append(b.Done, a.key)
		case 1:
			e, err := decode[tree.Evaluation](a.json)
			if err == nil && !slices.Contains(b.Done, a.key) {
				b.Dead = append(b.Dead, store.DeadLetter{Evaluation: e, Why: "could not be formed: 无法"})
			}
		}
	}
	if r.IntN(15) == 0 {
		b.Done = append(b.Done, fmt.Sprint("ev", r.IntN(9)))
	}
	for range r.IntN(3) {
		b.Entries = append(b.Entries, entry(r.IntN(100)))
	}
	return modelStep{"commit " + asJSON(b), func(ctx context.Context, s store.Store) (string, error) {
		v, err := s.Commit(ctx, b)
		return fmt.Sprint("version ", v), err
	}}
}

// entry returns the i-th ledger entry of the tests.
func entry(i int) ledger.Entry {
	return ledger.Entry{At: testTime, Verdict: &ledger.Verdict{Evaluation: fmt.Sprint("ev", i),
		Scene: tree.Scene{Route: "/<&>/" + texts[i%len(texts)]}}}
}

// history returns the ledger after an entry, and all dead letters.
func history(ctx context.Context, s store.Store, after uint64) (string, error) {
	ledger, err := allAsJSON(s.Ledger(ctx, after))
	if err != nil {
		return "", err
	}
	dead, err := allAsJSON(s.DeadLetters(ctx))
	if err != nil {
		return "", err
	}
	return "ledger:\n" + ledger + "dead:\n" + dead, nil
}
