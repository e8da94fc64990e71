package ingest

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"path"
	"strings"
	"time"

	"github.com/goccy/go-yaml"

	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/ledger"
)

// frontMatter is the front matter of an observation of agent-qa (vostride.com/docs/agent-qa/memory). Fields that
// memtree does not have are not read.
type frontMatter struct {
	ID           string        `yaml:"id"`
	Title        string        `yaml:"title"`
	Trust        float64       `yaml:"trust"`
	Created      string        `yaml:"created"`
	Confirmed    string        `yaml:"last_confirmed"`
	Confirms     int           `yaml:"confirmed_count"`
	Contradicts  int           `yaml:"contradicted_count"`
	Source       string        `yaml:"source_test"`
	Position     *int          `yaml:"position,omitempty"`
	SuiteEntries []suiteMember `yaml:"suite_snapshot,omitempty"`
}

type suiteMember struct {
	Test string `yaml:"test"`
	ID   string `yaml:"id"`
}

// pagesMark begins the last line of a body that memtree wrote: the pages that the observation is about.
const pagesMark = "On: "

// widestObservation is the width of a body in columns that still is a statement; of a longer one the title is taken.
const widestObservation = 260

// observation reads one observation. Its folder is where it holds: products/NAME, suites/ID or tests/ID.
func observation(name string, b []byte, o StatementOptions) (FileStatement, error) {
	b = bytes.ReplaceAll(bytes.TrimPrefix(b, []byte("\xef\xbb\xbf")), []byte("\r\n"), []byte("\n"))
	rest, found := bytes.CutPrefix(bytes.TrimLeft(b, "\n "), []byte("---\n"))
	matter, body, closed := bytes.Cut(rest, []byte("\n---"))
	if !found || !closed || len(matter) > mostStatementLine {
		return FileStatement{}, badStatement(name,
			"is no observation: it begins with no front matter between two lines of ---")
	}
	var f frontMatter
	if err := yaml.Unmarshal(matter, &f); err != nil {
		return FileStatement{}, badStatement(name, "has front matter that is no YAML: %s", text.Line(err.Error()))
	}
	r := FileStatement{At: name, Statement: ledger.Statement{Kind: ledger.Behaviour}}
	says, pages, _ := strings.Cut(strings.TrimSpace(string(body)), "\n"+pagesMark)
	for p := range strings.SplitSeq(pages, ",") {
		if p = text.Line(p); p != "" && len(r.Pages) < ledger.MaxPages {
			r.Pages = append(r.Pages, p)
		}
	}
	r.Text = text.Line(says)
	if r.Text == "" || text.Width(r.Text) > widestObservation {
		r.Text = f.Title
	}
	if r.Text == "" {
		return FileStatement{}, badStatement(name, "has neither a title nor a body")
	}
	r.Scope.Product = o.Product
	dir := path.Dir(name)
	switch id := path.Base(dir); path.Base(path.Dir(dir)) {
	case "products":
		r.Scope.Product = id
	case "tests":
		r.Scope.Test = id
	case "suites":
		r.Scope.Suite = id
		if f.Position != nil {
			r.Scope.Position = *f.Position
			for _, m := range f.SuiteEntries {
				r.Scope.SuiteTests = append(r.Scope.SuiteTests, cmp.Or(m.ID, m.Test))
			}
		}
	}
	return r, nil
}

// Observation is a fact in the form in which the tool agent-qa stores it: a statement with its evidence.
type Observation struct {
	ledger.Statement
	Trust                 float64
	Since, Used           time.Time // when it was first stated, and last given, stated or decided on
	Confirms, Contradicts int       // how often people or runs confirmed and contradicted it
	Source                string    // id of a test, or name of who stated it
}

// ObservationPath returns the path of o in the folder of agent-qa. It returns an error if o names no product, suite or
// test, or one that cannot be the name of a folder.
func ObservationPath(o *Observation) (string, error) {
	s := &o.Scope
	dir := ""
	switch {
	case s.Test != "":
		dir = "tests/" + s.Test
	case s.Suite != "":
		dir = "suites/" + s.Suite
	case s.Product != "":
		dir = "products/" + s.Product
	default:
		return "", badStatement(o.Text, "names no product, suite or test, which an observation needs")
	}
	if name := path.Base(dir); path.Clean(dir) != dir || strings.Count(dir, "/") != 1 || name == "." || name == ".." ||
		strings.ContainsAny(name, "\\:*?\"<>|\x00") {
		return "", badStatement(o.Text, "holds for %q, which cannot be the name of a folder", dir)
	}
	return dir + "/obs_" + strings.TrimPrefix(o.ID(), ledger.FactPrefix) + ".md", nil
}

// WriteObservation writes o as a file of agent-qa: Markdown with front matter.
func WriteObservation(w io.Writer, o *Observation) error {
	f := frontMatter{
		ID: "obs_" + strings.TrimPrefix(o.ID(), ledger.FactPrefix), Title: text.Clip(o.Text, 80), Trust: o.Trust,
		Created: o.Since.UTC().Format(time.RFC3339), Confirmed: o.Used.UTC().Format(time.RFC3339),
		Confirms: o.Confirms, Contradicts: o.Contradicts, Source: cmp.Or(o.Source, "memtree"),
	}
	if len(o.Scope.SuiteTests) > 0 {
		f.Position = &o.Scope.Position
		for _, id := range o.Scope.SuiteTests {
			f.SuiteEntries = append(f.SuiteEntries, suiteMember{id, id})
		}
	}
	matter, err := yaml.Marshal(f)
	if err != nil {
		return fmt.Errorf("write an observation: %w", err)
	}
	body := o.Text
	if len(o.Pages) > 0 {
		body += "\n\n" + pagesMark + strings.Join(o.Pages, ", ")
	}
	if _, err := fmt.Fprintf(w, "---\n%s---\n\n%s\n", matter, body); err != nil {
		return fmt.Errorf("write an observation: %w", err)
	}
	return nil
}
