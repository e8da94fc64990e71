package transfer

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/memtree/memtree/tree"
)

// partBytes is when a part of an error type's lines is written out: what a
// Writer holds in memory, and what a tar header can say the size of.
const partBytes = 1 << 20

// Writer writes nodes in the format of FORMAT.md, in bounded memory. The same
// nodes give the same bytes. It is for one goroutine.
type Writer struct {
	out   sink
	sum   Manifest
	part  bytes.Buffer
	parts int       // of the present error type
	hash  hash.Hash // of the present error type
	last  string    // id
	err   error
}

// sink is where the parts of a Writer go: a file or a folder.
type sink interface {
	lines(errorType string, part int, b []byte) error
	manifest(b []byte) error
	discard()
}

// NewWriter returns a Writer of one file.
func NewWriter(w io.Writer) (*Writer, error) {
	z, err := zstd.NewWriter(w, zstd.WithEncoderConcurrency(1), zstd.WithLowerEncoderMem(true), zstd.WithEncoderLevel(zstd.SpeedDefault), zstd.WithWindowSize(window))
	if err != nil {
		return nil, fmt.Errorf("write a file of nodes: %w", err)
	}
	return newWriter(&archive{z: z, t: tar.NewWriter(z)}), nil
}

func newWriter(out sink) *Writer {
	return &Writer{out: out, sum: Manifest{Format: Format, Major: Major, Minor: Minor, Levels: map[string]int{}, Origins: map[string]int{}, Types: []TypeSum{}}}
}

// window of the compression, in bytes; a reader need not allow for more.
const window = 1 << 20

// Add writes a node, made canonical. Nodes come sorted by error type, then id,
// and each once.
func (w *Writer) Add(n tree.Node) error {
	if w.err == nil {
		w.err = w.add(n)
	}
	return w.err
}

func (w *Writer) add(n tree.Node) error {
	present := w.present()
	if w.sum.Nodes > 0 && !less(present.ErrorType, w.last, n.ErrorType, n.ID) {
		return fmt.Errorf("write node %s: nodes have to come sorted by error type and id", n.ID)
	}
	if !typeName().MatchString(n.ErrorType) {
		return fmt.Errorf("write node %s: %.80q cannot be the name of an error type", n.ID, n.ErrorType)
	}
	if present == nil || present.ErrorType != n.ErrorType {
		if err := w.endType(); err != nil {
			return err
		}
		w.sum.Types = append(w.sum.Types, TypeSum{ErrorType: n.ErrorType})
		w.hash, w.parts = sha256.New(), 0
		present = w.present()
	}
	from := w.part.Len()
	n = Canonical(n)
	if err := encode(&w.part, &n); err != nil {
		return err
	}
	line := w.part.Bytes()[from:]
	if len(line) > MaxLine {
		return fmt.Errorf("write node %s: it takes %d bytes; the most is %d", n.ID, len(line), MaxLine)
	}
	w.hash.Write(line)
	present.Nodes++
	present.Bytes += int64(len(line))
	w.sum.count(&n)
	w.last = n.ID
	if w.part.Len() >= partBytes {
		return w.flush()
	}
	return nil
}

func (w *Writer) present() *TypeSum {
	if len(w.sum.Types) == 0 {
		return nil
	}
	return &w.sum.Types[len(w.sum.Types)-1]
}

func (m *Manifest) count(n *tree.Node) {
	m.Nodes++
	m.Levels[string(n.Type)]++
	m.Origins[n.Origin.ID]++
}

func (w *Writer) flush() error {
	if w.part.Len() == 0 {
		return nil
	}
	w.parts++
	err := w.out.lines(w.present().ErrorType, w.parts, w.part.Bytes())
	w.part.Reset()
	return err
}

func (w *Writer) endType() error {
	if w.present() == nil {
		return nil
	}
	if err := w.flush(); err != nil {
		return err
	}
	w.present().SHA256 = hex.EncodeToString(w.hash.Sum(nil))
	return nil
}

// Close writes the manifest, which makes the file whole. After a failed Add it
// returns that error and leaves something that no reader takes.
func (w *Writer) Close() (Manifest, error) {
	if w.err == nil {
		w.err = w.close()
	}
	if w.err != nil {
		w.out.discard()
		return Manifest{}, w.err
	}
	w.err = fmt.Errorf("the writer of nodes is closed")
	return w.sum, nil
}

// Discard gives the Writer up: what it wrote is nothing that a reader takes.
func (w *Writer) Discard() {
	w.out.discard()
	w.err = errDiscarded
}

var errDiscarded = errors.New("the writer of nodes was given up")

func (w *Writer) close() error {
	if err := w.endType(); err != nil {
		return err
	}
	b, err := json.MarshalIndent(w.sum, "", "  ")
	if err != nil {
		return fmt.Errorf("write the manifest: %w", err)
	}
	return w.out.manifest(append(b, '\n'))
}

// The names in a file.
const (
	manifestName = "manifest.json"
	nodesFolder  = "nodes"
)

// archive is the sink of a file.
type archive struct {
	z *zstd.Encoder
	t *tar.Writer
}

func (a *archive) lines(errorType string, part int, b []byte) error {
	return a.entry(partName(errorType, part), b)
}

func partName(errorType string, part int) string {
	return fmt.Sprintf("%s/%s/%05d.jsonl", nodesFolder, errorType, part)
}

func (a *archive) entry(name string, b []byte) error {
	h := &tar.Header{Typeflag: tar.TypeReg, Name: name, Size: int64(len(b)), Mode: 0o644, ModTime: time.Unix(0, 0), Format: tar.FormatUSTAR}
	if err := a.t.WriteHeader(h); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	if _, err := a.t.Write(b); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}

func (a *archive) manifest(b []byte) error {
	if err := a.entry(manifestName, b); err != nil {
		return err
	}
	if err := a.t.Close(); err != nil {
		return fmt.Errorf("end the file: %w", err)
	}
	if err := a.z.Close(); err != nil {
		return fmt.Errorf("end the file: %w", err)
	}
	return nil
}

func (a *archive) discard() { a.z.Reset(nil) } // what is buffered must not make a file look whole
