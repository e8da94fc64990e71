package run

import (
	"context"
	"fmt"
	"time"

	"github.com/memtree/memtree/tree"
)

// Resumption is what an agent needs to continue a run.
type Resumption struct {
	Run    Run           `json:"run"`
	Next   []Task        `json:"next"`             // unfinished tasks, those under way first
	Taken  []Task        `json:"taken,omitempty"`  // unfinished tasks that other agents do; not in Next
	Idle   time.Duration `json:"idle"`             // time since the last update
	Beside string        `json:"beside,omitempty"` // other agent that wrote the last update, at most 5 minutes ago
}

// Resume returns what the agent by needs to continue the open run with the id. If there is no such run, the error is
// tree.ErrNotFound; if the run has ended, a *tree.FieldError. Resume changes nothing.
func (r *Runs) Resume(ctx context.Context, id, by string) (Resumption, error) {
	of, err := r.Get(ctx, id)
	if err != nil {
		return Resumption{}, err
	}
	if of.Ended() {
		return Resumption{}, &tree.FieldError{Field: "run", Problem: fmt.Sprintf("is %.80q, which has ended (%s); begin "+
			"another one", id, of.State)}
	}
	now := r.o.Now()
	out := Resumption{Run: of, Next: []Task{}, Idle: max(0, now.Sub(of.Last))}
	for _, t := range of.Next() {
		if t.TakenFrom(by, now) {
			out.Taken = append(out.Taken, t)
		} else {
			out.Next = append(out.Next, t)
		}
	}
	if of.LastBy != by && out.Idle <= lease {
		out.Beside = of.LastBy
	}
	return out, nil
}
