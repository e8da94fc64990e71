package server

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestNextAt: every day once, on the days too on which clocks are set.
func TestNextAt(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	require.NoError(t, err)
	for _, day := range []time.Time{ // clocks go forward, and back, at night on the second day
		time.Date(2026, 3, 28, 12, 0, 0, 0, berlin), time.Date(2026, 10, 24, 12, 0, 0, 0, berlin),
	} {
		at := day
		for i := range 3 {
			next := nextAt(at, 2, 30)
			require.Equal(t, day.Day()+1+i, next.Day(), "%s", next)
			require.Greater(t, next.Sub(at), 10*time.Hour)
			at = next
		}
	}
}

// TestSchedule: every tree evolves in turn, a missed run is made up once, and the job, the metrics and the stored
// state report it.
func TestSchedule(t *testing.T) {
	ran := []string{}
	var w *world
	w = newWorld(t, func(o *Options) {
		o.Pause = func(_ context.Context, d time.Duration) bool {
			w.now = w.now.Add(d)
			return w.now.Before(time.Date(2026, 3, 3, 1, 0, 0, 0, time.UTC))
		}
	})
	n := Nightly{
		At: "02:30",
		Last: func(tree string) time.Time {
			if tree == "other" {
				return w.now.Add(-30 * time.Hour)
			}
			return time.Time{}
		},
		Ran: func(tree string, at time.Time) { ran = append(ran, tree+at.Format(" 02 15:04")) },
	}
	require.NoError(t, w.s.RunSchedule(t.Context(), n))
	require.Equal(t, []string{"other 01 12:00", "default 02 02:30", "other 02 02:30"}, ran)
	a := w.ask("GET", "/v1/trees/default/jobs/j1", w.token("reader", nil, "read"), "")
	require.Equal(t, bySchedule, decode[JobView](t, a).By)
	a = w.ask("GET", "/metrics", w.token("chief", nil, "admin"), "")
	require.Contains(t, a.Body, `memtree_scheduled_evolves_total{tree="other",state="done"} 2`)
	page := w.visit("GET", "/trees/other/health", w.token("ann", nil, "read"), "", "Accept-Language", "en").Body
	require.Contains(t, page, "every day at 02:30 · last 2026-03-02 02:30 UTC · next 2026-03-03 02:30 UTC")
	require.Error(t, w.s.RunSchedule(t.Context(), Nightly{At: "25:00"}))
	require.NoError(t, w.s.RunSchedule(t.Context(), Nightly{At: "off"}))
}
