package retrieval

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"math/bits"
	"sync"

	"github.com/memtree/memtree/internal/piece"
)

// The head of an index that is stored in pieces: the list of its segments, with the dead slots of each. FORMAT.md has
// the bytes.
const (
	listMagic  = "memtree-parts\n"
	listFormat = 1
	listStart  = len(listMagic) + 4 + 4 + 8 + 4
	listedSize = 8 + 4 + 4 + 8 + 4 // of a part without its dead slots
)

// How dead slots are written.
const (
	deadList = iota // the distance of each to the one before, from -1
	deadBits        // one bit a slot
)

// Head returns the bytes that name the segments, for LoadPieces. Store them after the segments.
func (p *Pieces) Head() []byte {
	b := append(make([]byte, 0, listStart+len(p.names)*listedSize), listMagic...)
	b = binary.LittleEndian.AppendUint32(b, listFormat)
	sumAt := len(b)
	b = binary.LittleEndian.AppendUint32(b, 0)
	b = binary.LittleEndian.AppendUint64(b, p.st.version)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(p.names))) //nolint:gosec // some ten
	for i := range p.st.parts {
		x := &p.st.parts[i]
		name, _ := hex.DecodeString(p.names[i]) // pieceName made it
		b = append(b, name...)
		b = binary.LittleEndian.AppendUint32(b, uint32(x.n))       //nolint:gosec // below maxSlots
		b = binary.LittleEndian.AppendUint32(b, uint32(x.gone))    //nolint:gosec // at most x.n
		b = binary.LittleEndian.AppendUint64(b, uint64(x.length))  //nolint:gosec // not negative
		b = binary.LittleEndian.AppendUint32(b, uint32(x.vectors)) //nolint:gosec // at most x.n
		if x.gone > 0 {
			b = x.appendDead(b)
		}
	}
	binary.LittleEndian.PutUint32(b[sumAt:], crc32.Checksum(b, piece.Castagnoli))
	return b
}

// appendDead writes the dead slots of a part in the shorter of the two forms.
func (p *part) appendDead(b []byte) []byte {
	var list []byte
	before := -1
	for i, w := range p.dead {
		for ; w != 0; w &= w - 1 {
			slot := 64*i + bits.TrailingZeros64(w)
			list = binary.AppendUvarint(list, uint64(slot-before)) //nolint:gosec // ascending
			before = slot
		}
	}
	if len(list) < 8*len(p.dead) {
		return append(append(b, deadList), list...)
	}
	b = append(b, deadBits)
	for _, w := range p.dead {
		b = binary.LittleEndian.AppendUint64(b, w)
	}
	return b
}

// listedPart is a part as the list has it, still without its segment.
type listedPart struct {
	part
	name  string
	slots int
	list  []int // the dead slots, if they are written as a list
}

// readPartList reads a list into the version of st and the parts. It is errFormat for other bytes than Head returns.
func readPartList(b []byte, st *indexState) ([]listedPart, error) {
	if len(b) < listStart || string(b[:len(listMagic)]) != listMagic {
		return nil, errFormat
	}
	r := byteReader{rest: b[len(listMagic):]}
	if format := r.u32(); format != listFormat {
		return nil, fmt.Errorf("%w: its format is %d, not %d", errFormat, format, listFormat)
	}
	sum := r.u32()
	sumAt := len(listMagic) + 4
	have := crc32.Checksum(b[:sumAt], piece.Castagnoli)
	have = crc32.Update(crc32.Update(have, piece.Castagnoli, make([]byte, 4)), piece.Castagnoli, b[sumAt+4:])
	if have != sum {
		return nil, fmt.Errorf("%w: its list of segments does not match its sum", errFormat)
	}
	st.version = r.u64()
	n := int(r.u32())
	if n > len(r.rest)/listedSize {
		return nil, fmt.Errorf("%w: its list of segments is cut off", errFormat)
	}
	parts := make([]listedPart, n)
	for i := range parts {
		if !parts[i].read(&r) {
			return nil, fmt.Errorf("%w: segment %d of its list is impossible", errFormat, i)
		}
	}
	if r.bad || len(r.rest) > 0 {
		return nil, fmt.Errorf("%w: its list of segments has another length", errFormat)
	}
	return parts, nil
}

// read reads one part of the list. It returns false for one that Head would not write.
func (l *listedPart) read(r *byteReader) bool {
	if len(r.rest) < listedSize {
		return false
	}
	l.name = hex.EncodeToString(r.rest[:8])
	r.rest = r.rest[8:]
	slots, gone := r.u32(), r.u32()
	length, vectors := r.u64(), r.u32()
	if slots == 0 || slots >= maxSlots || gone > slots || length >= 1<<48 || vectors > slots-gone {
		return false
	}
	l.slots, l.gone, l.length, l.vectors = int(slots), int(gone), int64(length), int(vectors)
	return gone == 0 || l.readDead(r)
}

// readDead reads what appendDead wrote, and returns false for anything else.
func (l *listedPart) readDead(r *byteReader) bool {
	if len(r.rest) == 0 {
		return false
	}
	form := r.rest[0]
	r.rest = r.rest[1:]
	words, found := (l.slots+63)/64, 0
	switch form {
	case deadList:
		if l.gone > len(r.rest) {
			return false
		}
		slot := -1
		for range l.gone {
			step := r.uvarint()
			if step == 0 || step > uint64(l.slots-1-slot) { //nolint:gosec // slot is below slots
				return false
			}
			slot += int(step) //nolint:gosec // below maxSlots
			l.list = append(l.list, slot)
		}
		found = l.gone
	case deadBits:
		if words > len(r.rest)/8 {
			return false
		}
		l.dead = make([]uint64, words)
		for i := range l.dead {
			l.dead[i] = r.u64()
			found += bits.OnesCount64(l.dead[i])
		}
		if last := l.slots & 63; last > 0 && l.dead[words-1]>>last != 0 {
			return false
		}
	default:
		return false
	}
	return found == l.gone
}

// take gives the part its segment. Only now memory is taken for its dead slots, because the segment is as large as the
// list claims.
func (l *listedPart) take(s *segment) part {
	l.segment = s
	if l.gone > 0 && l.dead == nil {
		l.dead = make([]uint64, (l.slots+63)/64)
		for _, slot := range l.list {
			l.dead[slot>>6] |= 1 << (slot & 63)
		}
	}
	if l.gone > 0 {
		l.counted = &sync.Map{}
	}
	return l.part
}
