package embed

import "testing"

// BenchmarkOpen measures the work of the first call of Default.
func BenchmarkOpen(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := parse(builtin); err != nil {
			b.Fatal(err)
		}
	}
}
