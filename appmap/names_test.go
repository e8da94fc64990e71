package appmap_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/appmap"
	"github.com/memtree/memtree/ledger"
)

// Names are saved and read again byte for byte, and a file that is cut short is none.
func TestNamesFile(t *testing.T) {
	n := &appmap.Names{}
	require.True(t, n.Put(appmap.Thing{Product: "shop", Page: "/", Role: "button", Name: "Go"},
		[]string{"start", "start", " ", "开始"}))
	require.True(t, n.Put(appmap.Thing{Page: "/a", Role: "link"}, nil))
	save := func(n *appmap.Names) string {
		var b bytes.Buffer
		require.NoError(t, n.Save(&b))
		return b.String()
	}
	again, err := appmap.LoadNames(strings.NewReader(save(n)))
	require.NoError(t, err)
	require.Equal(t, save(n), save(again))
	for _, bad := range []string{"", "{}", strings.SplitAfter(save(n), "\n")[0], save(n) + "x"} {
		_, err := appmap.LoadNames(strings.NewReader(bad))
		require.Error(t, err, bad)
	}
}

func FuzzLoadNames(f *testing.F) {
	f.Add("{\"version\":1,\"elements\":1}\n{\"page\":\"/\",\"role\":\"link\",\"name\":\"a\",\"names\":[\"b\"]}\n")
	f.Fuzz(func(t *testing.T, s string) {
		n, err := appmap.LoadNames(strings.NewReader(s))
		if err == nil {
			require.NoError(t, n.Save(&bytes.Buffer{}))
		}
	})
}

// On a map of 30,000 elements that a reader named, a search by another name takes less than a second.
func TestNamesOfALargeMap(t *testing.T) {
	m, n := appmap.New(), &appmap.Names{}
	m.Name(n)
	for p := range 600 {
		w := ledger.Walk{Source: "aria", Product: "shop"}
		url := fmt.Sprintf("/area%c%c/page%c", 'a'+p%26, 'a'+p/26%26, 'a'+p/676)
		for e := range 50 {
			name := fmt.Sprintf("Open order %d of row %d", p, e)
			w.Seen = append(w.Seen, ledger.Sighting{Kind: ledger.SeenElement, URL: url, Role: "button", Name: name})
			n.Put(appmap.Thing{Product: "shop", Page: url, Role: "button", Name: name},
				[]string{fmt.Sprintf("deal%dx%d", p, e)})
		}
		w.Identify()
		m.Add(&ledger.Entry{Walk: &w})
	}
	m.Find(appmap.SelectorQuery{Text: "warm", Least: -1})
	began := time.Now()
	found := m.Find(appmap.SelectorQuery{Text: "where is deal17x3", Least: -1})
	require.NotEmpty(t, found)
	require.Equal(t, "Open order 17 of row 3", found[0].Name)
	require.Less(t, time.Since(began), 3*time.Second)
	t.Log(time.Since(began))
}
