package memtree

// Embedders that may be far away: they see no secrets, and are asked, and paid,
// for what is new alone. The vectors of the texts that were compared while the
// tree learned are kept for that, as derived data.

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"maps"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/memtree/memtree/embed"
	"github.com/memtree/memtree/formation"
	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/tree"
)

// openEmbedder takes the built-in table where no other embedder is given.
func (m *Memory) openEmbedder() (err error) {
	switch m.opts.Embedder.(type) {
	case nil:
		m.opts.Embedder, err = embed.Default()
	case *embed.Table:
	default:
		m.opts.Embedder = discreet{m.opts.Embedder}
	}
	return err
}

// discreet keeps secrets from an embedder that may be somebody else's: what is
// in the tree has none, but a prompt that is asked about may.
type discreet struct{ llm.Embedder }

// Embed implements llm.Embedder.
func (d discreet) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	clean := make([]string, len(texts))
	for i, t := range texts {
		clean[i], _ = formation.RedactText(t)
	}
	return d.Embedder.Embed(ctx, clean)
}

const (
	vectorsName  = "vectors"
	vectorsMagic = "memtree vectors 1\n"
	vectorsSize  = 256 << 20 // bytes that are read or kept at most
	maxDims      = 1 << 14   // numbers of a vector
)

// vectors is opened by the first who compares causes.
type vectors struct {
	open sync.Once
	of   atomic.Pointer[remembered] // nil before, and with the built-in table
}

// remembered is an embedder that asks another one for each text once. A vector
// is kept, and given from the first time on, in 8 bits a number: what is alike
// must not depend on whether it was remembered. Safe for concurrent use.
type remembered struct {
	llm.Embedder
	mu    sync.Mutex
	known map[string]row // by hash of the text
	fresh bool           // there is something to keep
}

// row is a vector of length 1 as it is kept.
type row struct {
	scale float32
	codes []byte // int8 each
}

func newRow(v []float32) row {
	top := float32(0)
	for _, x := range v {
		top = max(top, float32(math.Abs(float64(x))))
	}
	r := row{scale: top / 127, codes: make([]byte, len(v))}
	if top > 0 {
		for i, x := range v {
			r.codes[i] = byte(int8(math.Round(float64(x / r.scale))))
		}
	}
	return r
}

func (r row) vector() []float32 {
	v, square := make([]float32, len(r.codes)), 0.0
	for i, c := range r.codes {
		v[i] = r.scale * float32(int8(c))
		square += float64(v[i]) * float64(v[i])
	}
	if length := float32(math.Sqrt(square)); length > 0 {
		for i := range v {
			v[i] /= length
		}
	}
	return v
}

// Embed implements llm.Embedder.
func (e *remembered) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	if missing := e.missing(texts); len(missing) > 0 {
		vs, err := e.Embedder.Embed(ctx, missing)
		if err == nil {
			err = e.learn(missing, vs)
		}
		if err != nil {
			return nil, err
		}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	out := make([][]float32, len(texts))
	for i, t := range texts {
		out[i] = e.known[tree.Hash(t)].vector()
	}
	return out, nil
}

