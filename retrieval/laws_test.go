package retrieval

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// The answers and the saved bytes depend on the nodes alone. It makes no difference whether
// nodes come in one by one or together, for the first time or again, or with others that are
// removed later, which segments are merged by whom, or whether the index was stored meanwhile.
func TestResultsDoNotDependOnHow(t *testing.T) {
	c := newCorpus(7)
	nodes := c.nodes(30)
	for i := range nodes {
		if i%10 == 0 {
			e := above(tree.Experience, fmt.Sprintf("e_%d", i), c.prompt())
			nodes[i+1].Parent, nodes[i+2].Parent, e.Children = e.ID, e.ID, []string{nodes[i+1].ID, nodes[i+2].ID}
			nodes[i] = e
		}
	}
	queries := []Query{{Prompt: nodes[3].Text()}, {Prompt: c.prompt(), Scene: nodes[5].Scene, Now: noon},
		{Prompt: nodes[20].Text() + nodes[21].Text()}}
	straight := indexOf(t, nodes...)
	want := saved(t, straight)
	rapid.Check(t, func(r *rapid.T) {
		ix := New(taxonomy.Default(), encoder(t))
		ix.atOnce = rapid.IntRange(0, 8).Draw(r, "merged by updates")
		shelf := shelf{}
		left := rapid.Permutation(nodes).Draw(r, "order")
		for len(left) > 0 {
			n := rapid.IntRange(1, len(left)).Draw(r, "batch")
			batch := slices.Clone(left[:n])
			for i := range batch {
				if rapid.IntRange(0, 9).Draw(r, "changed later") == 0 {
					old := batch[i]
					batch[i].Status, batch[i].Content.Confidence = tree.Archived, 0.1
					if rapid.Bool().Draw(r, "live") {
						batch[i].Status = tree.Probation
						if batch[i].CaseData != nil {
							d := *batch[i].CaseData
							d.TestCase.Prompt = "other words for now"
							batch[i].CaseData = &d
						}
					}
					left = append(left, old)
				}
			}
			left = left[n:]
			require.NoError(r, ix.Update(context.Background(), 1, batch))
			switch rapid.IntRange(0, 3).Draw(r, "then") {
			case 0:
				_, err := ix.Merge(context.Background())
				require.NoError(r, err)
			case 1:
				most := ix.atOnce
				shelf.store(r, ix)
				ix = shelf.load(r, taxonomy.Default(), encoder(t))
				ix.atOnce = most
			}
		}
		for _, q := range queries {
			want, err := straight.Explain(context.Background(), q)
			require.NoError(r, err)
			got, err := ix.Explain(context.Background(), q)
			require.NoError(r, err)
			require.Equal(r, want, got)
		}
		require.True(r, bytes.Equal(want, saved(t, ix)), "the same nodes are kept as the same bytes")
	})
}

// Sketches may make the scan miss at most one in a hundred of the ten best.
func TestScanFindsWhatTheExhaustiveScanFinds(t *testing.T) {
	ix, c := filled(t, 2000, encoder(t))
	found, all, computed := 0, 0, 0
	for i := range 100 {
		q := Query{Prompt: c.prompt()}
		if i%2 == 0 {
			q.Scene = tree.Scene{Type: "form", ID: "SCENE_7"}
		}
		scan := func(exhaustive bool) []uint64 {
			s, _, err := ix.begin(t.Context(), ix.state.Load(), &q)
			require.NoError(t, err)
			defer ix.release(s)
			s.exhaustive = exhaustive
			best, err := s.scan(1, 10)
			require.NoError(t, err)
			if !exhaustive {
				computed += s.computed
			}
			out := make([]uint64, len(best))
			for i := range best {
				out[i] = best[i].id
			}
			return out
		}
		want, got := scan(true), scan(false)
		for _, id := range want {
			all++
			if slices.Contains(got, id) {
				found++
			}
		}
	}
	require.GreaterOrEqual(t, float64(found)/float64(all), 0.99)
	require.Less(t, computed/100, 800, "most vectors are never read")
	t.Logf("recall %d of %d, %d of 2000 vectors read", found, all, computed/100)
}

