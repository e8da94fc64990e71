package pages

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/find"
	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/taxonomy"
)

// verdictOf is a verdict of the ledger with its latest label, and the time of its run.
type verdictOf struct {
	ledger.Verdict
	At time.Time
}

// Wrong reports whether the verdict is labelled as wrong.
func (v *verdictOf) Wrong() bool { return v.Labelled && !v.Correct }

// verdictsOf returns every verdict of the ledger once, in order of arrival, with its latest label.
func verdictsOf(ctx context.Context, m *memtree.Memory) (out []verdictOf, err error) {
	at := map[string]int{}
	for e, err := range m.Tree().Ledger(ctx, 0) {
		if err != nil {
			return nil, err
		}
		if e.Verdict == nil {
			continue
		}
		v := *e.Verdict
		i, known := at[v.Evaluation]
		if !known {
			at[v.Evaluation] = len(out)
			out = append(out, verdictOf{v, e.At.UTC()})
			continue
		}
		was := &out[i]
		was.Labelled, was.Correct, was.Direction, was.Node, was.By = v.Labelled, v.Correct, v.Direction, v.Node, v.By
		was.Excuse, was.Features = v.Excuse, cmp.Or(v.Features, was.Features)
	}
	return out, nil
}

// The values of choice.Label beside those of a direction.
const (
	labelNone  = "none"
	labelAny   = "any"
	labelRight = "right"
	labelWrong = "wrong"
	labelApart = string(taxonomy.Environment)
)

// choice selects verdicts. A field that is "" matches all.
type choice struct {
	Product, Run string
	NoProduct    bool   // only those without one
	Since, Until string // days, UTC
	Label        string // a direction, or a state of labels such as wrong
}

func choiceOf(r *http.Request) choice {
	return choice{
		field(r, "product"), field(r, "run"), field(r, "noproduct") != "",
		field(r, "since"), field(r, "until"), field(r, "label"),
	}
}

// Query returns the choice as the query of an address.
func (c choice) Query() string {
	q := url.Values{}
	for name, value := range map[string]string{
		"product": c.Product, "run": c.Run, "since": c.Since, "until": c.Until, "label": c.Label,
	} {
		if value != "" {
			q.Set(name, value)
		}
	}
	if c.NoProduct {
		q.Set("noproduct", "1")
	}
	return "?" + q.Encode()
}

// With returns the choice with another label.
func (c choice) With(label string) choice { c.Label = label; return c }

// has reports whether a verdict matches.
func (c *choice) has(v *verdictOf) bool {
	days := find.Query{Since: c.Since, Until: c.Until}
	return (c.Product == "" || v.Product == c.Product) && (!c.NoProduct || v.Product == "") &&
		(c.Run == "" || v.RunID == c.Run) && days.On(v.At) && c.labelled(v)
}

func (c *choice) labelled(v *verdictOf) bool {
	switch c.Label {
	case "":
		return true
	case labelNone:
		return !v.Settled()
	case labelApart:
		return v.Apart()
	case labelAny:
		return v.Labelled
	case labelRight:
		return v.Labelled && v.Correct
	case labelWrong:
		return v.Wrong()
	}
	return v.Wrong() && v.Direction == taxonomy.Direction(c.Label)
}

// verdictsData is a list of verdicts, the newest first.
type verdictsData struct {
	choice
	Total    int
	Verdicts []verdictRow
	Next     string // address of the next page; "" if this is the last
}

// verdictRow is a verdict with the title of its test.
type verdictRow struct {
	verdictOf
	Title string
}

// verdicts lists the verdicts behind a figure.
func (s *Site) verdicts(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	all, err := verdictsOf(r.Context(), v.Memory)
	if err != nil {
		return err
	}
	d := verdictsData{choice: choiceOf(r)}
	slices.SortStableFunc(all, func(a, b verdictOf) int { return b.At.Compare(a.At) })
	from := atoi(field(r, "from"))
	for i := range all {
		if !d.has(&all[i]) {
			continue
		}
		if d.Total++; d.Total <= from || len(d.Verdicts) == listed {
			continue
		}
		row := verdictRow{all[i], all[i].CaseID}
		if row.Node != "" {
			row.Title = s.title(r, v, row.Node)
		} else if run, ok := v.Memory.Curation().Kept(row.Evaluation); ok {
			row.Title = run.Prompt
		}
		d.Verdicts = append(d.Verdicts, row)
	}
	if from+listed < d.Total {
		d.Next = d.Query() + "&from=" + strconv.Itoa(from+listed)
	}
	return s.render(w, http.StatusOK, s.page(r, v, "verdicts", s.speech(v.Lang).say("Verdicts"), &d))
}
