package learned

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"sync"
	"time"

	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/store"
)

const (
	habitsFor  = 7 * 24 * time.Hour
	mostHabits = 1 << 20 // bytes
	manyHabits = 100     // models
)

// Habits holds the request formats that the servers of models accept, as earlier calls found out: a server may refuse
// a parameter, for example. So a new process does not have to make the same failing calls again. Servers change, so
// Load ignores formats a week after the first was learned.
type Habits struct {
	now      func() time.Time
	adapters map[string]llm.Adapter // by the name of the model

	mu      sync.Mutex
	habits  habits // saved ones, and those learned since
	changes uint64
}

type habits struct {
	Since  time.Time         `json:"since"`
	Models map[string]string `json:"models"` // by name
}

// NewHabits returns a Habits for the models that implement llm.Adapter; it ignores other models. now is the clock.
func NewHabits(now func() time.Time, models ...any) *Habits {
	h := &Habits{now: now, adapters: map[string]llm.Adapter{}}
	for _, model := range models {
		if a, ok := llm.Find[llm.Adapter](model); ok {
			h.adapters[llm.NameOf(model)] = a
		}
	}
	return h
}

// Name returns "habits".
func (*Habits) Name() string { return "habits" }

// Changes asks the models for their request formats and stores new ones. It returns how many calls of Changes have
// found a change so far.
func (h *Habits) Changes() uint64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	now := maps.Clone(h.habits.Models)
	if now == nil {
		now = map[string]string{}
	}
	for name, a := range h.adapters {
		if x := a.Habits(); x != "" && (now[name] != "" || len(now) < manyHabits) {
			now[name] = x
		}
	}
	if !maps.Equal(now, h.habits.Models) {
		if h.habits.Models == nil {
			h.habits.Since = h.now().UTC()
		}
		h.habits.Models = now
		h.changes++
	}
	return h.changes
}

// Purge does nothing: request formats contain no text of users.
func (*Habits) Purge(*store.Purge) {}

// Load reads request formats that Save wrote, and passes them to the models. It ignores them if the first was learned
// more than a week ago or, by the clock, in the future.
func (h *Habits) Load(r io.Reader) error {
	b, err := io.ReadAll(io.LimitReader(r, mostHabits))
	if err != nil {
		return fmt.Errorf("load habits: %w", err)
	}
	var saved habits
	if err := json.Unmarshal(b, &saved); err != nil {
		return fmt.Errorf("load habits: %w", err)
	}
	if age := h.now().Sub(saved.Since); age < 0 || age > habitsFor {
		return nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.habits = saved
	for name, a := range h.adapters {
		if x := saved.Models[name]; x != "" {
			a.Adopt(x)
		}
	}
	return nil
}

// Save writes the request formats as JSON.
func (h *Habits) Save(w io.Writer) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return saveJSON(w, &h.habits)
}
