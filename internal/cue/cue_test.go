package cue

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/taxonomy"
)

func TestFind(t *testing.T) {
	for _, c := range []struct {
		phrase, text string
		want         bool
	}{
		{"never clicked", "It never clicks the button.", true},
		{"did not … click", "The agent didn't once really click it", true},
		{"did not … click", "did not do this and that and yet another thing, then click", false},
		{"aria disabled", "aria-disabled=true", true},
		{"total … #", "the total says 41", true},
		{"# rows", "12 rows", true},
		{"# rows", "no rows", false},
		{"没…点", "没有去点", true},
		{"没…点", "没有一二三四五六七八九十点", false},
		{"第#页", "只看了第 1 页", false},
		{"第#页", "只看了第12页", true},
		{"#页只看", "一共 3页只看了", true},
		{"toast", "提示 Toast 就算过", true},
		{"没 refresh", "页面没 Refresh", true},
		{"保存", "Save", false},
	} {
		f := NewMatcher(Gap, []Phrase{{7, c.phrase, 2}})
		var found []Phrase
		f.Find(Read(c.text), func(m Phrase) { found = append(found, m) })
		require.Equal(t, c.want, len(found) > 0, "%q in %q", c.phrase, c.text)
		if c.want {
			require.Equal(t, Phrase{7, c.phrase, 2}, found[0])
		}
	}
}

func TestMissed(t *testing.T) {
	tax, err := taxonomy.Parse("t.yaml", []byte(`checks:
  - id: t_wide
    name: wide
    errorTypes: [content_validation_error]
    missed: {do: Compare it.}
    said: [{weight: 3, say: [gizmo, gadget]}]
  - id: t_narrow
    wider: t_wide
    name: narrow
    errorTypes: [content_validation_error]
    missed: {do: Compare it twice.}
    alarm: {do: Wait.}
    asked: [{weight: 3, say: [widget]}]
    said: [{weight: 3, say: [gizmo, doohickey]}, {weight: 2, say: [thingamajig]}]
    claimed: [{weight: 10, say: [glimmers wondrously]}]
`))
	require.NoError(t, err)
	c := NewCatalogue(tax)
	for _, x := range []struct {
		e    MissTexts
		want string
	}{
		{MissTexts{Said: []string{"the gadget"}, Direction: taxonomy.FalsePass}, "t_wide"},
		{MissTexts{Said: []string{"a gizmo"}, Direction: taxonomy.FalsePass}, "t_narrow"},
		{MissTexts{Said: []string{"a gizmo"}, Direction: taxonomy.FalseFail}, "t_narrow"},
		{MissTexts{Said: []string{"the gadget"}, Direction: taxonomy.FalseFail}, ""},
		{MissTexts{Said: []string{"thingamajig"}, Direction: taxonomy.FalsePass}, ""},
		{MissTexts{Said: []string{"gadget, doohickey"}, Direction: taxonomy.FalsePass}, "t_narrow"},
		{MissTexts{Claimed: "It glimmers wondrously", Direction: taxonomy.FalsePass}, "t_narrow"},
		{MissTexts{Said: []string{"hm"}, Claimed: "It glimmers wondrously", Direction: taxonomy.FalsePass}, ""},
		{MissTexts{}, ""},
	} {
		r, ok := c.Missed(x.e)
		require.Equal(t, x.want, r.Check, "%+v", x.e)
		require.Equal(t, x.want != "", ok)
	}
	require.Contains(t, askedBy(c, "does the Widget work?"), "t_narrow",
		"a check without example tasks is called for by its phrases")
	require.Empty(t, askedBy(c, ""))
}

func askedBy(c *Catalogue, task string) (out []string) {
	asked, _ := c.Task(task)
	for _, r := range asked {
		out = append(out, r.Check)
	}
	return out
}

// Each point of a numbered task calls for a check; small talk calls for none.
func TestAsked(t *testing.T) {
	c := NewCatalogue(taxonomy.Default())
	asked := func(task string) []string { return askedBy(c, task) }
	require.Subset(t, asked("请检测购物车页面：1. 页面标题是否正确显示为“购物车”；2. 总价是否等于各行小计之和"), []string{"exact_text", "recompute"})
	require.Contains(t, asked("Save the new phone number. It is still there after a reload."), "effect_seen")
	require.Empty(t, asked("What is the capital of France?"))
}

func FuzzFind(f *testing.F) {
	f.Add("没…点", "没有去点")
	f.Add("a … #", "a 1")
	f.Fuzz(func(t *testing.T, phrase, s string) {
		x := NewMatcher(Gap, []Phrase{{0, phrase, 1}})
		x.Find(Read(s), func(Phrase) {})
		if strings.TrimSpace(phrase) == "" {
			require.Zero(t, x.words.firsts.Len())
		}
	})
}

func FuzzMayList(f *testing.F) {
	f.Add("1. a 2. b")
	f.Add("①a；②b")
	f.Add("- a\n- b")
	f.Fuzz(func(t *testing.T, s string) {
		if len(numbered().Split(s, mostPoints)) > 2 && !mayList(s) {
			t.Error(s)
		}
	})
}
