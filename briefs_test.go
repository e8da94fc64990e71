package memtree_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/brief"
	"github.com/memtree/memtree/curation"
	"github.com/memtree/memtree/enhance"
	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/llm/meter"
	"github.com/memtree/memtree/tree"
)

// briefReader is a model that reads coming tests. It picks the memories whose line contains one word for the tests
// whose prompt contains another. It answers nothing else.
type briefReader struct {
	test, memory, because, say string

	mu    sync.Mutex
	calls int
	tests int
	fails error
	wait  time.Duration
}

var numberedLine = regexp.MustCompile(`(?m)^([mt]\d+) (.*)$`)

func (r *briefReader) Generate(ctx context.Context, q llm.Request) (llm.Answer, error) {
	if !strings.HasPrefix(q.Name, "brief.") {
		return llm.Answer{}, &llm.Error{Kind: llm.KindRefused, Err: errors.New("it only reads tests")}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.calls++
	if r.fails != nil {
		return llm.Answer{}, r.fails
	}
	select {
	case <-time.After(r.wait):
	case <-ctx.Done():
		return llm.Answer{}, &llm.Error{Kind: llm.KindCancelled, Err: ctx.Err()}
	}
	var tests, memories []string
	for _, l := range numberedLine.FindAllStringSubmatch(q.Prompt, -1) {
		switch {
		case l[1][0] == 't':
			r.tests++
			if strings.Contains(l[2], r.test) {
				tests = append(tests, l[1])
			}
		case strings.Contains(l[2], r.memory):
			memories = append(memories, l[1])
		}
	}
	told := []map[string]string{}
	for _, t := range tests {
		for _, m := range memories[:min(1, len(memories))] {
			told = append(told, map[string]string{"t": t, "m": m, "because": r.because, "say": r.say})
		}
	}
	b, err := json.Marshal(map[string]any{"told": told})
	return llm.Answer{JSON: b, Model: "reader-1", Usage: llm.Usage{InputTokens: len(q.Prompt) / 4}}, err
}

func (r *briefReader) count() (calls, tests int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.calls, r.tests
}

const (
	carTask = "Car hire at Faro: at least 15 cars. Six suppliers answer one after the other."
	carSay  = "Wait until all six suppliers have answered, then count the cars."
)

// reader returns a memory of several cases, with a model that picks one of them for carTask.
func reader(t *testing.T, dir string) (*memtree.Memory, *briefReader) {
	t.Helper()
	const because = "Six suppliers answer one after the other"
	r := &briefReader{test: "Faro", memory: "delivery date", because: because, say: carSay}
	m := open(t, dir, &memtree.Options{Generator: r, InMemory: dir == ""})
	_, err := m.RecordAll(t.Context(), several(8))
	require.NoError(t, err)
	require.NoError(t, m.Wait(t.Context()))
	return m, r
}

func car() memtree.Query { return memtree.Query{Prompt: carTask} }

func readCar(t *testing.T, m *memtree.Memory) brief.ReadResult {
	t.Helper()
	did, err := m.Briefs().Read(t.Context(), []brief.UpcomingTest{{Prompt: carTask}}, nil)
	require.NoError(t, err)
	return did
}

// TestBrief: a reader's picks are shown, in its words and with its reason, and nothing that was read is sent again.
func TestBrief(t *testing.T) {
	dir := t.TempDir()
	m, r := reader(t, dir)
	g, err := m.Guide(t.Context(), car())
	require.NoError(t, err)
	require.True(t, g.Abstained, "no word is in common")

	did := readCar(t, m)
	require.Equal(t, 1, did.ReadCounts.Tests)
	require.Equal(t, 1, did.Told)
	require.Empty(t, did.Refused)
	g, err = m.Guide(t.Context(), car())
	require.NoError(t, err)
	require.Len(t, g.Items, 1)
	require.Equal(t, enhance.ByReader, g.Items[0].By)
	require.Equal(t, r.because, g.Items[0].Because)
	require.Contains(t, g.Text, "- "+carSay+"\n")
	again, err := m.Guide(t.Context(), car())
	require.NoError(t, err)
	require.Equal(t, g.Text, again.Text)

	x, err := m.Explain(t.Context(), car())
	require.NoError(t, err)
	require.Equal(t, "reader-1", x.Brief.Read.By)
	i := slices.IndexFunc(x.Considered, func(c enhance.Considered) bool { return c.ID == g.Items[0].ID })
	require.Contains(t, x.Considered[i].Hit.Reason, "a reader picked it")

	calls, _ := r.count()
	require.Zero(t, readCar(t, m).Tests)
	now, _ := r.count()
	require.Equal(t, calls, now)

	require.NoError(t, m.Close())
	m = open(t, dir, &memtree.Options{Generator: r})
	after, err := m.Guide(t.Context(), car())
	require.NoError(t, err)
	require.Equal(t, g.Text, after.Text, "it is kept beside the store")
}

// TestBriefObeys: a pick is not given once its memory was forgotten or banned, for an excluded test, or
// after a purge; undo gives it again.
func TestBriefObeys(t *testing.T) {
	m, _ := reader(t, "")
	readCar(t, m)
	g, err := m.Guide(t.Context(), car())
	require.NoError(t, err)
	id := g.Items[0].ID
	silent := func(why string, q memtree.Query) {
		t.Helper()
		g, err := m.Guide(t.Context(), q)
		require.NoError(t, err)
		require.NotContains(t, g.Text, carSay, why)
	}
	silent("it is excluded", memtree.Query{Prompt: carTask, Exclude: []string{id}})
	silent("its test is excluded", memtree.Query{Prompt: carTask, ExcludeTests: []string{"CASE_1"}})
	_, err = m.Curation().Ban(t.Context(), id, curation.Options{})
	require.NoError(t, err)
	silent("it is banned", car())
	_, err = m.Curation().Undo(t.Context(), "", curation.Options{})
	require.NoError(t, err)
	g, err = m.Guide(t.Context(), car())
	require.NoError(t, err)
	require.Contains(t, g.Text, carSay)
	_, err = m.Curation().Forget(t.Context(), id, curation.Options{Purge: true})
	require.NoError(t, err)
	silent("it is purged", car())
	require.Zero(t, readCarDry(t, m).Book.Read, "a purge leaves nothing of what was read")
}

func readCarDry(t *testing.T, m *memtree.Memory) brief.ReadResult {
	t.Helper()
	did, err := m.Briefs().Read(t.Context(), []brief.UpcomingTest{{Prompt: carTask}},
		&brief.ReadOptions{Reading: meter.Reading{DryRun: true}})
	require.NoError(t, err)
	return did
}

// TestBriefNothingFits: a reader that picks nothing suppresses what the search finds, except memories it has not seen
// and those of the very test.
func TestBriefNothingFits(t *testing.T) {
	m, r := reader(t, "")
	r.test = "no such test"
	q := memtree.Query{Prompt: "Check that an empty gift voucher is refused in the basket"}
	g, err := m.Guide(t.Context(), q)
	require.NoError(t, err)
	require.False(t, g.Abstained, "words find something")
	require.Equal(t, enhance.ByWords, g.Items[0].By)
	_, err = m.Briefs().Read(t.Context(), []brief.UpcomingTest{{Prompt: q.Prompt}}, nil)
	require.NoError(t, err)
	g, err = m.Guide(t.Context(), q)
	require.NoError(t, err)
	require.True(t, g.Abstained)
	require.Contains(t, g.Nearest.Reason, "did not pick it")

	own := several(3)[2]
	mine := memtree.Query{Prompt: own.Prompt, Scene: own.Scene, Scope: tree.Scope{Test: own.CaseID}}
	_, err = m.Briefs().Read(t.Context(), []brief.UpcomingTest{brief.TestOf(mine.Prompt, mine.Scene, mine.Scope)}, nil)
	require.NoError(t, err)
	g, err = m.Guide(t.Context(), mine)
	require.NoError(t, err)
	require.False(t, g.Abstained, "of this very test it is known what went wrong")
	require.Equal(t, enhance.ByTest, g.Items[0].By)

	fresh := missed(50)
	fresh.Scene.ID, fresh.Prompt = "S50", q.Prompt
	fresh.Reason = "The gift voucher was taken although it was empty."
	require.NoError(t, m.Record(t.Context(), fresh))
	require.NoError(t, m.Wait(t.Context()))
	g, err = m.Guide(t.Context(), q)
	require.NoError(t, err)
	require.False(t, g.Abstained, "this one nobody has read yet")
}

// TestBriefFails: when the model does not answer, the search decides as before, and the next Brief continues.
func TestBriefFails(t *testing.T) {
	m, r := reader(t, "")
	before, err := m.Guide(t.Context(), ask)
	require.NoError(t, err)
	r.fails = &llm.Error{Kind: llm.KindTimeout, Err: errors.New("slow")}
	tests := []brief.UpcomingTest{{Prompt: carTask}, {Prompt: ask.Prompt}}
	did, err := m.Briefs().Read(t.Context(), tests, nil)
	require.NoError(t, err)
	require.Zero(t, did.ReadCounts.Tests)
	require.Equal(t, 2, did.Left)
	require.Contains(t, did.Why, "slow")
	after, err := m.Guide(t.Context(), ask)
	require.NoError(t, err)
	require.Equal(t, before.Text, after.Text)
	r.fails = nil
	did, err = m.Briefs().Read(t.Context(), nil, nil)
	require.NoError(t, err)
	require.Equal(t, 2+8, did.ReadCounts.Tests, "the tests are known from before, and so are those of recorded runs")
}

// TestBriefCostIsKnownBefore: a dry run sends nothing, writes nothing, and estimates the cost.
func TestBriefCostIsKnownBefore(t *testing.T) {
	m, r := reader(t, "")
	did := readCarDry(t, m)
	require.Equal(t, 1, did.Tests)
	require.Equal(t, 1, did.Calls)
	require.Positive(t, did.Usage.InputTokens)
	calls, _ := r.count()
	require.Zero(t, calls)
	require.Equal(t, 1, readCarDry(t, m).Tests, "nothing was written")
	_, err := m.Briefs().Read(t.Context(), []brief.UpcomingTest{{Prompt: carTask}},
		&brief.ReadOptions{Reading: meter.Reading{MaxCalls: new(0)}})
	require.NoError(t, err)
	calls, _ = r.count()
	require.Zero(t, calls)
}

// TestReadNow: a caller that would rather wait than run without memory has a new test read before its run. A query that
// is refused asks no model.
func TestReadNow(t *testing.T) {
	m, r := reader(t, "")
	q := car()
	q.Read = 10 * time.Second
	g, err := m.Guide(t.Context(), q)
	require.NoError(t, err)
	require.Contains(t, g.Text, carSay)
	calls, _ := r.count()
	_, err = m.Guide(t.Context(), q)
	require.NoError(t, err)
	now, _ := r.count()
	require.Equal(t, calls, now, "it is read once")
	_, err = m.Guide(t.Context(), memtree.Query{Prompt: "A new test in Faro", Read: time.Minute, Quarantined: true})
	require.ErrorContains(t, err, "quarantined")
	now, _ = r.count()
	require.Equal(t, calls, now, "what is not answered is not read")

	r.wait = time.Minute
	slow := memtree.Query{Prompt: "Another test in Faro", Read: 50 * time.Millisecond}
	began := time.Now()
	_, err = m.Guide(t.Context(), slow)
	require.NoError(t, err)
	require.Less(t, time.Since(began), 20*time.Second)
}

// TestSeenTestsAreRead: queried tests are known, without their secrets, and read without a file.
func TestSeenTestsAreRead(t *testing.T) {
	m, r := reader(t, "")
	r.test = "no such test"
	for i := range 3 {
		_, err := m.Guide(t.Context(), memtree.Query{Prompt: fmt.Sprint("Open the page of Faro, number ", i)})
		require.NoError(t, err)
	}
	require.Eventually(t, func() bool {
		did, err := m.Briefs().Read(t.Context(), nil, &brief.ReadOptions{Reading: meter.Reading{DryRun: true}})
		return err == nil && did.Tests == 3+8 // with those of recorded runs+8 // those of recorded runs too
	}, 10*time.Second, 5*time.Millisecond)
	_, err := m.Briefs().Read(t.Context(), nil, nil)
	require.NoError(t, err)
	_, tests := r.count()
	require.Equal(t, 3+8, tests)
}

// TestBriefWhileItChanges: readers, guidance, recording and a purge at once neither race nor fail.
func TestBriefWhileItChanges(t *testing.T) {
	m, _ := reader(t, "")
	var wg sync.WaitGroup
	for i := range 3 {
		wg.Go(func() {
			for k := range 20 {
				_, err := m.Guide(t.Context(), memtree.Query{Prompt: fmt.Sprintf("%s Try %d.", carTask, k%5)})
				require.NoError(t, err)
			}
		})
		wg.Go(func() {
			_, err := m.Briefs().Read(t.Context(), []brief.UpcomingTest{{Prompt: fmt.Sprintf("%s Try %d.", carTask, i)}}, nil)
			require.NoError(t, err)
		})
	}
	wg.Go(func() {
		e := missed(60)
		e.Scene.ID = "S60"
		require.NoError(t, m.Record(t.Context(), e))
		id := nodes(t, m)[0].ID
		_, err := m.Curation().Forget(t.Context(), id, curation.Options{Purge: true})
		require.NoError(t, err)
	})
	wg.Wait()
}

// BenchmarkGuideWithBriefs is guidance where 10,000 tests were read, beside the same without any brief.
func BenchmarkGuideWithBriefs(b *testing.B) {
	for _, tests := range []int{0, 10_000} {
		b.Run(fmt.Sprint(tests), func(b *testing.B) {
			r := &briefReader{test: "Faro", memory: "delivery date", because: "Six suppliers", say: carSay}
			m, err := memtree.Open(b.Context(), "", &memtree.Options{InMemory: true, Generator: r})
			require.NoError(b, err)
			b.Cleanup(func() { require.NoError(b, m.Close()) })
			_, err = m.RecordAll(b.Context(), several(200))
			require.NoError(b, err)
			require.NoError(b, m.Wait(b.Context()))
			var coming []brief.UpcomingTest
			for i := range tests {
				coming = append(coming, brief.UpcomingTest{Prompt: fmt.Sprintf("%s Number %d.", carTask, i)})
			}
			if tests > 0 {
				_, err = m.Briefs().Read(b.Context(), coming, nil)
				require.NoError(b, err)
			}
			b.ResetTimer()
			for i := range b.N {
				_, err := m.Guide(b.Context(), memtree.Query{Prompt: fmt.Sprintf("%s Number %d.", carTask, i%10_000)})
				require.NoError(b, err)
			}
		})
	}
}

// TestBriefGoesOn: a reading that is cut short by a bound retains its results, and the next one requests only the
// rest.
func TestBriefGoesOn(t *testing.T) {
	m, r := reader(t, "")
	r.test = "no such test"
	const perQuestion = 80
	var tests []brief.UpcomingTest
	for i := range 3 * perQuestion {
		tests = append(tests, brief.UpcomingTest{Prompt: fmt.Sprint("Open page number ", i)})
	}
	o := &brief.ReadOptions{Reading: meter.Reading{MaxCalls: new(1)}}
	for i := range 3 {
		did, err := m.Briefs().Read(t.Context(), tests, o)
		require.NoError(t, err)
		require.Equal(t, (3-i)*perQuestion, did.Tests)
		require.Equal(t, perQuestion, did.ReadCounts.Tests)
		require.Equal(t, (2-i)*perQuestion, did.Left)
	}
	did, err := m.Briefs().Read(t.Context(), tests, o)
	require.NoError(t, err)
	require.Zero(t, did.Tests)
}

// TestDroppedBriefsComeBack: what was read can be dropped, and reading it again gives the same guidance.
func TestDroppedBriefsComeBack(t *testing.T) {
	m, _ := reader(t, "")
	readCar(t, m)
	before, err := m.Guide(t.Context(), car())
	require.NoError(t, err)
	gone := nodes(t, m)[7].ID // a purge drops all that was read
	require.NotEqual(t, before.Items[0].ID, gone)
	_, err = m.Curation().Forget(t.Context(), gone, curation.Options{Purge: true})
	require.NoError(t, err)
	g, err := m.Guide(t.Context(), car())
	require.NoError(t, err)
	require.True(t, g.Abstained)
	readCar(t, m)
	g, err = m.Guide(t.Context(), car())
	require.NoError(t, err)
	require.Equal(t, before.Text, g.Text)
}
