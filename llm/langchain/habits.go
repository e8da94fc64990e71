package langchain

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"

	"github.com/memtree/memtree/llm"
)

var (
	_ llm.Adapter = (*ChatModel)(nil)
	_ llm.Adapter = (*EmbeddingModel)(nil)
)

// maxHabits is the most bytes that Adopt accepts.
const maxHabits = 1 << 10

// requestFormat holds a model's request format, as passed from one process to another.
type requestFormat struct {
	Of      string   `json:"of"`                // a hash of provider, address and model
	Form    int      `json:"form,omitempty"`    // form of the schema
	Without []string `json:"without,omitempty"` // parameters that the model rejects, sorted
}

// habitsOf returns the key of a model's habits.
func (t *transport) habitsOf(model string) string {
	h := sha256.Sum256([]byte(t.provider + "\n" + t.base.String() + "\n" + model))
	return hex.EncodeToString(h[:8])
}

func (t *transport) habits(model string) string {
	h := requestFormat{Of: t.habitsOf(model), Form: int(t.form.Load())}
	lacks := parameters(t.lacks.Load())
	for i, name := range optional {
		if lacks&(1<<i) != 0 {
			h.Without = append(h.Without, name)
		}
	}
	if h.Form == 0 && len(h.Without) == 0 {
		return ""
	}
	slices.Sort(h.Without)
	b, err := json.Marshal(h)
	if err != nil {
		return ""
	}
	return string(b)
}

func (t *transport) adopt(model, s string) {
	var h requestFormat
	if len(s) > maxHabits || json.Unmarshal([]byte(s), &h) != nil || h.Of != t.habitsOf(model) ||
		h.Form < 0 || h.Form > plainestForm(t.provider) {
		return
	}
	t.form.CompareAndSwap(0, int32(h.Form)) //nolint:gosec // it is one of few
	for i, name := range optional {
		if slices.Contains(h.Without, name) {
			t.lacks.Or(1 << i)
		}
	}
}

// Habits returns the request format that m found the provider to accept. See [llm.Adapter].
func (m *ChatModel) Habits() string { return m.http.habits(m.config.Model) }

// Adopt applies what Habits returned in an earlier process. See [llm.Adapter].
func (m *ChatModel) Adopt(habits string) { m.http.adopt(m.config.Model, habits) }

// Habits returns the request format that e found the provider to accept. See [llm.Adapter].
func (e *EmbeddingModel) Habits() string {
	if e.http == nil {
		return ""
	}
	return e.http.habits(e.id)
}

// Adopt applies what Habits returned in an earlier process. See [llm.Adapter].
func (e *EmbeddingModel) Adopt(habits string) {
	if e.http != nil {
		e.http.adopt(e.id, habits)
	}
}
