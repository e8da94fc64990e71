package retrieval

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// No answer depends on earlier queries.
func TestAskedAgain(t *testing.T) {
	const seed = 5
	t.Log("seed", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	c := newCorpus(300)
	nodes := c.nodes(400)
	ix := New(taxonomy.Default(), encoder(t))
	require.NoError(t, ix.Update(t.Context(), 1, nodes))
	var asked []Query
	for i := range 12 {
		q := Query{Prompt: nodes[i%6].Text(), Scene: tree.Scene{ID: "SCENE_7", Type: "form", Route: "/r3/42"}, Now: noon}
		switch i % 4 {
		case 1:
			q.Exclude = []string{nodes[i%6].ID}
		case 2:
			q.Limits.Total = 1
		case 3:
			q.Now = noon.Add(200 * 24 * time.Hour)
		}
		asked = append(asked, q)
	}
	given, fresh := 0, ix.Fork()
	for i := range 400 {
		if r.IntN(20) == 0 {
			n := &nodes[r.IntN(len(nodes))]
			n.Content.Confidence = r.Float64()
			if r.IntN(3) == 0 {
				n.CaseData.TestCase.Prompt = c.prompt()
			}
			require.NoError(t, ix.Update(t.Context(), uint64(i), []tree.Node{*n}))
			fresh = New(taxonomy.Default(), encoder(t))
			require.NoError(t, fresh.Update(t.Context(), 1, nodes))
		}
		q := asked[r.IntN(len(asked))]
		want, err := fresh.answer(t.Context(), fresh.state.Load(), &q, false)
		require.NoError(t, err)
		got := ask(t, ix, q)
		require.Equal(t, want, got)
		for i := range got.Hits { // what a caller does to an answer is no one else's matter
			got.Hits[i].ID, got.Hits[i].Signals[0].Raw = "c_changed", 7
			given++
		}
		got.Hits = append(got.Hits, Hit{ID: "c_added"})
		if got.Nearest != nil {
			got.Nearest.ID = "c_changed"
		}
	}
	require.Positive(t, given)
}

// A moment later a question is the same, an hour later it is another.
func TestAgeCountsInHours(t *testing.T) {
	ix := indexOf(t, aCase(login, id("c_1"), seen(noon.Add(-24*time.Hour))))
	days := func(after time.Duration) float64 {
		r := ask(t, ix, Query{Prompt: login, Now: noon.Add(after)})
		return signal(r.Hits[0], "age").Raw
	}
	require.InDelta(t, 1, days(0), 1e-9)
	require.InDelta(t, 1, days(59*time.Minute), 1e-9)
	require.InDelta(t, 1+1.0/24, days(time.Hour), 1e-9)
	require.InDelta(t, 1, days(0), 1e-9, "and a clock that goes back finds the first again")
}

// Each field of a query makes it another query.
func TestDigestHasEveryField(t *testing.T) {
	var plain Query
	before, ok := plain.digest()
	require.True(t, ok)
	known := map[[32]byte]string{before: "none"}
	var walk func(path string, v reflect.Value, root *Query)
	walk = func(path string, v reflect.Value, root *Query) {
		switch {
		case v.Type() == reflect.TypeFor[time.Time]():
			v.Set(reflect.ValueOf(noon))
		case v.Kind() == reflect.String:
			v.SetString("x")
		case v.Kind() == reflect.Bool:
			v.SetBool(true)
		case v.Kind() == reflect.Int:
			v.SetInt(7)
		case v.Kind() == reflect.Float64:
			v.SetFloat(7)
		case v.Kind() == reflect.Slice:
			v.Set(reflect.ValueOf([]string{"x"}))
		case v.Kind() == reflect.Struct:
			for i := range v.NumField() {
				walk(path+"."+v.Type().Field(i).Name, v.Field(i), root)
			}
			return
		default:
			t.Fatalf("%s is a %s, which the digest may not tell apart", path, v.Type())
		}
		d, ok := root.digest()
		require.True(t, ok)
		require.NotContains(t, known, d, path)
		known[d] = path
		v.SetZero()
	}
	walk("Query", reflect.ValueOf(&plain).Elem(), &plain)
	require.Greater(t, len(known), 15)
}

// What did not work is tried again the next time.
func TestAFailureIsNotKept(t *testing.T) {
	e := &counting{}
	ix := New(taxonomy.Default(), e)
	require.NoError(t, ix.Update(t.Context(), 1, []tree.Node{aCase(login)}))
	q := Query{Prompt: login}
	e.fail = errors.New("no network")
	require.NotEmpty(t, ask(t, ix, q).Note)
	e.fail = nil
	require.Empty(t, ask(t, ix, q).Note)
	texts := e.texts
	require.Empty(t, ask(t, ix, q).Note)
	require.Equal(t, texts, e.texts, "the embedder is not asked twice for the same")
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := ix.Search(ended, q)
	require.ErrorIs(t, err, context.Canceled)
}

// A bounded number of answers is cached, and one that is requested again and again stays.
func TestAnswersAreBounded(t *testing.T) {
	ix := indexOf(t, aCase(login))
	often := Query{Prompt: login}
	for i := range 3 * mostKept {
		ask(t, ix, Query{Prompt: fmt.Sprint("is there a lamp ", i)})
		if i%100 == 0 {
			ask(t, ix, often)
		}
	}
	kept := ix.answers.Load().kept
	require.LessOrEqual(t, kept.Len(), mostKept)
	d, _ := often.digest()
	require.True(t, kept.Contains(d))
}
