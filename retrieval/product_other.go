//go:build !amd64 || purego

package retrieval

const fast = false

func dotFast([]int16, []byte) (sum, n int) { return 0, 0 }

func hitsFast(*[4][]uint64, []byte, []int32) (n int) { return 0 }
