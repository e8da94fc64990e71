package evolution

import (
	"errors"
	"slices"

	"github.com/memtree/memtree/llm"
)

// Attempts records which jobs a model failed to answer, and whether the model is still called. Pass the same Attempts
// to several plans of the same work, so that no later plan sends a failed job again. Attempts are not stored. The zero
// value is ready to use. Attempts are not safe for concurrent use.
type Attempts struct {
	jobs  map[string]bool
	inRow int   // consecutive calls without an answer
	down  error // why the model is no longer called; nil while it is
}

// mostInRow is the maximum number of consecutive calls without an answer.
const mostInRow = 3

// gaveUp reports whether the model is no longer called.
func (v *Attempts) gaveUp() bool { return v.down != nil }

// has reports whether a job must not be sent.
func (v *Attempts) has(job string) bool { return v.gaveUp() || v.jobs[job] }

// failed records that a call about jobs gave no answer. After a lasting error, and after mostInRow calls, the model is
// no longer called.
func (p *planner) failed(jobs []string, err error) {
	note := "the model did not answer (" + short(err) + "); what could be was written by rules and will be asked for again"
	if !slices.Contains(p.notes, note) {
		p.notes = append(p.notes, note)
	}
	v := p.o.Attempts
	if v.jobs == nil {
		v.jobs = map[string]bool{}
	}
	for _, key := range jobs {
		v.jobs[key] = true
	}
	e, is := errors.AsType[*llm.Error](err)
	if is && (e.Kind == llm.KindRefused || e.Kind == llm.KindTruncated || e.Kind == llm.KindTooLarge ||
		e.Kind == llm.KindNotRecorded) {
		return // the error concerns this request alone
	}
	if v.inRow++; !is || e.Lasting() || v.inRow >= mostInRow {
		v.down = err
	}
}
