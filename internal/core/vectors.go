package core

// An embedder may be slow, down or gone, so nothing waits for it: the index uses the cached vectors, a worker requests
// the others in the background, and until then memories are found by their text alone. The built-in encoder is never
// down, but many texts take time: a few get their vectors at once, the others from the worker too.

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/memtree/memtree/formation"
	"github.com/memtree/memtree/internal/embed"
	"github.com/memtree/memtree/internal/embed/use"
	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/retrieval"
	"github.com/memtree/memtree/store"
)

const (
	restFirst   = 30 * time.Second // pause after the first failure of an embedder; doubled with each further one
	restMost    = time.Hour
	slowMost    = 3           // consecutive late prompts after which Guide stops waiting
	slowRest    = time.Minute // duration of that
	vainMost    = 4           // consecutive texts without a vector after which the embedder has failed
	openRest    = time.Second // delay before a call, to collect texts, unless a caller waits
	embedAtOnce = 64          // texts of one request
	takeAtOnce  = 1024        // vectors of one index update
	saveAt      = 8 << 20     // bytes of vectors that a crash may lose
	fewTexts    = 64          // of an update of the index, for which the built-in encoder computes vectors at once
)

// indexVectors is the embedder of the index. Known never waits; Embed requests the vectors of a prompt, within Guide's
// time limit.
type indexVectors struct {
	*embed.CachedEmbedder
	local   bool // the encoder is part of this program
	wake    chan struct{}
	hurry   chan struct{} // a caller waits
	prompts chan string   // whose vectors came too late; the worker requests them for the next time

	mu     sync.Mutex
	wanted int            // number of requests to the worker
	looked int            // wanted at the start of the last completed round
	step   chan struct{}  // closes at the end of a round
	failed error          // error of the last call, or nil
	fails  int            // consecutive failures
	again  time.Time      // no call before this time
	late   int            // consecutive late prompts
	slow   time.Time      // Guide waits for no vector before this time
	tried  map[string]int // id → revision of the nodes whose text was requested; used only by the worker
	first  sync.Once      // prompt embedded
}

// openEmbedder uses the built-in encoder if no other embedder is given. Another one may be a third party's service, so
// secrets are removed from every text it receives.
func (c *Core) openEmbedder(ctx context.Context) (err error) {
	v := &indexVectors{
		wake: make(chan struct{}, 1), hurry: make(chan struct{}, 1), step: make(chan struct{}),
		prompts: make(chan string, 64), tried: map[string]int{},
	}
	if c.o.Embedder == nil {
		encoder, err := use.Default()
		if err != nil {
			return err
		}
		v.CachedEmbedder, v.local = embed.NewLocal(encoder, fewTexts), true
		c.vectors, c.embedder = v, v
		return nil
	}
	v.CachedEmbedder, err = embed.OpenCache(ctx, c.store, c.o.Counting(c.o.Embedder), func(s string) string {
		s, _ = formation.RedactText(s)
		return s
	})
	if err == nil {
		c.vectors, c.embedder = v, v
	}
	return err
}

// Embed returns the vectors of prompts. It makes no call while the embedder rests after a failure, or after several
// late answers.
func (v *indexVectors) Embed(ctx context.Context, prompts []string) ([][]float32, error) {
	known := true
	got := v.Known(prompts) //nolint:contextcheck // a local embedder waits for nothing
	for _, x := range got {
		known = known && x != nil
	}
	if known {
		return got, nil
	}
	if err := v.rests(); err != nil {
		v.later(prompts)
		return nil, err
	}
	got, err := v.CachedEmbedder.Embed(ctx, prompts)
	v.mu.Lock()
	defer v.mu.Unlock()
	switch {
	case err == nil:
		v.late = 0
		v.first.Do(func() { Poke(v.wake) }) // now the length of vectors is known
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		if v.late++; v.late >= slowMost {
			v.slow = time.Now().Add(slowRest)
		}
		v.later(prompts)
	case ctx.Err() == nil && !aboutText(err):
		v.rest(err)
		v.later(prompts)
	}
	return got, err
}

// rests returns why no call may be made now, nil if one may.
func (v *indexVectors) rests() error {
	v.mu.Lock()
	defer v.mu.Unlock()
	now := time.Now()
	switch {
	case now.Before(v.again):
		return fmt.Errorf("%w (it is asked again later)", v.failed)
	case now.Before(v.slow):
		return &llm.Error{Kind: llm.KindTimeout, Err: errors.New("it was too slow for several prompts and is not waited for")}
	}
	return nil
}

// rest records a failure and starts a pause. The caller holds mu.
func (v *indexVectors) rest(err error) {
	pause := min(restFirst<<min(v.fails, 10), restMost)
	if e, ok := errors.AsType[*llm.Error](err); ok {
		if e.Lasting() {
			pause = restMost
		}
		pause = max(pause, e.RetryAfter)
	}
	v.fails++
	v.failed, v.again = err, time.Now().Add(pause)
}

// later passes prompts to the worker, as many as fit.
func (v *indexVectors) later(prompts []string) {
	for _, p := range prompts {
		select {
		case v.prompts <- p:
		default:
		}
	}
	Poke(v.wake)
}

// saveVectors saves new vectors. It only logs a failure: they are requested again.
func (c *Core) saveVectors(ctx context.Context) {
	if c.o.ReadOnly {
		return
	}
	c.keeping.Lock()
	defer c.keeping.Unlock()
	if err := c.vectors.Save(ctx); err != nil {
		c.o.Logger.Warn("vectors were not kept and will be asked for again", "error", err)
	}
}

// closeVectors saves the vectors and closes their files.
func (c *Core) closeVectors(ctx context.Context) error {
	c.saveVectors(ctx)
	return c.vectors.Close()
}

// purgeVectors removes all vectors except those of texts in use.
func (c *Core) purgeVectors(ctx context.Context) error {
	c.vectors.waiting()
	var texts []string
	for n, err := range c.store.Scan(ctx, store.Filter{}) {
		if err != nil {
			return err
		}
		if n.Live() {
			texts = append(texts, n.Text())
		}
	}
	return c.vectors.Purge(ctx, texts)
}

// Note returns a sentence on why some or all memories have no vector and are found by their text alone; s has the
// counts of the index. It returns "" if nothing went wrong, as for texts in a language that the built-in encoder does
// not know.
func (c *Core) Note(s retrieval.IndexStats) string {
	v := c.vectors
	if s.Vectors == s.Nodes {
		return s.Note
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.local && v.looked >= v.wanted {
		return s.Note
	}
	why := "gave no vector for them yet"
	if v.failed != nil {
		why = fmt.Sprintf("failed: %v", v.failed)
	}
	return fmt.Sprintf("%d of %d memories are found by words alone: the embedder %s %s",
		s.Nodes-s.Vectors, s.Nodes, v.ID(), why)
}

// ShowVectors writes the vectors of the index into the table for people who query the store by SQL, if the store has
// one. Nothing depends on the table, so a failure is only logged.
func (c *Core) ShowVectors(ctx context.Context) {
	table, ok := c.store.(store.VectorTable)
	if !ok || c.o.ReadOnly {
		return
	}
	if err := table.FillVectors(ctx, c.embedder.ID(), c.index.Load().Vectors()); err != nil && ctx.Err() == nil {
		c.o.Logger.Warn("the vectors for queries by SQL are not those of the tree", "error", err)
	}
}
