package pages

import (
	"cmp"
	"net/http"

	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/run"
)

// runsData is the runs of agents.
type runsData struct {
	State, Words, Like string
	Runs               []run.Episode
}

// States returns the choices of the filter.
func (*runsData) States() []run.State {
	return []run.State{run.Open, run.Ended, run.Success, run.Partial, run.Failure}
}

// runsMost is the maximum number of runs on a page.
const runsMost = 50

// runs lists the runs of agents: those under way first, or ended ones that are like a goal.
func (s *Site) runs(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	d := runsData{State: field(r, "state"), Words: field(r, "words"), Like: field(r, "like")}
	found, err := v.Memory.Runs().Find(r.Context(),
		run.Filter{State: run.State(d.State), Words: d.Words, Like: d.Like}, runsMost)
	if err != nil {
		return err
	}
	d.Runs = found
	return s.render(w, http.StatusOK, s.page(r, v, "runs", s.speech(v.Lang).say("Runs"), &d))
}

// runData is one run.
type runData struct {
	run.Run
	Left  []run.Task // tasks that are not finished
	Parts []runPart
}

// runPart is the notes of one kind.
type runPart struct {
	Kind  ledger.WorkKind
	Notes []run.Note
}

// partMost is the maximum number of notes of a kind, and of pages, on a page: the latest ones.
const partMost = 50

// oneRun shows a run.
func (s *Site) oneRun(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	of, err := v.Memory.Runs().Get(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	d := runData{Run: of, Left: of.Next()}
	for _, kind := range []ledger.WorkKind{ledger.WorkFinding, ledger.WorkError, ledger.WorkDecision, ledger.WorkNote} {
		if all := of.Of(kind); len(all) > 0 {
			d.Parts = append(d.Parts, runPart{kind, all[max(0, len(all)-partMost):]})
		}
	}
	d.Left = d.Left[:min(len(d.Left), partMost)]
	d.Visited = d.Visited[max(0, len(d.Visited)-partMost):]
	return s.render(w, http.StatusOK, s.page(r, v, "run", s.speech(v.Lang).say("Run"), &d))
}

// noteKind names what notes are.
func (s *speech) noteKind(kind ledger.WorkKind) string {
	return cmp.Or(map[ledger.WorkKind]string{
		ledger.WorkFinding:  s.say("Found"),
		ledger.WorkError:    s.say("Went wrong"),
		ledger.WorkDecision: s.say("Decided"),
	}[kind], s.say("Seen"))
}
