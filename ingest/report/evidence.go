package report

import (
	"cmp"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/tree"
)

// Shot is a picture that a report attaches to a test. It is in a file that the report names, or in the report itself.
type Shot struct {
	Report string    // name of the file that attaches it
	Name   string    // name of the picture in the tool
	Path   string    // path as in the report; "" if Data is set
	Data   io.Reader // content of the picture; nil if Path is set
}

// shot is a picture before its test is settled.
type shot struct {
	name, path string
	at, size   int64  // of its bytes in the reader's spool
	problem    string // why its bytes cannot be used
}

// Bounds of pictures within reports.
const (
	mostShots      = tree.MaxPictures
	longestEncoded = (tree.MaxPicture+2)/3*4 + 100 // base64, with the head of a data URL
	mostSpooled    = 512 << 20                     // bytes of the pictures in one file
	mostLeft       = 20                            // sentences about skipped pictures
)

// tools are the formats of test tools, which print why a test failed.
func tools() []Format { return []Format{JUnit, Playwright, Midscene, Allure, Pytest} }

// attach adds an attachment, if it is a picture by its content type or its name. encoded is base64 if the report
// contains the bytes.
func (d *fileDecoder) attach(shots *[]shot, name, contentType, file, encoded string) {
	if !isPicture(contentType, file) || len(*shots) == mostShots || d.rd.o.Keep == nil {
		return
	}
	s := shot{name: fitName(name), path: file}
	if encoded != "" {
		s = d.decoded(encoded)
		s.name = fitName(name)
	}
	*shots = append(*shots, s)
}

// anyPicture is the type of what a report calls a screenshot, whatever its name ends with.
const anyPicture = "image/*"

// isPicture reports whether an attachment is declared as a picture.
func isPicture(contentType, file string) bool {
	if contentType != "" {
		return strings.HasPrefix(contentType, "image/")
	}
	ext := strings.ToLower(path.Ext(file))
	return slices.Contains([]string{".png", ".jpg", ".jpeg", ".webp"}, ext)
}

// decoded writes the bytes of base64, or of a data URL of it, to the reader's spool.
func (d *fileDecoder) decoded(encoded string) shot {
	if len(encoded) >= longestEncoded {
		return shot{problem: "has more than 8 MiB"}
	}
	if head, body, ok := strings.Cut(encoded, ","); ok && strings.HasPrefix(head, "data:") {
		encoded = body
	}
	r := base64.NewDecoder(base64.StdEncoding, strings.NewReader(strings.TrimSpace(encoded)))
	return d.spooled(r)
}

// spooled writes the bytes of a reader to the reader's spool.
func (d *fileDecoder) spooled(r io.Reader) shot {
	rd := d.rd
	if rd.shots.size > mostSpooled {
		return shot{problem: "comes after 512 MiB of pictures in one report"}
	}
	s := shot{at: rd.shots.size}
	n, err := io.Copy(&rd.shots, io.LimitReader(r, tree.MaxPicture+1))
	switch s.size = n; {
	case err != nil:
		s.problem = "cannot be decoded"
	case n > tree.MaxPicture:
		s.problem = "has more than 8 MiB"
	}
	return s
}

// evidence adds the evidence of the tool to a run. The pictures of a test are stored if no attempt follows.
func (d *fileDecoder) evidence(a *attempt, e *tree.Evaluation) {
	t := &a.test
	if !slices.Contains(tools(), d.rd.format) {
		return
	}
	v := &tree.Evidence{Failure: cut(e.Observation, tree.MaxFailure), Steps: t.steps, Links: t.links}
	if l := (tree.Link{Name: "run", URL: d.rd.o.Link}); l.Safe() {
		v.Links = append([]tree.Link{l}, t.links[:min(len(t.links), tree.MaxLinks-1)]...)
	}
	for i := range t.shots {
		if p, ok := d.kept(a.file, &t.shots[i]); ok {
			v.Pictures = append(v.Pictures, p)
		}
	}
	if !v.Empty() {
		e.Evidence = v
	}
}

// kept stores a picture with Options.Keep. An unusable one is reported, and its run is read without it.
func (d *fileDecoder) kept(file string, s *shot) (tree.Picture, bool) {
	x := Shot{Report: file, Name: s.name, Path: s.path}
	problem := s.problem
	var p tree.Picture
	if problem == "" {
		if s.path == "" {
			x.Data = io.NewSectionReader(&d.rd.shots, s.at, s.size)
		}
		var err error
		p, err = d.rd.o.Keep(x)
		if err != nil {
			problem = err.Error()
			if f, ok := errors.AsType[*tree.FieldError](err); ok {
				problem = f.Problem
			}
		}
	}
	if problem == "" {
		d.rd.Pictures++
		return p, true
	}
	if d.rd.Left++; len(d.rd.Why) < mostLeft {
		d.rd.Why = append(d.rd.Why, LeftPicture{File: file, Picture: text.Line(cut(cmp.Or(s.path, s.name), longestName)),
			Problem: problem})
	}
	return tree.Picture{}, false
}

// LeftPicture is a picture in a report that was not stored, and why.
type LeftPicture struct {
	File    string `json:"file"`
	Picture string `json:"picture"` // path or name of the picture in the report
	Problem string `json:"problem"` // why it was not stored; continues a sentence that begins with Picture
}

func (l LeftPicture) String() string { return fmt.Sprintf("%s: %s %s", l.File, l.Picture, l.Problem) }

// addStep adds a step within the limits.
func addStep(steps *[]tree.TestStep, title string, failed bool) {
	if title = cut(text.Line(title), tree.MaxStep); title != "" && len(*steps) < tree.MaxSteps {
		*steps = append(*steps, tree.TestStep{Title: title, Failed: failed})
	}
}

// addLink adds a safe address of a page. It ignores any other.
func addLink(links *[]tree.Link, name, url string) {
	l := tree.Link{Name: fitName(name), URL: strings.TrimSpace(url)}
	if l.Safe() && len(l.URL) <= tree.MaxName && len(*links) < tree.MaxLinks {
		*links = append(*links, l)
	}
}
