// Package pages serves the pages for people: HTML that works without scripts, in English and Chinese.
//
// It does not check tokens. Package server does, and passes the visitor, the tree and the permissions.
//
// Where to look:
//   - routes.go: the pages, each in a file of its name; speech.go: languages and names
//   - choose.go: the form that filters a list; verdicts.go, verdicts_ranked.go: runs behind a figure
//   - label.go, edit.go, draft.go, teach.go: changes by a visitor
package pages

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"net/http"
	"strings"
	"time"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/internal/jobs"
	"github.com/memtree/memtree/internal/plot"
	"github.com/memtree/memtree/internal/po"
)

//go:embed templates/*.html zh.po fields.po
var files embed.FS

// Visitor is a person who sends a request for a page about one tree, with what the person may do.
type Visitor struct {
	Memory *memtree.Memory // the memory of the tree
	Tree   string          // name of the tree
	Trees  []string        // names of the trees that the visitor may see, sorted
	Who    string          // name of the visitor's token; "" if none is needed
	Admin  bool            // may label, and change memories
	Lang   string          // en or zh
	Night  *Night          // nil: the tree evolves on request only
	Jobs   jobs.Queue      // jobs of the tree in the background
}

// in returns the address of a page of the tree.
func (v *Visitor) in(page string) string { return "/trees/" + v.Tree + "/" + page }

// Night is when a tree evolves by the schedule of the service.
type Night struct {
	At   string    // time of day, such as 02:30
	Last time.Time // when the tree last evolved by the schedule; zero: never yet
	Next time.Time // when the tree evolves next by the schedule
}

// Site answers the requests for pages: it fills their templates. It is safe for concurrent use.
type Site struct {
	pages   map[string]*template.Template
	chinese map[string]string
}

// New returns a Site with the built-in templates. An error is a programming error, found by a test.
func New() (*Site, error) {
	ours, err := files.ReadFile("zh.po")
	if err != nil {
		return nil, fmt.Errorf("read the pages: %w", err)
	}
	fields, err := files.ReadFile("fields.po")
	if err != nil {
		return nil, fmt.Errorf("read the pages: %w", err)
	}
	s := &Site{pages: map[string]*template.Template{}}
	if s.chinese, err = po.Read(string(ours) + "\n" + string(fields) + "\n" + po.Library); err != nil {
		return nil, fmt.Errorf("zh.po: %w", err)
	}
	layout, err := template.New("layout.html").Funcs(functions(&speech{})).
		ParseFS(files, "templates/layout.html", "templates/choose.html", "templates/statement.html")
	if err == nil {
		_, err = layout.New("plots").Parse(plot.Template)
	}
	if err != nil {
		return nil, fmt.Errorf("read the pages: %w", err)
	}
	for name := range strings.FieldsSeq("overview verdicts judges inbox many memories memory facts fact edit teach ask " +
		"coming map drawing runs run effect review draft history question jobs health login problem") {
		t, err := layout.Clone()
		if err == nil {
			t, err = t.ParseFS(files, "templates/"+name+".html")
		}
		if err != nil {
			return nil, fmt.Errorf("read the page %s: %w", name, err)
		}
		s.pages[name] = t
	}
	return s, nil
}

// pageFrame is the common part of every page, around its data.
type pageFrame struct {
	Visitor
	Page    string // the name of its template
	Title   string
	Path    string // of this page, for links that return to it
	Data    any
	Problem string // why the page cannot be shown; "": it can
}

// In returns the address of a page of the tree.
func (f *pageFrame) In(page string) string { return f.in(page) }

// render writes a page. It writes nothing before the whole page is made.
func (s *Site) render(w http.ResponseWriter, status int, f *pageFrame) error {
	said := s.speech(f.Lang)
	t, err := s.pages[f.Page].Clone()
	if err != nil {
		return fmt.Errorf("render %s: %w", f.Page, err)
	}
	var b bytes.Buffer
	if err := t.Funcs(functions(said)).ExecuteTemplate(&b, "layout.html", f); err != nil {
		return fmt.Errorf("render %s: %w", f.Page, err)
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(b.Bytes()) // the client may have gone
	return nil
}

// Login writes the page on which a visitor enters a token, in lang. next is the address to go to afterwards. t is why
// the last token was refused, nil if none was.
func (s *Site) Login(w http.ResponseWriter, lang, next string, t *Trouble) error {
	status, problem := http.StatusOK, ""
	if t != nil {
		status, problem = http.StatusUnauthorized, s.speech(lang).trouble(t)
	}
	return s.render(w, status, &pageFrame{
		Visitor: Visitor{Lang: lang}, Page: "login", Title: s.speech(lang).say("Sign in"), Path: next, Problem: problem,
	})
}