func TestSearchWhileUpdating(t *testing.T) {
	ix, c := filled(t, 300, encoder(t))
	q := Query{Prompt: c.prompt(), Scene: tree.Scene{Type: "form"}}
	more := c.nodes(100)
	var g sync.WaitGroup
	for range 2 {
		g.Go(func() {
			for i := range 50 {
				q := q
				q.Prompt += fmt.Sprint(" ", i/2) // every second query is repeated
				if _, err := ix.Search(context.Background(), q); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for i := range more {
		require.NoError(t, ix.Update(t.Context(), uint64(i), more[i:i+1]))
	}
	g.Wait()
	require.Equal(t, 400, ix.Stats().Nodes)
	require.LessOrEqual(t, ix.Stats().Segments, 9)
}

// counting is an embedder that counts texts and can fail.
type counting struct {
	texts int
	fail  error
	id    string
}

func (c *counting) ID() string { return "counting" + c.id }
func (c *counting) Dims() int  { return 8 }
func (c *counting) Embed(_ context.Context, texts []string) ([][]float32, error) {
	if c.fail != nil {
		return nil, c.fail
	}
	c.texts += len(texts)
	out := make([][]float32, len(texts))
	for i, s := range texts {
		out[i] = make([]float32, 8)
		for j := range len(s) {
			out[i][s[j]%8]++
		}
	}
	return out, nil
}

func TestTextIsReadOnce(t *testing.T) {
	e := &counting{}
	ix := New(nil, e)
	n := aCase("the basket shows how many things are in it")
	require.NoError(t, ix.Update(t.Context(), 1, []tree.Node{n}))
	n.Content.Confidence, n.Revision, n.Parent = 0.9, 2, "e_x"
	require.NoError(t, ix.Update(t.Context(), 2, []tree.Node{n}))
	require.Equal(t, 1, e.texts)
	require.True(t, ix.Has(n.ID, 2))
	require.False(t, ix.Has(n.ID, 1))
	require.Equal(t, IndexStats{Nodes: 1, Vectors: 1, Segments: 1, Bytes: ix.Stats().Bytes}, ix.Stats())
	n.Mark = tree.Banned
	require.NoError(t, ix.Update(t.Context(), 3, []tree.Node{n}))
	require.False(t, ix.Has(n.ID, 2))
	require.Zero(t, ix.Stats().Segments)
}

func TestWithoutTheEmbedderWordsDecide(t *testing.T) {
	e := &counting{fail: errors.New("no route to host")}
	ix := New(nil, e)
	n := aCase("the basket shows how many things are in it")
	require.NoError(t, ix.Update(t.Context(), 1, []tree.Node{n}))
	require.Contains(t, ix.Stats().Note, "no route to host")
	r := ask(t, ix, Query{Prompt: "the basket shows how many things are in it"})
	require.Equal(t, []string{n.ID}, ids(r.Hits))
	require.Contains(t, r.Note, "words alone")

	e.fail = nil
	n.Revision++
	require.NoError(t, ix.Update(t.Context(), 2, []tree.Node{n}))
	require.Equal(t, 1, ix.Stats().Vectors, "a vector that was missing is asked for again")

	e.fail = errors.New("too slow")
	r = ask(t, ix, Query{Prompt: "the basket shows how many things are in it"})
	require.Equal(t, []string{n.ID}, ids(r.Hits))
	require.Contains(t, r.Note, "too slow")
}

func TestVectorsOfAnotherEmbedderAreNotUsed(t *testing.T) {
	ix := New(nil, &counting{})
	n := aCase("the basket shows how many things are in it")
	require.NoError(t, ix.Update(t.Context(), 1, []tree.Node{n}))
	b := saved(t, ix)
	loaded, err := load(bytes.NewReader(b), nil, &counting{id: "2"})
	require.NoError(t, err)
	require.Zero(t, loaded.Stats().Vectors)
	r := ask(t, loaded, Query{Prompt: n.Text()})
	require.Contains(t, r.Note, "made with the embedder counting")
	require.Equal(t, []string{n.ID}, ids(r.Hits))
	n.Revision = 2
	require.NoError(t, loaded.Update(t.Context(), 2, []tree.Node{n, aCase("something quite different")}))
	require.Equal(t, 2, loaded.Stats().Vectors)
}

// TestManyAlike: among thousands of cases that look alike, all of one check that the prompt calls
// for, the work stays bounded, and few of the best are missed.
func TestManyAlike(t *testing.T) {
	ix, c := filled(t, 10, encoder(t))
	r := rand.New(rand.NewPCG(5, 6))
	kinds := []string{"form", "list", "table", "modal"}
	says := []string{"the total equals the sum of the items", "the items add up to the amount shown",
		"the badge counts the articles in the cart"}
	about := func() string {
		return fmt.Sprintf("Check that %s on page %d with %s", says[r.IntN(len(says))], r.IntN(400),
			c.words[r.IntN(len(c.words))])
	}
	const n = 6 * 1024
	for range n / 1024 {
		nodes := make([]tree.Node, 1024)
		for i := range nodes {
			nodes[i] = aCase(about(), in(fmt.Sprintf("SCENE_%d", r.IntN(50)), kinds[r.IntN(4)], ""))
			nodes[i].Content.Lessons = []tree.Lesson{{Kind: "recompute"}}
		}
		require.NoError(t, ix.Update(t.Context(), 1, nodes))
	}
	all, missed, asked := 0, 0, 0
	for range 40 {
		q := Query{Prompt: about(), Scene: tree.Scene{Type: kinds[r.IntN(4)]}}
		best := map[bool][]candidate{}
		for _, exhaustive := range []bool{true, false} {
			s, _, err := ix.begin(t.Context(), ix.state.Load(), &q)
			require.NoError(t, err)
			s.exhaustive = exhaustive
			best[exhaustive], err = s.scan(1, 20)
			require.NoError(t, err)
			if asked += len(s.checks); !exhaustive {
				require.LessOrEqual(t, s.computed, mostComputed+40+mostComputed/10)
			}
			ix.release(s)
		}
		for _, x := range best[true] {
			if all++; !slices.ContainsFunc(best[false], func(y candidate) bool { return y.id == x.id }) {
				missed++
			}
		}
	}
	require.Positive(t, asked)
	require.LessOrEqual(t, missed, all/100)
	t.Logf("%d of %d missed, of %d alike", missed, all, n)
}
