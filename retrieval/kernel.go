package retrieval

import (
	"encoding/binary"
	"math"
	"math/bits"
)

// The loops in which a search spends most of its time: the product of a query vector with a row, the scores of slots
// by their sketches, the shares of a token, the parts of a check, and the choice of slots by their scores. Each is
// written twice: here, and for processors with AVX2 in kernel_amd64.s. Both give the same numbers, to the last bit;
// TestProducts, TestRate, TestShares, TestTimes, TestParts, TestNext, TestOrWhere and TestNextFitting prove that. So
// products of floats are rounded before they are added (the conversions to float32), because the compiler may otherwise
// fuse the two where a processor can.

// dot returns the product of a question's numbers, 14 bits each, with a row of int8. Both have the same length.
func dot(a []int16, row []byte) int {
	sum, n := dotFast(a, row)
	return sum + dotPlain(a[n:], row[n:])
}

func dotPlain(a []int16, row []byte) (sum int) {
	row = row[:len(a)]
	for i, x := range a {
		sum += int(x) * int(int8(row[i]))
	}
	return sum
}

// rate reads the sketches of slots, in blocks if blocked is true. lex has the lexical sum of each slot, in this unit.
// It writes the estimated raw score of each to score, and the highest possible one to most.
func (q *queryVector) rate(sketches []byte, unit float32, lex, score, most []float32) {
	if blocked(len(q.ints)) {
		q.rateFast(sketches, unit, lex, score, most)
	} else {
		q.ratePlain(sketches, unit, lex, score, most)
	}
}

func (q *queryVector) ratePlain(column []byte, unit float32, lex, score, most []float32) {
	p0 := q.planes[0]
	p1, p2, p3 := q.planes[1][:len(p0)], q.planes[2][:len(p0)], q.planes[3][:len(p0)]
	size := 8*len(p0) + 8
	for i, x := range lex {
		sketch, hits := column[i*size:][:size], 0 // the sum of q's 4-bit numbers where v has a positive sign
		for w := range p0 {
			b := le64(sketch[8*w:])
			hits += bits.OnesCount64(b&p0[w]) + bits.OnesCount64(b&p1[w])<<1 +
				bits.OnesCount64(b&p2[w])<<2 + bits.OnesCount64(b&p3[w])<<3
		}
		tail := le64(sketch[size-8:])
		factor, ones, bound := math.Float32frombits(uint32(tail)), uint16(tail>>32), uint16(tail>>48)
		// Where v has a negative sign, q's numbers are subtracted. So the product with the signs is positive − (sum −
		// positive).
		positive := float32(q.low*float32(ones)) + float32(q.step*float32(hits))
		cosine := float32((positive + positive - q.sum) * factor)
		x = root(float32(x * unit))
		score[i], most[i] = x+above0(cosine), x+above0(cosine+float32(float32(bound)*boundUnit))
	}
}

// blocked reports whether the sketches of vectors of dims numbers are arranged in blocks, for rateFast.
func blocked(dims int) bool { return fast && turnedLength(dims) <= mostTurned }

// blockSlots is the number of slots with their sketches in one block, see inBlocks.
const blockSlots = 32

// inBlocks returns the sketches of a column, size bytes each, in the order in which rateFast reads them. A block has
// the first byte of each of 32 sketches, then the second of each, and so on for all bits; then for each sketch its
// last 8 bytes. The last block is padded with zeros.
func inBlocks(column []byte, size int) []byte {
	blocks := make([]byte, (len(column)/size+blockSlots-1)/blockSlots*blockSlots*size)
	for rest := blocks; len(column) > 0; rest = rest[blockSlots*size:] {
		n := min(blockSlots*size, len(column))
		from := column[:n]
		if n < blockSlots*size {
			from = append(make([]byte, 0, blockSlots*size), from...)[:blockSlots*size]
		}
		for b := 0; b < size-8; b += 8 {
			for i := 0; i < blockSlots; i += 8 {
				turn8(from[i*size+b:], size, rest[b*blockSlots+i:])
			}
		}
		tails := rest[(size-8)*blockSlots:]
		for i := range n / size {
			copy(tails[8*i:8*i+8], from[(i+1)*size-8:])
		}
		column = column[n:]
	}
	return blocks
}

