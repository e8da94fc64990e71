package appmap_test

import (
	"fmt"
	"testing"

	"github.com/memtree/memtree/appmap"
	"github.com/memtree/memtree/ledger"
)

// BenchmarkFind looks for an element on maps of three sizes, with a name for each element.
func BenchmarkFind(b *testing.B) {
	for _, pages := range []int{50, 400, 5000} {
		m := appmap.New()
		for p := range pages {
			w := ledger.Walk{Source: "aria", Product: "shop"}
			for e := range 40 {
				w.Seen = append(w.Seen, ledger.Sighting{Kind: ledger.SeenElement, URL: fmt.Sprintf("/area%c%c/page%c", 'a'+p%26,
					'a'+p/26%26, 'a'+p/676), Role: "button", Name: fmt.Sprintf("Open order %c%c of row %d", 'a'+p%26, 'a'+p/26%26, e)})
			}
			w.Identify()
			m.Add(&ledger.Entry{Walk: &w})
		}
		b.Run(fmt.Sprint(pages*40), func(b *testing.B) {
			for b.Loop() {
				m.Find(appmap.SelectorQuery{Text: "the button that opens the order in the third row", Least: -1})
			}
		})
	}
}
