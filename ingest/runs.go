package ingest

import (
	"strconv"

	"github.com/memtree/memtree/tree"
)

// runs tells the runs of one file apart where its records do not say which run
// they are of. Its memory grows with each such record, by less than 100 bytes.
type runs struct {
	name string         // of the run, for records that name none; may be empty
	met  map[string]int // how many records had the key so far
}

func newRuns(name string) *runs {
	return &runs{name: name, met: map[string]int{}}
}

// identify gives e a run id if it has neither id nor run id: the name of the run,
// else the trial or the time (see tree.Evaluation.Identify). Where a record has
// none of these, or the run is named for the file, the second of equal records is
// a second run, the third a third: its run id counts them. So a file that is read
// again, or has grown at its end, gives the same records the same keys.
func (r *runs) identify(e *tree.Evaluation) {
	if e.ID != "" || e.RunID != "" {
		return
	}
	e.RunID = r.name
	if r.name == "" {
		if e.Identify(); e.RunID != "" {
			return
		}
	}
	key := e.Key()
	r.met[key]++
	if n := r.met[key]; n > 1 {
		e.RunID = join(r.name, "repeat-"+strconv.Itoa(n))
	}
}

func join(a, b string) string {
	if a == "" {
		return b
	}
	return a + " " + b
}
