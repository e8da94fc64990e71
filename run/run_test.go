package run_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/appmap"
	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/run"
	"github.com/memtree/memtree/tree"
)

// world is runs over a ledger in memory.
type world struct {
	*run.Runs
	log *run.Log
	es  []ledger.Entry
	now time.Time
	end []string
}

func newWorld() *world {
	w := &world{log: run.NewLog(), now: time.Date(2026, 5, 1, 8, 0, 0, 0, time.UTC)}
	w.Runs = run.New(run.Options{
		View: func(_ context.Context, read func(*run.Log)) error { read(w.log); return nil },
		Write: func(_ context.Context, es []ledger.Entry) error {
			for i := range es {
				if err := es[i].Check(); err != nil {
					return err
				}
				w.es = append(w.es, es[i])
				w.log.Add(&es[i])
			}
			return nil
		},
		Clean: func(s string) string { return strings.ReplaceAll(s, "hunter2", "[secret]") },
		Page:  appmap.PageOf, Now: func() time.Time { return w.now },
		Ended: func(_ context.Context, r run.Run) error { w.end = append(w.end, r.ID); return nil },
	})
	return w
}

func (w *world) start(t *testing.T, id, goal string) {
	t.Helper()
	_, err := w.Start(t.Context(), ledger.Work{Run: id, Text: goal, By: "bot", Product: "shop"})
	require.NoError(t, err)
}

func (w *world) add(t *testing.T, list ...ledger.Work) run.Accepted {
	t.Helper()
	out, err := w.Add(t.Context(), list)
	require.NoError(t, err)
	return out
}

func field(t *testing.T, err error) string {
	t.Helper()
	var f *tree.FieldError
	require.ErrorAs(t, err, &f)
	return f.Field[strings.LastIndex(f.Field, ".")+1:]
}

// A run is what its updates say; another agent goes on from it, and sees who else writes.
func TestRun(t *testing.T) {
	w := newWorld()
	w.start(t, "r", "Explore the shop")
	w.add(t,
		ledger.Work{Run: "r", Kind: ledger.WorkTask, By: "bot", Task: "1", State: "doing", Text: "look at the cart"},
		ledger.Work{Run: "r", Kind: ledger.WorkTask, By: "bot", Task: "2", State: "open", Text: "pay"},
		ledger.Work{Run: "r", Kind: ledger.WorkVisit, By: "bot", Page: "https://shop.test/orders/42?x=1"},
		ledger.Work{Run: "r", Kind: ledger.WorkVisit, By: "bot", Page: "https://shop.test/orders/43"},
		ledger.Work{Run: "r", Kind: ledger.WorkTested, By: "bot", Page: "/cart", Name: "Add"},
		ledger.Work{Run: "r", Kind: ledger.WorkFinding, By: "bot", Page: "/cart", State: "high",
			Text: "password hunter2 is shown"},
		ledger.Work{Run: "r", Kind: ledger.WorkValue, By: "bot", Name: "order", Text: "42"},
	)
	w.now = w.now.Add(time.Minute)
	r, err := w.Resume(t.Context(), "r", "other")
	require.NoError(t, err)
	require.Equal(t, "bot", r.Beside)
	require.Equal(t, time.Minute, r.Idle)
	require.Equal(t, []string{"2"}, []string{r.Next[0].ID})
	require.Equal(t, "1", r.Taken[0].ID, "bot does it")
	require.Equal(t, []run.Visit{{Page: "/orders/:p", Times: 2, Last: r.Run.Began}}, r.Run.Visited)
	require.Equal(t, "password [secret] is shown", r.Run.Of(ledger.WorkFinding)[0].Text)
	require.Equal(t, map[string]string{"order": "42"}, r.Run.Values)

	done := ledger.Work{Run: "r", Kind: ledger.WorkTask, By: "other", Task: "1", State: "done"}
	_, err = w.Add(t.Context(), []ledger.Work{done})
	require.Equal(t, "task", field(t, err))
	require.ErrorContains(t, err, `which "bot" does`)
	did := w.add(t, ledger.Work{Run: "r", Kind: ledger.WorkNote, By: "other", Text: "I look at the rest"})
	require.Equal(t, "bot", did.Beside)
	w.now = w.now.Add(5 * time.Minute)
	w.add(t, done) // bot was not heard of for longer than its lease
	w.add(t, ledger.Work{Run: "r", Kind: ledger.WorkEnd, By: "other", State: "partial", Text: "no card to pay with"})
	got, err := w.Get(t.Context(), "r")
	require.NoError(t, err)
	require.Equal(t, run.Partial, got.State)
	require.Empty(t, got.Values, "values end with the run")
	require.Equal(t, []string{"bot", "other"}, got.Agents)
	require.Equal(t, []string{"r"}, w.end)
	_, err = w.Resume(t.Context(), "r", "bot")
	require.Equal(t, "run", field(t, err))
	w.add(t, ledger.Work{Run: "r", Kind: ledger.WorkFeedback, By: "ann", Rating: 5, Text: "well seen"})
	for _, lang := range []string{"en", "zh"} {
		got, err = w.Get(t.Context(), "r")
		require.NoError(t, err)
		page := run.Markdown(&got, lang)
		require.Contains(t, page, "password [secret] is shown (/cart) [high]")
		require.Contains(t, page, "- [ ] 2: pay")
		require.Contains(t, page, "well seen")
	}
}

