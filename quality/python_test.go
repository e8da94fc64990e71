package quality

import (
	"crypto/sha512"
	"math"
	"math/big"
	"math/bits"
)

// python draws the same numbers as Python's random.Random seeded with a string, so that the samples equal those of
// the tables compared with. The generator is MT19937 (M. Matsumoto and T. Nishimura, 1998).
type python struct {
	state [624]uint32
	next  int
}

func newPython(seed string) *python {
	hash := sha512.Sum512([]byte(seed))
	n := new(big.Int).SetBytes(append([]byte(seed), hash[:]...))
	var key []uint32
	for mask := big.NewInt(math.MaxUint32); n.Sign() > 0; n.Rsh(n, 32) {
		key = append(key, uint32(new(big.Int).And(n, mask).Uint64()))
	}
	r := &python{next: 624}
	s := &r.state
	s[0] = 19650218
	for i := uint32(1); i < 624; i++ {
		s[i] = 1812433253*(s[i-1]^s[i-1]>>30) + i
	}
	i, j := 1, 0
	step := func() {
		if i++; i == 624 {
			s[0], i = s[623], 1
		}
	}
	for range max(624, len(key)) {
		s[i] = (s[i] ^ (s[i-1]^s[i-1]>>30)*1664525) + key[j] + uint32(j)
		step()
		if j++; j == len(key) {
			j = 0
		}
	}
	for range 623 {
		s[i] = (s[i] ^ (s[i-1]^s[i-1]>>30)*1566083941) - uint32(i)
		step()
	}
	s[0] = 1 << 31
	return r
}

func (r *python) uint32() uint32 {
	if r.next == 624 {
		s := &r.state
		for i := range s {
			y := s[i]&(1<<31) | s[(i+1)%624]&(1<<31-1)
			s[i] = s[(i+397)%624] ^ y>>1
			if y&1 != 0 {
				s[i] ^= 0x9908b0df
			}
		}
		r.next = 0
	}
	y := r.state[r.next]
	r.next++
	y ^= y >> 11
	y ^= y << 7 & 0x9d2c5680
	y ^= y << 15 & 0xefc60000
	return y ^ y>>18
}

func (r *python) below(n int) int {
	for {
		if v := int(r.uint32() >> (32 - bits.Len(uint(n)))); v < n {
			return v
		}
	}
}

// sample returns k different numbers below n, in the order Python draws them.
func (r *python) sample(n, k int) []int {
	small := 21
	if k > 5 {
		small += 1 << (2 * int(math.Ceil(math.Log(float64(3*k))/math.Log(4))))
	}
	out := make([]int, k)
	if n <= small {
		pool := make([]int, n)
		for i := range pool {
			pool[i] = i
		}
		for i := range out {
			j := r.below(n - i)
			out[i], pool[j] = pool[j], pool[n-i-1]
		}
		return out
	}
	seen := map[int]bool{}
	for i := range out {
		j := r.below(n)
		for seen[j] {
			j = r.below(n)
		}
		seen[j] = true
		out[i] = j
	}
	return out
}

// pick returns n of the items, the same ones every time.
func pick[T any](items []T, n int, tag string) []T {
	if len(items) <= n {
		return items
	}
	out := make([]T, n)
	for i, at := range newPython("peers-v1"+tag).sample(len(items), n) {
		out[i] = items[at]
	}
	return out
}
