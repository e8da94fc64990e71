package ingest

import (
	"strconv"

	"github.com/memtree/memtree/tree"
)

// runs assigns run ids to the records of one file that do not name their run. Its memory grows by less than 100 bytes
// for each such record.
type runs struct {
	name string         // run id for records without one; may be empty
	met  map[string]int // number of records so far, by key
}

func newRuns(name string) *runs {
	return &runs{name: name, met: map[string]int{}}
}

// identify sets the run id of e if it has neither id nor run id: the name of the run, else its trial or time (see
// tree.Evaluation.Identify). If it has none of these, or if the run is named for the whole file, equal records are
// different runs: the run id of the second and further ones is numbered. So a file that is read again, or that has
// grown at its end, gives the same records the same keys.
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
		e.RunID = joinNames(r.name, "repeat-"+strconv.Itoa(n))
	}
}

func joinNames(a, b string) string {
	if a == "" {
		return b
	}
	return a + " " + b
}
