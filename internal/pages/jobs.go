package pages

import (
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"github.com/memtree/memtree/internal/jobs"
)

// jobsData is the latest jobs of a tree.
type jobsData struct {
	Jobs []jobRow
}

// jobRow is a job in the language of the visitor.
type jobRow struct {
	jobs.Job
	Name, Stands, Who string
	Trouble           string // why the job, or its last attempt, failed
	Took              string // "" unless it has ended
	Costs             string // "" if no price is known
}

// jobsMost is the maximum number of jobs on a page.
const jobsMost = 100

// jobs lists the latest jobs, the newest first.
func (s *Site) jobs(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	all, err := v.Jobs.List(r.Context(), jobsMost)
	if err != nil {
		return err
	}
	said, d := s.speech(v.Lang), jobsData{}
	for i := range all {
		d.Jobs = append(d.Jobs, said.jobRow(&all[i]))
	}
	return s.render(w, http.StatusOK, s.page(r, v, "jobs", said.say("Jobs"), &d))
}

func (s *speech) jobRow(j *jobs.Job) jobRow {
	row := jobRow{Job: *j, Name: s.jobKind(j.Kind), Stands: s.jobState(j), Who: s.jobBy(j.By)}
	if j.Over() && !j.Started.IsZero() {
		row.Took = j.Ended.Sub(j.Started).Round(time.Second).String()
	}
	if j.Spent.Cost > 0 {
		row.Costs = strconv.FormatFloat(j.Spent.Cost, 'f', 4, 64)
	}
	if j.Problem != nil {
		var p struct {
			Type, Detail string
			Status       int
		}
		_ = json.Unmarshal(j.Problem, &p) // what cannot be read is no more than unknown
		row.Trouble = s.trouble(&Trouble{Status: p.Status, Kind: kindOf(p.Type), Detail: p.Detail})
	}
	return row
}

// kindOf returns the kind of a problem from its type.
func kindOf(problem string) string {
	const namespace = "urn:memtree:"
	if len(problem) < len(namespace) {
		return problem
	}
	return problem[len(namespace):]
}

// jobKind names what a job does.
func (s *speech) jobKind(k jobs.Kind) string {
	switch k {
	case jobs.Evolve:
		return s.say("Learn from cases")
	case jobs.Brief:
		return s.say("Read coming tests")
	}
	return string(k)
}

// jobState names how far a job is.
func (s *speech) jobState(j *jobs.Job) string {
	switch j.State {
	case jobs.Waiting:
		if !j.Next.IsZero() {
			return s.say("waits until %s", day(j.Next))
		}
		return s.say("waits for a service")
	case jobs.Running:
		if j.Progress.Of > 0 {
			return s.say("under way, %d of %d", j.Progress.Done, j.Progress.Of)
		}
		return s.say("under way")
	case jobs.Done:
		return s.say("done")
	case jobs.Failed:
		return s.say("failed")
	}
	return string(j.State)
}

// jobBy names who wanted a job.
func (s *speech) jobBy(by string) string {
	switch by {
	case "schedule":
		return s.say("by the schedule")
	case "reader":
		return s.say("because tests are coming")
	}
	return s.say("by %s", s.Who(by))
}
