package pages

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/memtree/memtree/curation"
	"github.com/memtree/memtree/find"
	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// noteMost is the maximum length of a note on a verdict, in characters.
const noteMost = 8000

// notice is the result of a label that was just submitted.
type notice struct {
	Said    *ledger.Verdict // of the evaluation that was labelled
	Skipped string          // the evaluation that was moved behind the others
	Many    *ledger.Action  // a label of many evaluations
	Right   bool            // Many labels them as right, not wrong
	Decided int             // number of evaluations that Many left, because they had a label
	Met     *meanwhile
}

// meanwhile is a label for a verdict that another person had labelled in the meantime.
type meanwhile struct {
	curation.KnownVerdict
	Word, Reason string // the refused label
}

// noticeOf reads the result of a label from the address. It ignores unknown ids.
func noticeOf(r *http.Request, v *Visitor) (out notice) {
	q, c := r.URL.Query(), v.Memory.Curation()
	if id := q.Get("said"); id != "" {
		if now, err := c.Evaluation(r.Context(), id); err == nil && now.Settled() {
			out.Said = &now
		}
	}
	out.Skipped, out.Decided = q.Get("skipped"), atoi(q.Get("decided"))
	if id := q.Get("many"); id != "" {
		acts, err := c.Acts(r.Context())
		i := slices.IndexFunc(acts, func(a ledger.Action) bool { return a.ID == id })
		if err != nil || i < 0 || len(acts[i].Verdicts) == 0 {
			return out
		}
		out.Many = &acts[i]
		if now, err := c.Evaluation(r.Context(), acts[i].Verdicts[0].Evaluation); err == nil {
			out.Right = now.Correct
		}
	}
	return out
}

// back redirects from a form to the inbox with the same choice, with the result of the label.
func back(w http.ResponseWriter, r *http.Request, v *Visitor, q *find.Query, values ...string) error {
	all := q.Values()
	for name, value := range all {
		values = append(values, name, value[0])
	}
	return seeOther(w, r, v, "inbox", values...)
}

// chosen shows the inbox to who reloads the page on which many verdicts are labelled, or has it as a bookmark.
func (s *Site) chosen(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	q, err := find.Parse(r.URL.Query().Get)
	if err != nil {
		return err
	}
	return back(w, r, v, &q)
}

// label applies a person's label of a verdict.
func (s *Site) label(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	ctx, id, c := r.Context(), field(r, "evaluation"), v.Memory.Curation()
	q, err := find.Parse(r.URL.Query().Get)
	if err != nil {
		return err
	}
	from, o := r.URL.Query().Get("from"), curation.Options{By: v.Who}
	switch word := field(r, "truth"); word {
	case "undo":
		if _, err := c.Undo(ctx, id, o); err != nil {
			return err
		}
		return back(w, r, v, &q)
	case "skip", "unskip":
		if err := v.Memory.Inbox().Skip(id, word == "skip"); err != nil {
			return err
		}
		if word == "unskip" {
			id = ""
		}
		return back(w, r, v, &q, "skipped", id, "from", from)
	}
	truth, err := truthOf(r)
	if err != nil {
		return err
	}
	if field(r, "over") != "" { // its sender has seen the earlier decision
		o.Over = true
		_, err := c.Relabel(ctx, id, truth, o)
		if err != nil {
			return err
		}
		return back(w, r, v, &q, "said", id)
	}
	d, err := c.Label(ctx, []string{id}, truth, o)
	switch {
	case err != nil:
		return err
	case len(d.Decided) > 0 && sameLabel(&d.Decided[0], &truth): // it was sent twice
		return back(w, r, v, &q, "said", id, "from", from)
	case len(d.Decided) > 0:
		return s.showInbox(w, r, v, http.StatusConflict, &meanwhile{d.Decided[0], field(r, "truth"), truth.Reason})
	case len(d.Verdicts) == 0:
		if _, err := c.Evaluation(ctx, id); err != nil {
			return err
		}
		return &curation.UnkeptError{Evaluation: id}
	}
	return back(w, r, v, &q, "said", id, "from", from)
}

// sameLabel reports whether an evaluation has the label already, and there is no note that would be lost.
func sameLabel(k *curation.KnownVerdict, t *curation.Truth) bool {
	if t.Correct == nil {
		return k.Apart() && t.Reason == ""
	}
	return k.Labelled && k.Correct == *t.Correct &&
		(k.Correct || t.Direction == "" || t.Direction == k.Direction) && t.Reason == ""
}

