package taxonomy

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDefaultHasTheDesignsTypes(t *testing.T) {
	groups := map[string]string{
		"state_detection_error": "state", "async_timing_error": "state",
		"element_locating_error": "element", "content_validation_error": "element",
		"interaction_sequence_error": "interaction", "form_validation_error": "interaction",
		"business_rule_error": "business", "edge_case_error": "business", OtherError: "other",
	}
	tax := Default()
	require.Len(t, tax.ErrorTypes(), len(groups))
	for _, e := range tax.ErrorTypes() {
		require.Equal(t, groups[e.ID], e.Group, e.ID)
		_, ok := tax.group(e.Group)
		require.True(t, ok)
		both(t, e.ID, e.Name, e.Description, e.Checklist)
		if e.ID != OtherError {
			both(t, e.ID, e.Brief)
			require.Less(t, len(e.Brief.EN), len(e.Checklist.EN), e.ID)
			require.Less(t, len(e.Brief.ZH), len(e.Checklist.ZH), e.ID)
		}
		require.Empty(t, e.Cues, "only a team gives an error type phrases")
	}
	got, ok := tax.ErrorType("async_timing_error")
	require.True(t, ok)
	require.Equal(t, "异步时序错误", got.Name.In("zh"))
	_, ok = tax.ErrorType("no_such_error")
	require.False(t, ok)
	require.Same(t, tax, Default())
}

func TestScenes(t *testing.T) {
	tax := Default()
	for _, s := range tax.SceneTypes() {
		both(t, s.ID, s.Name, s.Checklist)
	}
	for word, id := range map[string]string{
		"form": "form", "Form": "form", "表单": "form", "表单页": "form", "列表": "list", "Sign In": "login", "sign-in": "login",
		"弹窗": "modal", "date_picker": "datepicker", "数据表格": "table", "search": "search", "dashboard": "dashboard",
	} {
		s, ok := tax.SceneType(word)
		require.True(t, ok, word)
		require.Equal(t, id, s.ID, word)
	}
	for _, word := range []string{"", " ", "airline", "功能缺陷"} {
		_, ok := tax.SceneType(word)
		require.False(t, ok, word)
	}
	login, _ := tax.SceneType("login")
	require.Equal(t, "form", login.Parent)
}

func TestWordsOfScenesAreNotShared(t *testing.T) {
	seen := map[string]string{}
	for _, s := range Default().SceneTypes() {
		for _, w := range append([]string{s.ID, s.Name.EN, s.Name.ZH}, s.Aliases...) {
			if other, ok := seen[fold(w)]; ok {
				require.Equal(t, other, s.ID, "%q means two scene types", w)
			}
			seen[fold(w)] = s.ID
		}
	}
}

func both(t *testing.T, id string, texts ...Text) {
	t.Helper()
	for _, x := range texts {
		require.NotEmpty(t, x.EN, id)
		require.NotEmpty(t, x.ZH, id)
		require.True(t, strings.ContainsFunc(x.ZH, func(r rune) bool { return r > 0x2e80 }), "%s: %s", id, x.ZH)
	}
}

func TestDirections(t *testing.T) {
	for _, d := range []Direction{FalsePass, FalseFail, Other} {
		require.True(t, d.Valid())
		both(t, string(d), d.Name())
		require.Equal(t, d, d.Opposite().Opposite())
	}
	require.False(t, None.Valid())
	require.Empty(t, None.Name())
	require.Equal(t, FalseFail, FalsePass.Opposite())
}

func TestTextIn(t *testing.T) {
	require.Equal(t, "b", Text{EN: "a", ZH: "b"}.In("zh"))
	require.Equal(t, "a", Text{EN: "a", ZH: "b"}.In("fr"))
	require.Equal(t, "a", Text{EN: "a"}.In("zh"))
	require.Equal(t, "b", Text{ZH: "b"}.In("en"))
}

func BenchmarkDefault(b *testing.B) {
	for b.Loop() {
		var s stored
		if err := readFlat(builtinSet, &s); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkParse(b *testing.B) {
	overlay := []byte("errorTypes:\n  - {id: locale_error, group: business, name: a, description: b, checklist: c}\n")
	for b.Loop() {
		if _, err := Parse("memtree.yaml", overlay); err != nil {
			b.Fatal(err)
		}
	}
}
