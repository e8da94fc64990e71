//go:build amd64 && !purego

package retrieval

import "golang.org/x/sys/cpu"

var fast = cpu.X86.HasAVX2

// mostDot is how many numbers dotAVX2 reads at once: each of its eight sums receives two products of at most 128 ×
// 8191 for every sixteen numbers, and has 31 bits.
const mostDot = 8192

// dotFast returns the product of the first n numbers.
func dotFast(a []int16, row []byte) (sum, n int) {
	if !fast {
		return 0, 0
	}
	_ = row[:len(a)]
	var sums [8]int32
	for len(a)-n >= 16 {
		k := min(mostDot, len(a)-n) &^ 15
		dotAVX2(&a[n], &row[n], k, &sums)
		for _, x := range sums {
			sum += int(x)
		}
		n += k
	}
	return sum, n
}

// mostTurned is the longest vector whose hits rateAVX2 can add up in 16 bits: 15 for each number.
const mostTurned = 4096

// rateFast does what rate does, with sketches in blocks.
func (q *queryVector) rateFast(blocks []byte, unit float32, lex, score, most []float32) {
	factors := [5]float32{q.low, q.step, q.sum, unit, boundUnit}
	n := len(lex) &^ (blockSlots - 1)
	size := len(q.sums)/2 + 8
	_, _, _ = blocks[:(len(lex)+blockSlots-1)/blockSlots*blockSlots*size], score[:len(lex)], most[:len(lex)]
	if n > 0 {
		rateAVX2(&q.sums[0], len(q.sums), &factors, &blocks[0], n, &lex[0], &score[0], &most[0])
	}
	if n < len(lex) { // the last block is full, but lex is not
		var l, s, m [blockSlots]float32
		copy(l[:], lex[n:])
		rateAVX2(&q.sums[0], len(q.sums), &factors, &blocks[n*size], blockSlots, &l[0], &s[0], &m[0])
		copy(score[n:], s[:])
		copy(most[n:], m[:])
	}
}

// addSharesFast does what addShares does for the first n postings. It stops before postings that name a slot that does
// not exist.
func addSharesFast(postings []byte, f *shareFactors, lex []float32) (n int) {
	n = len(postings) / postingSize &^ 7
	if !fast || n == 0 || len(lex) == 0 {
		return 0
	}
	return addSharesAVX2(&postings[0], n, f, &lex[0], len(lex)-1)
}

// addTimesFast does what addTimes does for the first n slots.
func addTimesFast(times []uint8, tokens []uint16, f *shareFactors, lex []float32) (n int) {
	n = len(times) &^ 7
	if !fast || n == 0 {
		return 0
	}
	_, _ = tokens[:len(times)], lex[:len(times)]
	addTimesAVX2(&times[0], &tokens[0], n, f, &lex[0])
	return n
}

// nextAboveFast returns the result of nextAbove, or a slot from which nextAbove must continue.
func nextAboveFast(values []float32, by, least float32, at int) int {
	n := len(values) - 7
	if !fast || at >= n {
		return at
	}
	return nextAboveAVX2(&values[0], by, least, at, n)
}

// nextOpenFast returns the result of nextOpen, or a slot from which nextOpen must continue.
func nextOpenFast(values []float32, flags []uint8, by float32, need *needs, at int) int {
	n := len(values) - 7
	if !fast || at >= n {
		return at
	}
	_ = flags[:len(values)]
	return nextOpenAVX2(&values[0], &flags[0], by, need, at, n)
}

// orWhereFast does what orWhere does for the first n slots.
func orWhereFast(values []uint8, x, flag uint8, flags []uint8) (n int) {
	n = len(values) &^ 31
	if !fast || n == 0 {
		return 0
	}
	_ = flags[:len(values)]
	orWhereAVX2(&values[0], n, x, flag, &flags[0])
	return n
}

// addPartsFast does what addParts does for the first n slots.
func addPartsFast(parts []uint8, by float32, leans []float32) (n int) {
	n = len(parts) &^ 7
	if !fast || n == 0 {
		return 0
	}
	_ = leans[:len(parts)]
	addPartsAVX2(&parts[0], n, by, &leans[0])
	return n
}

// nextFast returns the result of nextPlain, or a slot from which nextPlain must continue.
func (f *fitFilter) nextFast(shared, leans []float32, at int) int {
	n := len(shared) - 7
	if !fast || at >= n {
		return at
	}
	_ = leans[:len(shared)]
	return nextFittingAVX2(&shared[0], &leans[0], &f.need, at, n)
}

// dotAVX2 multiplies the first n numbers, a multiple of 16, in eight sums.
//
//go:noescape
func dotAVX2(a *int16, row *byte, n int, sums *[8]int32)

// rateAVX2 rates n > 0 slots, a multiple of 32. There are k > 0 sums, a multiple of 4, for at
// most mostTurned numbers. Of factors the last two are the units of lex and of bounds.
//
//go:noescape
func rateAVX2(sums *[16]byte, k int, factors *[5]float32, blocks *byte, n int, lex, score, most *float32)

// addSharesAVX2 adds n > 0 shares, a multiple of 8, and returns how many it added: all, or those
// before eight of which one names a slot above last.
//
//go:noescape
func addSharesAVX2(postings *byte, n int, f *shareFactors, lex *float32, last int) int

// addTimesAVX2 adds n > 0 shares, a multiple of 8.
//
//go:noescape
func addTimesAVX2(times *uint8, tokens *uint16, n int, f *shareFactors, lex *float32)

// nextAboveAVX2 tests slots from at on, eight at a time, as long as at < n.
//
//go:noescape
func nextAboveAVX2(values *float32, by, least float32, at, n int) int

// nextOpenAVX2 tests slots from at on, eight at a time, as long as at < n. Flags are at most allFlags.
//
//go:noescape
func nextOpenAVX2(values *float32, flags *uint8, by float32, need *needs, at, n int) int

// orWhereAVX2 tests n > 0 slots, a multiple of 32.
//
//go:noescape
func orWhereAVX2(values *uint8, n int, x, flag uint8, flags *uint8)

// addPartsAVX2 adds n > 0 parts, a multiple of 8.
//
//go:noescape
func addPartsAVX2(parts *uint8, n int, by float32, leans *float32)

// nextFittingAVX2 tests slots from at on, eight at a time, as long as at < n.
//
//go:noescape
func nextFittingAVX2(shared, leans *float32, need *[buckets + 1]float32, at, n int) int

// prefetch makes the processor fetch n bytes, and does not wait for them.
//
//go:noescape
func prefetch(b *byte, n int)
