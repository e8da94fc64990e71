package retrieval

import (
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// corpus makes test cases with realistic words and lengths. Their words come from a common
// vocabulary, by Zipf's law, and from one of 300 topics. Every second case has a name that no
// other case has.
type corpus struct {
	r     *rand.Rand
	zipf  *rand.Zipf
	words []string
	n     int
	topic [300][40]string
}

func newCorpus(seed uint64) *corpus {
	r := rand.New(rand.NewPCG(seed, 1))
	c := &corpus{r: r, zipf: rand.NewZipf(r, 1.1, 8, 19999), words: make([]string, 20000)}
	common := strings.Fields(`check verify page button order list form total price user login search result error
		message field save open click menu table row value date filter dialog close empty show hide text image
		link submit password email cart payment address profile settings notification upload download file
		report chart status update delete create edit cancel confirm`)
	syllables := strings.Fields(`acc ad air al ana app arch art ask back band bar base bat bell bill bit block boot
		box brand bridge bus cab call camp can cap car cash cast cell cent chain chip cloud club code coin cold
		con cook cool core corn cost crop cross cup dark data day deal dec deep den desk dis dock door dot draw
		dry dust east edge egg en end ever eye face fair fall farm fast feed fin fire fish flag flat flow foot
		fore frame free front fuel full gain game gas gate gear gift glass gold grand gray green grid ground
		group hall hand hard head heart heat high hill home hook hot house ice in inter iron jam jet job key
		king knee lab lake lamp land lead leaf left leg lens life lift light line lock log long loop low main
		map mark mass master mat meal media mid mile milk mind`)
	for i := range c.words {
		c.words[i] = common[i%len(common)]
		if i >= len(common) {
			c.words[i] = fmt.Sprintf("%s%s", syllables[r.IntN(len(syllables))], syllables[r.IntN(len(syllables))])
		}
	}
	for i := range c.topic {
		for j := range c.topic[i] {
			c.topic[i][j] = c.words[len(common)+r.IntN(len(c.words)-len(common))]
		}
	}
	return c
}

func (c *corpus) prompt() string {
	n := 8 + c.r.IntN(40)
	out := make([]string, n)
	topic := &c.topic[c.r.IntN(len(c.topic))]
	for i := range out {
		out[i] = c.words[c.zipf.Uint64()]
		if c.r.IntN(10) < 6 {
			out[i] = topic[c.r.IntN(len(topic))]
		}
	}
	if c.n++; c.n%2 == 0 {
		out[c.r.IntN(n)] = fmt.Sprintf("order%x", c.r.Uint64()>>24)
	}
	return strings.Join(out, " ")
}

func (c *corpus) node() tree.Node {
	types := []string{"form", "list", "table", "modal", "navigation", "login", "search", "detail"}
	return aCase(c.prompt(), in(fmt.Sprintf("SCENE_%d", c.r.IntN(200)), types[c.r.IntN(len(types))],
		fmt.Sprintf("/r%d/%d", c.r.IntN(100), c.r.IntN(9999))),
		func(n *tree.Node) { n.Metadata.UpdatedAt = noon.Add(-time.Duration(c.r.IntN(100)) * 24 * time.Hour) })
}

func (c *corpus) nodes(n int) []tree.Node {
	out := make([]tree.Node, n)
	for i := range out {
		out[i] = c.node()
	}
	return out
}

// revised returns every hundredth of the n nodes that c begins with, with another confidence.
func (c *corpus) revised(n int) (out []tree.Node) {
	for i := range n {
		if x := c.node(); i%100 == 0 {
			x.Content.Confidence, x.Revision = 0.7, x.Revision+1
			out = append(out, x)
		}
	}
	return out
}

func filled(tb testing.TB, n int, e llm.Embedder) (*Index, *corpus) {
	tb.Helper()
	ix, c := New(taxonomy.Default(), e), newCorpus(uint64(n))
	for left := n; left > 0; left -= 1000 {
		require.NoError(tb, ix.Update(tb.Context(), uint64(n-left), c.nodes(min(left, 1000))))
	}
	for more, err := true, error(nil); more; {
		more, err = ix.Merge(tb.Context())
		require.NoError(tb, err)
	}
	return ix, c
}

var sizes = []int{1000, 10_000, 100_000}

func BenchmarkSearch(b *testing.B) {
	for _, n := range sizes {
		ix, c := filled(b, n, spell(b))
		revised := ix.Fork() // one memory in a hundred was changed since
		require.NoError(b, revised.Update(b.Context(), uint64(n), newCorpus(uint64(n)).revised(n)))
		plain := New(taxonomy.Default(), nil)
		plain.state.Store(ix.state.Load())
		for _, k := range []struct {
			name string
			ix   *Index
		}{{"hybrid", ix}, {"revised", revised}, {"words", plain}} {
			b.Run(fmt.Sprintf("%s/%d", k.name, n), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					q := Query{Prompt: c.prompt(), Scene: tree.Scene{ID: "SCENE_7", Type: "form", Route: "/r3/42"}, Now: noon}
					if _, err := k.ix.Search(b.Context(), q); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
		b.Run(fmt.Sprintf("again/%d", n), func(b *testing.B) { // the same question, of the same tree
			q := Query{Prompt: c.prompt(), Scene: tree.Scene{ID: "SCENE_7", Type: "form", Route: "/r3/42"}, Now: noon}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := ix.Search(b.Context(), q); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprintf("scan/%d", n), func(b *testing.B) {
			for b.Loop() {
				s, _, err := ix.begin(b.Context(), ix.state.Load(), &Query{Prompt: c.prompt()})
				require.NoError(b, err)
				_, err = s.scan(1, 20)
				require.NoError(b, err)
				ix.release(s)
			}
		})
	}
}

func BenchmarkUpdate(b *testing.B) {
	for _, batch := range []int{1, 1000} {
		b.Run(fmt.Sprintf("batch=%d", batch), func(b *testing.B) {
			ix, c := filled(b, 10_000, spell(b))
			n := 0
			b.ReportAllocs()
			for b.Loop() {
				b.StopTimer()
				nodes := c.nodes(batch)
				b.StartTimer()
				if err := ix.Update(b.Context(), 1, nodes); err != nil {
					b.Fatal(err)
				}
				n += batch
			}
			b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "nodes/s")
		})
	}
	b.Run("confidence only", func(b *testing.B) {
		ix, c := filled(b, 10_000, spell(b))
		nodes := c.nodes(100)
		require.NoError(b, ix.Update(b.Context(), 1, nodes))
		i := 0
		for b.Loop() {
			n := nodes[i%100]
			n.Content.Confidence = float64(i%100) / 100
			i++
			if err := ix.Update(b.Context(), 1, []tree.Node{n}); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkSave(b *testing.B) {
	ix, _ := filled(b, 10_000, spell(b))
	s := shelf{}
	for b.Loop() {
		clear(s)
		s.store(b, ix)
	}
	b.SetBytes(int64(s.size()))
}

// BenchmarkStore measures what a process does to the index that records one run: it opens the stored index, adds a
// node, and stores what is new.
func BenchmarkStore(b *testing.B) {
	for _, n := range sizes {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			ix, c := filled(b, n, spell(b))
			s := shelf{}
			s.store(b, ix)
			for b.Loop() {
				ix := s.load(b, taxonomy.Default(), spell(b))
				require.NoError(b, ix.Update(b.Context(), 1, c.nodes(1)))
				p, err := ix.Pieces()
				require.NoError(b, err)
				last := len(p.Names()) - 1
				require.NoError(b, p.Write(last, io.Discard))
				b.ReportMetric(float64(len(p.Head())), "head-B")
			}
		})
	}
}

// BenchmarkLoadAndSearch opens a saved index and answers one query. The system has the pages of the file in its cache.
func BenchmarkLoadAndSearch(b *testing.B) {
	for _, n := range sizes {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			ix, c := filled(b, n, spell(b))
			s, folder := shelf{}, b.TempDir()
			s.store(b, ix)
			for name, data := range s {
				require.NoError(b, os.WriteFile(filepath.Join(folder, "segment-"+name), data, 0o600))
			}
			for b.Loop() {
				var files []*os.File
				ix, err := LoadPieces(s[""], func(name string) (io.ReaderAt, int64, error) {
					f, err := os.Open(filepath.Join(folder, "segment-"+name))
					files = append(files, f)
					return f, int64(len(s[name])), err
				}, taxonomy.Default(), spell(b))
				require.NoError(b, err)
				_, err = ix.Search(b.Context(), Query{Prompt: c.prompt(),
					Scene: tree.Scene{ID: "SCENE_7", Type: "form", Route: "/r3/42"}})
				require.NoError(b, err)
				for _, f := range files {
					require.NoError(b, f.Close())
				}
			}
		})
	}
}
