//go:build amd64 && !purego

package retrieval

import "golang.org/x/sys/cpu"

var fast = cpu.X86.HasAVX2

// mostDot is how many numbers dotAVX2 takes at once: each of its eight sums takes two products
// of at most 128 × 8191 in sixteen numbers, and has 31 bits.
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

// rateFast does what rate does for the first n slots: for all but at most seven, if a sketch has
// 256 bits, as that of the embedder shipped with memtree has.
func (q *question) rateFast(column []byte, unit float32, lex, score, most []float32) (n int, best float32) {
	n = len(lex) &^ 7
	if !fast || len(q.planes[0]) != 4 || n == 0 {
		return 0, 0
	}
	_, _, _ = column[:40*n], score[:n], most[:n]
	all := (*[16]uint64)(q.planes[0][:16:16]) // the four planes, see prepare
	var bests [8]float32
	rateAVX2(all, &[5]float32{q.low, q.step, q.sum, unit, boundUnit}, &column[0], n, &lex[0], &score[0], &most[0], &bests)
	for _, x := range bests {
		best = max(best, x)
	}
	return n, best
}

// addSharesFast does what addShares does for the first n postings. It stops before postings that
// name a slot that is not there.
func addSharesFast(postings []byte, f *shareFactors, lex []float32) (n int) {
	n = len(postings) / postingSize &^ 7
	if !fast || n == 0 || len(lex) == 0 {
		return 0
	}
	return addSharesAVX2(&postings[0], n, f, &lex[0], len(lex)-1)
}

// dotAVX2 multiplies the first n numbers, a multiple of 16, in eight sums.
//
//go:noescape
func dotAVX2(a *int16, row *byte, n int, sums *[8]int32)

// rateAVX2 rates n > 0 slots, a multiple of 8, with sketches of 40 bytes. Of factors the last two
// are the units of lex and of bounds. Each of bests is raised to the best of every eighth slot.
//
//go:noescape
func rateAVX2(planes *[16]uint64, factors *[5]float32, column *byte, n int, lex, score, most *float32, bests *[8]float32)

// addSharesAVX2 adds n > 0 shares, a multiple of 8, and returns how many it added: all, or those
// before eight of which one names a slot above last.
//
//go:noescape
func addSharesAVX2(postings *byte, n int, f *shareFactors, lex *float32, last int) int
