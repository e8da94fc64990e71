package browser

import (
	"cmp"
	"context"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// chrome is a browser tab. It counts JavaScript dialogs.
type chrome struct {
	t      testing.TB
	ctx    context.Context
	base   string
	alerts atomic.Int64
}

// countPolicy records violations of the page's content security policy, before any script of the page runs.
const countPolicy = `window.__stopped = [];
document.addEventListener("securitypolicyviolation", function (e) {
  window.__stopped.push(e.violatedDirective + " " + e.blockedURI + " " + e.sample);
});`

// profile returns a folder for the browser's profile. The browser may still write to it after its last answer, so
// removal is retried.
func profile(t testing.TB) string {
	dir, err := os.MkdirTemp("", "memtree-browser-")
	require.NoError(t, err)
	t.Cleanup(func() {
		for range 50 {
			if os.RemoveAll(dir) == nil {
				return
			}
			time.Sleep(100 * time.Millisecond)
		}
		t.Logf("%s could not be removed", dir)
	})
	return dir
}

func newChrome(t testing.TB, base string) *chrome {
	t.Helper()
	path := os.Getenv("CHROMIUM")
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			path = cmp.Or(path, found)
		}
	}
	if path == "" {
		t.Skip("there is no Chromium; set CHROMIUM to its path")
	}
	options := []chromedp.ExecAllocatorOption{chromedp.ExecPath(path), chromedp.UserDataDir(profile(t))}
	for flag := range strings.FieldsSeq("headless no-sandbox disable-gpu disable-quic no-first-run disable-sync " +
		"disable-background-networking disable-component-update hide-scrollbars disable-dev-shm-usage") {
		options = append(options, chromedp.Flag(flag, true))
	}
	alloc, end := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(end)
	ctx, stop := chromedp.NewContext(alloc)
	t.Cleanup(stop)
	require.NoError(t, chromedp.Run(ctx), "the browser lives as long as the context of its first action")
	c := &chrome{t: t, ctx: ctx, base: base}
	chromedp.ListenTarget(ctx, func(e any) {
		if _, ok := e.(*page.EventJavascriptDialogOpening); ok {
			c.alerts.Add(1)
			go func() { _ = chromedp.Run(ctx, page.HandleJavaScriptDialog(true)) }() // otherwise the page blocks
		}
	})
	c.run(chromedp.ActionFunc(func(ctx context.Context) error {
		_, err := page.AddScriptToEvaluateOnNewDocument(countPolicy).Do(ctx)
		return err
	}))
	return c
}

func (c *chrome) run(actions ...chromedp.Action) {
	c.t.Helper()
	ctx, done := context.WithTimeout(c.ctx, time.Minute)
	defer done()
	require.NoError(c.t, chromedp.Run(ctx, actions...))
}

// visit goes to a page of the service.
func (c *chrome) visit(path string) {
	c.t.Helper()
	c.run(chromedp.Navigate(c.base + path))
}

// look sets the width and the colour scheme.
func (c *chrome) look(width int64, scheme string) {
	c.t.Helper()
	c.run(chromedp.EmulateViewport(width, 900), emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: scheme},
	}))
}

// speak chooses the language of the pages.
func (c *chrome) speak(lang string) {
	c.t.Helper()
	c.visit("/language?lang=" + lang + "&next=/login")
}

// signIn submits the token in the form.
func (c *chrome) signIn(w *world) {
	c.t.Helper()
	c.visit("/login")
	c.run(chromedp.SendKeys("#token", w.secret+"\r", chromedp.ByID), chromedp.WaitVisible("nav", chromedp.ByQuery))
}

// eval returns the result of a script.
func eval[T any](c *chrome, script string) (out T) {
	c.t.Helper()
	c.run(chromedp.Evaluate(script, &out))
	return out
}

// text returns the text of the page.
func (c *chrome) text() string {
	c.t.Helper()
	return eval[string](c, "document.body.innerText")
}

// stopped returns the violations of the page's content security policy.
func (c *chrome) stopped() []string {
	c.t.Helper()
	return eval[[]string](c, "window.__stopped || []")
}
