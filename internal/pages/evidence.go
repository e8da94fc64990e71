package pages

import (
	"net/http"

	"github.com/memtree/memtree/tree"
)

// evidence is the evidence of a test tool for a run, as the template evidence shows it. Every page that shows a run
// uses it: {{template "evidence" ($f.Evidence .Evaluation.Evidence .Evaluation.Observation)}}.
type evidence struct {
	*tree.Evidence
	Seen     string // the observation, if the tool left no failure
	pictures string // the address of pictures
}

// Evidence returns the evidence of a run, nil for none.
func (f *pageFrame) Evidence(e *tree.Evidence, seen string) *evidence {
	if e.Empty() {
		if seen == "" {
			return nil
		}
		e = &tree.Evidence{}
	}
	if e.Failure != "" {
		seen = ""
	}
	return &evidence{e, seen, f.In("pictures/")}
}

// Address returns the address of a picture.
func (e *evidence) Address(p tree.Picture) string { return e.pictures + p.SHA256 }

// picturePolicy restricts a picture to being a picture, even where a browser interprets it as a page.
const picturePolicy = "default-src 'none'; img-src 'self'; sandbox"

// picture answers with a picture of the tree. Its bytes never change, so a browser may cache it.
func (s *Site) picture(w http.ResponseWriter, r *http.Request, v *Visitor) error {
	b, kind, err := v.Memory.Pictures().Get(r.Context(), r.PathValue("sum"))
	if err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", kind)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Security-Policy", picturePolicy)
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "private, max-age=86400, immutable")
	_, _ = w.Write(b) // the client may have gone
	return nil
}
