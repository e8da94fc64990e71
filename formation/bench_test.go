package formation

import (
	"strings"
	"testing"
	"time"

	"github.com/memtree/memtree/tree"
)

const plain = "The agent opened the orders page, clicked the Submit button and read 3 items in the list; " +
	"页面标题显示正确，列表共有 3 项。 It judged the test as passed on 2026-01-28. "

func BenchmarkRedactPlain(b *testing.B)   { benchRedact(b, strings.Repeat(plain, 6)) }
func BenchmarkRedactEnglish(b *testing.B) { benchRedact(b, strings.Repeat(plain[:80], 12)) }
func BenchmarkRedactSecret(b *testing.B) {
	benchRedact(b, strings.Repeat(plain, 6)+"token ghp_"+strings.Repeat("a1B2", 9))
}

// hostile returns texts in which secrets begin again and again, but there are none.
// They repeat every known prefix, and every word and mark that makes the finder look
// ahead, each with bytes that keep a run going.
func hostile() map[string]bool {
	begins := []string{
		"token", "password", "api_key", "clientKey", "secret", "cookie", "Bearer ", "token basic ", "-u", "--user ",
		"authorization", "密码", "令牌：", "eyJ", "ewog", "ewogIC", "ZXlK",
		"://", "://u:", "://u:p@", "x://@", "@", "hooks.slack.com/", "discord.com/api/webhooks/", "-----BEGIN ",
		"-----BEGIN PRIVATE KEY", "-----BEGIN PRIVATE KEY-----END ", "[redacted:", "A3-", "123456789:A", "123456789012345|",
		"token string ", "token value:", "token fn::secret:", "\"", "abc", "a1", "{\"token\":",
	}
	for _, f := range forms() {
		begins = append(begins, f.prefix)
	}
	texts := map[string]bool{}
	for _, s := range begins {
		for _, mark := range []string{"", "=", ".", "+", "/", ":", " ", "'", "=\"", "a=", "1~"} {
			texts[s+mark] = true
		}
	}
	return texts
}

// BenchmarkRedactHostile reports how long the slowest hostile text of 1 MB takes, in
// ms, and names it. Each should take less than 100.
func BenchmarkRedactHostile(b *testing.B) {
	slowest, name := time.Duration(0), ""
	for s := range hostile() {
		text := strings.Repeat(s, tree.MaxField/len(s))
		took := time.Hour
		for range 2 { // the better of two tries, because other work goes on beside it
			start := time.Now()
			RedactText(text)
			took = min(took, time.Since(start))
		}
		if took > slowest {
			slowest, name = took, s
		}
	}
	b.ReportMetric(float64(slowest.Microseconds())/1000, "slowest-ms")
	b.Logf("the slowest is %q", name)
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
		Scene: tree.Scene{ID: "webarena.15", Type: "list", Route: "/orders/42?x=1"},
		Prompt: "Judge whether the web agent completed this task: " +
			"Tell me the number of reviews that our store received by far that mention term \"best\"",
		Observation: strings.Repeat(plain, 8),
		Judgment: tree.Raw(`{"verdict":"failure","reason":"The agent correctly filtered reviews using the term \"best\" ` +
			`and reported that there are 2 reviews found. ` +
			`However, the snapshot shows that only one review actually mentions the term in the review text. ` +
			`This discrepancy indicates that the agent's count is incorrect, failing to meet the task's requirements."}`),
		GroundTruth: tree.Raw(`{"verdict":"success"}`),
	}
}

func BenchmarkForm(b *testing.B) {
	f := New(Options{})
	e, v := sample(), &memory{}
	b.ReportAllocs()
	for b.Loop() {
		if out, err := f.Form(b.Context(), e, v); err != nil || len(out.Changes) != 1 {
			b.Fatal(err)
		}
	}
}

func BenchmarkFormRight(b *testing.B) {
	f := New(Options{})
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
		New(Options{})
	}
}
