package taxonomy

import "testing"

// BenchmarkExamples is what the sentences of the built-in checks cost a process that reads a text.
func BenchmarkExamples(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		for _, c := range Default().Checks() {
			c.Sentences()
		}
	}
}