// turn8 writes 8 lines of 8 bytes, a block's width apart: the columns of 8 lines that are apart
// from each other by step. It swaps halves of 8, 4 and 2 bytes between lines (H. Warren, "Hacker's
// Delight", 2nd edition, section 7-3, does so with bits).
func turn8(lines []byte, step int, out []byte) {
	var x [8]uint64
	for i := range x {
		x[i] = binary.LittleEndian.Uint64(lines[i*step:])
	}
	for i := range 4 {
		a, b := x[i], x[i+4]
		x[i], x[i+4] = a&0x00000000ffffffff|b<<32, a>>32|b&0xffffffff00000000
	}
	for _, i := range [4]int{0, 1, 4, 5} {
		a, b := x[i], x[i+2]
		x[i], x[i+2] = a&0x0000ffff0000ffff|b&0x0000ffff0000ffff<<16, a>>16&0x0000ffff0000ffff|b&0xffff0000ffff0000
	}
	for _, i := range [4]int{0, 2, 4, 6} {
		a, b := x[i], x[i+1]
		x[i], x[i+1] = a&0x00ff00ff00ff00ff|b&0x00ff00ff00ff00ff<<8, a>>8&0x00ff00ff00ff00ff|b&0xff00ff00ff00ff00
	}
	for i := range x {
		binary.LittleEndian.PutUint64(out[i*blockSlots:], x[i])
	}
}

// nextAbove returns the first slot from at on whose value, times by, is above least, or len(values).
func nextAbove(values []float32, by, least float32, at int) int {
	return nextAbovePlain(values, by, least, nextAboveFast(values, by, least, at))
}

func nextAbovePlain(values []float32, by, least float32, at int) int {
	for ; at < len(values) && !(values[at]*by > least); at++ {
	}
	return at
}

// nextOpen returns the first slot from at on whose value, times by, is at least what its flags need, or len(values).
func nextOpen(values []float32, flags []uint8, by float32, need *needs, at int) int {
	return nextOpenPlain(values, flags, by, need, nextOpenFast(values, flags, by, need, at))
}

func nextOpenPlain(values []float32, flags []uint8, by float32, need *needs, at int) int {
	for ; at < len(values) && !(values[at]*by >= need[flags[at]&allFlags]); at++ {
	}
	return at
}

// orWhere sets the bits of flag in the flags of the slots whose value is x.
func orWhere(values []uint8, x, flag uint8, flags []uint8) {
	n := orWhereFast(values, x, flag, flags)
	orWherePlain(values[n:], x, flag, flags[n:])
}

func orWherePlain(values []uint8, x, flag uint8, flags []uint8) {
	for i, v := range values {
		if v == x {
			flags[i] |= flag
		}
	}
}

// root returns the square root, 0 for numbers below 0 and NaN.
func root(x float32) float32 { return float32(math.Sqrt(float64(above0(x)))) }

// above0 returns x, or 0 if that is less or NaN.
func above0(x float32) float32 {
	if x > 0 {
		return x
	}
	return 0
}

// shareFactors are the numbers that a token's share in the score of a slot depends on, besides its frequency in the
// text and the length of the text.
type shareFactors struct{ idf, flat, slope float32 }

// share returns the contribution of a token to the BM25 of a slot of so many tokens, where it occurs times times.
func (f *shareFactors) share(times, tokens float32) float32 {
	return f.idf * times / (times + f.flat + float32(f.slope*tokens))
}

// addShares adds the share of a token to lex, for each of the postings. It returns false if one names a slot that does
// not exist.
func addShares(postings []byte, f *shareFactors, lex []float32) bool {
	n := addSharesFast(postings, f, lex)
	return addSharesPlain(postings[n*postingSize:], f, lex)
}

func addSharesPlain(postings []byte, f *shareFactors, lex []float32) bool {
	for b := postings; len(b) >= postingSize; b = b[postingSize:] {
		x := le64(b)
		slot := uint(uint32(x))
		if slot >= uint(len(lex)) {
			return false
		}
		lex[slot] += f.share(float32(uint16(x>>32)), float32(uint16(x>>48)))
	}
	return true
}

// addTimes adds the share of a token to lex, for slots in which it occurs times times and which have so many tokens.
func addTimes(times []uint8, tokens []uint16, f *shareFactors, lex []float32) {
	n := addTimesFast(times, tokens, f, lex)
	addTimesPlain(times[n:], tokens[n:], f, lex[n:])
}

func addTimesPlain(times []uint8, tokens []uint16, f *shareFactors, lex []float32) {
	tokens, lex = tokens[:len(times)], lex[:len(times)]
	for i, x := range times {
		lex[i] += f.share(float32(x), float32(tokens[i]))
	}
}

// addParts adds the parts of a check, times by, to the leanings of slots.
func addParts(parts []uint8, by float32, leans []float32) {
	n := addPartsFast(parts, by, leans)
	addPartsPlain(parts[n:], by, leans[n:])
}

func addPartsPlain(parts []uint8, by float32, leans []float32) {
	leans = leans[:len(parts)]
	for i, x := range parts {
		leans[i] += float32(by * float32(x))
	}
}
