package tree

import (
	"slices"
	"strings"
	"time"
)

// DecisionKind is what a person decided about a memory, an evaluation or a draft.
type DecisionKind string

// The kinds of decision.
const (
	DecisionForget  DecisionKind = "forget"  // take a memory out of use; lessons learned from it are learned again
	DecisionPin     DecisionKind = "pin"     // keep the text of a memory, and keep the memory in use
	DecisionBan     DecisionKind = "ban"     // never inject a memory, and never learn it again
	DecisionEdit    DecisionKind = "edit"    // give a memory another text, which later learning keeps
	DecisionTeach   DecisionKind = "teach"   // add a lesson without a case
	DecisionRelabel DecisionKind = "relabel" // set or correct the label of an evaluation
	DecisionReject  DecisionKind = "reject"  // refuse a draft of a lesson, so that it is not learned
	DecisionAccept  DecisionKind = "accept"  // put a draft of a lesson into use
	DecisionAbout   DecisionKind = "about"   // change which checks a case concerns
	DecisionUndo    DecisionKind = "undo"    // revert an earlier decision
)

// BuriedFor is Node.ArchivedFor of the tombstone of a banned memory, and what Standing returns for a banned memory.
const BuriedFor = "banned"

// rejectedFor begins the ArchivedFor of a draft that a person rejected.
const rejectedFor = "rejected: "

// Name returns the name of the decision for people: "label" for DecisionRelabel, because most labels are the first of
// an evaluation, and k itself for any other.
func (k DecisionKind) Name() string {
	if k == DecisionRelabel {
		return "label"
	}
	return string(k)
}

// Reject turns n, a draft of a lesson, into a rejected one: archived and banned. n.Decision records the person by, the
// time at and the reason why.
func (n *Node) Reject(at time.Time, by, why string) {
	n.Status, n.Mark, n.ArchivedFor = Archived, Banned, rejectedFor+why
	n.Decision = &Decision{Kind: DecisionBan, At: at, By: by, Why: why, Hash: ContentHash(n)}
}

// Rejected reports whether n is a draft that a person rejected, and the rejection was not undone.
func (n *Node) Rejected() bool { return n.Entombed() && n.Draft() }

// Draft reports whether n is a draft that a person rejected at some time, even if the rejection was undone. A draft was
// never in use as a memory.
func (n *Node) Draft() bool { return n.Type != Case && strings.HasPrefix(n.ArchivedFor, rejectedFor) }

// Decision is a person's latest decision on a memory. It is part of the node, so exports and merges carry it; Later
// determines which of two decisions is in force. A Decision does not record edits: Node.Provenance does.
type Decision struct {
	Kind DecisionKind `json:"said"` // forget, pin or ban; undo: none of them is in force
	At   time.Time    `json:"at"`
	By   string       `json:"by,omitempty"`
	Why  string       `json:"why,omitempty"`
	Hash string       `json:"hash,omitempty"` // ContentHash of the memory when it was forgotten or banned

	// Fresh means that the tree has not evolved since the decision. The next evolution learns the lessons that depend on
	// the memory again.
	Fresh bool `json:"fresh,omitempty"`

	// Purged means that the texts of the memory were deleted; its tombstone remains (see Tombstone).
	Purged bool `json:"purged,omitempty"`
}

// Later reports whether w replaces o when two versions of a node are merged. Either may be nil: any decision replaces
// nil. A purge replaces any other decision; otherwise the later decision replaces the earlier. At equal times forget
// replaces ban, ban replaces pin, and pin replaces undo.
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

// Forgotten reports whether a person took n out of use with DecisionForget.
func (n *Node) Forgotten() bool { return n.Decision.Is(DecisionForget) }

// RelabelledFor begins the ArchivedFor of a case that is out of use because persons labelled its runs otherwise.
const RelabelledFor = "relabelled: "

// Relabelled reports whether n is a case that is out of use because persons labelled its runs otherwise. A label that
// finds its mistake in another run takes it into use again.
func (n *Node) Relabelled() bool {
	return n.Forgotten() && strings.HasPrefix(n.ArchivedFor, RelabelledFor)
}

// ByPerson is the Provenance.By of a memory whose text a person wrote.
const ByPerson = "person"

// ContentHash returns a hash of ID, Content and CaseData of n, and of no other field.
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

// Tombstone returns what remains of the forgotten or banned memory n when it is exported or purged: an archived node
// without texts. It has the decision and what identifies n: the id and, for an experience or strategy, the first check
// and the ids of the nodes that n was made of. n.Decision must not be nil. If n is Buried, Tombstone returns a copy.
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

// Entombed reports whether a person forgot or banned n. An export has only the Tombstone of such a node.
func (n *Node) Entombed() bool { return n.Decision.Is(DecisionForget) || n.Decision.Is(DecisionBan) }

// Buried reports whether n is a tombstone: forgotten or banned, and without its texts.
func (n *Node) Buried() bool {
	t := &n.Content
	return n.Entombed() && n.Status == Archived && n.CaseData == nil && t.Title+t.Description+t.Guidance == ""
}
