package memtree_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/curation"
	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/llm/llmtest"
)

// played is an embedder with scripted behaviour, and counts.
type played struct {
	llmtest.Spell
	id string

	mu    sync.Mutex
	calls int
	texts map[string]int
	takes time.Duration // of a call
	fail  func(texts []string) error
}

func (p *played) ID() string { return "played" + p.id }

func (p *played) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	p.mu.Lock()
	p.calls++
	if p.texts == nil {
		p.texts = map[string]int{}
	}
	for _, t := range texts {
		p.texts[t]++
	}
	takes, fail := p.takes, p.fail
	p.mu.Unlock()
	select {
	case <-ctx.Done():
		return nil, &llm.Error{Kind: llm.KindTimeout, Err: ctx.Err()}
	case <-time.After(takes):
	}
	if fail != nil {
		if err := fail(texts); err != nil {
			return nil, err
		}
	}
	return p.Spell.Embed(ctx, texts)
}

func (p *played) set(takes time.Duration, fail func([]string) error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.takes, p.fail = takes, fail
}

func (p *played) asked() (calls, texts int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, n := range p.texts {
		texts += n
	}
	return p.calls, texts
}

func askAbout(i int) memtree.Query {
	e := several(i + 1)[i]
	return memtree.Query{Prompt: e.Prompt, Scene: e.Scene}
}

// TestVectorsAreAskedForOnce: of each text once, whatever happens to the index, and of a prompt
// that becomes a case not again.
func TestVectorsAreAskedForOnce(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	e := &played{}
	require.Empty(t, keep(t, dir, e, several(8)))
	_, texts := e.asked()
	require.Equal(t, 8, texts)
	again := func(of *played, hurt string) memtree.Health {
		t.Helper()
		for _, f := range indexFiles(t, dir) {
			if hurt != "" && strings.HasPrefix(filepath.Base(f), hurt+".") {
				require.NoError(t, os.Remove(f))
			}
		}
		m := open(t, dir, &memtree.Options{Embedder: of})
		require.NoError(t, m.Wait(t.Context()))
		g, err := m.Guide(t.Context(), askAbout(3))
		require.NoError(t, err)
		require.False(t, g.Abstained)
		require.Empty(t, g.Note)
		h := m.Health()
		require.NoError(t, m.Close())
		return h
	}
	for _, hurt := range []string{"", "index"} {
		h := again(e, hurt)
		require.Equal(t, [2]int{8, 8}, [2]int{h.Vectors, h.Memories})
	}
	other := &played{id: "2"}
	require.Equal(t, 8, again(other, "").Vectors)
	_, texts = other.asked()
	require.Equal(t, 8, texts, "another model gives its own")
	require.Equal(t, 8, again(e, "").Vectors)
	_, texts = e.asked()
	require.Equal(t, 8, texts, "back to the first: its vectors are there")
	again(e, "vectors-new")
	again(e, "index")
	_, texts = e.asked()
	require.Equal(t, 8+1+7, texts, "the cache is lost: the prompt, then with the index all but that of the prompt")
}

// TestOpenDoesNotWaitForAnEmbedder: with another model than before, a store opens, answers by the lexical search, and
// reports that.
func TestOpenDoesNotWaitForAnEmbedder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "store")
		keep(t, dir, &played{}, several(8))
		began := time.Now()
		e := &played{id: "hangs", takes: time.Hour}
		m := open(t, dir, &memtree.Options{Embedder: e})
		g, err := m.Guide(t.Context(), askAbout(3))
		require.NoError(t, err)
		require.False(t, g.Abstained)
		require.Contains(t, g.Note, "found by words alone")
		_, err = m.RecordAll(t.Context(), several(10)[8:])
		require.NoError(t, err)
		h := m.Health()
		require.Zero(t, h.Vectors)
		require.Contains(t, h.Note, "8 of 8 memories are found by words alone: the embedder playedhangs")
		require.NoError(t, m.Close())
		require.Zero(t, time.Since(began), "nothing of it took any time")
		calls, _ := e.asked()
		require.Zero(t, calls, "who only asks something makes no vectors")
	})
}

// TestASlowEmbedder: Guide waits for a prompt's vector for half of its deadline, after three that came
// too late not at all, and has it the next time.
func TestASlowEmbedder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &played{}
		m := open(t, "", &memtree.Options{InMemory: true, Embedder: e, Deadline: 200 * time.Millisecond})
		_, err := m.RecordAll(t.Context(), several(8))
		require.NoError(t, err)
		require.NoError(t, m.Wait(t.Context()))
		require.Equal(t, 8, m.Health().Vectors)
		e.set(5*time.Second, nil)
		guide := func(prompt string) (time.Duration, string) {
			began := time.Now()
			g, err := m.Guide(t.Context(), memtree.Query{Prompt: "Check that the postcode field is refused " + prompt})
			require.NoError(t, err)
			require.False(t, g.Abstained)
			return time.Since(began), g.Note
		}
		for _, p := range []string{"a", "b", "c"} {
			took, note := guide(p)
			require.Equal(t, 100*time.Millisecond, took)
			require.Contains(t, note, "found by words alone")
		}
		took, note := guide("d")
		require.Zero(t, took)
		require.Contains(t, note, "too slow for several prompts")
		time.Sleep(30 * time.Second)
		for _, p := range []string{"a", "d"} {
			took, note = guide(p)
			require.Zero(t, took)
			require.Empty(t, note, "its vector came meanwhile")
		}
		time.Sleep(time.Minute)
		took, _ = guide("e")
		require.Equal(t, 100*time.Millisecond, took, "it may have become faster")
		require.NoError(t, m.Close())
	})
}

