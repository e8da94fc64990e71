package core

// An embedder other than the built-in table may be slow, down or gone, so nothing waits for it: the
// index takes the vectors that are kept, a worker asks for the others in the background, and
// meanwhile memories are found by words alone.

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/memtree/memtree/formation"
	"github.com/memtree/memtree/internal/embed"
	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/retrieval"
	"github.com/memtree/memtree/tree"
)

const (
	restFirst   = 30 * time.Second // pause after the first failure of an embedder; each further one doubles it
	restMost    = time.Hour
	slowMost    = 3           // prompts in a row that came too late, after which Guide waits for none
	slowRest    = time.Minute // for so long
	vainMost    = 4           // texts in a row that the embedder has no vector for, after which it counts as failed
	openRest    = time.Second // before a call, so that it has many texts, unless somebody waits
	embedAtOnce = 64          // texts that are asked for at once
	takeAtOnce  = 1024        // vectors that the index takes at once
	saveAt      = 8 << 20     // bytes of vectors that a crash may lose
)

// vectors is the embedder of the index. Known never waits; Embed asks for a prompt, in the time that
// Guide has for it.
type vectors struct {
	*embed.Cache
	wake    chan struct{}
	hurry   chan struct{} // somebody waits
	prompts chan string   // that came too late; the worker gets their vectors for the next time

	mu     sync.Mutex
	wanted int            // how often the worker was told that there may be work
	looked int            // how often at the beginning of the last round that ended
	step   chan struct{}  // closes at the end of a round
	failed error          // of the last call; nil: it went well
	fails  int            // in a row
	again  time.Time      // no call before
	late   int            // prompts in a row that came too late
	slow   time.Time      // Guide waits for no vector before
	tried  map[string]int // revisions of the nodes whose text was asked for, by id; the worker's own
	first  sync.Once      // prompt that was asked for
}

// openEmbedder takes the built-in table if no other embedder is given. Another one may be a service of
// somebody else, so secrets are removed from every text that it is given.
func (c *Core) openEmbedder(ctx context.Context) (err error) {
	switch e := c.o.Embedder.(type) {
	case nil:
		c.embedder, err = embed.Default()
		return err
	case *embed.Table:
		c.embedder = e
		return nil
	default:
		v := &vectors{
			wake: make(chan struct{}, 1), hurry: make(chan struct{}, 1), step: make(chan struct{}),
			prompts: make(chan string, 64), tried: map[string]int{},
		}
		v.Cache, err = embed.OpenCache(ctx, c.store, c.o.Counting(e), func(s string) string {
			s, _ = formation.RedactText(s)
			return s
		})
		if err == nil {
			c.vectors, c.embedder = v, v
		}
		return err
	}
}

// Embed returns the vectors of prompts. It asks for none while the embedder rests after a failure, or
// after several that came too late.
func (v *vectors) Embed(ctx context.Context, prompts []string) ([][]float32, error) {
	known := true
	got := v.Known(prompts)
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
	got, err := v.Cache.Embed(ctx, prompts)
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

// rests returns why no call is made now, nil if one is.
func (v *vectors) rests() error {
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

// rest notes a failure and has no call made for some time. The caller holds mu.
func (v *vectors) rest(err error) {
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

// later hands prompts to the worker, as far as there is room.
func (v *vectors) later(prompts []string) {
	for _, p := range prompts {
		select {
		case v.prompts <- p:
		default:
		}
	}
	Poke(v.wake)
}

// saveVectors saves the vectors that are new. A failure is logged and is no error: they are asked for
// again.
func (c *Core) saveVectors(ctx context.Context) {
	if c.vectors == nil || c.o.ReadOnly {
		return
	}
	if err := c.vectors.Save(ctx); err != nil {
		c.o.Logger.Warn("vectors were not kept and will be asked for again", "error", err)
	}
}

// closeVectors saves the vectors and closes their files.
func (c *Core) closeVectors(ctx context.Context) error {
	if c.vectors == nil {
		return nil
	}
	c.saveVectors(ctx)
	return c.vectors.Close()
}

// purgeVectors drops all vectors but those of the texts that are in use.
func (c *Core) purgeVectors(ctx context.Context) error {
	if c.vectors == nil {
		return nil
	}
	c.vectors.waiting()
	var texts []string
	for n, err := range c.store.Scan(ctx, tree.Filter{}) {
		if err != nil {
			return err
		}
		if n.Live() {
			texts = append(texts, n.Text())
		}
	}
	return c.vectors.Purge(ctx, texts)
}

// Note says why all or some memories are found by words alone. It is "" if none are. The built-in
// table gives no vector for a text without a word that it knows, which is no lack.
func (c *Core) Note(s retrieval.Stats) string {
	v := c.vectors
	if v == nil || s.Vectors == s.Nodes {
		return s.Note
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	why := "gave no vector for them yet"
	if v.failed != nil {
		why = fmt.Sprintf("failed: %v", v.failed)
	}
	return fmt.Sprintf("%d of %d memories are found by words alone: the embedder %s %s",
		s.Nodes-s.Vectors, s.Nodes, v.ID(), why)
}