// A task has one agent: who takes it while another one does it is refused, and of two that take it at the same moment
// the first has it, and the second is told.
func TestTwoAgents(t *testing.T) {
	w := newWorld()
	w.start(t, "r", "Explore the shop")
	take := func(by, state string) ledger.Work {
		return ledger.Work{Run: "r", Kind: ledger.WorkTask, By: by, Task: "1", State: state}
	}
	w.add(t, take("a", "doing"))
	_, err := w.Add(t.Context(), []ledger.Work{take("b", "doing")})
	require.Equal(t, "task", field(t, err))
	w.add(t, take("b", "open")) // it plans what is planned
	got, err := w.Get(t.Context(), "r")
	require.NoError(t, err)
	require.Equal(t, "a", got.Tasks[0].By)
	require.Equal(t, "doing", got.Tasks[0].State)
	w.add(t, take("a", "done"))
	w.add(t, take("b", "open"))
	w.add(t, take("", "doing"))
	w.add(t, take("b", "doing")) // an agent without a name takes nothing

	both := 0 // writers that have looked and not written
	race := run.New(run.Options{
		View: func(_ context.Context, read func(*run.Log)) error { read(w.log); return nil },
		Write: func(_ context.Context, es []ledger.Entry) error {
			if both++; both == 1 { // the other one comes first
				first := ledger.Work{Run: "r", Kind: ledger.WorkTask, By: "a", Task: "2", State: "doing"}
				w.log.Add(&ledger.Entry{At: w.now, Work: &first})
			}
			for i := range es {
				w.log.Add(&es[i])
			}
			return nil
		},
		Clean: func(s string) string { return s }, Page: appmap.PageOf, Now: func() time.Time { return w.now },
	})
	two := ledger.Work{Run: "r", Kind: ledger.WorkTask, By: "b", Task: "2", State: "doing"}
	did, err := race.Add(t.Context(), []ledger.Work{two})
	require.NoError(t, err)
	require.Equal(t, []string{"2"}, did.Taken)
	got, err = w.Get(t.Context(), "r")
	require.NoError(t, err)
	require.Equal(t, "a", got.Tasks[1].By)
}

func TestUpdatesOfNowhere(t *testing.T) {
	w := newWorld()
	w.start(t, "r", "Explore the shop")
	for name, c := range map[string]struct {
		work  ledger.Work
		field string
	}{
		"no run":            {ledger.Work{Run: "x", Kind: ledger.WorkNote, Text: "a"}, "run"},
		"no name":           {ledger.Work{Kind: ledger.WorkNote, Text: "a"}, "run"},
		"no kind":           {ledger.Work{Run: "r", Text: "a"}, "kind"},
		"another kind":      {ledger.Work{Run: "r", Kind: "dance", Text: "a"}, "kind"},
		"no text":           {ledger.Work{Run: "r", Kind: ledger.WorkError}, "text"},
		"a megabyte":        {ledger.Work{Run: "r", Kind: ledger.WorkNote, Text: strings.Repeat("a", 1<<20)}, "text"},
		"no task":           {ledger.Work{Run: "r", Kind: ledger.WorkTask, State: "open"}, "task"},
		"a state of others": {ledger.Work{Run: "r", Kind: ledger.WorkTask, Task: "1", State: "success"}, "state"},
		"no state":          {ledger.Work{Run: "r", Kind: ledger.WorkEnd}, "state"},
		"no page":           {ledger.Work{Run: "r", Kind: ledger.WorkVisit}, "page"},
		"no element":        {ledger.Work{Run: "r", Kind: ledger.WorkTested, Page: "/a"}, "name"},
		"rated too early":   {ledger.Work{Run: "r", Kind: ledger.WorkFeedback, Rating: 3}, "kind"},
		"six of five":       {ledger.Work{Run: "r", Kind: ledger.WorkFeedback, Rating: 6}, "rating"},
		"a long name":       {ledger.Work{Run: "r", Kind: ledger.WorkVisit, Page: strings.Repeat("/a", 2000)}, "page"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := w.Add(t.Context(), []ledger.Work{{Run: "r", Kind: ledger.WorkNote, Text: "first"}, c.work})
			require.Equal(t, c.field, field(t, err))
			got, err := w.Get(t.Context(), "r")
			require.NoError(t, err)
			require.Empty(t, got.Notes, "all or none")
		})
	}
	_, err := w.Start(t.Context(), ledger.Work{Run: "r", Text: "again"})
	require.Equal(t, "run", field(t, err))
	_, err = w.Add(t.Context(), make([]ledger.Work, run.MostUpdates+1))
	require.Equal(t, "updates", field(t, err))
	_, err = w.Get(t.Context(), "x")
	require.ErrorIs(t, err, tree.ErrNotFound)
}

