package memtree

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"time"

	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/tree"
)

const (
	habitsName = "habits" // what they are kept under beside the store
	habitsFor  = 7 * 24 * time.Hour
	mostHabits = 1 << 20 // bytes
	manyHabits = 100     // models
)

// habits is how models have to be asked, kept so that no process has to be refused to learn it again. A server
// learns too, so what is kept is forgotten after some time.
type habits struct {
	Since  time.Time         `json:"since"`
	Models map[string]string `json:"models"` // by name
}

// adapters returns the models that adapt, by name.
func (m *Memory) adapters() map[string]llm.Adapter {
	out := map[string]llm.Adapter{}
	for _, model := range []any{m.opts.Generator, m.asked} {
		if a, ok := llm.Find[llm.Adapter](model); ok {
			out[llm.NameOf(model)] = a
		}
	}
	return out
}

// loadHabits has the models adopt what was kept. Without that they learn it again.
func (m *Memory) loadHabits(ctx context.Context) {
	kept, err := m.readHabits(ctx)
	if err != nil {
		if !errors.Is(err, tree.ErrNotFound) {
			m.opts.Logger.Info("how models have to be asked is learned again", "reason", err)
		}
		return
	}
	if age := m.opts.Now().Sub(kept.Since); age < 0 || age > habitsFor {
		return
	}
	m.habits = kept
	for name, a := range m.adapters() {
		if h := kept.Models[name]; h != "" {
			a.Adopt(h)
		}
	}
}

func (m *Memory) readHabits(ctx context.Context) (h habits, err error) {
	kept, err := tree.OpenDerived(ctx, m.store, habitsName)
	if err != nil {
		return h, err
	}
	b, err := io.ReadAll(io.NewSectionReader(kept, 0, min(kept.Size, mostHabits)))
	if err = errors.Join(err, kept.Closer.Close()); err == nil {
		err = json.Unmarshal(b, &h)
	}
	return h, err
}

// saveHabits keeps what was learned, if there is anything new.
func (m *Memory) saveHabits(ctx context.Context) {
	if m.opts.ReadOnly {
		return
	}
	now := habits{Since: m.habits.Since, Models: maps.Clone(m.habits.Models)}
	if now.Models == nil {
		now = habits{Since: m.opts.Now().UTC(), Models: map[string]string{}}
	}
	for name, a := range m.adapters() {
		if h := a.Habits(); h != "" && (now.Models[name] != "" || len(now.Models) < manyHabits) {
			now.Models[name] = h
		}
	}
	if maps.Equal(now.Models, m.habits.Models) {
		return
	}
	b, err := json.Marshal(now)
	if err == nil {
		err = tree.SaveDerived(ctx, m.store, habitsName, 0, func(w io.Writer) error {
			_, err := w.Write(b)
			return err
		})
	}
	if err != nil {
		m.opts.Logger.Warn("how models have to be asked was not kept", "error", err)
	}
}
