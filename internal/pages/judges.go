package pages

import (
	"cmp"
	"net/http"

	"github.com/memtree/memtree/inbox"
	"github.com/memtree/memtree/internal/plot"
)

// judgesData is how often each judge is wrong, and which labels to give next.
type judgesData struct{ Judges []judgeData }

// judgeData is one judge.
type judgeData struct {
	inbox.JudgeRate
	Name  string
	Chart *plot.Chart // nil: too few labels
}

// The most judges and labels on the page.
const (
	judgesMost = 20
	nextMost   = 10
)

// judges shows how often each judge is wrong.
func (s *Site) judges(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	said := s.speech(v.Lang)
	all, err := v.Memory.Inbox().Judges(r.Context(), nextMost)
	if err != nil {
		return err
	}
	var d judgesData
	for i := range all[:min(judgesMost, len(all))] {
		j := judgeData{JudgeRate: all[i], Name: all[i].Judge}
		j.Name = cmp.Or(j.Name, said.say("(no agent named)"))
		var course []plot.Rate
		for _, p := range j.Course {
			course = append(course, plot.Rate{Known: p.Known, P: p.P, Low: p.Low, High: p.High})
		}
		j.Chart = plot.Rates(said.say, i, said.say("As labels come in"), course)
		d.Judges = append(d.Judges, j)
	}
	return s.render(w, http.StatusOK, s.page(r, v, "judges", said.say("How often the judges are wrong"), &d))
}