// An update that is handed in again, as after a lost answer, changes nothing.
func TestKeys(t *testing.T) {
	w := newWorld()
	w.start(t, "r", "Explore the shop")
	note := ledger.Work{Run: "r", By: "bot", Kind: ledger.WorkNote, Text: "the cart is empty", Key: "1"}
	require.Equal(t, run.Accepted{Updates: 1, Known: 1}, w.add(t, note, note))
	require.Equal(t, run.Accepted{Known: 1}, w.add(t, note))
	got, err := w.Get(t.Context(), "r")
	require.NoError(t, err)
	require.Len(t, got.Notes, 1)
}

func TestLimits(t *testing.T) {
	w := newWorld()
	w.start(t, "r", "Explore the shop")
	var list []ledger.Work
	for i := range run.MostTasks {
		list = append(list, ledger.Work{Run: "r", Kind: ledger.WorkTask, Task: fmt.Sprint(i), State: "open"})
	}
	for from := 0; from < len(list); from += run.MostUpdates {
		w.add(t, list[from:from+run.MostUpdates]...)
	}
	_, err := w.Add(t.Context(), []ledger.Work{{Run: "r", Kind: ledger.WorkTask, Task: "more", State: "open"}})
	require.Equal(t, "task", field(t, err))
	w.add(t, ledger.Work{Run: "r", Kind: ledger.WorkTask, Task: "7", State: "done"})

	w.add(t, ledger.Work{Run: "r", Kind: ledger.WorkDecision, Text: "the first decision"})
	for range 3 {
		notes := make([]ledger.Work, 1000)
		for i := range notes {
			notes[i] = ledger.Work{Run: "r", Kind: ledger.WorkNote, Text: "seen"}
		}
		w.add(t, notes...)
	}
	got, err := w.Get(t.Context(), "r")
	require.NoError(t, err)
	require.Len(t, got.Notes, 2000)
	require.Equal(t, 1001, got.Left)
	require.Equal(t, "the first decision", got.Of(ledger.WorkDecision)[0].Text)

	full := strings.Repeat("v", ledger.MaxWork)
	for i := 0; ; i++ {
		_, err = w.Add(t.Context(), []ledger.Work{{Run: "r", Kind: ledger.WorkValue, Name: fmt.Sprint(i), Text: full}})
		if err != nil {
			require.Equal(t, "text", field(t, err))
			require.Equal(t, run.MostValues/(ledger.MaxWork+1), i)
			break
		}
	}
	w.add(t, ledger.Work{Run: "r", Kind: ledger.WorkValue, Name: "0"})
	w.add(t, ledger.Work{Run: "r", Kind: ledger.WorkValue, Name: "new", Text: "there is room again"})
}

func TestOldRunsGo(t *testing.T) {
	w := newWorld()
	for i := range 1005 {
		w.now = w.now.Add(time.Minute)
		id := fmt.Sprintf("r%04d", i)
		w.start(t, id, "Explore the shop")
		if i == 0 {
			w.add(t, ledger.Work{Run: id, Kind: ledger.WorkEnd, State: "success"},
				ledger.Work{Run: id, Kind: ledger.WorkVisit, Page: "/"}) // an update after the end is refused below
		}
	}
	require.Equal(t, 1000, w.log.Len())
	w.now = w.now.Add(31 * 24 * time.Hour)
	w.start(t, "later", "Explore the shop")
	require.Equal(t, 1, w.log.Len())
}

