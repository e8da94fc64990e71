//go:build !amd64 || purego

package use

func multiplyFast(*layer, []int32, []byte, int, int) bool { return false }

func (*layer) finishFast([]float32, []int32, float32, float32) bool { return false }

func (*layer) finishOntoFast([]float32, []float32, []int32, float32, float32) bool { return false }

func boundsFast(_ []float32, low, high float32) (least, most float32, n int) { return low, high, 0 }

func toBytesFast([]byte, []float32, float32, float32) bool { return false }

func momentsFast([]float32, *[8]float32, *[8]float32) bool { return false }

func centerFast(_, _, _ []float32, _, _ float32) bool { return false }

func addNormalFast(_, _ []float32, _, _ float32) bool { return false }

func levelsFast([]float32, []byte, float32, float32) bool { return false }
