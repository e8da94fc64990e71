package embed

import "testing"

// BenchmarkOpen is the whole work behind the first call of Default.
func BenchmarkOpen(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := parse(builtin); err != nil {
			b.Fatal(err)
		}
	}
}
