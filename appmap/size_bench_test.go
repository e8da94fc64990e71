package appmap_test

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/memtree/memtree/appmap"
	"github.com/memtree/memtree/ledger"
)

// BenchmarkSize has the heap of a map of 5,000 pages with 200,000 elements, before and after a first search, and the
// time of a path of eight steps.
func BenchmarkSize(b *testing.B) {
	for b.Loop() {
		var before, after, searched runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		m := appmap.New()
		for p := range 5000 {
			at := func(p int) string { return fmt.Sprintf("/area%c%c/page%c", 'a'+p%26, 'a'+p/26%26, 'a'+p/676) }
			w := ledger.Walk{Source: "aria", Product: "shop"}
			for e := range 40 {
				w.Seen = append(w.Seen, ledger.Sighting{Kind: ledger.SeenElement, URL: at(p), Role: "button",
					Name: fmt.Sprintf("Open order %d of row %d", p, e)})
			}
			w.Seen = append(w.Seen, ledger.Sighting{Kind: ledger.SeenLink, URL: at(p), To: at(p + 1), Name: "Next"})
			w.Identify()
			m.Add(&ledger.Entry{Walk: &w})
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		m.Find(appmap.SelectorQuery{Text: "open order 17", Least: -1})
		runtime.GC()
		runtime.ReadMemStats(&searched)
		b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/1e6, "MB")
		b.ReportMetric(float64(searched.HeapAlloc-before.HeapAlloc)/1e6, "MB-searched")
		began := time.Now()
		const paths = 20
		for range paths {
			if _, ok := m.Path("shop", "/areaaa/pagea", "/areaia/pagea"); !ok {
				b.Fatal("there is a way")
			}
		}
		b.ReportMetric(float64(time.Since(began).Microseconds())/1e3/paths, "ms-path")
		runtime.KeepAlive(m)
	}
}
