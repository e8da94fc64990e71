package retrieval

import "math/bits"

// The two products that a search takes most of its time for. Each is written twice: here, and
// for processors with AVX2 in product_amd64.s. Both give the same numbers, since both count in
// integers; TestProducts holds that.

// dot returns the product of a question's numbers, 14 bits each, with a row of int8. The two
// have the same length.
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

// hits writes to sums, for each sketch of a column, the sum of the question's 4-bit numbers
// where the sketch has a 1. The planes lie one behind the other in memory.
func hits(planes *[4][]uint64, column []byte, sums []int32) {
	n := hitsFast(planes, column, sums)
	size := 8*len(planes[0]) + 8
	hitsPlain(planes, column[n*size:], sums[n:])
}

func hitsPlain(planes *[4][]uint64, column []byte, sums []int32) {
	p0 := planes[0]
	p1, p2, p3 := planes[1][:len(p0)], planes[2][:len(p0)], planes[3][:len(p0)]
	size := 8*len(p0) + 8
	for i := range sums {
		sketch, sum := column[i*size:][:size], 0
		for w := range p0 {
			x := le64(sketch[8*w:])
			sum += bits.OnesCount64(x&p0[w]) + bits.OnesCount64(x&p1[w])<<1 +
				bits.OnesCount64(x&p2[w])<<2 + bits.OnesCount64(x&p3[w])<<3
		}
		sums[i] = int32(sum)
	}
}
