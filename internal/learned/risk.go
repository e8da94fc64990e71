package learned

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"log/slog"
	"maps"
	"slices"

	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/risk"
)

// RiskFold is the model of package risk, learned from the verdicts of the ledger. Each evaluation counts once, at the
// place of its first labelled verdict; if persons labelled it, the latest of their labels counts. The model cannot
// unlearn, so the follower reads the whole ledger again after an act that corrects a label.
type RiskFold struct {
	log *slog.Logger

	model   *risk.Model
	told    map[string]bool            // evaluations learned with a person's label
	last    map[string]*ledger.Verdict // a person's latest verdicts, while the ledger is folded again
	changes uint64
}

// NewRisk returns a RiskFold that has learned nothing. It logs verdicts that it cannot learn.
func NewRisk(log *slog.Logger) *RiskFold {
	r := &RiskFold{log: log}
	r.Reset()
	return r
}

// Model returns the model. Reset and Load replace it, so it must not be used outside of a View.
func (r *RiskFold) Model() *risk.Model { return r.model }

// Changes returns a number that grows with every change of the model.
func (r *RiskFold) Changes() uint64 { return r.changes }

// Name returns "risk".
func (*RiskFold) Name() string { return "risk" }

// Reset replaces the model by one that has learned nothing.
func (r *RiskFold) Reset() {
	r.model, r.told, r.last = risk.New(), map[string]bool{}, nil
	r.changes++
}

// Corrects reports whether e is an act that replaced or withdrew a label.
func (*RiskFold) Corrects(e *ledger.Entry) bool { return e.Act != nil && e.Act.Corrects() }

// Foresee notes the verdict of a person in e, so that Add learns a person's last verdict in place of an earlier one.
func (r *RiskFold) Foresee(e *ledger.Entry) {
	if v := e.Verdict; v != nil && v.By != "" {
		if r.last == nil {
			r.last = map[string]*ledger.Verdict{}
		}
		r.last[v.Evaluation] = v
	}
}

// Foreseen drops the notes of Foresee, once all entries were added again.
func (r *RiskFold) Foreseen() { r.last = nil }

// Add learns from the verdict in e, or takes over the tally of another team in e. It ignores other entries.
func (r *RiskFold) Add(e *ledger.Entry) {
	if v := e.Verdict; v != nil {
		r.verdict(v)
	}
	if t := e.Tally; t != nil {
		r.changes++
		if !r.model.Believe(t) {
			r.log.Warn("what another team counted of verdicts was not taken over", "origin", t.Origin)
		}
	}
}

// verdict learns the label of an evaluation, unless a person's label was learned.
func (r *RiskFold) verdict(v *ledger.Verdict) {
	if r.told[v.Evaluation] || v.By == "" && !v.Labelled {
		return
	}
	if last := r.last[v.Evaluation]; last != nil {
		v = last
	}
	if v.By != "" && v.Labelled { // a label that was withdrawn may come again
		r.told[v.Evaluation] = true
	}
	if !v.Labelled || v.Features == "" {
		return
	}
	f, err := risk.Decode(v.Features)
	if err != nil {
		r.log.Warn("a verdict was not learned from", "evaluation", v.Evaluation, "error", err)
		return
	}
	r.model.Learn(v.Evaluation, f, v.Correct, v.Direction)
	r.changes++
}

// The file is that of the model, followed by: the length of the rest as u32, its CRC-32C as u32, little endian, and the
// evaluations in told, sorted, as JSON. A file without that part, from an older program, cannot be used.

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// mostTold bounds the bytes of told.
const mostTold = 64 << 20

// Save writes the model and the ids of evaluations that it learned with a person's label.
func (r *RiskFold) Save(w io.Writer) error {
	if err := r.model.Save(w); err != nil {
		return err
	}
	told, err := json.Marshal(slices.Sorted(maps.Keys(r.told)))
	if err != nil {
		return fmt.Errorf("save the risk model: %w", err)
	}
	b := binary.LittleEndian.AppendUint32(nil, uint32(len(told))) //nolint:gosec // a person gives fewer
	b = binary.LittleEndian.AppendUint32(b, crc32.Checksum(told, castagnoli))
	if _, err = w.Write(append(b, told...)); err != nil {
		return fmt.Errorf("save the risk model: %w", err)
	}
	return nil
}

// Load replaces the model by one that Save wrote. After an error the model has learned nothing.
func (r *RiskFold) Load(from io.Reader) error {
	r.Reset()
	model, err := risk.Load(from)
	if err != nil {
		return err
	}
	var head [8]byte
	if _, err := io.ReadFull(from, head[:]); err != nil {
		return fmt.Errorf("load the risk model: %w", err)
	}
	n, sum := binary.LittleEndian.Uint32(head[:4]), binary.LittleEndian.Uint32(head[4:])
	if n > mostTold {
		return fmt.Errorf("load the risk model: it names evaluations in %d bytes", n)
	}
	b, err := io.ReadAll(io.LimitReader(from, int64(n)+1))
	if err != nil {
		return fmt.Errorf("load the risk model: %w", err)
	}
	if len(b) != int(n) || crc32.Checksum(b, castagnoli) != sum {
		return errors.New("load the risk model: its last part is damaged")
	}
	var told []string
	if err := json.Unmarshal(b, &told); err != nil {
		return fmt.Errorf("load the risk model: %w", err)
	}
	for _, id := range told {
		r.told[id] = true
	}
	r.model = model
	return nil
}
