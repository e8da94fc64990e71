package enhance

import (
	"slices"

	"github.com/memtree/memtree/retrieval"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// Item is one memory in the guidance, with the reasons it is there.
type Item struct {
	ID        string             `json:"id"`
	Type      tree.Type          `json:"type"`
	ErrorType string             `json:"errorType"`
	Direction taxonomy.Direction `json:"direction"`
	Score     float64            `json:"score"`
	Signals   retrieval.Signals  `json:"signals"`
	Left                         // why it was not given; of the nearest memory only
}

// NewItem returns the item of a hit.
func NewItem(h *retrieval.Hit) Item {
	return Item{ID: h.ID, Type: h.Type, ErrorType: h.ErrorType, Direction: h.Direction, Score: h.Score, Signals: h.Signals}
}

// Considered is a memory that was looked at, and why it is not in the guidance.
type Considered struct {
	retrieval.Hit
	Left Left // empty where it is
}

// Left says why a memory that came near was not given; it is empty for one that
// was. Reason is an English sentence without its subject. Sentence is its format
// and Args go into it, so that a program can say it in another language: those of
// retrieval.Code and Sentences.
type Left struct {
	Code     retrieval.Code `json:"code,omitempty"`
	Reason   string         `json:"reason,omitempty"`
	Sentence string         `json:"-"`
	Args     []any          `json:"-"`
}

// Codes of what retrieval took and the guidance does not hold; the others are
// retrieval's.
const (
	LeftOut retrieval.Code = "left_out" // its text may not be shown, says nothing new, or has no room
	Gone    retrieval.Code = "gone"     // it went out of use while the question was answered
)

// WhyLeft says why the memory of a hit is not among items.
func WhyLeft(h *retrieval.Hit, items []Item, dropped []Drop) Left {
	if slices.ContainsFunc(items, func(i Item) bool { return i.ID == h.ID }) {
		return Left{}
	}
	for i := range dropped {
		if d := &dropped[i]; d.ID == h.ID {
			return Left{LeftOut, d.Reason, d.Sentence, d.Args}
		}
	}
	if h.Taken {
		return Left{Gone, gone, gone, nil}
	}
	return Left{h.Why.Code, h.Reason, h.Why.Code.Sentence(), h.Why.Args}
}
