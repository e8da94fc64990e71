package cue

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/internal/flat"
	"github.com/memtree/memtree/internal/golden"
	"github.com/memtree/memtree/taxonomy"
)

// written is a sentence of a voice: a note (said), a task that calls for a check (asked), or one that does not (not).
type written struct{ voice, kind, check, text string }

// voices reads testdata/voices.
func voices(tb testing.TB) (all []written) {
	tb.Helper()
	files, err := filepath.Glob("testdata/voices/*.tsv")
	require.NoError(tb, err)
	for _, name := range files {
		data, err := os.ReadFile(name) //nolint:gosec // ours
		require.NoError(tb, err)
		for line := range strings.Lines(string(data)) {
			f := strings.Split(strings.TrimSpace(line), "\t")
			if line[0] != '#' {
				require.Len(tb, f, 3, "%s: %s", name, line)
				all = append(all, written{strings.TrimSuffix(filepath.Base(name), ".tsv"), f[0], f[1], f[2]})
			}
		}
	}
	return all
}

// TestVoices: every voice has three notes, three tasks that call for a check and two that do not, for every check.
func TestVoices(t *testing.T) {
	count := map[[3]string]int{}
	for _, w := range voices(t) {
		count[[3]string{w.voice, w.check, w.kind}]++
	}
	checks := taxonomy.Default().Checks()
	require.Len(t, count, 38*len(checks)*3)
	for k, n := range count {
		_, ok := taxonomy.Default().Check(k[1])
		require.True(t, ok, k)
		require.Equal(t, map[string]int{"said": 3, "asked": 3, "not": 2}[k[2]], n, k)
	}
}

// tasksOf returns the tasks of the catalogue and of the voices that are taken. Without vectors they are not computed.
func tasksOf(tb testing.TB, take func(voice string) bool) (list []calledTask) {
	tb.Helper()
	place := map[string]int{}
	for i, c := range taxonomy.Default().Checks() {
		place[c.ID] = i
		for _, s := range c.Sentences().Asked {
			list = append(list, calledTask{text: s, check: i})
		}
	}
	for _, w := range voices(tb) {
		if w.kind != "said" && take(w.voice) {
			list = append(list, calledTask{text: w.text, check: place[w.check], not: w.kind == "not"})
		}
	}
	return list
}

// learnedFrom reports whether the head is fitted to a voice. The eighteen later ones, by the same model,
// are kept back: more voices teach it no more of other writers (docs/decisions/0063-more-voices.md).
func learnedFrom(voice string) bool { return voice <= "v20" }

// embedded computes the vectors of tasks, which takes some ten seconds.
func embedded(list []calledTask) []calledTask {
	var halves sync.WaitGroup
	for part := range 2 {
		halves.Go(func() {
			for i := part; i < len(list); i += 2 {
				list[i].vector = vectorOf(list[i].text)
			}
		})
	}
	halves.Wait()
	return list
}

func keyOfTasks(list []calledTask) string {
	by := [sorts][][]string{}
	for _, x := range list {
		by[tasks] = append(by[tasks], []string{fmt.Sprint(x.check, x.not), x.text})
	}
	return keyOf(by)
}

// TestHead: the stored head is of the sentences that there are. With -update it is fitted to them anew.
func TestHead(t *testing.T) {
	list := tasksOf(t, learnedFrom)
	if golden.Updating() {
		golden.Bytes(t, "tasks.flat", fitHead(keyOfTasks(list), embedded(list)))
		return
	}
	require.Equal(t, storedHead().key, keyOfTasks(list), "run with -update")
}

func headFittedTo(list []calledTask) *head {
	return readHead(flat.Open(string(fitHead("", embedded(list)))))
}

// A check without examples is as likely as by chance, and a task that does not call for a check makes it less likely.
func TestHeadLearns(t *testing.T) {
	const sum, color = "Check that the order total is right.", "The button is blue."
	const wait = "Wait until the report is ready, then open it."
	h := headFittedTo([]calledTask{{text: sum}, {text: wait, check: 2}, {text: color, check: 0, not: true}})
	require.Equal(t, []int{0, 2}, h.of)
	p := make([]float64, 3)
	h.add(p, vectorOf("核对订单合计金额是否正确"), 1)
	require.Greater(t, p[0], p[2])
	clear(p)
	h.add(p, vectorOf(color), 1)
	require.Greater(t, p[2], p[0])
	clear(p)
	h.add(p, nil, 1)
	require.Equal(t, make([]float64, 3), p)
}

