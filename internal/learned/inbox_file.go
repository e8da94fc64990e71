package learned

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"
)

// The file has one line for each run, in order of arrival: the JSON of waiting. That of the tail is alike.

// maxLine bounds a line that is read. The JSON of a run may be longer than its measured size.
const maxLine = 4 * mostRun

// sizeOf returns the approximate size of a run in bytes.
func sizeOf(k *waiting) int {
	b, err := json.Marshal(k)
	if err != nil {
		return mostRun + 1
	}
	return len(b)
}

// Name returns "inbox".
func (*InboxBox) Name() string { return "inbox" }

// Changes returns a number that grows with every change.
func (b *InboxBox) Changes() uint64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.changes
}

// Load replaces the runs by those that Save wrote. It stops with an error at the first unreadable line, and has the
// runs before it.
func (b *InboxBox) Load(r io.Reader) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.runs, b.bytes = map[string]*waiting{}, 0
	err := b.load(r)
	b.whole = b.seq
	return err
}

// LoadTail adds the runs that SaveTail wrote, like Load. They stay in the tail.
func (b *InboxBox) LoadTail(r io.Reader) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.load(r)
}

// load adds runs. The caller holds mu.
func (b *InboxBox) load(r io.Reader) error {
	lines := bufio.NewScanner(io.LimitReader(r, 2*mostBytes))
	lines.Buffer(make([]byte, 0, 64<<10), maxLine)
	defer func(before uint64) { b.changes = before }(b.changes)
	for n := 1; lines.Scan(); n++ {
		k, err := decode(lines.Bytes())
		if err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
		if b.runs[k.Evaluation.ID] == nil {
			b.put(k)
		}
	}
	b.shrink()
	return lines.Err()
}

// decode reads one line. It accepts only runs that Put accepts.
func decode(line []byte) (*waiting, error) {
	k := &waiting{size: len(line)}
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(k); err != nil {
		return nil, fmt.Errorf("it is not the JSON of a run: %w", err)
	}
	if k.Evaluation.ID == "" {
		return nil, errors.New("the run has no id")
	}
	if err := k.Evaluation.Check(); err != nil {
		return nil, err
	}
	if len(line) > mostRun {
		return nil, fmt.Errorf("it has %d bytes; the most is %d", len(line), mostRun)
	}
	return k, nil
}

// Save writes the runs, one JSON object a line. It first drops runs that were labelled more than a week ago.
func (b *InboxBox) Save(w io.Writer) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	for key, k := range b.runs {
		if !k.Told.IsZero() && time.Since(k.Told) > toldFor {
			b.drop(key)
		}
	}
	b.saving = b.seq
	return encode(w, b.sorted())
}

// SavedWhole notes that the output of the last Save was stored.
func (b *InboxBox) SavedWhole() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.whole = b.saving
}

// Sizes returns the sizes in bytes, as JSON, of all runs and of those in the tail.
func (b *InboxBox) Sizes() (whole, tail int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, k := range b.after(b.whole) {
		tail += k.size
	}
	return b.bytes, tail
}

// SaveTail writes the runs that were added since the last SavedWhole, or loaded by LoadTail.
func (b *InboxBox) SaveTail(w io.Writer) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return encode(w, b.after(b.whole))
}

func encode(w io.Writer, runs []*waiting) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	for _, k := range runs {
		if err := e.Encode(k); err != nil {
			return fmt.Errorf("save the inbox: %w", err)
		}
	}
	return nil
}
