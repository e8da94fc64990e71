package embed_test

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/memtree/memtree/internal/embed"
	"github.com/stretchr/testify/require"
)

//go:embed memtree-en-zh-256.bin
var file []byte

//go:embed testdata/testvectors.json
var vectors []byte

func table(tb testing.TB) *embed.WordVectors {
	tb.Helper()
	t, err := embed.Default()
	require.NoError(tb, err)
	return t
}

// TestVectors compares with vectors that came with the original of the table.
func TestVectors(t *testing.T) {
	t.Parallel()
	var want struct {
		Sentences []struct {
			Text   string
			Tokens []string
			First8 []float64
		}
		Cosine [][]float64
	}
	require.NoError(t, json.Unmarshal(vectors, &want))
	require.Len(t, want.Sentences, 20)
	static := table(t)
	got := make([][]float32, len(want.Sentences))
	for i, s := range want.Sentences {
		require.Equal(t, s.Tokens, append([]string{}, static.Tokens(s.Text)...), s.Text)
		got[i] = static.Vector(s.Text)
		require.Len(t, got[i], static.Dims())
		for k, x := range s.First8 {
			require.InDelta(t, x, got[i][k], 1e-4, "%q, value %d", s.Text, k)
		}
	}
	for i := range got {
		for j := range got {
			require.InDelta(t, want.Cosine[i][j], dot(got[i], got[j]), 1e-4, "%d and %d", i, j)
		}
	}
}

// TestTokens compares with the tokens of the reference tokeniser (Tokenizer in recipe.py) for texts that the test
// vectors do not cover. A line has a JSON string, a tab and the tokens.
func TestTokens(t *testing.T) {
	t.Parallel()
	cases, err := os.ReadFile("testdata/tokens.txt")
	require.NoError(t, err)
	for line := range strings.Lines(string(cases)) {
		quoted, want, ok := strings.Cut(strings.TrimRight(line, "\n"), "\t")
		require.True(t, ok)
		var in string
		require.NoError(t, json.Unmarshal([]byte(quoted), &in))
		require.Equal(t, want, strings.Join(table(t).Tokens(in), " "), quoted)
	}
}

func TestDefaultIsTheFile(t *testing.T) {
	t.Parallel()
	sum := sha256.Sum256(file)
	require.Equal(t, "23d1e400c8954a8fbe7ea29e629ee3bf1b0cfa64eb45d0a5fab56e8b84c17ac7", hex.EncodeToString(sum[:]))
	read, err := embed.Read(file)
	require.NoError(t, err)
	require.Equal(t, "memtree-en-zh-256/23d1e400", table(t).ID())
	require.Equal(t, table(t).ID(), read.ID())
	require.Equal(t, 256, read.Dims())
}

func TestVectorOfNothingKnown(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"", " ", "!?", "мир", "\xff\xfe", "😀"} {
		require.Equal(t, make([]float32, 256), table(t).Vector(s), "%q", s)
		require.Empty(t, table(t).Tokens(s))
	}
}

func TestVectorIsBounded(t *testing.T) {
	t.Parallel()
	static := table(t)
	require.Len(t, static.Tokens(strings.Repeat("。登", embed.MaxRunes)), embed.MaxRunes/2)
	long := strings.Repeat("cart ", embed.MaxRunes/5)
	require.Equal(t, static.Vector(long), static.Vector(long+"login button"))
}

func TestEmbed(t *testing.T) {
	t.Parallel()
	static := table(t)
	got, err := static.Embed(t.Context(), []string{"login", "", "登录"})
	require.NoError(t, err)
	require.Equal(t, [][]float32{static.Vector("login"), make([]float32, 256), static.Vector("登录")}, got)

	got, err = static.Embed(t.Context(), nil)
	require.NoError(t, err)
	require.Empty(t, got)

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = static.Embed(ctx, []string{"login"})
	require.ErrorIs(t, err, context.Canceled)
}

func TestNearWordsAreNear(t *testing.T) {
	t.Parallel()
	v := table(t).Vector
	require.Greater(t, dot(v("the cart total is wrong"), v("order amount in the basket is incorrect")),
		dot(v("the cart total is wrong"), v("the login page does not load")))
	require.Greater(t, dot(v("弹窗无法关闭"), v("对话框点了关闭也没有反应")), dot(v("弹窗无法关闭"), v("购物车金额计算错误")))
}

func dot(a, b []float32) (sum float64) {
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	if math.IsNaN(sum) {
		panic("not a number")
	}
	return sum
}
