package tree

import (
	"slices"
	"strings"
	"time"
)

// DecisionKind is what a person says of memories.
type DecisionKind string

// What can be said.
const (
	DecisionForget  DecisionKind = "forget"  // out of use; what was learned from it is learned anew
	DecisionPin     DecisionKind = "pin"     // kept, whatever is learned, counted or pruned
	DecisionBan     DecisionKind = "ban"     // never given again, and not learned again
	DecisionEdit    DecisionKind = "edit"    // other words, which stay
	DecisionTeach   DecisionKind = "teach"   // a lesson that no case stands behind
	DecisionRelabel DecisionKind = "relabel" // the truth of an evaluation was another
	DecisionReject  DecisionKind = "reject"  // a draft of a lesson is not to be learned
	DecisionAbout   DecisionKind = "about"   // a case is about other checks
	DecisionUndo    DecisionKind = "undo"    // what was said last is taken back
)

// BuriedFor is what a tombstone of a banned memory is archived for. In the tree where a person
// banned it, a memory keeps its status.
const BuriedFor = "banned"

// rejectedFor begins what a draft is archived for that a person rejected.
const rejectedFor = "rejected: "

// Reject makes the memory that a draft would become one that a person refused: out of use, and banned.
func (n *Node) Reject(at time.Time, by, why string) {
	n.Status, n.Mark, n.ArchivedFor = Archived, Banned, rejectedFor+why
	n.Decision = &Decision{Kind: DecisionBan, At: at, By: by, Why: why, Hash: ContentHash(n)}
}

// Rejected reports whether the node is a draft that a person rejected.
func (n *Node) Rejected() bool { return n.Entombed() && n.Draft() }

// Draft reports whether the node never was a memory: it is kept of a draft that a person rejected, even if
// that was taken back.
func (n *Node) Draft() bool { return n.Type != Case && strings.HasPrefix(n.ArchivedFor, rejectedFor) }

// Decision is the last thing that a person said of a memory, and stands in the node, so that it
// travels. Of two words the later counts, see Later. An edit is no word: it stands in the
// provenance of what it wrote.
type Decision struct {
	Kind DecisionKind `json:"said"` // forget, pin, ban, or undo where no word stands
	At   time.Time    `json:"at"`
	By   string       `json:"by,omitempty"`
	Why  string       `json:"why,omitempty"`
	Hash string       `json:"hash,omitempty"` // of what the memory said when it was forgotten or banned

	// Fresh says that the tree has not evolved since. The next time it does, what stands on the
	// memory, or would, is learned anew.
	Fresh bool `json:"fresh,omitempty"`

	// Purged says that nothing is left of the memory but its id.
	Purged bool `json:"purged,omitempty"`
}

// Later reports whether w counts, rather than o. Either may be nil.
func (w *Decision) Later(o *Decision) bool {
	switch {
	case w == nil || o == nil:
		return w != nil
	case w.Purged != o.Purged:
		return w.Purged // what is gone cannot be brought back
	case !w.At.Equal(o.At):
		return w.At.After(o.At)
	}
	order := []DecisionKind{DecisionUndo, DecisionPin, DecisionBan, DecisionForget}
	if a, b := slices.Index(order, w.Kind), slices.Index(order, o.Kind); a != b {
		return a > b
	}
	return w.By+"\x00"+w.Why+"\x00"+w.Hash > o.By+"\x00"+o.Why+"\x00"+o.Hash
}

// Is reports whether a word stands and is s.
func (w *Decision) Is(s DecisionKind) bool { return w != nil && w.Kind == s }

// Kept reports whether evolution must leave what the node says as it is: a person pinned
// it, or wrote it.
func (n *Node) Kept() bool { return n.Mark == Pinned || n.Provenance.By == ByPerson }

// Forgotten reports whether a person took the node out of use.
func (n *Node) Forgotten() bool { return n.Decision.Is(DecisionForget) }

// ByPerson is Provenance.By of what a person wrote.
const ByPerson = "person"

// Action is what a person said, in the ledger: what it was about, and what was there before, so
// that it can be taken back.
type Action struct {
	ID         string       `json:"id"` // a_…
	Kind       DecisionKind `json:"said"`
	By         string       `json:"by,omitempty"`
	Why        string       `json:"why,omitempty"`
	Node       string       `json:"node,omitempty"`       // the memory
	Evaluation string       `json:"evaluation,omitempty"` // of a relabel
	Undoes     string       `json:"undoes,omitempty"`     // of an undo: the id of the act
	Purged     bool         `json:"purged,omitempty"`     // cannot be taken back
	Before     []Before     `json:"before,omitempty"`     // each node it changed, sorted by id
	Verdict    *Verdict     `json:"verdict,omitempty"`    // of a relabel: what was known before
	// Verdicts are of a relabel of many evaluations: what was known of each before, without Features.
	Verdicts []Verdict `json:"verdicts,omitempty"`
}

// About reports whether an act is about a memory or evaluation, or changed it.
func (a *Action) About(id string) bool {
	return a.Node == id || a.Evaluation == id ||
		slices.ContainsFunc(a.Before, func(b Before) bool { return b.ID == id }) ||
		slices.ContainsFunc(a.Verdicts, func(v Verdict) bool { return v.Evaluation == id })
}

// Corrects reports whether an act replaced a truth that was known, or took it back.
func (a *Action) Corrects() bool {
	return a.Verdict != nil && a.Verdict.Labelled ||
		slices.ContainsFunc(a.Verdicts, func(v Verdict) bool { return v.Labelled })
}

// Before is what an act changed in a node, as it was. A status of "" says that it stayed.
type Before struct {
	ID           string       `json:"id"`
	Gained       string       `json:"gained,omitempty"` // of a relabel: the evaluation that the case was given
	Status       Status       `json:"status,omitempty"`
	Mark         Mark         `json:"mark,omitempty"`
	Decision     *Decision    `json:"word,omitempty"`
	SupersededBy string       `json:"supersededBy,omitempty"`
	ArchivedFor  string       `json:"archivedFor,omitempty"`
	Content      *Content     `json:"content,omitempty"`     // of an edit, or an about
	Provenance   *Provenance  `json:"provenance,omitempty"`  // likewise
	Case         *CaseData    `json:"case,omitempty"`        // of an about
	ErrorType    string       `json:"errorType,omitempty"`   // likewise
	Taught       *Taught      `json:"taught,omitempty"`      // of a lesson that was taught and taught again
	Occurrences  []Occurrence `json:"occurrences,omitempty"` // of a relabel: those it took away
}

// ContentHash returns a hash of what a memory says and rests on, without its history.
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

// Tombstone returns what is left of a memory that a person had forgotten or banned, when it
// travels or is purged: which it was, what was said, and of a lesson the check it was about and the
// ids of its cases, so that it is known again. It is archived.
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

// Entombed reports whether a person had the node forgotten or banned: it leaves as a tombstone.
func (n *Node) Entombed() bool { return n.Decision.Is(DecisionForget) || n.Decision.Is(DecisionBan) }

// Buried reports whether the node is a tombstone: nothing is left of what it said.
func (n *Node) Buried() bool {
	t := &n.Content
	return n.Entombed() && n.Status == Archived && n.CaseData == nil && t.Title+t.Description+t.Guidance == ""
}
