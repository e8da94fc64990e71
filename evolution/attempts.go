package evolution

import (
	"errors"
	"slices"

	"github.com/memtree/memtree/llm"
)

// Attempts remembers over several plans which jobs a model was asked for without an answer, and
// whether it is asked at all, so that each is asked for once. It settles nothing: the next Attempts is
// empty. The zero value is ready.
type Attempts struct {
	jobs  map[string]bool
	inRow int   // calls in a row that came to no answer
	down  error // why the model is not asked any more; nil while it is
}

// mostInRow is how many calls in a row may come to no answer.
const mostInRow = 3

// gaveUp reports whether the model is not asked any more.
func (v *Attempts) gaveUp() bool { return v.down != nil }

// has reports whether a job is not to be asked for.
func (v *Attempts) has(job string) bool { return v.gaveUp() || v.jobs[job] }

// failed notes that a call about jobs came to no answer. After an error that lasts, and after
// mostInRow calls, the model is not asked any more.
func (p *planner) failed(jobs []string, err error) {
	note := "the model did not answer (" + short(err) + "); what could be was written by rules and will be asked for again"
	if !slices.Contains(p.notes, note) {
		p.notes = append(p.notes, note)
	}
	v := p.left.attempts
	if v.jobs == nil {
		v.jobs = map[string]bool{}
	}
	for _, key := range jobs {
		v.jobs[key] = true
	}
	e, is := errors.AsType[*llm.Error](err)
	if is && (e.Kind == llm.KindRefused || e.Kind == llm.KindTruncated || e.Kind == llm.KindTooLarge ||
		e.Kind == llm.KindNotRecorded) {
		return // that is about this request alone
	}
	if v.inRow++; !is || e.Lasting() || v.inRow >= mostInRow {
		v.down = err
	}
}
