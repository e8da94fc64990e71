package report

import (
	"archive/zip"
	"bufio"
	"cmp"
	"io"
	"path"
	"strings"
	"time"
)

// allureResult is a *-result.json: one attempt at a test.
type allureResult struct {
	UUID        string   `json:"uuid"`
	HistoryID   string   `json:"historyId"` // the same for every attempt at a test with the same parameters
	Name        string   `json:"name"`
	FullName    string   `json:"fullName"`
	TitlePath   []string `json:"titlePath"`
	Description string   `json:"description"`
	Status      string   `json:"status"`
	Start       int64    `json:"start"`
	Details     struct {
		Message string `json:"message"`
		Trace   string `json:"trace"`
		Flaky   bool   `json:"flaky"`
	} `json:"statusDetails"`
	Labels     []allureNamed `json:"labels"`
	Parameters []allureNamed `json:"parameters"`
	Links      []struct {
		Name string `json:"name"`
		URL  string `json:"url"`
	} `json:"links"`
	allureStep
}

// allureStep is a step, and the fields common to a test and a step.
type allureStep struct {
	Title       string       `json:"name"`
	Outcome     string       `json:"status"`
	Steps       []allureStep `json:"steps"`
	Attachments []struct {
		Name   string `json:"name"`
		Source string `json:"source"`
		Type   string `json:"type"`
	} `json:"attachments"`
}

type allureNamed struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// allureFile reads a result, or a zip of a folder of results. Of a zip it reads only the results, by the end of their
// names.
func (d *fileDecoder) allureFile(r *bufio.Reader) error {
	if begin, _ := r.Peek(4); string(begin) != "PK\x03\x04" {
		return d.documents(r, d.allure)
	}
	a, err := d.openArchive(r)
	if err != nil {
		return err
	}
	defer a.close()
	d.parts = map[string]func(string) shot{}
	for _, f := range a.File {
		if f.Mode().IsRegular() && isPicture("", f.Name) {
			d.parts[path.Base(f.Name)] = func(name string) shot { return d.unpacked(a, f, name) }
		}
	}
	for _, f := range a.File {
		if !strings.HasSuffix(f.Name, allureResultFile) || !f.Mode().IsRegular() {
			continue
		}
		if err := a.part(f, func(r io.Reader) error { return d.documents(bufio.NewReader(r), d.allure) }); err != nil {
			return err
		}
	}
	return nil
}

// unpacked copies a picture of an archive to the reader's spool.
func (d *fileDecoder) unpacked(a *zipArchive, f *zip.File, name string) (s shot) {
	r, err := f.Open()
	if err == nil {
		s = d.spooled(&unpacked{r: r, a: a, name: f.Name})
		err = r.Close()
	}
	if err != nil && s.problem == "" {
		s.problem = "cannot be unpacked"
	}
	s.name = fitName(cmp.Or(name, f.Name))
	return s
}

// allureResultFile is the end of the name of a result.
const allureResultFile = "-result.json"

// allure reads a result of Allure. The attempts at a test are separate files, in no order.
func (d *fileDecoder) allure(j *jsonReader) error {
	line := j.line
	var r allureResult
	if err := j.value(&r); err != nil {
		return d.unusable(err, "")
	}
	if r.UUID == "" || r.Name == "" {
		return d.bad(line, "", "is no result of Allure: it has no uuid and name")
	}
	t := &test{line: line, id: r.UUID, same: r.HistoryID, title: spelled(r.Name), place: r.place(),
		observation: cmp.Or(strings.TrimSpace(r.Details.Message), r.Details.Trace)}
	for _, l := range r.Links {
		addLink(&t.links, l.Name, l.URL)
	}
	d.allureSteps(t, &r.allureStep)
	for _, p := range r.Parameters {
		if p.Name == "Project" {
			t.project = strings.Trim(p.Value, "'\"")
		}
	}
	if r.Start > 0 {
		t.at = time.UnixMilli(r.Start)
	}
	if s := strings.TrimSpace(r.Description); s != "" {
		t.prompt = t.asked() + "\n" + s
	}
	switch r.Status {
	case "passed":
		t.verdict = passed
	case "failed", "broken":
		t.verdict = failed
	}
	for _, l := range r.Labels {
		t.marked(strings.ToLower(l.Name), strings.ToLower(l.Value))
	}
	if r.Details.Flaky {
		t.passedAfter(1)
	}
	return d.add(t)
}

// allureSteps adds the attachments of a test or a step, and the steps within it.
func (d *fileDecoder) allureSteps(t *test, s *allureStep) {
	for _, a := range s.Attachments {
		if open := d.parts[a.Source]; open != nil && isPicture(a.Type, a.Source) && d.rd.o.Keep != nil {
			if len(t.shots) < mostShots {
				t.shots = append(t.shots, open(a.Name))
			}
			continue
		}
		d.attach(&t.shots, a.Name, a.Type, a.Source, "")
	}
	for i := range s.Steps {
		in := &s.Steps[i]
		addStep(&t.steps, in.Title, in.Outcome == "failed" || in.Outcome == "broken")
		d.allureSteps(t, in)
	}
}

// place is the path of a test in the terms of its tool: pytest has it in the full name.
func (r *allureResult) place() []string {
	if class, _, ok := strings.Cut(r.FullName, "#"); ok {
		return []string{class}
	}
	if len(r.TitlePath) > 0 {
		return r.TitlePath
	}
	var out []string
	for _, name := range []string{"parentSuite", "suite", "subSuite"} {
		for _, l := range r.Labels {
			if l.Name == name {
				out = append(out, l.Value)
			}
		}
	}
	return out
}
