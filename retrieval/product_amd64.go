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

// hitsFast writes the sums of the first n sketches: of all, if a sketch has 256 bits, as that of
// the embedder shipped with memtree has.
func hitsFast(planes *[4][]uint64, column []byte, sums []int32) (n int) {
	if !fast || len(planes[0]) != 4 || len(sums) == 0 {
		return 0
	}
	all := (*[16]uint64)(planes[0][:16:16]) // the four planes, see hits
	_ = column[:40*len(sums)]
	hitsAVX2(all, &column[0], len(sums), &sums[0])
	return len(sums)
}

// dotAVX2 multiplies the first n numbers, a multiple of 16, in eight sums.
//
//go:noescape
func dotAVX2(a *int16, row *byte, n int, sums *[8]int32)

// hitsAVX2 counts n > 0 sketches of 40 bytes.
//
//go:noescape
func hitsAVX2(planes *[16]uint64, column *byte, n int, sums *int32)
