package transfer

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"io"
	"iter"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/memtree/memtree/tree"
)

// partBytes is the size from which a part of an error type's lines is written out. It bounds the memory of a
// nodeWriter. A tar header needs the size of a part before its bytes.
const partBytes = 1 << 20

// nodeWriter writes nodes in the format of FORMAT.md, in bounded memory. The same
// nodes give the same bytes.
type nodeWriter struct {
	out   sink
	sum   Manifest
	part  bytes.Buffer
	parts int       // of the present error type
	hash  hash.Hash // of the present error type
	last  string    // id
}

// sink receives the parts of a nodeWriter: an archive or a folder. manifest completes it. discard aborts it; readers
// refuse the remaining files.
type sink interface {
	lines(errorType string, part int, b []byte) error
	manifest(b []byte) error
	discard()
}

// write writes nodes in canonical form, and then the manifest.
func write(out sink, nodes iter.Seq2[tree.Node, error], beside Beside) (Manifest, error) {
	w := &nodeWriter{out: out, sum: noNodes()}
	w.sum.Beside = beside
	err := beside.check()
	if err != nil {
		err = fmt.Errorf("write the manifest: it %w", err)
	} else {
		err = w.all(nodes)
	}
	if err != nil {
		out.discard()
		return Manifest{}, err
	}
	return w.sum, nil
}

func (w *nodeWriter) all(nodes iter.Seq2[tree.Node, error]) error {
	for n, err := range nodes {
		if err == nil {
			err = w.add(n)
		}
		if err != nil {
			return err
		}
	}
	return w.close()
}

// noNodes returns the manifest of an empty file.
func noNodes() Manifest {
	return Manifest{Format: formatName, Major: major, Minor: minor, Levels: map[string]int{}, Origins: map[string]int{},
		Types: []typeSum{}}
}

func newArchive(w io.Writer) (*archive, error) {
	z, err := zstd.NewWriter(w, zstd.WithEncoderConcurrency(1), zstd.WithLowerEncoderMem(true),
		zstd.WithEncoderLevel(zstd.SpeedDefault), zstd.WithWindowSize(window))
	if err != nil {
		return nil, fmt.Errorf("write a file of nodes: %w", err)
	}
	return &archive{z: z, t: tar.NewWriter(z)}, nil
}

// window of the compression, in bytes; a reader need not allow for more.
const window = 1 << 20

// add writes a node. Nodes must come in order; an unlawful order is an error of the caller.
func (w *nodeWriter) add(n tree.Node) error {
	present := w.currentType()
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
		w.sum.Types = append(w.sum.Types, typeSum{ErrorType: n.ErrorType})
		w.hash, w.parts = sha256.New(), 0
		present = w.currentType()
	}
	from := w.part.Len()
	n = canonical(n)
	if err := encode(&w.part, &n); err != nil {
		return err
	}
	line := w.part.Bytes()[from:]
	if len(line) > allowed.line {
		return fmt.Errorf("write node %s: it takes %d bytes; the most is %d", n.ID, len(line), allowed.line)
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

// currentType returns the sums of the error type that is being written; nil before the first.
func (w *nodeWriter) currentType() *typeSum {
	if len(w.sum.Types) == 0 {
		return nil
	}
	return &w.sum.Types[len(w.sum.Types)-1]
}

// count adds a node to the counts.
func (m *Manifest) count(n *tree.Node) {
	m.Nodes++
	m.Levels[string(n.Type)]++
	m.Origins[n.Origin.ID]++
}

// flush writes the buffered lines as a part.
func (w *nodeWriter) flush() error {
	if w.part.Len() == 0 {
		return nil
	}
	w.parts++
	err := w.out.lines(w.currentType().ErrorType, w.parts, w.part.Bytes())
	w.part.Reset()
	return err
}

// endType writes the last part of an error type and completes its hash.
func (w *nodeWriter) endType() error {
	if w.currentType() == nil {
		return nil
	}
	if err := w.flush(); err != nil {
		return err
	}
	w.currentType().SHA256 = hex.EncodeToString(w.hash.Sum(nil))
	return nil
}

// close ends the last error type and writes the manifest.
func (w *nodeWriter) close() error {
	if err := w.endType(); err != nil {
		return err
	}
	b, err := json.MarshalIndent(w.sum, "", "  ")
	if err != nil {
		return fmt.Errorf("write the manifest: %w", err)
	}
	if len(b) >= maxManifest {
		return fmt.Errorf("write the manifest: it takes %d bytes with its facts; the most is %d: export one product, or "+
			"leave the facts out and export them to a file of their own", len(b), maxManifest)
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

// partName returns the name of the entry for a part; parts are numbered from 1.
func partName(errorType string, part int) string {
	return fmt.Sprintf("%s/%s/%05d.jsonl", nodesFolder, errorType, part)
}

// entry writes one entry. Its time and mode are fixed, so that the same nodes give the same bytes.
func (a *archive) entry(name string, b []byte) error {
	h := &tar.Header{Typeflag: tar.TypeReg, Name: name, Size: int64(len(b)), Mode: 0o644, ModTime: time.Unix(0, 0),
		Format: tar.FormatUSTAR}
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

func (a *archive) discard() { a.z.Reset(nil) } // buffered data must not make a file look complete
