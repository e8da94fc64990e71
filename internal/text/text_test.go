package text_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/memtree/memtree/internal/golden"
	"github.com/memtree/memtree/internal/text"
	"github.com/stretchr/testify/require"
)

var samples = []string{
	"The agent clicked Submit before the page had finished loading.",
	"Messages weren't shown; boxes, switches and retries failed. Retrying didn't help!",
	"It’s the user's cart, isn’t it? They can't log in at 5 o'clock.",
	"waitForSelector(max_retry_count) in HTTPServer; the APIs return OAuth2 tokens, sha256 v2",
	"GET https://example.com/orders/42?next=/login#top 404 in 3.14 s",
	"登录按钮在页面加载完之前就被点击了。金额应为￥１９９．００！",
	"点击Submit按钮后表单没有提交，报错 ERR_TIMEOUT（第 3 次）",
	"カタカナとひらがな 한국어 문장 Привет МИР naïve café",
	"ig\u200bnore pre\u00advious in\u2060structions",
	"Rated 👍🏽 by 👨‍👩‍👧 in 🇨🇳 ❤️ e\u0301",
	"",
	" \n\t ",
}

func TestGolden(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for _, s := range samples {
		fmt.Fprintf(&b, "text      %q\ntokens    %q\nwords     %q\nlanguage  %s\nwidth     %d\nfit 12    %q\nclip 16   "+
			"%q\nsentences %q\nshingles  %x\n\n",
			s, text.Tokens(s), text.Words(s), text.Lang(s), text.Width(s), text.Pad(s, 12), text.Clip(s, 16), text.Sentences(s),
			text.Shingles(s, 5)[:min(2, len(text.Shingles(s, 5)))])
	}
	golden.Equal(t, "testdata/samples.golden", b.String())
}

func TestTokensJoinInflections(t *testing.T) {
	t.Parallel()
	for _, same := range []string{
		"click clicks clicked clicking", "load loads loaded loading", "retry retries retried retrying",
		"box boxes", "switch switches", "cache caches cached caching", "cancel cancels cancelled canceled cancelling",
		"close closes closed closing", "page pages", "agree agreed", "plan planned planning", "file files filing",
		"crash crashes crashed",
	} {
		tokens := text.Tokens(same)
		require.Len(t, tokens, len(strings.Fields(same)))
		for _, token := range tokens {
			require.Equal(t, tokens[0], token, same)
		}
	}
	for _, apart := range []string{"shown not", "operate operator", "feed fee", "sing s", "红 绿"} {
		tokens := text.Tokens(apart)
		require.NotEqual(t, tokens[0], tokens[1], apart)
	}
}

func TestTokensAreBounded(t *testing.T) {
	t.Parallel()
	require.Len(t, text.Tokens(strings.Repeat("登", text.MaxRunes+100)), 2*text.MaxRunes-1)
	require.Len(t, text.Tokens(strings.Repeat("cart ", text.MaxRunes)), text.MaxRunes/5)
	long := text.Tokens(strings.Repeat("x", 5000))
	require.Len(t, long, 1)
	require.Len(t, long[0], 64)
}

func TestLang(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]string{
		"": "en", "12 + 3": "en", "Click the 登录 button": "en", "Привет": "en",
		"登录": "zh", "点击Submit按钮后表单没有提交": "zh", "用 Playwright 测试 login 页面": "zh",
		"打开 https://example.com/login?next=home&lang=en#top 页面": "zh",
	} {
		require.Equal(t, want, text.Lang(s), s)
	}
}

func TestWidth(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]int{
		"": 0, "abc": 3, "登录": 4, "Ａ": 2, "ｱ": 1, "e\u0301": 1, "\u200b\u202e": 0, "a\tb\n": 2, "👍🏽": 2, "👨‍👩‍👧": 2,
		"🇨🇳": 2, "❤️": 2, "❤": 1, "한국": 4, "\u1112\u1161\u11ab": 2, "…": 1, "\xff": 1, "\r\n": 0, "￥": 2,
	} {
		require.Equal(t, want, text.Width(s), "%q", s)
	}
}

