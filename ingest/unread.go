package ingest

import (
	"bytes"
	"slices"
	"strings"

	"github.com/memtree/memtree/internal/text"
)

// takeNote fills the reason from the note: both hold the evaluator's text. If a file has both, the note is the
// evaluator's and a reason at the top level is the agent's own, which is dropped: the agent's text must not be read as
// an evaluator's. An evaluator's reason under an unambiguous name, such as evaluatorReason, is put in front of
// the note. A note that is no text belongs to another tool.
func (r *slotValues) takeNote(unread *unreadFields) {
	note, reason := r[slotNote], r[slotReason]
	switch {
	case note.raw == nil:
		return
	case note.raw[0] != '"':
		unread.field(note.key)
		return
	case reason.raw == nil || bytes.Equal(reason.raw, note.raw):
	case reason.fieldName() == "reason":
		unread.agents("reason")
	case reason.raw[0] == '"':
		both := slices.Concat(reason.raw[:len(reason.raw)-1], []byte(`\n`), note.raw[1:])
		note = jsonValue{raw: both, path: reason.path, key: reason.key, at: reason.at}
	}
	r[slotReason] = note
}

// Unread is a field at the top level of a record that was ignored.
type Unread struct {
	Field  string `json:"field"`
	Near   string `json:"near,omitempty"`   // the known field with the most similar name, if any
	Agents bool   `json:"agents,omitempty"` // Field is a reason beside a note: ignored as the agent's own text
}

// mostUnread is the maximum number of fields reported for a file.
const mostUnread = 20

// unreadFields reports each ignored field once. A nil one, and one without tell, report none.
type unreadFields struct {
	tell func(Unread)
	told []string
}

// field reports an ignored field, except names by which fields are meant to be ignored.
func (u *unreadFields) field(key []byte) {
	if u == nil || u.tell == nil || len(key) == 0 || key[0] == '_' || key[0] == '$' {
		return
	}
	if name := string(key); name != "labels" && name != "correction" {
		u.once(Unread{Field: quoteKey(key), Near: nearField(name)})
	}
}

func (u *unreadFields) agents(name string) {
	if u != nil && u.tell != nil {
		u.once(Unread{Field: name, Agents: true})
	}
}

func (u *unreadFields) once(f Unread) {
	if len(u.told) < mostUnread && !slices.Contains(u.told, f.Field) {
		u.told = append(u.told, f.Field)
		u.tell(f)
	}
}

// nearField returns the known field whose name is most similar to a name, "" if none is similar.
func nearField(name string) string {
	folded := foldName(name)
	best, least := "", max(1, len(folded)/3)+1
	for _, known := range []string{"note", "reason", "prompt", "judgment", "ground_truth", "correct", "direction",
		"observation", "case_id", "run_id", "id", "at", "attempt", "scene", "scope", "product", "agent", "trial",
		"evidence", "build", "route"} {
		k := foldName(known)
		d := text.Edits(folded[:min(40, len(folded))], k)
		if len(k) > 3 && strings.Contains(folded, k) || len(folded) > 3 && strings.Contains(k, folded) {
			d = min(d, 1)
		}
		if d < least && d < len(k) {
			best, least = known, d
		}
	}
	return best
}

// foldName returns the same name for snake_case, kebab-case and camelCase.
func foldName(s string) string {
	return strings.ToLower(strings.NewReplacer("_", "", "-", "", " ", "", ".", "").Replace(s))
}
