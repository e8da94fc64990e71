package pages

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/brief"
)

// TestComingPage: tests with and without picks, read and unread, are shown in both languages.
func TestComingPage(t *testing.T) {
	at := time.Date(2026, 3, 9, 0, 0, 0, 0, time.UTC)
	read := brief.Brief{UpcomingTest: brief.UpcomingTest{Prompt: "Count the <cars>", Product: "travel"}, UpTo: 1,
		Read: brief.ReaderInfo{By: "reader-1", At: at}}
	d := comingData{BookStats: brief.BookStats{Tests: 2, Read: 1, Told: 1, New: 1}, More: 3, Tests: []testWithPicks{
		{Brief: read, Picks: []comingPick{{brief.Pick{ID: "c_1", Because: "cars", Say: "Wait."}, "Loading"}}},
		{Brief: brief.Brief{UpcomingTest: brief.UpcomingTest{Prompt: "Say hello"}}},
	}}
	for _, lang := range []string{"en", "zh"} {
		s, err := New()
		require.NoError(t, err)
		w := httptest.NewRecorder()
		f := &pageFrame{Visitor: Visitor{Lang: lang, Tree: "default"}, Page: "coming", Title: "x", Data: &d}
		require.NoError(t, s.render(w, http.StatusOK, f))
		require.Contains(t, w.Body.String(), "Count the &lt;cars&gt;")
		require.Contains(t, w.Body.String(), "<strong>Wait.</strong>")
		require.Contains(t, w.Body.String(), "reader-1, 2026-03-09")
	}
}