// TestVoicesKeptBack measures the reading of notes and of tasks as they are used, on the voices that nothing was
// learned from. Beside the ranks it gives how often a task that calls for a check is above one about the same things
// that does not. The vectors of their tasks take some seconds, so make voices runs it.
func TestVoicesKeptBack(t *testing.T) {
	if os.Getenv("MEMTREE_VOICES") == "" {
		t.Skip("make voices runs this: it computes 4,500 vectors")
	}
	c := NewCatalogue(taxonomy.Default())
	words := func(r *reader, p []float64, s string) { r.words().add(p, s, 1); r.add(p, s, perPhrase) }
	ways := map[string]func(p []float64, x *calledTask){
		"notes, phrases and words": func(p []float64, x *calledTask) { words(&c.said, p, x.text) },
		"tasks, phrases and words": func(p []float64, x *calledTask) { words(&c.asked, p, x.text) },
		"tasks, meaning":           func(p []float64, x *calledTask) { c.meaning().add(p, x.vector, 1) },
		"tasks, as used": func(p []float64, x *calledTask) {
			words(&c.asked, p, x.text)
			c.meaning().add(p, x.vector, ofMeaning)
		},
	}
	said, asked := keptBack(t)
	embedded(asked)
	var b strings.Builder
	for _, way := range slices.Sorted(maps.Keys(ways)) {
		r, list := &ranks{probability: map[int][2][]float64{}}, asked
		if strings.HasPrefix(way, "notes") {
			list = said
		}
		for i := range list {
			p := make([]float64, len(c.checks))
			ways[way](p, &list[i])
			r.add(&list[i], p)
		}
		fmt.Fprintf(&b, "%-24s %v\n", way, r)
	}
	golden.Equal(t, "testdata/voices.golden", b.String())
}

// keptBack returns the notes and the tasks of the voices that nothing is learned from.
func keptBack(tb testing.TB) (said, asked []calledTask) {
	tb.Helper()
	place := map[string]int{}
	for i, c := range taxonomy.Default().Checks() {
		place[c.ID] = i
	}
	for _, w := range voices(tb) {
		switch x := (calledTask{text: w.text, check: place[w.check], not: w.kind == "not"}); {
		case learnedFrom(w.voice):
		case w.kind == "said":
			said = append(said, x)
		default:
			asked = append(asked, x)
		}
	}
	return said, asked
}

// ranks counts at which rank the right check is.
type ranks struct {
	n, first, three int
	probability     map[int][2][]float64 // by check: of tasks that do not call for it, and that do
}

func (r *ranks) add(x *calledTask, scores []float64) {
	softmax(scores)
	of, at := r.probability[x.check], 1
	if x.not {
		at = 0
	}
	of[at] = append(of[at], scores[x.check])
	r.probability[x.check] = of
	if x.not {
		return
	}
	better := 0
	for _, p := range scores {
		if p > scores[x.check] {
			better++
		}
	}
	r.n++
	r.first += max(0, 1-better)
	if better < 3 {
		r.three++
	}
}

func (r *ranks) String() string {
	above, pairs := 0, 0
	for _, of := range r.probability {
		for _, no := range of[0] {
			pairs += len(of[1])
			above += len(slices.DeleteFunc(slices.Clone(of[1]), func(p float64) bool { return p <= no }))
		}
	}
	s := fmt.Sprintf("first %.3f  among three %.3f", float64(r.first)/float64(r.n), float64(r.three)/float64(r.n))
	if pairs > 0 {
		s += fmt.Sprintf("  above one that does not call for it %.3f", float64(above)/float64(pairs))
	}
	return s
}

// TestByWords: a catalogue that reads tasks by their words has the checks of the whole one, and the leaning of one
// whose head knows nothing.
func TestByWords(t *testing.T) {
	t.Parallel()
	whole, words := NewCatalogue(taxonomy.Default()), NewCatalogue(taxonomy.Default()).ByWords()
	ignorant := NewCatalogue(taxonomy.Default())
	ignorant.meaning = func() *head { return &head{} }
	for _, task := range []string{"Make sure the numbers on the invoice agree with each other", "核对页面上的金额"} {
		asked, lean := whole.Task(task)
		same, byWords := words.Task(task)
		_, want := ignorant.Task(task)
		require.Equal(t, asked, same)
		require.Equal(t, want, byWords)
		require.NotEqual(t, lean, byWords)
	}
}
