package gate

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

func taughtLesson(check string, when ...string) *tree.Node {
	return &tree.Node{Type: tree.Experience, Direction: taxonomy.FalsePass,
		Content: tree.Content{AppliesWhen: when, Lessons: []tree.Lesson{{Check: check}}}}
}

// Lessons that say the opposite are told apart from paraphrases and from lessons on something else.
func TestOppositeLessons(t *testing.T) {
	reload := taughtLesson("After the action, reload or open the place where the change should show, and read the value "+
		"there; a success message is not enough.", "a task saves, edits or moves something")
	for _, c := range []struct {
		a, b           *tree.Node
		alike, against bool
	}{
		{taughtLesson("Do not reload the page after saving."), reload, false, true},
		{taughtLesson("Never trust the toast."), taughtLesson("Trust the toast after saving."), false, true},
		{taughtLesson("Compare the time with the depot's time zone, not with the browser's."),
			taughtLesson("Compare the time with the browser's time zone, not with the depot's."), false, true},
		{taughtLesson("保存后不要刷新页面。"), taughtLesson("保存后刷新页面，再看内容。"), false, true},
		{taughtLesson("保存后刷新页面。"), taughtLesson("保存后，刷新页面。"), true, false},
		{taughtLesson("Read the unit beside each number."), taughtLesson("Read the unit next to every number."), true, false},
		{taughtLesson("Do not judge before it is still."), taughtLesson("Do not judge before it is still."), true, false},
		{taughtLesson("Open the attachment and read it."), reload, false, false},
		{taughtLesson("Do not accept a date without its time zone."), reload, false, false},
	} {
		require.Equal(t, c.alike, Alike(&c.a.Content, &c.b.Content), c.a.Content.Lessons[0].Check)
		require.Equal(t, c.alike, Alike(&c.b.Content, &c.a.Content), c.a.Content.Lessons[0].Check)
		require.Equal(t, c.against, Against(c.a, c.b), c.a.Content.Lessons[0].Check)
		require.Equal(t, c.against, Against(c.b, c.a), c.a.Content.Lessons[0].Check)
	}
}
