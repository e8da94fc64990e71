package evolution

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestGroupsByWhatIsShared(t *testing.T) {
	list := []string{
		"the spinner was still turning", "a spinner was turning when it judged", "a different thing about payment totals",
		"payment totals were never added", "nobody looked at the footer", "合计没有重新算", "合计没有自己重新算一遍",
	}
	texts := weighTexts(list)
	require.Equal(t, [][]int{{0, 1}, {2, 3}, {5, 6}}, texts.groups(0.25))
	require.Empty(t, texts.groups(0.99))
	require.InDelta(t, 1, texts.like(4, 4), 1e-6)
	require.Greater(t, texts.centrality(0, []int{0, 1}), texts.centrality(0, []int{2, 3}))
}

func TestGroupsInAnyOrder(t *testing.T) {
	var list []string
	for i := range 60 {
		list = append(list, fmt.Sprintf("cause%d word%d word%d other%d", i%7, i%7, i%7+10, i))
	}
	want := spelledGroups(list, weighTexts(list).groups(0.3))
	require.Len(t, want, 7)
	r := rand.New(rand.NewPCG(1, 2))
	for range 5 {
		r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		require.Equal(t, want, spelledGroups(list, weighTexts(list).groups(0.3)))
	}
}

// The chains find the same groups as joining the two nearest groups again and again
// until none are near enough.
func TestGroupsAreAverageLinkage(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	var list []string
	for i := range 120 {
		s := "note"
		for j := range 8 {
			if r.IntN(5) > 0 {
				s += fmt.Sprintf(" w%dx%d", i%9, j)
			} else {
				s += fmt.Sprintf(" u%d", r.IntN(500))
			}
		}
		list = append(list, s)
	}
	texts := weighTexts(list)
	for _, join := range []float64{0.2, 0.45, 0.7} {
		groups := make([][]int, len(list))
		for i := range groups {
			groups[i] = []int{i}
		}
		for {
			best, a, b := join, -1, -1
			for i := range groups {
				for j := range i {
					if v := likenessAcross(texts, groups[i], groups[j]); v >= best {
						best, a, b = v, j, i
					}
				}
			}
			if a < 0 {
				break
			}
			groups[a] = append(groups[a], groups[b]...)
			groups = slices.Delete(groups, b, b+1)
		}
		groups = slices.DeleteFunc(groups, func(g []int) bool { return len(g) < 2 })
		require.NotEmpty(t, groups)
		require.Equal(t, spelledGroups(list, groups), spelledGroups(list, texts.groups(join)), "%.2f", join)
	}
}

// likenessAcross returns the average likeness of the texts of two groups.
func likenessAcross(t *weighedTexts, a, b []int) float64 {
	sum := 0.0
	for _, i := range a {
		for _, j := range b {
			sum += t.like(i, j)
		}
	}
	return sum / float64(len(a)*len(b))
}

// A note that is repeated often is one cause, and does not make its tokens common.
func TestRepeatedTexts(t *testing.T) {
	list := slices.Repeat([]string{"the footer was cut off", "nobody scrolled to the end"}, 700)
	groups := weighTexts(list).groups(0.5)
	for _, g := range groups {
		for _, i := range g {
			require.Equal(t, g[0]%2, i%2)
		}
	}
	require.Len(t, groups, 4, "two causes, each in parts of as many as are compared each with each")
	require.InDelta(t, 1, weighTexts(list).average(groups[0]), 1e-6)
	require.InDelta(t, 1, weighTexts(list).average([]int{3}), 1e-6)
	require.Empty(t, weighTexts(nil).groups(0.5))
	require.Empty(t, weighTexts([]string{"", " ", "?"}).groups(0.5), "what has no words is like nothing")
}

func spelledGroups(list []string, groups [][]int) []string {
	var out []string
	for _, g := range groups {
		var one []string
		for _, i := range g {
			one = append(one, list[i])
		}
		slices.Sort(one)
		out = append(out, strings.Join(one, "\n"))
	}
	slices.Sort(out)
	return out
}

func BenchmarkGroups(b *testing.B) {
	r := rand.New(rand.NewPCG(3, 4))
	var list []string
	for range 20_000 {
		var w []string
		for range 12 {
			w = append(w, fmt.Sprintf("w%d", int(r.ExpFloat64()*2000)))
		}
		list = append(list, strings.Join(w, " "))
	}
	b.ReportAllocs()
	for b.Loop() {
		weighTexts(list).groups(0.5)
	}
}
