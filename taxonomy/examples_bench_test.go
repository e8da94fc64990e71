package taxonomy

import "testing"

// BenchmarkExamples is what the sentences of the built-in checks cost a process that needs the taxonomy.
func BenchmarkExamples(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if err := addExamples(builtinChecks(), exampleFiles); err != nil {
			b.Fatal(err)
		}
	}
}
