package pages

import (
	"cmp"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"github.com/memtree/memtree/curation"
	"github.com/memtree/memtree/tree"
)

// historyData is who decided what, the latest first.
type historyData struct {
	By    string   // only of this person
	Names []string // of all who said something, sorted
	Words []decision
	Next  string // address of the next page; "" if this is the last
	Done  string // what was taken back just now
}

// decision is a word with what it is about.
type decision struct {
	curation.Past
	Title string
	Of    string // id of the memory it is about; "": there is none any more
}

// history lists what people said of memories and verdicts.
func (s *Site) history(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	all, err := v.Memory.Curation().History(r.Context(), "")
	if err != nil {
		return err
	}
	said := s.speech(v.Lang)
	d := historyData{By: field(r, "by")}
	if back := field(r, "done"); back != "" {
		d.Done = said.say("Taken back: %s", said.said(tree.Said(back)))
	}
	from, n := atoi(field(r, "from")), 0
	names := map[string]bool{}
	for i := range all {
		names[all[i].By] = true
		if d.By != "" && all[i].By != d.By {
			continue
		}
		if n++; n > from && len(d.Words) < listed {
			d.Words = append(d.Words, s.decision(r, v, &all[i]))
		}
	}
	delete(names, "")
	d.Names = slices.Sorted(maps.Keys(names))
	if n > from+listed {
		d.Next = "?" + url.Values{"by": {d.By}, "from": {strconv.Itoa(from + listed)}}.Encode()
	}
	return s.render(w, http.StatusOK, s.page(r, v, "history", said.say("Decisions"), &d))
}

// decision finds what a word is about. A verdict is named by its case, else by its run.
func (s *Site) decision(r *http.Request, v *Visitor, p *curation.Past) decision {
	d := decision{Past: *p, Of: p.Node}
	for i := range p.Before {
		d.Of = cmp.Or(d.Of, p.Before[i].ID)
	}
	if run, ok := v.Memory.Curation().Kept(p.Evaluation); ok {
		d.Title = run.Prompt
	} else {
		d.Title = s.title(r, v, d.Of)
	}
	if _, err := v.Memory.Tree().Get(r.Context(), d.Of); err != nil {
		d.Of = ""
	}
	d.Title = cmp.Or(d.Title, p.Evaluation)
	return d
}

// takeBack takes back what was said last of a memory or verdict.
func (s *Site) takeBack(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	of := field(r, "of")
	if of == "" {
		return &tree.FieldError{Field: "of", Problem: "is missing; name the memory or the verdict"}
	}
	done, err := v.Memory.Curation().Undo(r.Context(), of, curation.Options{By: v.Who, Why: field(r, "why")})
	if err != nil {
		return err
	}
	return seeOther(w, r, v, "history", "done", string(done.Undone.Said))
}
