package core

// The worker that requests missing vectors from an embedder.

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/tree"
)

// aboutText reports whether an error concerns one text and not the others.
func aboutText(err error) bool {
	switch llm.KindOf(err) {
	case llm.KindMalformed, llm.KindTooLarge, llm.KindBadRequest, llm.KindRefused, llm.KindNotRecorded:
		return true
	default:
		return false
	}
}

// wantVectors notifies the worker that memories may lack vectors.
func (c *Core) wantVectors() {
	c.vectors.mu.Lock()
	c.vectors.wanted++
	c.vectors.mu.Unlock()
	Poke(c.vectors.wake)
}

// keepVectors requests missing vectors until ctx ends: on every wake, and again some time after a failure.
func (c *Core) keepVectors(ctx context.Context) {
	v := c.vectors
	if err := c.takeKnown(ctx); err != nil {
		c.o.Logger.Warn("vectors that are kept could not be used", "error", err)
	}
	for {
		select { // a short-lived process has ended by then, so no request is interrupted
		case <-ctx.Done():
			return
		case <-v.hurry:
		case <-time.After(openRest):
		}
		v.mu.Lock()
		wait := time.Until(v.again)
		v.mu.Unlock()
		var again <-chan time.Time
		if wait > 0 {
			again = time.After(wait)
		}
		select {
		case <-ctx.Done():
			return
		case <-v.wake:
		case <-again:
		}
		v.mu.Lock()
		wanted, resting := v.wanted, time.Now().Before(v.again)
		v.mu.Unlock()
		var err error
		if !resting {
			err = c.makeVectors(ctx)
		}
		v.mu.Lock()
		switch {
		case resting || ctx.Err() != nil:
		case err != nil:
			v.rest(err)
			c.o.Logger.Warn("memories are found by words alone until the embedder answers", "error", err)
		default:
			v.failed, v.fails = nil, 0
		}
		v.looked = wanted
		close(v.step)
		v.step = make(chan struct{})
		v.mu.Unlock()
	}
}

// takeKnown adds cached vectors that the index lacks, as after a switch to another model and back.
func (c *Core) takeKnown(ctx context.Context) error {
	ids, err := c.index.Load().Bare()
	if err != nil {
		return err
	}
	for some := range slices.Chunk(ids, takeAtOnce) {
		had := c.index.Load().Stats().Vectors
		if err := c.takeVectors(ctx, some); err != nil || ctx.Err() != nil || c.index.Load().Stats().Vectors == had {
			return err
		}
	}
	return nil
}

// makeVectors requests the vectors that memories and late prompts lack, and adds them to the index.
func (c *Core) makeVectors(ctx context.Context) error {
	v := c.vectors
	if err := v.makeLate(ctx); err != nil {
		return err
	}
	if _, err := c.sameLength(ctx); err != nil {
		return err
	}
	ids, err := c.index.Load().Bare()
	if err != nil {
		return err
	}
	vain := 0
	var made []string
	for len(ids) > 0 && err == nil {
		n := min(embedAtOnce, len(ids))
		var nodes []tree.Node
		if nodes, err = c.Stored(ctx, ids[:n]); err != nil {
			break
		}
		ids = ids[n:]
		texts := make([]string, 0, n)
		for i := range nodes {
			if at, ok := v.tried[nodes[i].ID]; !ok || at != nodes[i].Revision {
				texts, made = append(texts, nodes[i].Text()), append(made, nodes[i].ID)
			}
		}
		err = v.make(ctx, texts, &vain)
		if err == nil {
			for i := range nodes {
				v.tried[nodes[i].ID] = nodes[i].Revision
			}
		}
		if len(made) >= takeAtOnce {
			err = errors.Join(err, c.takeVectors(ctx, made))
			made = nil
		}
		if v.Unsaved() > saveAt && (made == nil || !v.local) { // the index has all that a local one gave
			c.saveVectors(ctx)
		}
	}
	if err = errors.Join(err, c.takeVectors(ctx, made)); err != nil {
		return err
	}
	if dropped, err := c.sameLength(ctx); err != nil || !dropped {
		return err
	}
	return c.makeVectors(ctx)
}

// sameLength drops all vectors if the embedder returns another length than before: its name now belongs to another
// model, so old and new vectors cannot be compared. They are requested again.
func (c *Core) sameLength(ctx context.Context) (dropped bool, err error) {
	had, now := c.index.Load().Dims(), c.vectors.Dims()
	if had == 0 || now == 0 || had == now {
		return false, nil
	}
	c.o.Logger.Warn("the embedder gives vectors of another length, all are asked for anew", "before", had, "now", now)
	if err := c.vectors.Purge(ctx, nil); err != nil {
		return false, err
	}
	clear(c.vectors.tried)
	return true, c.replaceIndex(ctx, c.newIndex)
}

// makeLate requests the vectors of late prompts.
func (v *indexVectors) makeLate(ctx context.Context) error { return v.make(ctx, v.waiting(), new(int)) }

// waiting takes the late prompts from the queue.
func (v *indexVectors) waiting() (prompts []string) {
	for len(prompts) < cap(v.prompts) {
		select {
		case p := <-v.prompts:
			prompts = append(prompts, p)
			continue
		default:
		}
		break
	}
	return prompts
}

// make requests the vectors of texts for the cache. It splits a batch to isolate texts that the embedder rejects.
func (v *indexVectors) make(ctx context.Context, texts []string, vain *int) error {
	if len(texts) == 0 {
		return nil
	}
	_, err := v.CachedEmbedder.Embed(ctx, texts)
	switch {
	case err == nil:
		*vain = 0
		return nil
	case ctx.Err() != nil || !aboutText(err):
		return err
	case len(texts) > 1:
		if err := v.make(ctx, texts[:len(texts)/2], vain); err != nil {
			return err
		}
		return v.make(ctx, texts[len(texts)/2:], vain)
	}
	if *vain++; *vain >= vainMost {
		return err
	}
	return nil
}

// takeVectors adds the cached vectors of nodes to the index.
func (c *Core) takeVectors(ctx context.Context, ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	ctx = context.WithoutCancel(ctx) // it takes milliseconds, and the vectors are paid for
	c.door.Lock()
	defer c.door.Unlock()
	nodes, err := c.Stored(ctx, ids)
	if err != nil {
		return err
	}
	ix := c.index.Load()
	if err := ix.Update(ctx, ix.Version(), nodes); err != nil {
		return err
	}
	c.indexChanged()
	return nil
}

// WaitVectors returns once the embedder was asked for all vectors that were missing at the call. It does not wait while
// the embedder pauses after an error, or if c is read-only.
func (c *Core) WaitVectors(ctx context.Context) error {
	v := c.vectors
	if c.o.ReadOnly {
		return nil
	}
	v.mu.Lock()
	wanted := v.wanted
	v.mu.Unlock()
	Poke(v.hurry)
	for {
		v.mu.Lock()
		done, step := v.looked >= wanted, v.step
		v.mu.Unlock()
		if done {
			return nil
		}
		select {
		case <-step:
		case <-c.closed:
			return fmt.Errorf("wait for vectors: %w", store.ErrClosed)
		case <-ctx.Done():
			return fmt.Errorf("wait for vectors: %w", ctx.Err())
		}
	}
}
