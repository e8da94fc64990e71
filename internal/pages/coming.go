package pages

import (
	"html/template"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/memtree/memtree/brief"
)

// comingData is the coming tests, with their briefs.
type comingData struct {
	brief.BookStats
	Words string // only tests that contain these words; "": all
	All   bool   // show tests without a pick too
	Tests []testWithPicks
	More  int // tests that are not shown
}

// testWithPicks is a test with its picks.
type testWithPicks struct {
	brief.Brief
	Picks []comingPick
}

// comingPick is a pick with the title of its memory.
type comingPick struct {
	brief.Pick
	Title string
}

// By returns who read the test, and the date; "" if nobody did, or if the answer could not be used.
func (t *testWithPicks) By() string {
	if t.UpTo == 0 || t.Refused {
		return ""
	}
	return t.Read.By + ", " + t.Read.At.Format(time.DateOnly)
}

// Ask returns the URL query with which the page "ask" shows the guidance for the test.
func (t *testWithPicks) Ask() template.URL {
	at := "scene"
	if strings.HasPrefix(t.Place, "/") {
		at = "route"
	}
	q := url.Values{"prompt": {t.Prompt}, "product": {t.Product}, "suite": {t.Suite}, "test": {t.ID}, at: {t.Place}}
	return template.URL(q.Encode()) //nolint:gosec // it is encoded
}

// comingMost is the maximum number of tests on a page.
const comingMost = 100

// coming lists coming tests: those with a memory first, the latest named first.
func (s *Site) coming(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	d := comingData{BookStats: v.Memory.Briefs().Known(), Words: field(r, "words"), All: field(r, "all") != ""}
	words := strings.ToLower(d.Words)
	for _, f := range v.Memory.Briefs().Coming() {
		if len(f.Picks) == 0 && !d.All && d.Words == "" || !strings.Contains(strings.ToLower(f.Prompt), words) {
			continue
		}
		if len(d.Tests) == comingMost {
			d.More++
			continue
		}
		t := testWithPicks{Brief: f}
		for _, p := range f.Picks {
			t.Picks = append(t.Picks, comingPick{p, s.title(r, v, p.ID)})
		}
		d.Tests = append(d.Tests, t)
	}
	title := s.speech(v.Lang).say("Coming tests")
	return s.render(w, http.StatusOK, s.page(r, v, "coming", title, &d))
}