func (e *remembered) missing(texts []string) (out []string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, t := range texts {
		if _, ok := e.known[tree.Hash(t)]; !ok && !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	return out
}

func (e *remembered) learn(texts []string, vs [][]float32) error {
	if len(vs) != len(texts) {
		return fmt.Errorf("%d vectors came for %d texts", len(vs), len(texts))
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	for i, v := range vs {
		if len(v) > maxDims {
			return fmt.Errorf("a vector of %d numbers came; at most %d are taken", len(v), maxDims)
		}
		e.known[tree.Hash(texts[i])], e.fresh = newRow(v), true
	}
	return nil
}

// tableBuiltIn reports whether the embedder is the one that is always there.
func (m *Memory) tableBuiltIn() bool {
	_, is := m.opts.Embedder.(*embed.Table)
	return is
}

// causes returns the embedder that causes are compared by. The built-in table is
// quicker asked again than read.
func (m *Memory) causes(ctx context.Context) llm.Embedder {
	d, ok := m.store.(tree.Deriver)
	if m.tableBuiltIn() || !ok {
		return m.opts.Embedder
	}
	m.vectors.open.Do(func() {
		e := &remembered{Embedder: m.opts.Embedder}
		var err error
		if e.known, err = keptVectors(ctx, d, e.ID()); err != nil {
			m.opts.Logger.Warn("the vectors that were kept cannot be read and will be asked for anew", "error", err)
		}
		m.vectors.of.Store(e)
	})
	return m.vectors.of.Load()
}

func keptVectors(ctx context.Context, d tree.Deriver, id string) (map[string]row, error) {
	none := map[string]row{}
	kept, err := d.OpenDerived(ctx, vectorsName)
	if errors.Is(err, tree.ErrNotFound) || errors.Is(err, errors.ErrUnsupported) {
		return none, nil
	}
	if err != nil {
		return none, err
	}
	b, err := io.ReadAll(io.NewSectionReader(kept, 0, min(kept.Size, vectorsSize)))
	if err := errors.Join(err, kept.Closer.Close()); err != nil {
		return none, err
	}
	known, err := decodeVectors(b, id)
	if err != nil {
		return none, err
	}
	return known, nil
}

// saveVectors keeps what there is new. Losing it costs calls, not knowledge.
func (m *Memory) saveVectors(ctx context.Context) {
	d, ok := m.store.(tree.Deriver)
	e := m.vectors.of.Load()
	if !ok || e == nil || m.opts.ReadOnly {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.fresh {
		return
	}
	info, err := m.store.Info(ctx)
	if err == nil {
		err = d.SaveDerived(ctx, vectorsName, info.Version, func(w io.Writer) error {
			_, err := w.Write(encodeVectors(e.known, e.ID()))
			return err
		})
	}
	if err != nil && !errors.Is(err, errors.ErrUnsupported) {
		m.opts.Logger.Warn("the vectors of causes were not kept", "error", err)
		return
	}
	e.fresh = false
}

// encodeVectors writes the magic line, the embedder's id as a line, and one
// record a text, sorted: its key and its codes, each after its length, and the
// scale before the codes; little-endian; a CRC-32C of everything at the end.
// Beyond vectorsSize the rest is left out.
func encodeVectors(known map[string]row, id string) []byte {
	b := fmt.Appendf(nil, "%s%q\n", vectorsMagic, id)
	for _, key := range slices.Sorted(maps.Keys(known)) {
		r := known[key]
		if len(b)+len(key)+len(r.codes)+16 > vectorsSize {
			break
		}
		b = append(b, byte(len(key)))
		b = append(b, key...)
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(r.scale))
		b = binary.LittleEndian.AppendUint16(b, uint16(len(r.codes))) //nolint:gosec // at most maxDims
		b = append(b, r.codes...)
	}
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)))
}

var errVectors = errors.New("the file is damaged")

// decodeVectors reads what encodeVectors wrote; that of another embedder is as
// good as nothing.
func decodeVectors(b []byte, id string) (map[string]row, error) {
	known := map[string]row{}
	if len(b) < 4 || binary.LittleEndian.Uint32(b[len(b)-4:]) != crc32.Checksum(b[:len(b)-4], crc32.MakeTable(crc32.Castagnoli)) {
		return nil, errVectors
	}
	b, ok := bytes.CutPrefix(b[:len(b)-4], []byte(vectorsMagic))
	if !ok {
		return nil, errVectors
	}
	b, ok = bytes.CutPrefix(b, fmt.Appendf(nil, "%q\n", id))
	if !ok {
		return known, nil
	}
	for len(b) > 0 {
		n := int(b[0])
		if len(b) < 1+n+6 {
			return nil, errVectors
		}
		key := string(b[1 : 1+n])
		b = b[1+n:]
		r := row{scale: math.Float32frombits(binary.LittleEndian.Uint32(b))}
		dims := int(binary.LittleEndian.Uint16(b[4:]))
		if b = b[6:]; len(b) < dims || dims > maxDims || !(r.scale >= 0 && r.scale <= math.MaxFloat32) {
			return nil, errVectors
		}
		r.codes = bytes.Clone(b[:dims])
		known[key], b = r, b[dims:]
	}
	return known, nil
}
