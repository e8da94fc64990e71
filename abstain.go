package memtree

import (
	"context"

	"github.com/memtree/memtree/retrieval"
)

// Left says why a memory that came near was not given; it is empty for one that
// was. Reason is an English sentence without its subject. Sentence is its format
// and Args go into it, so that a program can say it in another language: those of
// retrieval.Code, enhance.Sentences and LeftSentences.
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

const gone = "it went out of use a moment ago"

// LeftSentences returns the formats of reasons that are neither retrieval's nor
// enhance's.
func LeftSentences() []string { return []string{gone} }

// Left says why the memory of a hit is not among the items of x.
func (x *Explanation) Left(h retrieval.Hit) Left {
	for i := range x.Items {
		if x.Items[i].ID == h.ID {
			return Left{}
		}
	}
	for i := range x.Dropped {
		if d := &x.Dropped[i]; d.ID == h.ID {
			return Left{LeftOut, d.Reason, d.Sentence, d.Args}
		}
	}
	if h.Taken {
		return Left{Gone, gone, gone, nil}
	}
	return Left{h.Why.Code, h.Reason, h.Why.Code.Sentence(), h.Why.Args}
}

// nearest returns what came nearest to being given: where retrieval took
// something and the text could hold none of it, the first of that.
func (x *Explanation) nearest(r *retrieval.Result) *Item {
	h := r.Nearest
	if x.Abstained && len(r.Hits) > 0 {
		h = &r.Hits[0]
	}
	if h == nil {
		return nil
	}
	near := item(*h)
	near.Left = x.Left(*h)
	return &near
}

// unformed counts the recorded runs that no answer knows yet. Whoever cannot say is
// not waited for.
func (m *Memory) unformed(ctx context.Context) int {
	info, err := m.store.Info(ctx)
	if err != nil {
		return 0
	}
	return info.Outbox
}
