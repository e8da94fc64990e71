package formation

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/internal/golden"
	"github.com/memtree/memtree/tree"
)

func TestRedactOnPublishedSamples(t *testing.T) {
	data := shared(t)
	f, err := os.Open(filepath.Join(data, "security", "secrets_gitleaks.jsonl.gz"))
	require.NoError(t, err)
	defer func() { require.NoError(t, f.Close()) }()
	z, err := gzip.NewReader(f)
	require.NoError(t, err)
	var n, found, decoys, alarms int
	for d := json.NewDecoder(z); d.More(); {
		var x struct {
			Rule, Text string
			Secret     bool
		}
		require.NoError(t, d.Decode(&x))
		_, hits := RedactText(x.Text)
		switch {
		case x.Secret && hits > 0:
			found++
			n++
		case x.Secret:
			n++
			if os.Getenv("MEMTREE_MISSES") != "" {
				t.Logf("missed %s: %.200s", x.Rule, x.Text)
			}
		case hits > 0:
			alarms++
			decoys++
		default:
			decoys++
		}
	}
	var b strings.Builder
	b.WriteString("Secrets found, and texts in which something was redacted that is none (decoys are made to look " +
		"like secrets).\n\n")
	fmt.Fprintf(&b, "published samples  %4d of %4d = %.2f %%\n", found, n, 100*float64(found)/float64(n))
	fmt.Fprintf(&b, "decoys             %4d of %4d\n", alarms, decoys)
	texts, hit := 0, 0
	lines(t, filepath.Join(data, "security", "benign_notinject.jsonl"), func(line []byte) {
		var x struct{ Text string }
		require.NoError(t, json.Unmarshal(line, &x))
		texts++
		if r, n := RedactText(x.Text); n > 0 {
			hit++
			t.Log(r)
		}
	})
	fmt.Fprintf(&b, "benign prompts     %4d of %4d\n", hit, texts)
	for _, name := range evaluationFiles {
		all, hit := 0, 0
		for _, e := range evaluations(t, filepath.Join(data, "evaluations", name)) {
			all++
			if r, n := Redact(e); n > 0 {
				hit++
				if os.Getenv("MEMTREE_MISSES") != "" {
					b, _ := json.Marshal(r)
					for p := range strings.SplitSeq(string(b), "[redacted:") {
						t.Logf("%s %.30q … %q", e.ID, p, p[max(0, len(p)-40):])
					}
				}
			}
		}
		fmt.Fprintf(&b, "%-18s %4d of %4d\n", name, hit, all)
	}
	golden.Equal(t, "testdata/secrets.golden", b.String())
	require.GreaterOrEqual(t, float64(found), 0.99*float64(n))
}

var evaluationFiles = []string{"agentrx.jsonl", "gui-zh.jsonl", "judgebench.jsonl", "tau.jsonl", "webjudge.jsonl",
	"whoandwhen.jsonl"}

func TestRedactText(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"nothing here to hide, order 42 of 2026-01-28", "nothing here to hide, order 42 of 2026-01-28"},
		{"token ghp_" + strings.Repeat("a1B2", 9) + ".", "token [redacted:github]."},
		{"key AKIA" + "IOSFODNN7EXAMPL2 leaked", "key [redacted:aws] leaked"},
		{"password=hunter2!", "password=[redacted:password]"},
		{"密码：abc12345，请登录", "密码：[redacted:password]，请登录"},
		{"the password: required field is empty", "the password: required field is empty"},
		{"check the password: users must see dots", "check the password: users must see dots"},
		{`"client": "chrome-120.0.6099"`, `"client": "chrome-120.0.6099"`},
		{"Enter password and click login", "Enter password and click login"},
		{"请输入密码：不能为空", "请输入密码：不能为空"},
		{"Authorization: Bearer abcdef0123456789", "Authorization: Bearer [redacted:authorization]"},
		{"postgres://app:pa55w0rd@db:5432/x", "postgres://app:[redacted:password]@db:5432/x"},
		{"mail me at a@b.org, see https://b.org/x@2", "mail me at a@b.org, see https://b.org/x@2"},
		{"-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY----- rest", "[redacted:private-key] rest"},
		{"-----BEGIN PRIVATE KEY-----\ncut off", "[redacted:private-key]"},
		{"log in as admin with password hunter2", "log in as admin with password [redacted:password]"},
		{"Sign in as ann, password s3cretpw, and open", "Sign in as ann, password [redacted:password], and open"},
		{"用 admin 登录，密码 hunter2", "用 admin 登录，密码 [redacted:password]"},
		{"log in with a wrong password hunter2", "log in with a wrong password hunter2"},
		{"log in with password wrong1 and read", "log in with password wrong1 and read"},
		{"the login with a wrong password shows an error", "the login with a wrong password shows an error"},
		{"登录时输错密码 abc123 提示错误", "登录时输错密码 abc123 提示错误"},
		{"api_key = ${API_KEY}", "api_key = ${API_KEY}"},
		{"commit 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b", "commit 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b"},
		{"credit_card_2408938 and reservation XEHM4B", "credit_card_2408938 and reservation XEHM4B"},
	} {
		got, n := RedactText(c.in)
		require.Equal(t, c.want, got)
		require.Equal(t, c.in != c.want, n > 0)
		again, n := RedactText(got)
		require.Equal(t, got, again)
		require.Zero(t, n)
	}
}

