package risk

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"slices"
)

// A saved model is a head of 20 bytes and a body. The head, little endian, holds the magic, the format as u32, the
// body's CRC-32C as u32 and its length as u32. The body holds the values in the order of (*Model).code. A table is
// stored as its used cells, each with its distance from the previous one.
const (
	magic      = "mt-risk\n"
	fileFormat = 6
	headBytes  = len(magic) + 12
	maxBody    = 64 << 20
	maxID      = 1 << 10
)

// errFormat means that this program cannot use a saved model; learn a new one.
var errFormat = errors.New("not a risk model of this version of memtree")

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Save writes the model in the form that Load reads. The same history gives the same bytes.
func (m *Model) Save(w io.Writer) error {
	m.mu.RLock()
	e := &encoder{}
	m.code(e)
	m.mu.RUnlock()
	head := []byte(magic)
	head = binary.LittleEndian.AppendUint32(head, fileFormat)
	head = binary.LittleEndian.AppendUint32(head, crc32.Checksum(e.b, castagnoli))
	head = binary.LittleEndian.AppendUint32(head, uint32(len(e.b)))
	for _, b := range [][]byte{head, e.b} {
		if _, err := w.Write(b); err != nil {
			return fmt.Errorf("save the risk model: %w", err)
		}
	}
	return nil
}

// Load returns the model that Save wrote, and reads r no further. It returns an error for damaged bytes and for those
// of another version; learn a new model then.
func Load(r io.Reader) (*Model, error) {
	head := make([]byte, headBytes)
	if _, err := io.ReadFull(r, head); err != nil {
		return nil, fmt.Errorf("%w: it is cut off", errFormat)
	}
	if string(head[:len(magic)]) != magic || binary.LittleEndian.Uint32(head[len(magic):]) != fileFormat {
		return nil, fmt.Errorf("%w: it begins otherwise", errFormat)
	}
	sum, n := binary.LittleEndian.Uint32(head[len(magic)+4:]), binary.LittleEndian.Uint32(head[len(magic)+8:])
	if n > maxBody {
		return nil, fmt.Errorf("%w: it says it has %d bytes", errFormat, n)
	}
	body, err := io.ReadAll(io.LimitReader(r, int64(n)))
	if err != nil {
		return nil, fmt.Errorf("load the risk model: %w", err)
	}
	if uint32(len(body)) != n || crc32.Checksum(body, castagnoli) != sum {
		return nil, fmt.Errorf("%w: it is damaged", errFormat)
	}
	return decodeModel(body)
}

func decodeModel(body []byte) (*Model, error) {
	m := New()
	d := &modelDecoder{b: body}
	m.code(d)
	if d.err == nil && len(d.b) > 0 {
		d.fail("something follows it")
	}
	if d.err != nil {
		return nil, d.err
	}
	return m, nil
}

// A coder writes or reads values, one after another. One function, code, serves both directions, so the order of the
// values is defined once.
type coder interface {
	count(n *int, most int)
	word(w *uint32)
	single(x *float32)
	number(x *float64)
	text(s *string, most int)
	fail(problem string)
}

// code passes all of m to c, which writes or fills it. Of the rival it stores only the number of its verdicts: the
// rival learns them again.
func (m *Model) code(c coder) {
	c.count(&m.n, math.MaxInt32)
	c.count(&m.wrong, m.n)
	c.number(&m.evidence.Won)
	c.number(&m.evidence.Spare)
	m.elsewhere.code(c)
	c.count(&m.changed, m.n)
	m.codeJudges(c)
	m.all.code(c)
	known, l := 0, &m.late
	if l.learner != nil {
		known = l.n + 1
	}
	c.count(&known, len(m.all.store.ring)+1)
	if known == 0 {
		return
	}
	if l.learner == nil {
		l.learner = &learner{}
	}
	c.number(&l.prior)
	c.number(&l.belief)
	c.number(&l.lead)
	c.number(&l.least)
	c.count(&l.since, known-1)
	if l.prior <= 0 || l.prior >= 1 || l.belief < 0 || l.belief > 1 {
		c.fail("a share is not within 0 to 1")
	}
	if d, reading := c.(*modelDecoder); reading && d.err == nil {
		l.learner = m.all.again(known-1, lateBits, l.prior)
	}
}

// code passes all of m to c, like (*Model).code.
func (m *learner) code(c coder) {
	c.count(&m.n, math.MaxInt32)
	c.count(&m.wrong, m.n)
	c.number(&m.prior)
	for i := range m.mean {
		c.number(&m.mean[i])
		c.number(&m.m2[i])
	}
	for i := range m.blend.fits {
		codeLogistic(c, &m.blend.fits[i])
		c.number(&m.blend.belief[i])
	}
	for i := range m.blend.scales {
		codeLogistic(c, &m.blend.scales[i])
		c.number(&m.blend.scaled[i])
	}
	m.codeValues(c)
	codeCells(c, m.rate, codeCount)
	codeCells(c, m.word, codeCount)
	codeCells(c, m.weight, codeWeight)
	codeCells(c, m.known, func(c coder, x *float32) { c.single(x) })
	m.codeStore(c)
	m.checkNumbers(c)
}

func codeLogistic(c coder, l *logistic) {
	for i := range l.mean {
		c.number(&l.mean[i])
	}
	for i := range l.cov {
		c.number(&l.cov[i])
	}
}