// A log that is dropped and folded again is the same byte for byte, and so is one that was saved in between.
func TestFold(t *testing.T) {
	w := newWorld()
	w.start(t, "a", "Explore the shop")
	w.start(t, "b", "Pay with a card")
	for i := range 40 {
		w.now = w.now.Add(time.Second)
		w.add(t, ledger.Work{Run: "a", Kind: ledger.WorkVisit, Page: fmt.Sprintf("/p%d", i%7), Key: fmt.Sprint(i)},
			ledger.Work{Run: "b", Kind: ledger.WorkValue, Name: fmt.Sprint(i % 5), Text: fmt.Sprint(i)},
			ledger.Work{Run: "b", Kind: ledger.WorkTask, Task: fmt.Sprint(i % 3), State: "doing"})
	}
	saved := func(l *run.Log) string {
		var b bytes.Buffer
		require.NoError(t, l.Save(&b))
		return b.String()
	}
	again, half := run.NewLog(), run.NewLog()
	for i := range w.es {
		again.Add(&w.es[i])
		half.Add(&w.es[i])
		if i == len(w.es)/2 {
			loaded, err := run.Load(strings.NewReader(saved(half)))
			require.NoError(t, err)
			half = loaded
		}
	}
	require.Equal(t, saved(w.log), saved(again))
	require.Equal(t, saved(w.log), saved(half))
	for _, bad := range []string{"", "{}", saved(again)[:100], saved(again) + "x"} {
		_, err := run.Load(strings.NewReader(bad))
		require.Error(t, err)
	}
}

// Like runs are found by their goal, and what three of them failed of is proposed.
func TestEpisodes(t *testing.T) {
	w := newWorld()
	for i, why := range []string{
		"The coupon field rejects every code until the cart is reloaded",
		"All codes were rejected by the coupon field until the cart was reloaded",
		"The coupon field rejects a code before the cart is reloaded",
		"The card was declined",
	} {
		id := fmt.Sprint(i)
		w.now = w.now.Add(time.Hour)
		w.start(t, id, "Apply a coupon code in the cart")
		w.add(t, ledger.Work{Run: id, Kind: ledger.WorkEnd, State: "failure", Text: why})
		got, err := w.Get(t.Context(), id)
		require.NoError(t, err)
		said, err := w.Common(t.Context(), &got)
		require.NoError(t, err)
		require.Equal(t, i >= 2, said != "", "%d: %s", i, said)
	}
	w.start(t, "other", "Read the imprint")
	w.add(t, ledger.Work{Run: "other", Kind: ledger.WorkEnd, State: "success"})
	w.add(t, ledger.Work{Run: "0", Kind: ledger.WorkFeedback, Rating: 5})
	like, err := w.Like(t.Context(), "apply another coupon code", run.Filter{}, 3)
	require.NoError(t, err)
	require.Len(t, like, 3)
	require.Equal(t, "0", like[0].ID, "it was rated best")
	none, err := w.Like(t.Context(), "Play some jazz", run.Filter{}, 0)
	require.NoError(t, err)
	require.Empty(t, none)
	list, err := w.Find(t.Context(), run.Filter{State: run.Failure, Words: "declined"}, 0)
	require.NoError(t, err)
	require.Len(t, list, 1)
}

func TestWriteFails(t *testing.T) {
	broken := errors.New("disk full")
	r := run.New(run.Options{
		View:  func(_ context.Context, read func(*run.Log)) error { read(run.NewLog()); return nil },
		Write: func(context.Context, []ledger.Entry) error { return broken },
		Clean: func(s string) string { return s }, Page: appmap.PageOf, Now: time.Now,
	})
	_, err := r.Start(t.Context(), ledger.Work{Text: "Explore"})
	require.ErrorIs(t, err, broken)
}

// TestStartSpelled: a run begins under an id of one line, and Start and Get take the id as it was spelled. An id that
// is taken is refused in every spelling, and one without a letter is refused.
func TestStartSpelled(t *testing.T) {
	w := newWorld()
	for spelled, id := range map[string]string{"a\nb": "a b", "  pad  ": "pad", "tab\tx": "tab x", "c\n": "c"} {
		r, err := w.Start(t.Context(), ledger.Work{Run: spelled, Text: "go"})
		require.NoError(t, err, "%q", spelled)
		require.Equal(t, id, r.ID)
		for _, as := range []string{spelled, id} {
			r, err = w.Get(t.Context(), as)
			require.NoError(t, err)
			require.Equal(t, id, r.ID)
			_, err = w.Start(t.Context(), ledger.Work{Run: as, Text: "go"})
			require.ErrorContains(t, err, "resume it")
		}
	}
	_, err := w.Start(t.Context(), ledger.Work{Run: "\n", Text: "go"})
	require.Equal(t, "run", field(t, err))
}
