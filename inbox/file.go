package inbox

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/memtree/memtree/tree"
)

// The file has a line for each run, in the order in which they came: the JSON of kept.

// maxLine bounds a line that is read. A run may be longer as JSON than it was measured.
const maxLine = 4 * MostRun

// sizeOf returns about how many bytes a run takes.
func sizeOf(k *kept) int {
	b, err := json.Marshal(k)
	if err != nil {
		return MostRun + 1
	}
	return len(b)
}

// read takes in the runs of a file. It stops at what it cannot read, and says so.
func (b *Box) read(r io.Reader) error {
	lines := bufio.NewScanner(io.LimitReader(r, 2*MostBytes))
	lines.Buffer(make([]byte, 0, 64<<10), maxLine)
	b.mu.Lock()
	defer b.mu.Unlock()
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
	b.dirty = false
	return lines.Err()
}

// decode reads one line. It takes only a run that could have been put into a box.
func decode(line []byte) (*kept, error) {
	k := &kept{size: len(line)}
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
	if len(line) > MostRun {
		return nil, fmt.Errorf("it has %d bytes; the most is %d", len(line), MostRun)
	}
	return k, nil
}

// Due reports whether it is time to save while runs keep coming.
func (b *Box) Due(now time.Time) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.dirty && now.Sub(b.saved) >= saveEvery
}

// Save writes the box beside the store, if there is anything new. Runs whose truth was told long ago are left out.
func (b *Box) Save(ctx context.Context, now time.Time) error {
	b.mu.Lock()
	if !b.dirty {
		b.mu.Unlock()
		return nil
	}
	for key, k := range b.runs {
		if !k.Told.IsZero() && now.Sub(k.Told) > ToldFor {
			b.drop(key)
		}
	}
	var file bytes.Buffer
	e := json.NewEncoder(&file)
	e.SetEscapeHTML(false)
	for _, k := range b.sorted() {
		if err := e.Encode(k); err != nil {
			b.mu.Unlock()
			return fmt.Errorf("save the inbox: %w", err)
		}
	}
	b.dirty, b.saved = false, now
	b.mu.Unlock()
	err := tree.SaveDerived(ctx, b.store, name, 0, func(w io.Writer) error {
		_, err := w.Write(file.Bytes())
		return err
	})
	if err != nil {
		b.mu.Lock()
		b.dirty = true
		b.mu.Unlock()
		return fmt.Errorf("save the inbox: %w", err)
	}
	return nil
}
