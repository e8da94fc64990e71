package pages

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/transfer"
)

// overviewData is the first page: the rate of wrong verdicts, what helps, what waits. Every number links to the list
// that it counts.
type overviewData struct {
	Weeks   []period // weeks of one product each, the newest first
	More    int      // number of Weeks that are not shown
	Nights  []period // runs of the agent, the newest first
	Worst   []worst
	Help    string   // whether memory helps, a sentence
	Helpful []helper // lessons that certainly help
	Waits   []waits
	Verdict int // number of verdicts in the ledger
}

// period counts the verdicts of one choice.
type period struct {
	choice
	At                           time.Time // the newest of them
	All, Labelled, Passed, Alarm int       // Passed missed a defect, Alarm reported one that does not exist
	Wrong, Apart                 int       // Apart show nothing about their judge
}

// Open returns the number of verdicts without a label.
func (p *period) Open() int { return p.All - p.Labelled - p.Apart }

// shareFrom is the minimum number of labels for a percentage: of fewer it would look too certain.
const shareFrom = 10

// Share formats n as a percentage of the labelled verdicts, "" if they are too few.
func (p *period) Share(n int) string {
	if p.Labelled < shareFrom {
		return ""
	}
	return percent(float64(n) / float64(p.Labelled))
}

func (p *period) add(v *verdictOf) {
	p.All++
	if v.At.After(p.At) {
		p.At = v.At
	}
	if v.Labelled {
		p.Labelled++
	}
	if v.Apart() {
		p.Apart++
	}
	if v.Wrong() {
		p.Wrong++
		switch v.Direction {
		case taxonomy.FalsePass:
			p.Passed++
		case taxonomy.FalseFail:
			p.Alarm++
		}
	}
}

// waits is a number of things that wait for a person, or for a model.
type waits struct {
	What string
	N    int
	Page string // name of the page that lists them
}

// The maximum numbers of rows of the overview.
const (
	weeksShown  = 12
	weeksMost   = 100 // on request
	nightsShown = 7
)

// periods counts verdicts by the choice that of returns; it skips the zero choice.
func periods(all []verdictOf, of func(*verdictOf) choice) []period {
	found := map[choice]*period{}
	for i := range all {
		c := of(&all[i])
		if c == (choice{}) {
			continue
		}
		if found[c] == nil {
			found[c] = &period{choice: c}
		}
		found[c].add(&all[i])
	}
	out := make([]period, 0, len(found))
	for _, p := range found {
		out = append(out, *p)
	}
	slices.SortFunc(out, func(a, b period) int {
		return cmp.Or(cmp.Compare(b.Since, a.Since), cmp.Compare(a.Product, b.Product), b.At.Compare(a.At),
			cmp.Compare(a.Run, b.Run))
	})
	return out
}

// weekOf returns the week of a verdict, from Monday on, and its product.
func weekOf(v *verdictOf) choice {
	day := v.At.Truncate(24 * time.Hour)
	monday := day.AddDate(0, 0, -(int(day.Weekday())+6)%7)
	return choice{
		Product: v.Product, NoProduct: v.Product == "",
		Since: monday.Format(time.DateOnly), Until: monday.AddDate(0, 0, 6).Format(time.DateOnly),
	}
}

// overview shows the first page.
func (s *Site) overview(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	ctx, said := r.Context(), s.speech(v.Lang)
	all, err := verdictsOf(ctx, v.Memory)
	if err != nil {
		return err
	}
	report, err := v.Memory.Effect(ctx)
	if err != nil {
		return err
	}
	looked, err := surveyOf(ctx, v.Memory, v.Lang)
	if err != nil {
		return err
	}
	d := overviewData{
		Weeks: periods(all, weekOf), Worst: looked.most(), Help: report.Verdict.In(v.Lang), Verdict: len(all),
		Nights: periods(all, func(v *verdictOf) choice { return choice{Run: v.RunID} }),
	}
	d.Nights = d.Nights[:min(nightsShown, len(d.Nights))]
	shown := weeksShown
	if field(r, "weeks") != "" {
		shown = weeksMost
	}
	d.More = max(0, len(d.Weeks)-shown)
	d.Weeks = d.Weeks[:len(d.Weeks)-d.More]
	for i := range report.Helpful[:min(worstMost, len(report.Helpful))] {
		e := &report.Helpful[i]
		d.Helpful = append(d.Helpful, helper{e.ID, s.title(r, v, e.ID), e.Size().In(v.Lang)})
	}
	if d.Waits, err = said.waiting(ctx, v.Memory, looked.waits); err != nil {
		return err
	}
	return s.render(w, http.StatusOK, s.page(r, v, "overview", said.say("Overview"), &d))
}

// waiting returns the numbers of things that wait, without zeros.
func (s *speech) waiting(ctx context.Context, m *memtree.Memory, model int) ([]waits, error) {
	box, err := m.Inbox().List(ctx, 1)
	if err != nil {
		return nil, err
	}
	drafts, err := m.Review().Proposals(ctx)
	if err != nil {
		return nil, err
	}
	imports, err := transfer.Waiting(ctx, m.Tree())
	if err != nil {
		return nil, err
	}
	info, err := m.Tree().Info(ctx)
	if err != nil {
		return nil, err
	}
	if !m.Health().Asks {
		model = 0 // there is no model to wait for
	}
	known := m.Briefs().Known()
	if known.Read == 0 {
		known.New = 0 // no reader is configured
	}
	return slices.DeleteFunc([]waits{
		{s.say("verdicts need a label"), box.Total, "inbox"},
		{s.say("drafts of lessons need your decision"), len(drafts), "review"},
		{s.say("imported memories are in quarantine"), len(imports), "review#imports"},
		{s.say("coming tests are not read yet"), known.New, "coming?all=1"},
		{s.say("cases wait for the model"), model, "health"},
		{s.say("recorded runs are being processed"), info.Outbox, "health"},
		{s.say("recorded runs could not be processed"), info.Dead, "health"},
	}, func(w waits) bool { return w.N == 0 }), nil
}

// WeeksMost returns the number of rows that the link "more" shows.
func (d *overviewData) WeeksMost() string { return strconv.Itoa(min(weeksMost, d.More+len(d.Weeks))) }
