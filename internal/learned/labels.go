package learned

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/memtree/memtree/ledger"
)

// LabelFold holds people's labels of runs that were recorded without a truth.
//
// The law is: a person's label is above a truth that comes later, however and whenever that is recorded, and the latest
// label is above earlier ones. It holds because truths and labels alike are planned on what the ledger has, and are
// committed only if no verdict on the same run came in between, see [store.Batch]. So the last verdict on a run in the
// ledger is the one that counts. A run that was recorded with a truth accepts no other one, see store.Known, so
// LabelFold has no label of it.
type LabelFold struct {
	is    labelState
	saved bool
}

// labelState is the state of a LabelFold, by key of the evaluation.
type labelState struct {
	Labels   map[string]ledger.Verdict `json:"labels"`   // only By, Labelled, Correct, Direction and Node
	Recorded map[string]bool           `json:"recorded"` // labelled, and recorded with a truth before or after
}

// NewLabels returns a LabelFold without labels. Without saved it is never saved nor loaded: where the ledger is in
// memory that takes no longer, and a database that hangs holds nobody up.
func NewLabels(saved bool) *LabelFold {
	f := &LabelFold{saved: saved}
	f.Reset()
	return f
}

// Of returns a person's label of the run with this key, and whether there is one.
func (f *LabelFold) Of(key string) (ledger.Verdict, bool) {
	v, ok := f.is.Labels[key]
	return v, ok && !f.is.Recorded[key]
}

// Cases returns, by evaluation that a person labelled, the case that it is in, "" for none.
func (f *LabelFold) Cases() map[string]string {
	out := make(map[string]string, len(f.is.Labels))
	for key, v := range f.is.Labels {
		out[key] = v.Node
	}
	return out
}

// Name returns "labels", and "" for a LabelFold that is not saved.
func (f *LabelFold) Name() string {
	if f.saved {
		return "labels"
	}
	return ""
}

// Reset removes all labels.
func (f *LabelFold) Reset() { f.is = labelState{map[string]ledger.Verdict{}, map[string]bool{}} }

// Add adds the verdict in e, and the one that an act in e replaced.
func (f *LabelFold) Add(e *ledger.Entry) {
	if a := e.Act; a != nil {
		f.replaced(a.Verdict)
		for i := range a.Verdicts {
			f.replaced(&a.Verdicts[i])
		}
	}
	v := e.Verdict
	if v == nil {
		return
	}
	_, labelled := f.is.Labels[v.Evaluation]
	switch {
	case v.By == "" && labelled && v.Decided():
		f.is.Recorded[v.Evaluation] = true
	case v.By == "":
	case v.Decided():
		f.is.Labels[v.Evaluation] = ledger.Verdict{
			By: v.By, Labelled: v.Labelled, Correct: v.Correct, Direction: v.Direction, Node: v.Node,
		}
	default:
		delete(f.is.Labels, v.Evaluation)
	}
}

// replaced notes a verdict that a label or an undo replaced.
func (f *LabelFold) replaced(v *ledger.Verdict) {
	if v != nil && v.By == "" && v.Decided() {
		f.is.Recorded[v.Evaluation] = true
	}
}

// Save writes the labels as JSON, after its CRC-32C as u32, little endian.
func (f *LabelFold) Save(w io.Writer) error {
	b, err := json.Marshal(&f.is)
	if err == nil {
		_, err = w.Write(append(binary.LittleEndian.AppendUint32(nil, crc32.Checksum(b, castagnoli)), b...))
	}
	if err != nil {
		return fmt.Errorf("save people's labels: %w", err)
	}
	return nil
}

// Load replaces the labels by those that Save wrote. After an error there are none.
func (f *LabelFold) Load(r io.Reader) error {
	f.Reset()
	b, err := io.ReadAll(r)
	switch {
	case err != nil:
	case len(b) < 4 || crc32.Checksum(b[4:], castagnoli) != binary.LittleEndian.Uint32(b):
		err = errors.New("they are damaged")
	default:
		err = json.Unmarshal(b[4:], &f.is)
	}
	if err != nil {
		f.Reset()
		return fmt.Errorf("load people's labels: %w", err)
	}
	return nil
}