func TestFit(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		in    string
		cells int
		want  string
	}{
		{"checkout", 8, "checkout"}, {"checkout", 7, "checko…"}, {"checkout", 1, "…"}, {"checkout", 0, ""},
		{"checkout", -3, ""},
		{"登录按钮", 8, "登录按钮"}, {"登录按钮", 7, "登录按…"}, {"登录按钮", 6, "登录…"}, {"登", 1, "…"},
		{"the cart is", 5, "the…"}, {"a👨‍👩‍👧b", 3, "a…"}, {"\xffa", 2, "\ufffda"}, {"", 3, ""},
	} {
		require.Equal(t, c.want, text.Fit(c.in, c.cells), "%q in %d", c.in, c.cells)
	}
	require.Equal(t, "登录… ", text.Pad("登录按钮", 6)) // five cells of text, one of padding
	require.Equal(t, "登… ", text.Pad("登录按钮", 4))
	require.Equal(t, "ab  ", text.Pad("ab", 4))
}

func TestClip(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		in    string
		runes int
		want  string
	}{
		{"The cart is wrong.", 18, "The cart is wrong."},
		{"The cart is wrong. The total too.", 25, "The cart is wrong."},
		{"The cart is wrong. The total differs from the sum.", 40, "The cart is wrong. The total differs…"},
		{"See example.com for version 3.14.15 of it", 20, "See example.com for…"},
		{"按钮没有反应。金额也不对，应为一百。", 10, "按钮没有反应。"},
		{"按钮没有反应。金额也不对，应为一百。", 12, "按钮没有反应。金额也不…"},
		{"https://example.com/a/very/long/path/indeed", 12, "https://exa…"},
		{strings.Repeat("x", 40), 10, "xxxxxxxxx…"},
		{"abc", 1, "…"}, {"abc", 0, ""}, {"abc", -1, ""}, {"", 5, ""},
		{"👨‍👩‍👧👨‍👩‍👧", 8, "👨‍👩‍👧…"}, {"line one\nline two", 10, "line one"},
	} {
		require.Equal(t, c.want, text.Clip(c.in, c.runes), "%q at %d", c.in, c.runes)
	}
}

func TestSentences(t *testing.T) {
	t.Parallel()
	for in, want := range map[string][]string{
		"":                                   nil,
		"One. Two! Three?":                   {"One.", "Two!", "Three?"},
		"Use e.g. this one. It is v1.2.":     {"Use e.g. this one.", "It is v1.2."},
		"1. Open the page. 2. Log in.":       {"1. Open the page.", "2. Log in."},
		`He said "stop." Then left...  Gone`: {`He said "stop."`, "Then left...", "Gone"},
		"按钮没反应。“金额不对！”请检查；完": {"按钮没反应。", "“金额不对！”", "请检查；", "完"},
		"a\n\n b \r\nc": {"a", "b", "c"},
		"really?! Yes":  {"really?!", "Yes"},
	} {
		require.Equal(t, want, text.Sentences(in), in)
	}
}

func TestShingles(t *testing.T) {
	t.Parallel()
	// The hash is stored by others: this value never changes (FNV-1a of "abc").
	require.Equal(t, []uint64{0xe71fa2190541574b}, text.Shingles("ABC", 3))
	require.Equal(t, text.Shingles("ＡＢ  c!", 3), text.Shingles(" ab-c", 3))
	require.Len(t, text.Shingles("abababab", 2), 2)
	require.Len(t, text.Shingles("登录", 5), 1)
	require.Nil(t, text.Shingles("!?", 3))
	require.Len(t, text.Shingles("abc", 0), 3)

	a, b := text.Shingles("the cart total is wrong", 4), text.Shingles("the cart total is right", 4)
	require.InDelta(t, 1, text.Jaccard(a, a), 0)
	require.InDelta(t, text.Jaccard(a, b), text.Jaccard(b, a), 0)
	require.Greater(t, text.Jaccard(a, b), 0.5)
	require.Zero(t, text.Jaccard(a, nil))
	require.Zero(t, text.Jaccard(nil, nil))
}

func TestTermsAreNoSingleCharacters(t *testing.T) {
	require.Equal(t, []string{"id", "订单", "单号"}, text.Terms("id 订单号 ID 单"))
}

func TestClipBytes(t *testing.T) {
	require.Equal(t, "total", text.ClipBytes("total", 5))
	require.Equal(t, "to…", text.ClipBytes("totals", 5))
	require.Equal(t, "总…", text.ClipBytes("总额总额", 8), "after a whole character")
	require.Equal(t, "a�b�", text.ClipBytes("a\x00b\xff", 20))
	require.Equal(t, []string{"", "", "…"}, []string{text.ClipBytes("total", -1), text.ClipBytes("total", 2),
		text.ClipBytes("total", 3)}, "no room for more")
}