// TestAnEmbedderThatIsDown is called again after growing pauses, delays nothing, and its vectors are added when it
// works again.
func TestAnEmbedderThatIsDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &played{fail: func([]string) error { return &llm.Error{Kind: llm.KindUnavailable, Err: errors.New("gone")} }}
		m := open(t, "", &memtree.Options{InMemory: true, Embedder: e})
		began := time.Now()
		for _, one := range several(8) {
			require.NoError(t, m.Record(t.Context(), one))
			require.NoError(t, m.Wait(t.Context()))
			_, err := m.Guide(t.Context(), askAbout(1))
			require.NoError(t, err)
		}
		require.Zero(t, time.Since(began))
		calls, _ := e.asked()
		require.Equal(t, 1, calls, "it rests after the first failure")
		require.Contains(t, m.Health().Note,
			"8 of 8 memories are found by words alone: the embedder played failed: model unavailable: gone")
		time.Sleep(24 * time.Hour)
		calls, _ = e.asked()
		require.Less(t, calls, 35)
		require.Greater(t, calls, 20, "half a minute, one, two … an hour")
		e.set(0, nil)
		time.Sleep(restMost)
		synctest.Wait()
		require.Empty(t, m.Health().Note)
		require.Equal(t, 8, m.Health().Vectors)
		require.NoError(t, m.Close())
	})
}

const restMost = time.Hour

// TestATextWithoutAVector: a text for which the model has no vector delays no other, and is not sent again and again.
func TestATextWithoutAVector(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &played{fail: func(texts []string) error {
			if strings.Contains(strings.Join(texts, " "), "screen 3") {
				return &llm.Error{Kind: llm.KindMalformed, Err: errors.New("no number")}
			}
			return nil
		}}
		m := open(t, "", &memtree.Options{InMemory: true, Embedder: e})
		for _, some := range [][]memtree.Evaluation{several(8), several(10)[8:]} {
			_, err := m.RecordAll(t.Context(), some)
			require.NoError(t, err)
			require.NoError(t, m.Wait(t.Context()))
		}
		require.Equal(t, 9, m.Health().Vectors)
		before, _ := e.asked()
		time.Sleep(time.Hour)
		after, _ := e.asked()
		require.Equal(t, before, after)
		require.NoError(t, m.Close())
	})
}

// longer gives vectors of twice as many numbers as Spell, under the id of played.
type longer struct{ played }

func (l *longer) Dims() int {
	if calls, _ := l.asked(); calls == 0 {
		return 0
	}
	return 256
}

func (l *longer) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	vectors, err := l.played.Embed(ctx, texts)
	for i := range vectors {
		vectors[i] = append(vectors[i], make([]float32, 128)...)
	}
	return vectors, err
}

// TestVectorsOfAnotherLength: a provider may put another model under the same name. All vectors are requested again
// then.
func TestVectorsOfAnotherLength(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	require.Empty(t, keep(t, dir, &played{}, several(5)))
	e := &longer{}
	require.Empty(t, keep(t, dir, e, several(8)))
	_, texts := e.asked()
	require.Equal(t, 3+8, texts)
	require.Empty(t, keep(t, dir, e, nil))
	_, texts = e.asked()
	require.Equal(t, 3+8, texts)
}

// TestPurgeForgetsVectors: of a purged memory not even the hash of its text is left in the folder, also of one whose
// vector was being requested.
func TestPurgeForgetsVectors(t *testing.T) {
	const canary = "zanzibarcanary"
	dir := filepath.Join(t.TempDir(), "store")
	e := &played{}
	m := open(t, dir, &memtree.Options{Embedder: e})
	for i, s := range []string{canary, "invoice", "refund"} {
		require.NoError(t, m.Record(t.Context(), sumRun("r"+string(rune('1'+i)), s, i+5)))
	}
	require.NoError(t, m.Wait(t.Context()))
	require.NoError(t, m.Close())
	m = open(t, dir, &memtree.Options{Embedder: e})
	n := caseOf(t, m, "r1")
	h := sha256.Sum256([]byte(e.ID() + "\x00" + n.Text()))
	held := func() (out []string) {
		for _, f := range indexFiles(t, dir) {
			b, err := os.ReadFile(f)
			require.NoError(t, err)
			if bytes.Contains(b, h[:]) {
				out = append(out, f)
			}
		}
		return out
	}
	require.Len(t, held(), 1)
	_, err := m.Curation().Forget(t.Context(), n.ID, curation.Options{Purge: true, Why: "a name"})
	require.NoError(t, err)
	require.Empty(t, held())
	require.Empty(t, holding(t, dir, canary))
	require.NoError(t, m.Close())
	require.Empty(t, held())
	_, before := e.asked()
	require.Empty(t, keep(t, dir, e, nil))
	_, after := e.asked()
	require.Equal(t, before, after, "the others are kept")
	m = open(t, dir, &memtree.Options{Embedder: e})
	require.Equal(t, m.Health().Memories, m.Health().Vectors)
	require.NoError(t, m.Close())
}
