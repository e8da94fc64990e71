package run

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/tree"
)

// Runs reads the runs of a memory, and adds updates to them through the ledger. It is safe for concurrent use.
type Runs struct {
	o Options
}

// Options configures Runs: from where it reads, and to where it writes.
type Options struct {
	View  func(ctx context.Context, read func(*Log)) error   // calls read with the runs, up to date with the ledger
	Write func(ctx context.Context, es []ledger.Entry) error // adds entries to the ledger
	Clean func(string) string                                // removes secrets from a text
	Page  func(string) string                                // returns the page of an address
	Now   func() time.Time
	Ended func(ctx context.Context, r Run) error // called after a write that ends a run; nil: nothing is called
}

// New returns Runs with the options o.
func New(o Options) *Runs { return &Runs{o} }

// MostUpdates is the most updates that one call of Add takes.
const MostUpdates = 1000

// Accepted counts what an Add did.
type Accepted struct {
	Updates int    `json:"updates"`          // number of updates that were new
	Known   int    `json:"known"`            // number of updates whose key the run had already
	Beside  string `json:"beside,omitempty"` // other agent that wrote to a run at most 5 minutes ago; "" for none
	// Taken holds the ids of tasks in the updates that another agent took at the same moment, and has now.
	Taken []string `json:"taken,omitempty"`
}

// Start begins the run that w describes and returns it. A run without an id gets one; an id becomes one line without
// control characters. If a run with the id exists already, the error is a *tree.FieldError; Resume continues that run.
func (r *Runs) Start(ctx context.Context, w ledger.Work) (Run, error) {
	w.Kind = ledger.WorkStart
	if w.Run == "" {
		now := r.o.Now().UTC()
		sum := sha256.Sum256([]byte(now.Format(time.RFC3339Nano) + "\n" + w.By + "\n" + w.Text))
		w.Run = now.Format("20060102-150405-") + hex.EncodeToString(sum[:3])
	}
	w.Run = r.line(w.Run)
	if _, err := r.Get(ctx, w.Run); err == nil {
		return Run{}, &tree.FieldError{Field: "run", Problem: fmt.Sprintf("is %.80q, which is there; resume it, or take "+
			"another id", w.Run)}
	}
	if _, err := r.Add(ctx, []ledger.Work{w}); err != nil {
		return Run{}, err
	}
	return r.Get(ctx, w.Run)
}

// Add adds updates to runs in one write, all or none. It removes secrets from texts, and replaces an address by its
// page. The error is a *tree.FieldError for an update that is invalid, whose run did not begin or has ended, for which
// the run has no room, or whose task another agent does (see the package comment). An update whose key the run has
// already changes nothing. An error of Options.Ended comes after the write.
func (r *Runs) Add(ctx context.Context, list []ledger.Work) (Accepted, error) {
	if len(list) > MostUpdates {
		return Accepted{}, &tree.FieldError{Field: "updates", Problem: fmt.Sprintf("are %d; the most of one call is %d",
			len(list), MostUpdates)}
	}
	clean := make([]ledger.Work, len(list))
	for i, w := range list {
		clean[i] = r.cleaned(w)
		if err := clean[i].Check(); err != nil {
			return Accepted{}, named(i, len(list), err)
		}
	}
	out, now := Accepted{}, r.o.Now()
	var es []ledger.Entry
	var problem error
	err := r.o.View(ctx, func(l *Log) {
		begun := map[string]bool{}
		keys := map[[2]string]bool{}
		for i := range clean {
			w := &clean[i]
			if key := [2]string{w.Run, w.Key}; w.Key != "" && (keys[key] || l.hasKey(w.Run, w.Key)) {
				out.Known++
				continue
			} else if w.Key != "" {
				keys[key] = true
			}
			if problem = l.refuses(w, begun, now); problem != nil {
				problem = named(i, len(list), problem)
				return
			}
			l.describe(w)
			if other := l.other(w, now); other != "" {
				out.Beside = other
			}
			es = append(es, ledger.Entry{At: now, Work: w})
		}
	})
	if err = cmp.Or(err, problem); err != nil || len(es) == 0 {
		return out, err
	}
	if err := r.o.Write(ctx, es); err != nil {
		return Accepted{}, fmt.Errorf("add to a run: %w", err)
	}
	out.Updates = len(es)
	if out.Taken, err = r.taken(ctx, es, now); err != nil {
		return out, err
	}
	return out, r.ended(ctx, es)
}

// taken returns the tasks that entries took and another agent has.
func (r *Runs) taken(ctx context.Context, es []ledger.Entry, now time.Time) (out []string, err error) {
	if !slices.ContainsFunc(es, func(e ledger.Entry) bool { return e.Work.Kind == ledger.WorkTask && e.Work.By != "" }) {
		return nil, nil
	}
	err = r.o.View(ctx, func(l *Log) {
		for _, e := range es {
			if t := l.task(e.Work); t != nil && t.TakenFrom(e.Work.By, now) && !slices.Contains(out, t.ID) {
				out = append(out, t.ID)
			}
		}
	})
	return out, err
}

// task returns the task that an update is about, nil for none.
func (l *Log) task(w *ledger.Work) *Task {
	r := l.runs[w.Run]
	if r == nil || w.Kind != ledger.WorkTask {
		return nil
	}
	i, ok := r.tasks[w.Task]
	if !ok {
		return nil
	}
	return &r.Tasks[i]
}

