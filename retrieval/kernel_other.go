//go:build !amd64 || purego

package retrieval

const (
	fast       = false
	mostTurned = 0
)

func dotFast([]int16, []byte) (sum, n int) { return 0, 0 }

func (*queryVector) rateFast([]byte, float32, []float32, []float32, []float32) {}

func addSharesFast([]byte, *shareFactors, []float32) (n int) { return 0 }

func addTimesFast([]uint8, []uint16, *shareFactors, []float32) (n int) { return 0 }

func nextAboveFast(_ []float32, _, _ float32, at int) int { return at }

func nextOpenFast(_ []float32, _ []uint8, _ float32, _ *needs, at int) int { return at }

func orWhereFast(_ []uint8, _, _ uint8, _ []uint8) (n int) { return 0 }

func addPartsFast([]uint8, float32, []float32) (n int) { return 0 }

func (*fitFilter) nextFast(_, _ []float32, at int) int { return at }

func prefetch(*byte, int) {}
