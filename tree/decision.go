package tree

import (
	"slices"
	"strings"
	"time"
)

// DecisionKind is a kind of decision on memories.
type DecisionKind string

// The kinds of decision.
const (
	DecisionForget  DecisionKind = "forget"  // out of use; lessons that used it are learned again
	DecisionPin     DecisionKind = "pin"     // protected from learning, effect and pruning
	DecisionBan     DecisionKind = "ban"     // never injected and never learned again
	DecisionEdit    DecisionKind = "edit"    // another text, which later learning keeps
	DecisionTeach   DecisionKind = "teach"   // a lesson without a case
	DecisionRelabel DecisionKind = "relabel" // corrects the label of an evaluation
	DecisionReject  DecisionKind = "reject"  // a draft of a lesson must not be learned
	DecisionAccept  DecisionKind = "accept"  // a draft of a lesson is in use
	DecisionAbout   DecisionKind = "about"   // changes which checks a case concerns
	DecisionUndo    DecisionKind = "undo"    // reverts the latest decision
)

// BuriedFor is the ArchivedFor of a banned memory's tombstone. In the tree where it was banned, a memory keeps its
// status.
const BuriedFor = "banned"

// rejectedFor begins the ArchivedFor of a draft that a person rejected.
const rejectedFor = "rejected: "

// Name returns the decision as people read it: most labels are first ones.
func (k DecisionKind) Name() string {
	if k == DecisionRelabel {
		return "label"
	}
	return string(k)
}

// Reject turns the node of a draft into a refused memory: archived and banned.
func (n *Node) Reject(at time.Time, by, why string) {
	n.Status, n.Mark, n.ArchivedFor = Archived, Banned, rejectedFor+why
	n.Decision = &Decision{Kind: DecisionBan, At: at, By: by, Why: why, Hash: ContentHash(n)}
}

// Rejected reports whether the node is a draft that a person rejected.
func (n *Node) Rejected() bool { return n.Entombed() && n.Draft() }

// Draft reports whether the node never was a memory: it records a draft that a person rejected, even if the rejection
// was undone.
func (n *Node) Draft() bool { return n.Type != Case && strings.HasPrefix(n.ArchivedFor, rejectedFor) }

// Decision is a person's latest decision on a memory. It is part of the node, so exports and merges carry it. Of two
// decisions the later is in force, see Later. An edit is recorded in the provenance of the new text instead.
type Decision struct {
	Kind DecisionKind `json:"said"` // forget, pin, ban, or undo if no decision is in force
	At   time.Time    `json:"at"`
	By   string       `json:"by,omitempty"`
	Why  string       `json:"why,omitempty"`
	Hash string       `json:"hash,omitempty"` // of the content when it was forgotten or banned

	// Fresh reports that the tree has not evolved since. The next evolution learns everything that depends on the
	// memory again.
	Fresh bool `json:"fresh,omitempty"`

	// Purged reports that only the id of the memory remains.
	Purged bool `json:"purged,omitempty"`
}

// Later reports whether w is in force rather than o. Either may be nil.
func (w *Decision) Later(o *Decision) bool {
	switch {
	case w == nil || o == nil:
		return w != nil
	case w.Purged != o.Purged:
		return w.Purged // purged content cannot be restored
	case !w.At.Equal(o.At):
		return w.At.After(o.At)
	}
	order := []DecisionKind{DecisionUndo, DecisionPin, DecisionBan, DecisionForget}
	if a, b := slices.Index(order, w.Kind), slices.Index(order, o.Kind); a != b {
		return a > b
	}
	return w.By+"\x00"+w.Why+"\x00"+w.Hash > o.By+"\x00"+o.Why+"\x00"+o.Hash
}

// Is reports whether w is not nil and of kind s.
func (w *Decision) Is(s DecisionKind) bool { return w != nil && w.Kind == s }

// Kept reports whether evolution must not change the text of the node: a person pinned or wrote it.
func (n *Node) Kept() bool { return n.Mark == Pinned || n.Provenance.By == ByPerson }

// Forgotten reports whether a person took the node out of use.
func (n *Node) Forgotten() bool { return n.Decision.Is(DecisionForget) }

// ByPerson is Provenance.By of a text that a person wrote.
const ByPerson = "person"

// ContentHash returns a hash of a memory's id, content and case data, without its history.
func ContentHash(n *Node) string {
	c := n.Clone()
	return contentHash(&Node{ID: c.ID, Content: c.Content, CaseData: c.CaseData})
}

func (c *checker) word(n *Node) {
	w := n.Decision
	if w == nil {
		return
	}
	known := []DecisionKind{DecisionForget, DecisionPin, DecisionBan, DecisionUndo}
	c.law(slices.Contains(known, w.Kind), "a word is forget, pin, ban or undo", "it is %q", w.Kind)
	c.law(w.Kind != DecisionForget || n.Status == Archived, "what is forgotten is archived", "it is %s", n.Status)
	c.law((w.Kind == DecisionPin) == (n.Mark == Pinned), "a pin is said by a word", "mark %q, word %q", n.Mark, w.Kind)
	c.law((w.Kind == DecisionBan) == (n.Mark == Banned), "a ban is said by a word", "mark %q, word %q", n.Mark, w.Kind)
	c.law(!w.Purged || w.Kind == DecisionForget, "what is purged is forgotten", "it is %q", w.Kind)
	c.text("name", MaxName, w.By, w.Hash)
	c.line("word", w.Why)
}

// Tombstone returns the remainder of a forgotten or banned memory, for export or purge: id, decision, and for a lesson
// its check and the ids of its cases, by which it is recognized. It is archived. A tombstone is returned as a copy.
func Tombstone(n *Node) Node {
	if n.Buried() {
		return n.Clone()
	}
	w := *n.Decision
	w.Fresh = false
	out := Node{
		ID: n.ID, Type: n.Type, Level: n.Level, ErrorType: n.ErrorType, Direction: n.Direction, Lang: n.Lang,
		Children: []string{}, Occurrences: []Occurrence{}, Status: Archived, ArchivedFor: "forgotten",
		Revision: n.Revision, Origin: n.Origin, Decision: &w,
		Provenance: Provenance{By: ByPerson},
	}
	if w.Kind == DecisionBan {
		out.ArchivedFor, out.Mark = BuriedFor, Banned
	}
	if n.Type == Case {
		return out
	}
	out.Provenance.Cites = slices.Compact(slices.Sorted(slices.Values(slices.Concat(n.Provenance.Cites, n.Children))))
	out.Provenance.Cites = out.Provenance.Cites[:min(len(out.Provenance.Cites), MaxChildren)]
	if len(n.Content.Lessons) > 0 && n.Content.Lessons[0].Kind != "" {
		l := Lesson{Kind: n.Content.Lessons[0].Kind, From: FromCatalogue}
		l.ID = LessonID(l)
		out.Content.Lessons = []Lesson{l}
	}
	return out
}

// Entombed reports whether a person forgot or banned the node: it is exported as a tombstone.
func (n *Node) Entombed() bool { return n.Decision.Is(DecisionForget) || n.Decision.Is(DecisionBan) }

// Buried reports whether the node is a tombstone: its content is gone.
func (n *Node) Buried() bool {
	t := &n.Content
	return n.Entombed() && n.Status == Archived && n.CaseData == nil && t.Title+t.Description+t.Guidance == ""
}