// named puts the place of an update before the field of an error, if there are several updates.
func named(i, n int, err error) error {
	f, ok := errors.AsType[*tree.FieldError](err)
	if !ok {
		return err
	}
	field := strings.TrimPrefix(f.Field, "work.")
	if n > 1 {
		field = fmt.Sprintf("updates[%d].%s", i, field)
	}
	return &tree.FieldError{Field: field, Problem: f.Problem}
}

// ended reports the runs that updates ended.
func (r *Runs) ended(ctx context.Context, es []ledger.Entry) error {
	for _, e := range es {
		if e.Work.Kind != ledger.WorkEnd || r.o.Ended == nil {
			continue
		}
		of, err := r.Get(ctx, e.Work.Run)
		if err == nil {
			err = r.o.Ended(ctx, of)
		}
		if err != nil {
			return fmt.Errorf("end a run: %w", err)
		}
	}
	return nil
}

// refuses returns why the log has no room for an update; nil if it has. begun has the runs that began in this call.
func (l *Log) refuses(w *ledger.Work, begun map[string]bool, now time.Time) error {
	bad := func(field, problem string, args ...any) error {
		return &tree.FieldError{Field: field, Problem: fmt.Sprintf(problem, args...)}
	}
	r := l.runs[w.Run]
	t := l.task(w)
	switch {
	case w.Kind == ledger.WorkStart:
		begun[w.Run] = true
		return nil
	case r == nil && begun[w.Run]:
		return nil
	case r == nil:
		return bad("run", "is %.80q, and no run of the last 30 days is named so; start it first", w.Run)
	case r.Ended() && w.Kind != ledger.WorkFeedback:
		return bad("run", "is %.80q, which has ended; begin another one", w.Run)
	case !r.Ended() && w.Kind == ledger.WorkFeedback:
		return bad("kind", "is feedback, and %.80q has not ended", w.Run)
	case t != nil && t.TakenFrom(w.By, now) && w.State != "open":
		return bad("task", "is %.80q, which %.80q does; take another one, or wait until it has not been heard of for %s",
			w.Task, t.By, lease)
	case w.Kind == ledger.WorkTask && t == nil && len(r.Tasks) == MostTasks:
		return bad("task", "is one more than the %d tasks that a run may have", MostTasks)
	case w.Kind == ledger.WorkValue && r.values+len(w.Name)+len(w.Text) > MostValues:
		return bad("text", "leaves no room: the values of a run have %d bytes at most; remove one with an empty text",
			MostValues)
	}
	return nil
}

// other returns an agent other than the writer that wrote to the run a moment ago, "" for none.
func (l *Log) other(w *ledger.Work, now time.Time) string {
	r := l.runs[w.Run]
	if r == nil || r.LastBy == "" || w.By == "" || r.LastBy == w.By || now.Sub(r.Last) > lease || r.Ended() {
		return ""
	}
	return r.LastBy
}

// describe adds the product and the test of its run to an update that names an element, so that the map, which does
// not know runs, knows what was tested.
func (l *Log) describe(w *ledger.Work) {
	if r := l.runs[w.Run]; r != nil && w.Kind == ledger.WorkTested {
		w.Product, w.Test = cmp.Or(w.Product, r.Product), cmp.Or(w.Test, r.Test)
	}
}

// line returns a name as it is stored: one line without secrets.
func (r *Runs) line(s string) string { return r.o.Clean(text.Line(text.Clean(s))) }

func (r *Runs) cleaned(w ledger.Work) ledger.Work {
	w.Text = strings.TrimSpace(r.o.Clean(text.Clean(w.Text)))
	w.Run, w.By, w.Key, w.Name, w.Task = r.line(w.Run), r.line(w.By), r.line(w.Key), r.line(w.Name), r.line(w.Task)
	w.Product, w.Build, w.Test = r.line(w.Product), r.line(w.Build), r.line(w.Test)
	if w.Page != "" {
		w.Page = r.line(r.o.Page(w.Page))
	}
	return w
}

// Get returns the run with the id, spelled as it was given to Start or as stored. If there is none, the error is
// tree.ErrNotFound.
func (r *Runs) Get(ctx context.Context, id string) (out Run, err error) {
	ok := false
	if err := r.o.View(ctx, func(l *Log) {
		if out, ok = l.Get(r.line(id)); ok {
			out = out.clone()
		}
	}); err != nil {
		return Run{}, err
	}
	if !ok {
		return Run{}, tree.ErrNotFound
	}
	return out, nil
}

func (r *Run) clone() Run {
	c := *r
	c.Agents, c.Tasks, c.Notes = slices.Clone(r.Agents), slices.Clone(r.Tasks), slices.Clone(r.Notes)
	c.Visited, c.Tested, c.Feedback = slices.Clone(r.Visited), slices.Clone(r.Tested), slices.Clone(r.Feedback)
	c.Values = maps.Clone(r.Values)
	return c
}

// Find returns at most limit runs (0: all) that f selects. With Filter.Like they are those of Like, else open runs
// first, then by the time of the last update, latest first.
func (r *Runs) Find(ctx context.Context, f Filter, limit int) (out []Episode, err error) {
	if f.Like != "" {
		return r.Like(ctx, f.Like, f, limit)
	}
	err = r.o.View(ctx, func(l *Log) {
		all := l.List(f)
		for i := range all[:min(cmp.Or(max(0, limit), len(all)), len(all))] {
			out = append(out, Episode{Run: all[i].clone()})
		}
	})
	return out, err
}