func (m *learner) codeValues(c coder) {
	n := len(m.values)
	c.count(&n, maxValues)
	for i := range n {
		if i == len(m.values) {
			m.values = append(m.values, &value{shape: newShape(0.5)})
		}
		v := m.values[i]
		c.word(&v.hash)
		codeCount(c, &v.base)
		codeCount(c, &v.truth)
		for j := range v.ways {
			c.word(&v.ways[j])
		}
		codeLogistic(c, &v.shape)
	}
}

func codeCount(c coder, x *count) {
	c.single(&x.wrong)
	c.single(&x.right)
	if x.wrong < 0 || x.right < 0 {
		c.fail("a count is below 0")
	}
}

func codeWeight(c coder, w *weight) {
	c.single(&w.mean)
	c.single(&w.sure)
	if w.variance() < 0 {
		c.fail("a variance is below 0")
	}
}

// codeCells writes or reads the used cells of a table, each after its distance from the previous one. A table to be
// filled has to be empty.
func codeCells[T comparable](c coder, table []T, one func(coder, *T)) {
	var unused T
	n, last := 0, -1
	if _, reading := c.(*modelDecoder); reading {
		c.count(&n, len(table))
		for range n {
			step := 0
			c.count(&step, len(table))
			if last += step + 1; last >= len(table) {
				c.fail("a cell is out of its table")
				return
			}
			one(c, &table[last])
		}
		return
	}
	for i := range table {
		if table[i] != unused {
			n++
		}
	}
	c.count(&n, len(table))
	for i := range table {
		if table[i] != unused {
			step := i - last - 1
			c.count(&step, len(table))
			one(c, &table[i])
			last = i
		}
	}
}

// codeStore writes or reads the remembered verdicts, oldest first.
func (m *learner) codeStore(c coder) {
	n := len(m.store.ring)
	c.count(&n, window)
	if _, reading := c.(*modelDecoder); !reading {
		for i := range n {
			r := m.store.ring[(m.store.next+i)%n]
			f, wrong := r.f.Encode(), int(indicator(r.wrong))
			c.text(&r.id, maxID)
			c.text(&f, maxFeatures)
			c.count(&wrong, 1)
		}
		return
	}
	for range n {
		var r remembered
		var s string
		wrong := 0
		c.text(&r.id, maxID)
		c.text(&s, maxFeatures)
		c.count(&wrong, 1)
		f, err := Decode(s)
		if err != nil {
			c.fail("a verdict in it cannot be read")
			return
		}
		r.f, r.wrong = f, wrong == 1
		m.store.add(r)
	}
}

// checkNumbers rejects numbers that no history produces, because they could make scores NaN.
func (m *learner) checkNumbers(c coder) {
	for i := range m.mean {
		if m.m2[i] < 0 {
			c.fail("a variance is below 0")
		}
	}
	if m.prior <= 0 || m.prior >= 1 {
		c.fail("a share is not within 0 to 1")
	}
	for _, b := range slices.Concat(m.blend.belief[:], m.blend.scaled[:]) {
		if b < 0 || b > 1 {
			c.fail("a belief is not within 0 to 1")
		}
	}
}

type encoder struct{ b []byte }

func (e *encoder) count(n *int, _ int) { e.b = binary.AppendUvarint(e.b, uint64(*n)) }
func (e *encoder) word(w *uint32)      { e.b = binary.LittleEndian.AppendUint32(e.b, *w) }
func (e *encoder) single(x *float32) {
	e.b = binary.LittleEndian.AppendUint32(e.b, math.Float32bits(*x))
}
func (e *encoder) number(x *float64) {
	e.b = binary.LittleEndian.AppendUint64(e.b, math.Float64bits(*x))
}
func (e *encoder) text(s *string, most int) {
	cut := (*s)[:min(len(*s), most)]
	n := len(cut)
	e.count(&n, most)
	e.b = append(e.b, cut...)
}
func (e *encoder) fail(string) {}

// modelDecoder records the first problem in err and returns zeros from then on.
type modelDecoder struct {
	b   []byte
	err error
}

func (d *modelDecoder) fail(problem string) {
	if d.err == nil {
		d.err = fmt.Errorf("%w: %s", errFormat, problem)
	}
	d.b = nil
}

func (d *modelDecoder) take(n int) []byte {
	if len(d.b) < n {
		d.fail("it is cut off")
		return make([]byte, min(n, 8))
	}
	b := d.b[:n]
	d.b = d.b[n:]
	return b
}

func (d *modelDecoder) count(n *int, most int) {
	v, used := binary.Uvarint(d.b)
	*n = 0
	if used <= 0 || v > uint64(most) {
		d.fail("a count is cut off or too large")
		return
	}
	d.b = d.b[used:]
	*n = int(v)
}

func (d *modelDecoder) word(w *uint32) { *w = binary.LittleEndian.Uint32(d.take(4)) }

func (d *modelDecoder) single(x *float32) {
	*x = math.Float32frombits(binary.LittleEndian.Uint32(d.take(4)))
	if !finite(float64(*x)) {
		d.fail("a number is none")
	}
}

func (d *modelDecoder) number(x *float64) {
	*x = math.Float64frombits(binary.LittleEndian.Uint64(d.take(8)))
	if !finite(*x) {
		d.fail("a number is none")
	}
}

// finite reports whether x is a number small enough to be squared and summed.
func finite(x float64) bool { return math.Abs(x) < 1e12 }

func (d *modelDecoder) text(s *string, most int) {
	n := 0
	d.count(&n, most)
	if n <= len(d.b) {
		*s = string(d.take(n))
		return
	}
	d.fail("a text is cut off")
}
