package enhance

import (
	"slices"

	"github.com/memtree/memtree/retrieval"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// Item is one memory in the guidance, with the reasons for it.
type Item struct {
	ID        string             `json:"id"`
	Type      tree.Type          `json:"type"` // or OfFact
	ErrorType string             `json:"errorType"`
	Direction taxonomy.Direction `json:"direction"`
	Score     float64            `json:"score"`
	Signals   retrieval.Signals  `json:"signals"`
	By        By                 `json:"by,omitempty"`      // how it was found; "" in Guidance.Nearest
	Because   string             `json:"because,omitempty"` // the part of the test's text for which a reader picked it
	Omission                     // why it is not in the guidance; empty except for Guidance.Nearest
}

// By is how a memory was found.
type By string

// The ways of finding memories.
const (
	ByReader By = "read"  // a reader picked it ahead of the run
	ByWords  By = "words" // the search found it
	ByTest   By = "test"  // it is a case of the very test, or a fact that was learned at it
	ByPage   By = "page"  // it is a fact about the page
)

// NewItem returns the item of a hit.
func NewItem(h *retrieval.Hit) Item {
	return Item{ID: h.ID, Type: h.Type, ErrorType: h.ErrorType, Direction: h.Direction, Score: h.Score, Signals: h.Signals}
}

// Considered is a considered memory, and why it is not in the guidance.
type Considered struct {
	retrieval.Hit
	Left Omission // empty if it is in the guidance
}

// Omission is the reason why a near memory is not in the guidance; empty for one that is. Reason is an English sentence
// without its subject. Sentence is the format of Reason and Args are its arguments, so that a program can translate
// it. All formats are in Sentences and in the Sentence of each of retrieval.Codes.
type Omission struct {
	Code     retrieval.Code `json:"code,omitempty"`
	Reason   string         `json:"reason,omitempty"`
	Sentence string         `json:"-"`
	Args     []any          `json:"-"`
}

// NoRoom reports whether the memory was omitted because the budget was used up.
func (l *Omission) NoRoom() bool { return l.Sentence == noRoom }

// Codes of memories that retrieval took but that are not in the guidance. The other codes are
// those of retrieval.
const (
	LeftOut retrieval.Code = "left_out" // its text may not be shown, is a repetition, or has no room
	Gone    retrieval.Code = "gone"     // it went out of use while the query was answered
)

// WhyLeft returns why the memory of a hit is not among items. dropped are the memories omitted by Write.
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
