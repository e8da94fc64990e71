package formation

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/tree"
)

const plain = "The agent opened the orders page, clicked the Submit button and read 3 items in the list; 页面标题显示正确，列表共有 3 项。 It judged the test as passed on 2026-01-28. "

func BenchmarkRedactPlain(b *testing.B)   { benchRedact(b, strings.Repeat(plain, 6)) }
func BenchmarkRedactEnglish(b *testing.B) { benchRedact(b, strings.Repeat(plain[:80], 12)) }
func BenchmarkRedactSecret(b *testing.B) {
	benchRedact(b, strings.Repeat(plain, 6)+"token ghp_"+strings.Repeat("a1B2", 9))
}

func benchRedact(b *testing.B, s string) {
	b.SetBytes(int64(len(s)))
	b.ReportAllocs()
	for b.Loop() {
		RedactText(s)
	}
}

func sample() tree.Evaluation {
	return tree.Evaluation{
		ID: "run-1", RunID: "r", CaseID: "webarena.15", At: time.Date(2026, 1, 28, 9, 0, 0, 0, time.UTC),
		Scene:       tree.Scene{ID: "webarena.15", Type: "list", Route: "/orders/42?x=1"},
		Prompt:      "Judge whether the web agent completed this task: Tell me the number of reviews that our store received by far that mention term \"best\"",
		Observation: strings.Repeat(plain, 8),
		Judgment: tree.Raw(`{"verdict":"failure","reason":"The agent correctly filtered reviews using the term \"best\" and reported that there are 2 reviews found. ` +
			`However, the snapshot shows that only one review actually mentions the term in the review text. This discrepancy indicates that the agent's count is incorrect, failing to meet the task's requirements."}`),
		GroundTruth: tree.Raw(`{"verdict":"success"}`),
	}
}

func BenchmarkForm(b *testing.B) {
	f, err := New(Options{})
	require.NoError(b, err)
	e, v := sample(), &memory{}
	b.ReportAllocs()
	for b.Loop() {
		if out, err := f.Form(b.Context(), e, v); err != nil || len(out.Changes) != 1 {
			b.Fatal(err)
		}
	}
}

func BenchmarkFormRight(b *testing.B) {
	f, err := New(Options{})
	require.NoError(b, err)
	e, v := sample(), &memory{}
	e.GroundTruth = tree.Raw(`{"verdict":"failure"}`)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := f.Form(b.Context(), e, v); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkNew(b *testing.B) {
	for b.Loop() {
		if _, err := New(Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
