package ingest

import "testing"

// SetMostUnpacked bounds how much is unpacked of a trace, for one test.
func SetMostUnpacked(t *testing.T, n int64) {
	was := mostUnpacked
	mostUnpacked = n
	t.Cleanup(func() { mostUnpacked = was })
}
