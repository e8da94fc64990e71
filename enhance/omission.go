package enhance

import (
	"slices"

	"github.com/memtree/memtree/retrieval"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// Item is a memory or fact in the guidance of a run, or one that came near, and how it was found.
type Item struct {
	ID        string             `json:"id"`
	Type      tree.Type          `json:"type"` // type of the memory, or OfFact
	ErrorType string             `json:"errorType"`
	Direction taxonomy.Direction `json:"direction"`
	Score     float64            `json:"score"`             // how well the item fits the query, on the scale of retrieval
	Signals   retrieval.Signals  `json:"signals"`           // named parts of the score
	By        By                 `json:"by,omitempty"`      // how the item was found; "" in Guidance.Nearest
	Because   string             `json:"because,omitempty"` // part of the test's text that a model gave as the reason
	Omission                     // why the item is not in the guidance; empty except for Guidance.Nearest
}

// By is how a memory or fact came into the guidance of a run.
type By string

// The ways in which a memory or fact is found.
const (
	ByReader By = "read"  // a model chose it for the test ahead of the run
	ByWords  By = "words" // the search found it for the query
	ByTest   By = "test"  // the case is of this very test, or the fact was learned from it
	ByPage   By = "page"  // the fact is about the page of the query
)

// NewItem returns the Item of a memory that retrieval found. By and Because are empty.
func NewItem(h *retrieval.Hit) Item {
	return Item{ID: h.ID, Type: h.Type, ErrorType: h.ErrorType, Direction: h.Direction, Score: h.Score, Signals: h.Signals}
}

// Considered is a memory that retrieval found, and why it is not in the guidance.
type Considered struct {
	retrieval.Hit
	Left Omission // empty if it is in the guidance
}

// Omission is the reason why a memory is not in the guidance; empty for a memory in it. Reason is English, without a
// subject or with "it" for the memory. Sentence is the format of Reason and Args are its arguments, so that a program
// can translate Reason. All formats are in Sentences and in the Sentence of each of retrieval.Codes.
type Omission struct {
	Code     retrieval.Code `json:"code,omitempty"`
	Reason   string         `json:"reason,omitempty"`
	Sentence string         `json:"-"`
	Args     []any          `json:"-"`
}

// NoRoom reports whether the reason is that the budget was used up.
func (l *Omission) NoRoom() bool { return l.Sentence == noRoom }

// Codes of memories that retrieval selected but that are not in the guidance. The other codes are those of retrieval.
const (
	LeftOut retrieval.Code = "left_out" // the memory may not be shown, is a repetition, had no room, or is held back
	Gone    retrieval.Code = "gone"     // the memory went out of use while the query ran
)

// WhyLeft returns why the memory of h is not in the guidance; the Omission is empty if items contains it. dropped are
// the memories that Write omitted.
func WhyLeft(h *retrieval.Hit, items []Item, dropped []Drop) Omission {
	if slices.ContainsFunc(items, func(i Item) bool { return i.ID == h.ID }) {
		return Omission{}
	}
	for i := range dropped {
		if d := &dropped[i]; d.ID == h.ID {
			return Omission{LeftOut, d.Reason, d.Sentence, d.Args}
		}
	}
	if h.Taken {
		return Omission{Gone, gone, gone, nil}
	}
	return Omission{h.Why.Code, h.Reason, h.Why.Code.Sentence(), h.Why.Args}
}