// The values of the buttons, beside the directions.
const (
	saidRight = "right"
	saidWrong = "wrong" // in the direction in which each of them can be wrong
)

// truthOf reads the value of a button, and the note.
func truthOf(r *http.Request) (curation.Truth, error) {
	said := field(r, "truth")
	right := said == saidRight
	t := curation.Truth{Correct: &right, Reason: field(r, "reason")}
	switch said {
	case saidRight, saidWrong:
	case string(taxonomy.FalsePass), string(taxonomy.FalseFail), string(taxonomy.Other):
		t.Direction = taxonomy.Direction(said)
	case string(taxonomy.Environment):
		t.Direction, t.Correct = taxonomy.Environment, nil
	default:
		return t, &tree.FieldError{Field: "truth",
			Problem: "is none of right, wrong, false_pass, false_fail, other and environment; choose one"}
	}
	if n := utf8.RuneCountInString(t.Reason); n > noteMost {
		return t, &tree.FieldError{Field: "reason",
			Problem: "has " + strconv.Itoa(n) + " characters; the most is " + strconv.Itoa(noteMost)}
	}
	return t, nil
}

// manyData is a label of many verdicts that a person has to confirm.
type manyData struct {
	choosing
	Word, Reason  string
	IDs           []string // the individually selected ones; nil: all that match the query
	N             int
	Passes, Fails int      // as the agent judged
	Some          []string // tasks of the first few verdicts
	Sure          string   // identifies the verdicts and the label
	Changed       bool     // other verdicts were shown before
}

// More returns the number of verdicts that are not listed.
func (d *manyData) More() int { return d.N - len(d.Some) }

// many labels verdicts together: the selected ones, or all that match. It requires a confirmation first.
func (s *Site) many(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	truth, err := truthOf(r)
	if err != nil {
		return err
	}
	d, ids, err := manyOf(r, v)
	if err != nil {
		return err
	}
	if sure := r.PostForm.Get("sure"); sure != d.Sure {
		d.Changed = sure != ""
		return s.render(w, http.StatusOK, s.page(r, v, "many", s.speech(v.Lang).say("Label %d verdicts?", d.N), d))
	}
	done, err := v.Memory.Curation().Label(r.Context(), ids, truth, curation.Options{By: v.Who})
	if err != nil {
		return err
	}
	return back(w, r, v, &d.Query, "many", done.Action.ID, "decided", strconv.Itoa(len(done.Decided)))
}

// manyOf reads the selection of verdicts.
func manyOf(r *http.Request, v *Visitor) (*manyData, []string, error) {
	q, err := find.Parse(r.PostForm.Get)
	if err != nil {
		return nil, nil, err
	}
	d := &manyData{choosing: choosing{Query: q}, Word: field(r, "truth"), Reason: field(r, "reason")}
	all, chosen := r.PostForm.Get("which") == "all", r.PostForm["evaluation"]
	of := q
	if !all {
		of, d.IDs = find.Query{}, chosen
	}
	waiting, err := v.Memory.Inbox().Waiting(r.Context(), of)
	if err != nil {
		return nil, nil, err
	}
	var ids []string
	for i := range waiting {
		e := &waiting[i].Evaluation
		if !all && !slices.Contains(chosen, e.ID) {
			continue
		}
		ids = append(ids, e.ID)
		switch o := outcomeOf(e.Judgment); {
		case o.Passes():
			d.Passes++
		case o.Fails():
			d.Fails++
		}
		if len(d.Some) < 10 {
			d.Some = append(d.Some, e.Prompt)
		}
	}
	d.N = len(ids)
	switch {
	case len(ids) == 0:
		return nil, nil, &tree.FieldError{Field: "evaluation", Problem: "is none that waits; choose some, or all that match"}
	case len(ids) > curation.MostLabels:
		return nil, nil, &tree.FieldError{Field: "evaluation", Problem: "are " + strconv.Itoa(len(ids)) +
			", and one label is about " + strconv.Itoa(curation.MostLabels) +
			" at most; choose fewer, such as those of one product or day"}
	}
	slices.Sort(ids)
	sum := sha256.Sum256([]byte(d.Word + "\n" + strings.Join(ids, "\n")))
	d.Sure = hex.EncodeToString(sum[:8])
	return d, ids, nil
}