func TestRedactKeepsJSON(t *testing.T) {
	secret := "ghp_" + strings.Repeat("a1B2", 9)
	e := tree.Evaluation{
		ID: "run with " + secret, Prompt: "use " + secret, Scene: tree.Scene{Route: "/login?token=" + secret},
		Scope:    tree.Scope{SuiteTests: []string{"a", secret}},
		Judgment: tree.Raw(`{"password":"hunter2x","n":1.50,"list":["\u0061\n` + secret + `"], "token" : "pass"}`),
	}
	got, n := Redact(e)
	require.Equal(t, 6, n)
	require.JSONEq(t, `{"password":"[redacted:password]","n":1.50,"list":["a\n[redacted:github]"],"token":"pass"}`,
		string(got.Judgment))
	require.Contains(t, string(got.Judgment), "1.50", "what is no secret keeps its bytes")
	require.NotContains(t, got.ID+got.Prompt+got.Scene.Route+strings.Join(got.Scope.SuiteTests, ""), secret)
	require.Equal(t, []string{"a", secret}, e.Scope.SuiteTests, "the caller's is as it was")
	again, n := Redact(got)
	require.Zero(t, n)
	require.Equal(t, got, again)
}

// TestRedactBehindDecoys tests that a secret is found although many beginnings of one
// stand before it, with and without spaces between them.
func TestRedactBehindDecoys(t *testing.T) {
	const secret = "q7Zr2kVb9LmX4tWc"
	for _, before := range []string{"token=", "SG.", "eyJ.", "password:", "sk-", "hooks.slack.com/", "-u:", "://u:", "t1.",
		"密码：", "dp.pt.", "-----BEGIN "} {
		for _, mark := range []string{"", " ", "=", "/"} {
			for _, n := range []int{1, 10, 100, 5000} {
				got, found := RedactText(strings.Repeat(before+mark, n) + "token=" + secret + " end")
				require.Positive(t, found, "%q %d", before+mark, n)
				require.NotContains(t, got, secret, "%q %d", before+mark, n)
				require.True(t, strings.HasSuffix(got, " end"))
				again, more := RedactText(got)
				require.Zero(t, more)
				require.Equal(t, got, again)
			}
		}
	}
}

func TestRedactStaysWithinLimits(t *testing.T) {
	many := strings.Repeat("://u:p1@ ", tree.MaxField/9)
	e := tree.Evaluation{Prompt: many, CaseID: many[:tree.MaxName], Judgment: tree.Raw(`"` + many[:len(many)-2] + `"`)}
	require.NoError(t, e.Check())
	got, n := Redact(e)
	require.Positive(t, n)
	require.NoError(t, got.Check())
}

func FuzzRedact(f *testing.F) {
	f.Add([]byte(`{"password":"hunter2x","a":["\n\u0000\ud800 token=abc12345 ://u:p1@"]}`))
	f.Add([]byte("\"-----BEGIN PRIVATE KEY-----\\n\""))
	f.Add([]byte("api_key := \"x1\\\"y2zzzzzzzz\""))
	f.Fuzz(func(t *testing.T, b []byte) {
		got, n := redactJSON(tree.Raw(b))
		if json.Valid(b) {
			require.True(t, json.Valid(got), "%s", got)
		}
		if n == 0 {
			require.Equal(t, string(b), string(got))
		}
		s, _ := RedactText(string(b))
		again, n := RedactText(s)
		require.Zero(t, n, "%q became %q", s, again)
		if utf8.Valid(b) {
			require.True(t, utf8.ValidString(s))
		}
	})
}

// TestForms: each line of known.txt has four fields.
func TestForms(t *testing.T) {
	require.Len(t, forms(), 146)
	for _, f := range forms() {
		require.Greater(t, len(f.prefix), 1, f)
		require.Positive(t, f.least, f)
		require.NotEmpty(t, f.kind, f)
	}
}
