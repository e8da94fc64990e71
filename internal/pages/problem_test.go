package pages

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/curation"
	"github.com/memtree/memtree/find"
	"github.com/memtree/memtree/tree"
)

// What the forms of the pages can be refused for has its Chinese: no English is left in it.
func TestFieldsInChinese(t *testing.T) {
	s, err := New()
	require.NoError(t, err)
	said := s.speech("zh")
	chinese := func(err error) string {
		t.Helper()
		var field *tree.FieldError
		require.ErrorAs(t, err, &field)
		require.NotEmpty(t, said.message(field.Problem), field.Problem)
		text := said.trouble(&Trouble{Cause: err})
		require.NotRegexp(t, `%!|[a-z]{4}`, strings.ReplaceAll(text, `"soon"`, ""))
		return text
	}
	for _, q := range []find.Query{{Since: "soon"}, {Since: "2026-02-02", Until: "2026-01-01"}, {Direction: "soon"},
		{Above: 7}, {Words: strings.Repeat("x", 9000)}} {
		chinese(q.Check())
	}
	require.Contains(t, chinese((&find.Query{Since: "soon"}).Check()), "请写日期，例如 2026-01-28")
	v := team(t)
	c := v.Memory.Curation()
	long := strings.Repeat("字", 2000)
	words := "Reload the page and count the rows."
	for _, l := range []curation.TaughtLesson{{}, {Lesson: "x"}, {Lesson: long + " x x"}, {Lesson: words},
		{Lesson: words, When: strings.Fields("a b c d e f g h i j k l m")}, {Lesson: words, When: []string{long}},
		{Lesson: words, When: []string{"a"}, For: strings.Split("abcdefghijklmnopqrstuvwxyz", "")}} {
		_, err := c.Teach(t.Context(), l, curation.Options{})
		chinese(err)
	}
	right := true
	_, err = c.Label(t.Context(), make([]string, 3000), curation.Truth{Correct: &right}, curation.Options{})
	chinese(err)
	text := said.trouble(&Trouble{Cause: &tree.FieldError{Field: "x", Problem: "is odd"}})
	require.Equal(t, "表单：不能用。没有任何改动。", text)
	require.Contains(t, said.trouble(&Trouble{Kind: "not-found", Cause: errors.New("x")}), "没有这样的页面")
	theirs := &curation.RefusedError{Why: curation.Theirs, By: tree.ByPerson}
	require.NotContains(t, said.trouble(&Trouble{Cause: theirs}), "person")
}
