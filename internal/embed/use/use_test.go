package use

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// sample is a text with the pieces and the vector that the package of Python gives for it.
type sample struct {
	Text   string
	Pieces []string
	Vector []float64
}

func samples(tb testing.TB) (out []sample) {
	tb.Helper()
	b, err := os.ReadFile("testdata/vectors.json")
	require.NoError(tb, err)
	require.NoError(tb, json.Unmarshal(b, &out))
	return out
}

func encoder(tb testing.TB) *Encoder {
	tb.Helper()
	e, err := Default()
	require.NoError(tb, err)
	return e
}

// cut returns the pieces of a text as texts.
func (e *Encoder) cut(s string) (out []string) {
	w := &work{}
	_, _ = e.pieces(w, s)
	for at := len(w.text); at > 0; at = int(w.steps[at].from) {
		out = append([]string{string(w.text[w.steps[at].from:at])}, out...)
	}
	return out
}

func cosine(a []float32, b []float64) float64 {
	var ab, aa, bb float64
	for i := range a {
		ab += float64(a[i]) * b[i]
		aa += float64(a[i]) * float64(a[i])
		bb += b[i] * b[i]
	}
	return ab / math.Sqrt(aa*bb)
}

// TestVectorsAreThoseOfThePackage compares with the package that the data was made from. Where a piece of a text is
// not among ours, the text is cut otherwise, and its vector differs.
func TestVectorsAreThoseOfThePackage(t *testing.T) {
	t.Parallel()
	e := encoder(t)
	same := 0
	for _, s := range samples(t) {
		c := cosine(e.Vector(s.Text), s.Vector)
		if fmt.Sprint(e.cut(s.Text)) == fmt.Sprint(s.Pieces) {
			same++
			require.Greater(t, c, .999, s.Text)
			continue
		}
		t.Logf("%.3f %q, by the package %q", c, e.cut(s.Text), s.Pieces)
	}
	require.Equal(t, 19, same)
}

// TestSameBits has a hash of the vectors of all samples. It is the same with every kernel and on every processor.
func TestSameBits(t *testing.T) {
	t.Parallel()
	require.Equal(t, "706e8d80375c0d39", hashOf(t, encoder(t)))
}

func hashOf(tb testing.TB, e *Encoder) string {
	tb.Helper()
	h := sha256.New()
	for _, s := range samples(tb) {
		for _, x := range e.compute(s.Text) { // and not what is remembered
			fmt.Fprintf(h, "%08x", math.Float32bits(x))
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

func TestDefaultIsTheFile(t *testing.T) {
	t.Parallel()
	require.LessOrEqual(t, len(builtin), 15_000_000)
	sum := sha256.Sum256(builtin)
	require.Equal(t, builtinHash, hex.EncodeToString(sum[:4]))
	require.Equal(t, "use-en-zh-512/"+builtinHash, encoder(t).ID())
	require.Equal(t, dims, encoder(t).Dims())
}

func TestNothingKnown(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"", " ", "\t\n", "мир", "ありがとう", "مرحبا", "\xff\xfe", "😀", "😀😀😀😀 ok"} {
		require.True(t, slices.Equal(make([]float32, dims), encoder(t).Vector(s)), "%q", s)
	}
}

// TestBadTexts has texts that are long, of one character, damaged, of several scripts. Each gives a vector of length 1
// or 0 with any kernel.
func TestBadTexts(t *testing.T) {
	t.Parallel()
	e := encoder(t)
	for name, s := range map[string]string{
		"a megabyte":        strings.Repeat("the total of the cart is wrong. ", 1<<15),
		"one letter":        strings.Repeat("x", 1<<20),
		"one Han character": strings.Repeat("登", 1<<18),
		"spaces":            strings.Repeat(" ", 1<<20) + "cart",
		"invalid UTF-8":     strings.Repeat("cart \xff\xc3\x28 \xe2\x82", 1000),
		"digits":            strings.Repeat("1234567890", 10000),
		"emoji":             strings.Repeat("👩‍👩‍👧‍👦🏳️‍🌈", 1000),
		"mixed":             "点击Submit按钮 → мир 表单 ありがとう, cart 합계 42 🛒",
		"expanding":         strings.Repeat("\uFDFA", 4000),
		"control":           "<s></s><unk>\x00\x01\u200b\ufeff\u202e",
		"signs":             strings.Repeat("=-*/", 5000),
	} {
		v := e.Vector(s)
		length := math.Sqrt(cosineTo(v, v))
		require.True(t, math.Abs(length-1) < 1e-5 || length == 0, "%s: %g", name, length)
		w := &work{}
		p, _ := e.pieces(w, s)
		require.LessOrEqual(t, len(p), maxPieces, name)
		require.True(t, utf8.Valid(w.text), name)
	}
	long := strings.Repeat("cart ", maxRunes/5)
	require.Equal(t, e.Vector(long), e.Vector(long+"login button"))
}

func cosineTo(a, b []float32) (sum float64) {
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

func TestNearWordsAreNear(t *testing.T) {
	t.Parallel()
	v := encoder(t).Vector
	for _, x := range [][3]string{
		{"the cart total is wrong", "order amount in the basket is incorrect", "the login page does not load"},
		{"弹窗无法关闭", "对话框点了关闭也没有反应", "购物车金额计算错误"},
		{"the login page does not load", "登录页打不开", "购物车金额计算错误"},
	} {
		require.Greater(t, cosineTo(v(x[0]), v(x[1])), cosineTo(v(x[0]), v(x[2])), x[0])
	}
}

func TestEmbed(t *testing.T) {
	t.Parallel()
	e := encoder(t)
	got, err := e.Embed(t.Context(), []string{"login", "", "登录"})
	require.NoError(t, err)
	require.Equal(t, [][]float32{e.Vector("login"), make([]float32, dims), e.Vector("登录")}, got)
}

func TestTanh(t *testing.T) {
	t.Parallel()
	for x := -25.0; x < 25; x += .01 {
		require.InDelta(t, math.Tanh(x), tanh(x), 1e-13)
	}
	require.InDelta(t, 1, tanh(math.Inf(1)), 0)
	require.InDelta(t, 1, math.Abs(tanh(math.NaN())), 0)
}

// BenchmarkVector has the texts of recipe.py bench, which measures the package of Python beside it.
func BenchmarkVector(b *testing.B) {
	e := encoder(b)
	for _, n := range []int{10, 32, 128} {
		b.Run(fmt.Sprintf("pieces=%d", n), func(b *testing.B) {
			text := strings.TrimSpace(strings.Repeat("cart total ", n/2-1))
			p, _ := e.pieces(&work{}, text)
			require.Len(b, p, n-2) // and the beginning and the end
			for b.Loop() {
				e.compute(text)
			}
		})
	}
}

// BenchmarkOpen measures the work of the first call of Default, and of the first text.
func BenchmarkOpen(b *testing.B) {
	b.Run("header", func(b *testing.B) {
		for b.Loop() {
			if _, err := parse(builtin); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("tables", func(b *testing.B) {
		for b.Loop() {
			openNetwork(encoder(b).weights)
		}
	})
}
