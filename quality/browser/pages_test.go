package browser

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// mostWeight is the size limit of a page with its style and script, in bytes.
const mostWeight = 100_000

// all returns the paths of a tree's pages.
func (w *world) all() []string {
	const in = "/trees/default/"
	lesson := w.lesson()
	return []string{
		in + "overview", in + "overview?weeks=all", in + "verdicts", in + "inbox", in + "inbox?suite=none&direction=false_pass", in + "memories", in + "memories?level=all&state=all", in + "memories?words=zzzz",
		in + "memories/" + lesson.ID, in + "memories/" + lesson.ID + "/edit", in + "memories/" + lesson.Children[0],
		in + "facts", in + "facts?state=out", in + "facts/" + w.fact(), in + "map", in + "map?find=Save&page=/facts", in + "teach", in + "drawing", in + "drawing?colour=wrong&zoom=3", in + "drawing?in=/&find=o", in + "runs", in + "runs?like=explore+the+shop", in + "runs/explore", in + "coming?all=1", in + "jobs",
		in + "ask", in + "ask?prompt=" + url.QueryEscape(w.asked(lesson.Children[0])), in + "effect", in + "review",
		in + "history", w.draft(), in + "health", "/trees/empty/overview", "/trees/empty/facts", "/trees/empty/map", "/trees/empty/coming", "/trees/empty/history", "/trees/empty/verdicts", "/trees/empty/inbox", "/trees/empty/effect", "/trees/empty/memories", "/trees/empty/review",
		"/trees/none/inbox", "/login",
	}
}

// draft returns the path of the first draft that waits.
func (w *world) draft() string {
	waiting, err := w.m.Review().Proposals(w.t.Context())
	require.NoError(w.t, err)
	require.NotEmpty(w.t, waiting)
	return "/trees/default/review/" + waiting[0].Key
}

// asked returns the prompt of a case.
func (w *world) asked(id string) string {
	n, err := w.m.Tree().Get(w.t.Context(), id)
	require.NoError(w.t, err)
	return n.CaseData.TestCase.Prompt
}

// fault is a finding of axe.
type fault struct {
	ID, Impact, Help string
	Nodes            []string
}

const askAxe = `axe.run(document).then(function (r) {
  return r.violations.map(function (v) {
    return {ID: v.id, Impact: v.impact || "", Help: v.help, Nodes: v.nodes.map(function (n) { return n.html; }).slice(0, 3)};
  });
})`

// TestEveryPage opens every page in both languages and colour schemes, on a telephone and on a desktop: nothing
// overflows, the page is small, axe finds no serious fault, and the policy is not violated.
func TestEveryPage(t *testing.T) {
	axe, err := os.ReadFile("node_modules/axe-core/axe.min.js")
	require.NoError(t, err, "make browser fetches axe")
	w := newWorld(t)
	w.fill()
	c := newChrome(t, w.url)
	c.signIn(w)
	paths, visits, heaviest, slight := w.all(), 0, 0, map[string]int{}
	for _, lang := range []string{"en", "zh"} {
		c.speak(lang)
		for _, scheme := range []string{"light", "dark"} {
			for _, width := range []int64{360, 1280} {
				c.look(width, scheme)
				for _, path := range paths {
					what := fmt.Sprintf("%s %s %d %s", lang, scheme, width, path)
					c.visit(path)
					visits++
					require.LessOrEqual(t, eval[int64](c, "document.documentElement.scrollWidth"), width, what)
					require.Equal(t, lang, eval[string](c, "document.documentElement.lang"), what)
					weight := eval[int](c, `performance.getEntriesByType("navigation").concat(`+
						`performance.getEntriesByType("resource")).reduce((n, e) => n + e.decodedBodySize, 0)`)
					require.LessOrEqual(t, weight, mostWeight, what)
					heaviest = max(heaviest, weight)
					c.run(chromedp.Evaluate(string(axe), nil))
					for _, f := range c.axe() {
						if f.Impact == "serious" || f.Impact == "critical" {
							t.Errorf("%s: %s: %s\n%q", what, f.ID, f.Help, f.Nodes)
						} else {
							slight[f.ID]++
						}
					}
					require.Empty(t, c.stopped(), what)
				}
			}
		}
	}
	require.Zero(t, c.alerts.Load())
	t.Logf("%d visits to %d pages; the heaviest has %d bytes; slighter faults: %v", visits, len(paths), heaviest, slight)
}

func (c *chrome) axe() (out []fault) {
	c.t.Helper()
	c.run(chromedp.Evaluate(askAxe, &out, func(p *runtime.EvaluateParams) *runtime.EvaluateParams {
		return p.WithAwaitPromise(true)
	}))
	return out
}

// TestShots writes screenshots of the pages to the folder MEMTREE_SHOTS, for people.
func TestShots(t *testing.T) {
	dir := os.Getenv("MEMTREE_SHOTS")
	if dir == "" {
		t.Skip("set MEMTREE_SHOTS to a folder")
	}
	w := newWorld(t)
	w.fill()
	c := newChrome(t, w.url)
	c.signIn(w)
	lesson, in := w.lesson(), "/trees/default/"
	pages := map[string]string{
		"overview": in + "overview", "verdicts": in + "verdicts", "history": in + "history", "draft": w.draft(), "empty-overview": "/trees/empty/overview",
		"inbox": in + "inbox", "lesson": in + "memories/" + lesson.ID, "case": in + "memories/" + lesson.Children[0],
		"effect": in + "effect", "ask": in + "ask?prompt=" + url.QueryEscape(w.asked(lesson.Children[0])),
		"review": in + "review", "memories": in + "memories", "edit": in + "memories/" + lesson.ID + "/edit",
		"health": in + "health", "empty-effect": "/trees/empty/effect", "empty-inbox": "/trees/empty/inbox",
	}
	for _, lang := range []string{"en", "zh"} {
		c.speak(lang)
		for _, scheme := range []string{"light", "dark"} {
			for _, width := range []int64{360, 1280} {
				c.look(width, scheme)
				for name, path := range pages {
					c.visit(path)
					var b []byte
					c.run(chromedp.ActionFunc(func(ctx context.Context) error {
						return chromedp.CaptureScreenshot(&b).Do(ctx)
					}))
					file := fmt.Sprintf("%s-%s-%s-%d.png", name, lang, scheme, width)
					require.NoError(t, os.WriteFile(filepath.Join(dir, file), b, 0o600))
				}
			}
		}
	}
}
