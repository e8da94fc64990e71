package evolution

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"slices"
	"strconv"
	"sync"

	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/tree"
)

// Jobs stores the results of jobs beside a store, so that no model is called twice for the same job. A job is a lesson
// or strategy to be written. Losing the results costs calls, not knowledge. A Jobs is safe for concurrent use.
type Jobs struct {
	store store.Store
	o     JobsOptions

	mu     sync.Mutex
	kept   map[string]json.RawMessage
	used   map[string]bool
	own    map[string]bool // put here
	purged bool            // what is stored has what was purged
	dirty  bool
	held   int // calls of Together under way
}

// JobsOptions configures Jobs.
type JobsOptions struct {
	ReadOnly bool         // Save writes nothing
	AtOnce   bool         // each Put saves: for results for which a model was paid
	Logger   *slog.Logger // receives why stored results cannot be read; nil: discards it

	// Saving calls save while no purge runs, with the purges since the Jobs were opened; nil: no purge runs beside them.
	Saving func(save func([]*store.Purge) error) error
}

// JobsName is the name of the derived data that has the results of jobs.
const JobsName = "evolution"

const (
	maxJobs  = 20_000   // beyond it, results that no plan requested are dropped
	jobsSize = 64 << 20 // bytes that are read at most
)

// OpenJobs returns Jobs with the results stored beside s.
func OpenJobs(ctx context.Context, s store.Store, o JobsOptions) (*Jobs, error) {
	o.Logger = cmp.Or(o.Logger, slog.New(slog.DiscardHandler))
	if o.Saving == nil {
		o.Saving = func(save func([]*store.Purge) error) error { return save(nil) }
	}
	j := &Jobs{store: s, o: o, used: map[string]bool{}, own: map[string]bool{}}
	var err error
	if j.kept, err = j.stored(ctx); err != nil {
		return nil, err
	}
	return j, nil
}

// stored reads what is stored; nothing if there is none, or if it cannot be read.
func (j *Jobs) stored(ctx context.Context) (map[string]json.RawMessage, error) {
	none := map[string]json.RawMessage{}
	kept, err := store.OpenDerived(ctx, j.store, JobsName)
	if errors.Is(err, tree.ErrNotFound) {
		return none, nil
	}
	if err != nil {
		return nil, err
	}
	b, err := io.ReadAll(io.NewSectionReader(kept, 0, min(kept.Size, jobsSize)))
	if err := errors.Join(err, kept.Closer.Close()); err != nil {
		return nil, err
	}
	all := map[string]json.RawMessage{}
	if err := json.Unmarshal(b, &all); err != nil {
		j.o.Logger.Warn("what is known of earlier jobs cannot be read and will be made anew", "error", err)
		return none, nil
	}
	return all, nil
}

// join takes what other processes have stored since: all that is stored, with what was put here. After a purge here,
// what is stored has what must not come back. The caller holds mu.
func (j *Jobs) join(ctx context.Context) error {
	if _, several := j.store.(store.Shared); !several || j.purged {
		return nil
	}
	all, err := j.stored(ctx)
	if err != nil {
		return err
	}
	for key := range j.own {
		if v, ok := j.kept[key]; ok {
			all[key] = v
		}
	}
	j.kept = all
	return nil
}

// Get returns the result stored under the key of a job, and whether there is one.
func (j *Jobs) Get(key string) ([]byte, bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.used[key] = true
	v, ok := j.kept[key]
	return v, ok
}

// Put stores value under the key of a job. With AtOnce it saves before it returns, except within Together. Without
// AtOnce the next Save writes value.
func (j *Jobs) Put(ctx context.Context, key string, value []byte) error {
	j.mu.Lock()
	j.kept[key], j.used[key], j.own[key], j.dirty = slices.Clone(value), true, true, true
	later := !j.o.AtOnce || j.held > 0
	j.mu.Unlock()
	if later {
		return nil
	}
	return j.Save(context.WithoutCancel(ctx))
}

// Together calls do. With AtOnce, the values that do puts are saved together after do has returned, even with an error;
// if calls of Together overlap, the last one to end saves for all. Together returns the errors of do and of saving.
func (j *Jobs) Together(ctx context.Context, do func() error) error {
	hold := func(n int) (last bool) {
		j.mu.Lock()
		defer j.mu.Unlock()
		j.held += n
		return j.held == 0 && j.o.AtOnce
	}
	hold(1)
	err := do()
	if hold(-1) {
		err = errors.Join(err, j.Save(context.WithoutCancel(ctx)))
	}
	return err
}

// Save writes the results to the store, with those that other processes of a shared store have written meanwhile. It
// does nothing if there is no new result, or with ReadOnly. If there are more than 20,000 results, it drops those that
// this process has neither read nor put.
func (j *Jobs) Save(ctx context.Context) error {
	return j.o.Saving(func(purges []*store.Purge) error { return j.save(ctx, purges) })
}

func (j *Jobs) save(ctx context.Context, purges []*store.Purge) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, p := range purges {
		j.purge(p)
	}
	if !j.dirty || j.o.ReadOnly {
		return nil
	}
	if err := j.join(ctx); err != nil {
		return fmt.Errorf("keep what became of jobs: %w", err)
	}
	if len(j.kept) > maxJobs {
		maps.DeleteFunc(j.kept, func(key string, _ json.RawMessage) bool { return !j.used[key] })
	}
	b, err := json.Marshal(j.kept)
	if err != nil {
		return fmt.Errorf("keep what became of jobs: %w", err)
	}
	info, err := j.store.Info(ctx)
	if err != nil {
		return err
	}
	err = store.SaveDerived(ctx, j.store, JobsName, info.Version, func(w io.Writer) error {
		_, err := w.Write(b)
		return err
	})
	if err != nil {
		return fmt.Errorf("keep what became of jobs: %w", err)
	}
	j.dirty, j.purged = false, false
	return nil
}

// Rejected returns the stored drafts that gates refused, sorted by job key.
func (j *Jobs) Rejected() []Rejection {
	j.mu.Lock()
	defer j.mu.Unlock()
	out := []Rejection{}
	for _, key := range slices.Sorted(maps.Keys(j.kept)) {
		out = append(out, rejections(j.kept[key])...)
	}
	return out
}

// Purge drops the results that mention a memory that p purges, and those with a draft that cites no cases. The next
// Save writes the rest.
func (j *Jobs) Purge(p *store.Purge) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.purge(p)
	j.dirty, j.purged = true, true
}

// purge drops what Purge drops. The caller holds mu.
func (j *Jobs) purge(p *store.Purge) {
	maps.DeleteFunc(j.kept, func(_ string, value json.RawMessage) bool {
		var r jobRecord
		if json.Unmarshal(value, &r) != nil {
			return true
		}
		cites := false
		if r.Draft != nil {
			for _, l := range r.Draft.Lessons {
				cites = cites || len(l.Cites) > 0
			}
		}
		named := slices.ContainsFunc(p.Nodes, func(id string) bool {
			return bytes.Contains(value, []byte(strconv.Quote(id)))
		})
		return named || r.Draft != nil && !cites
	})
}
