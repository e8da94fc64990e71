package pages

import (
	"net/http"
	"net/url"
	"strings"
)

// Route is one page of a tree, or what one form on a page does.
type Route struct {
	ID      string // name of the route, such as "overview"
	Method  string // GET for a page, POST for what a form does
	Path    string // pattern of the address, which begins with /trees/{tree}/
	Admin   bool   // only for visitors who may label and change
	Changes bool   // a request for it changes a tree
	// Do answers a request for the page or form.
	Do func(s *Site, w http.ResponseWriter, r *http.Request, v *Visitor) error
}

// Routes returns all pages and forms of a tree, for the router of the server.
func Routes() []Route {
	const in = "/trees/{tree}/"
	return []Route{
		{ID: "overview", Method: "GET", Path: in + "overview", Do: (*Site).overview},
		{ID: "verdicts", Method: "GET", Path: in + "verdicts", Do: (*Site).verdicts},
		{ID: "judges", Method: "GET", Path: in + "judges", Do: (*Site).judges},
		{ID: "inbox", Method: "GET", Path: in + "inbox", Do: (*Site).inbox},
		{ID: "label", Method: "POST", Path: in + "inbox", Admin: true, Changes: true, Do: (*Site).label},
		{ID: "chosen", Method: "GET", Path: in + "inbox/many", Do: (*Site).chosen},
		{ID: "many", Method: "POST", Path: in + "inbox/many", Admin: true, Changes: true, Do: (*Site).many},
		{ID: "memories", Method: "GET", Path: in + "memories", Do: (*Site).memories},
		{ID: "memory", Method: "GET", Path: in + "memories/{id}", Do: (*Site).memory},
		{ID: "word", Method: "POST", Path: in + "memories/{id}", Admin: true, Changes: true, Do: (*Site).word},
		{ID: "edit", Method: "GET", Path: in + "memories/{id}/edit", Admin: true, Do: (*Site).edit},
		{ID: "rewrite", Method: "POST", Path: in + "memories/{id}/edit", Admin: true, Changes: true, Do: (*Site).rewrite},
		{ID: "facts", Method: "GET", Path: in + "facts", Do: (*Site).facts},
		{ID: "state", Method: "POST", Path: in + "facts", Admin: true, Changes: true, Do: (*Site).state},
		{ID: "fact", Method: "GET", Path: in + "facts/{id}", Do: (*Site).fact},
		{ID: "judgeFact", Method: "POST", Path: in + "facts/{id}", Admin: true, Changes: true, Do: (*Site).judgeFact},
		{ID: "map", Method: "GET", Path: in + "map", Do: (*Site).atlas},
		{ID: "picture", Method: "GET", Path: in + "pictures/{sum}", Do: (*Site).picture},
		{ID: "teach", Method: "GET", Path: in + "teach", Admin: true, Do: (*Site).teach},
		{ID: "taught", Method: "POST", Path: in + "teach", Admin: true, Changes: true, Do: (*Site).taught},
		{ID: "ask", Method: "GET", Path: in + "ask", Do: (*Site).ask},
		{ID: "asked", Method: "POST", Path: in + "ask", Do: (*Site).ask}, // an observation is too long for an address
		{ID: "coming", Method: "GET", Path: in + "coming", Do: (*Site).coming},
		{ID: "drawing", Method: "GET", Path: in + "drawing", Do: (*Site).drawing},
		{ID: "runs", Method: "GET", Path: in + "runs", Do: (*Site).runs},
		{ID: "oneRun", Method: "GET", Path: in + "runs/{id}", Do: (*Site).oneRun},
		{ID: "effect", Method: "GET", Path: in + "effect", Do: (*Site).effect},
		{ID: "review", Method: "GET", Path: in + "review", Do: (*Site).review},
		{ID: "draft", Method: "GET", Path: in + "review/{key}", Do: (*Site).draft},
		{ID: "decide", Method: "POST", Path: in + "review", Admin: true, Changes: true, Do: (*Site).decide},
		{ID: "imports", Method: "POST", Path: in + "imports", Admin: true, Changes: true, Do: (*Site).decideImports},
		{ID: "history", Method: "GET", Path: in + "history", Do: (*Site).history},
		{ID: "takeBack", Method: "POST", Path: in + "history", Admin: true, Changes: true, Do: (*Site).takeBack},
		{ID: "jobs", Method: "GET", Path: in + "jobs", Do: (*Site).jobs},
		{ID: "health", Method: "GET", Path: in + "health", Do: (*Site).health},
	}
}

// page makes the frame of a page.
func (s *Site) page(r *http.Request, v *Visitor, page, title string, data any) *pageFrame {
	return &pageFrame{Visitor: *v, Page: page, Title: title, Path: r.URL.RequestURI(), Data: data}
}

// seeOther redirects from a form to the page that shows its result.
func seeOther(w http.ResponseWriter, r *http.Request, v *Visitor, page string, values ...string) error {
	q := url.Values{}
	for i := 0; i+1 < len(values); i += 2 {
		if values[i+1] != "" && values[i+1] != "0" {
			q.Set(values[i], values[i+1])
		}
	}
	to := "/trees/" + v.Tree + "/" + page
	if len(q) > 0 {
		to += "?" + q.Encode()
	}
	http.Redirect(w, r, to, http.StatusSeeOther)
	return nil
}

// field returns a field of a form, or of the address.
func field(r *http.Request, name string) string { return strings.TrimSpace(r.FormValue(name)) }
