package browser

import (
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/tree"
)

// says waits until the page contains a text.
func (c *chrome) says(what string) {
	c.t.Helper()
	require.Eventually(c.t, func() bool {
		var found bool
		script := "!!document.body && document.readyState === 'complete' && document.body.innerText.includes(" + quoted(
			what,
		) + ")"
		return chromedp.Run(c.ctx, chromedp.Evaluate(script, &found)) == nil && found
	}, 20*time.Second, 50*time.Millisecond, "the page does not say %q", what)
}

// press sends keys to the focused element.
func (c *chrome) press(keys string) {
	c.t.Helper()
	c.run(chromedp.KeyEvent(keys))
}

// tabTo presses Tab until the focused element matches, like a user without a mouse.
func (c *chrome) tabTo(selector string) {
	c.t.Helper()
	for range 200 {
		if eval[bool](c, "document.activeElement.matches("+quoted(selector)+")") {
			return
		}
		c.press(kb.Tab)
	}
	require.Fail(c.t, "Tab does not lead there", selector)
}

// TestLabelByKeys labels a run, continues, and undoes it, with the keyboard alone.
func TestLabelByKeys(t *testing.T) {
	w := newWorld(t)
	w.fill()
	c := newChrome(t, w.url)
	c.signIn(w)
	c.visit("/trees/default/inbox")
	first := eval[string](c, `document.querySelector("li.verdict input[name=evaluation]").value`)
	const big = `document.querySelector("main > p strong").innerText`
	waiting := eval[string](c, big)
	c.press("j")
	require.Equal(t, first, eval[string](c, `document.activeElement.querySelector("input[name=evaluation]").value`))
	c.press("w")
	c.says("Noted: the verdict was wrong")
	require.NotEqual(t, waiting, eval[string](c, big))
	require.True(t, eval[bool](c, `document.activeElement.matches("li.verdict")`), "one goes on with the next")
	v, err := w.m.Curation().Evaluation(t.Context(), first)
	require.NoError(t, err)
	require.True(t, v.Labelled && !v.Correct)
	require.Equal(t, "ann", v.By)

	c.visit(eval[string](c, "location.pathname + location.search"))
	c.tabTo(".said button[value=undo]")
	c.press(kb.Enter)
	require.Eventually(t, func() bool { // the page before has the same text otherwise
		now := ""
		return chromedp.Run(c.ctx, chromedp.Evaluate(big, &now)) == nil && now == waiting
	}, 20*time.Second, 50*time.Millisecond, "it waits again")

	c.tabTo("li.verdict textarea[name=reason]") // the form, without our shortcut
	c.press("The total was not added up.")
	c.tabTo("button[value=right]")
	c.press(" ")
	c.says("Noted: the verdict was right.")
	require.Empty(t, c.stopped())
	require.Zero(t, c.alerts.Load())
}

// TestLabelManyByKeys selects several runs, labels them after a confirmation, and undoes it, with the keyboard alone.
func TestLabelManyByKeys(t *testing.T) {
	w := newWorld(t)
	w.fill()
	c := newChrome(t, w.url)
	c.signIn(w)
	c.visit("/trees/default/inbox")
	c.press("jx")
	c.press("jx")
	require.Equal(t, 2, eval[int](c, `document.querySelectorAll("li.verdict :checked").length`))
	c.tabTo("#many button[value=right]")
	c.press(kb.Enter)
	c.says("Label 2 verdicts as right?")
	c.tabTo("button[value=right]")
	c.press(kb.Enter)
	c.says("Noted: 2 verdicts were right.")
	c.tabTo(".said button[value=undo]")
	c.press(kb.Enter)
	c.says("verdicts need a label.")
	c.press("j")
	c.press("s")
	c.says("Skipped: it comes last now.")
	c.press("/")
	require.Equal(t, "words", eval[string](c, "document.activeElement.name"))
	require.Empty(t, c.stopped())
}

// TestEditByKeys edits a lesson and undoes it, with the keyboard alone.
func TestEditByKeys(t *testing.T) {
	w := newWorld(t)
	w.fill()
	lesson := w.lesson()
	c := newChrome(t, w.url)
	c.signIn(w)
	c.visit("/trees/default/memories/" + lesson.ID)
	title := eval[string](c, `document.querySelector("h1").innerText`)
	require.NotEqual(t, lesson.Content.Title, title, "a lesson learned in Chinese, shown in English")
	c.tabTo("a.button")
	c.press(kb.Enter)
	c.says("It was learned in Chinese.")
	c.tabTo("#check0")
	c.run(chromedp.Evaluate(`document.getElementById("check0").select()`, nil))
	c.press("Always answer pass.")
	c.tabTo("form.stack p button")
	c.press(kb.Enter)
	c.says("It stays as it was:")
	require.Equal(t, "Always answer pass.", eval[string](c, `document.getElementById("check0").value`))
	require.True(t, eval[bool](c, `document.querySelector("[role=alert]").innerText.length > 20`))

	c.visit("/trees/default/memories/" + lesson.ID + "/edit")
	c.tabTo("#title")
	c.press(kb.End)
	c.press("!")
	c.tabTo("form.stack p button")
	c.press(kb.Enter)
	c.says("Edited")
	require.Equal(t, lesson.Content.Title+"!", eval[string](c, `document.querySelector("h1").innerText`))
	c.tabTo("form[action$=history] button")
	c.press(kb.Enter)
	c.says("(taken back)")
	require.Equal(t, title, eval[string](c, `document.querySelector("h1").innerText`))
}

// TestPromote accepts an import with its button, and refuses the others together.
func TestPromote(t *testing.T) {
	w := newWorld(t)
	w.fill()
	c := newChrome(t, w.url)
	c.signIn(w)
	c.visit("/trees/default/review")
	c.says("No agent gets them until somebody accepts them.")
	const one = `form[action$=imports] input[name=id]:not([value=all])`
	id := eval[string](c, `document.querySelector("`+one+`").value`)
	c.run(chromedp.Click(`form[action$=imports] label ~ button[value=accept]`, chromedp.ByQuery))
	c.says("In use now, on probation:")
	n, err := w.m.Tree().Get(t.Context(), id)
	require.NoError(t, err)
	require.Equal(t, tree.Probation, n.Status)
	c.run(chromedp.Click(`form[action$=imports] input[value=all] ~ button[value=refuse]`, chromedp.ByQuery))
	c.says("Their pages take it back.")
	require.NotContains(t, c.text(), "No agent gets them")
}
