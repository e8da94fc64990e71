package learned

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/appmap"
	"github.com/memtree/memtree/effect"
	"github.com/memtree/memtree/llm/meter"
	"github.com/memtree/memtree/look"
	"github.com/memtree/memtree/store"
	jsonstore "github.com/memtree/memtree/store/json"
)

// followed boxes: how a writer changes each for the i-th time.
var changes = map[string]func(t *testing.T) (Box, func(i int)){
	"inbox": func(*testing.T) (Box, func(int)) {
		b := NewInbox()
		return b, func(i int) { b.Put(unlabelled(i)) }
	},
	"briefs": func(t *testing.T) (Box, func(int)) {
		b := NewBriefs()
		return b, func(i int) { note(t, b, i) }
	},
	"looks": func(*testing.T) (Box, func(int)) {
		b := look.NewBook()
		return b, func(i int) { b.Put(look.Look{Evaluation: unlabelled(i).ID, Seen: "x"}) }
	},
	"names": func(t *testing.T) (Box, func(int)) {
		b := NewNames()
		return b, func(i int) {
			require.True(t, b.Put(appmap.Thing{Role: "button", Name: unlabelled(i).ID}, []string{"go"}))
		}
	},
	"effect": func(t *testing.T) (Box, func(int)) {
		b := &Brake{}
		return b, func(i int) {
			x := &effect.Breaker{Drawn: i}
			x.All.State = effect.Open
			require.Equal(t, i == 1, b.Set(x), "it opens once")
		}
	},
	"spent": func(t *testing.T) (Box, func(int)) {
		b := NewSpent(noon)
		return b, func(i int) {
			var all meter.Totals
			all = all.Add("m", meter.Spent{Calls: i}, noon)
			var s bytes.Buffer
			require.NoError(t, saveJSON(&s, all))
			require.NoError(t, b.Load(&s))
		}
	},
}

// TestReadersFollowBoxes: a box of a process that only reads is, at each question, what the writer saved of it last.
// After a purge it has nothing of before.
func TestReadersFollowBoxes(t *testing.T) {
	for name, of := range changes {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			s, err := jsonstore.OpenDir(t.Context(), dir, jsonstore.Options{})
			require.NoError(t, err)
			only, err := jsonstore.OpenDir(t.Context(), dir, jsonstore.Options{ReadOnly: true})
			require.NoError(t, err)
			w, r := follow(s), New(only, true, slog.New(slog.DiscardHandler))
			defer func() {
				require.NoError(t, r.Close())
				require.NoError(t, w.Close())
				require.NoError(t, only.Close())
				require.NoError(t, s.Close())
			}()
			b, change := of(t)
			theirs, _ := of(t)
			_, err = w.Hold(t.Context(), b)
			require.NoError(t, err)
			_, err = r.Hold(t.Context(), theirs)
			require.NoError(t, err)
			saved := func(b Box) string {
				var out bytes.Buffer
				require.NoError(t, b.Save(&out))
				return out.String()
			}
			read := func() string {
				require.NoError(t, r.Latest(t.Context(), func(context.Context) error { return nil }, theirs))
				return saved(theirs)
			}
			empty := read()
			for i := 1; i < 9; i++ {
				change(i)
				for _, x := range w.boxes {
					x.anew = true // the totals of models are changed by Load
				}
				w.SaveBoxes(t.Context(), 0)
				require.Equal(t, saved(b), read())
				require.NotEqual(t, empty, read())
			}
			before := r.Reloads()
			read()
			require.Equal(t, before, r.Reloads(), "nothing is read twice")
			require.NoError(t, w.Purge(t.Context(), &store.Purge{Evaluations: []string{unlabelled(1).ID}}, func() error {
				_, err := s.Commit(t.Context(), store.Batch{Purge: &store.Purge{Evaluations: []string{unlabelled(1).ID}}})
				r.Forget(t.Context())
				require.NotContains(t, saved(theirs), unlabelled(1).ID)
				require.False(t, name == "briefs" && strings.Contains(saved(theirs), "Check page"))
				return err
			}))
			require.Equal(t, saved(b), read())
			require.NotContains(t, read(), unlabelled(1).ID)
		})
	}
}
