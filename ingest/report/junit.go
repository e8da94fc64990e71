package report

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"path"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

// junitSuite is a suite that is open.
type junitSuite struct {
	name    string
	at      time.Time
	project string
	product string // by a property of the suite
	root    bool   // the element around all suites
	number  int    // from 1, in the file
	path    string // its name, within those of the suites around it
}

// junitReader reads JUnit's XML.
type junitReader struct {
	*fileDecoder
	x        *xmlReader
	suites   []junitSuite
	projects bool           // the host of a suite is the browser that it ran in
	named    map[string]int // suites so far by name, host and place
	first    map[uint64]int // by the hash of a test: the suite that had it first, by its number
	begun    int            // number of suites so far
}

func (d *fileDecoder) junit(r *bufio.Reader) error {
	j := &junitReader{fileDecoder: d, x: newXML(r), named: map[string]int{}, first: map[uint64]int{}}
	prose := false // text was found where only elements are allowed
	for {
		t, err := j.x.Token()
		switch {
		case errors.Is(err, io.EOF) && prose && !j.met && len(j.named) == 0:
			return j.unread("is no JUnit report: there is no XML in it")
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return j.broken(err)
		}
		switch t := t.(type) {
		case xml.CharData:
			prose = prose || len(j.suites) == 0 && len(bytes.TrimSpace(t)) > 0
		case xml.StartElement:
			err = j.start(t)
		case xml.EndElement:
			if j.suites = j.suites[:max(0, len(j.suites)-1)]; len(j.suites) == 0 {
				clear(j.named)
				clear(j.first)
				err = j.flush()
			}
		}
		if err != nil {
			return err
		}
	}
}

// broken returns the position at which the XML cannot be read on.
func (j *junitReader) broken(err error) error {
	if broken, ok := errors.AsType[*brokenError](err); ok {
		return broken
	}
	if problem := j.x.problem(err); problem != "" {
		return &brokenError{line: j.x.line(), problem: problem}
	}
	return fmt.Errorf("read %s: %w", j.name, err)
}

// start handles the start of an element.
func (j *junitReader) start(e xml.StartElement) error {
	switch e.Name.Local {
	case "testsuites", "testsuite":
		if len(j.suites) > deepest {
			return &brokenError{line: j.x.line(), problem: "has suites nested too deeply"}
		}
		j.suites = append(j.suites, j.suite(e))
		return nil
	case "testcase":
		line := j.x.line()
		c, err := j.readCase(e)
		if err != nil {
			return j.broken(err)
		}
		return j.test(line, c)
	case "properties":
		if len(j.suites) > 0 {
			return j.properties()
		}
	}
	if len(j.suites) == 0 {
		return j.unread(fmt.Sprintf("is XML, but no JUnit report: its first element is %s", cut(e.Name.Local, 40)))
	}
	if err := j.x.Skip(); err != nil {
		return j.broken(err)
	}
	return nil
}

// suite opens a suite. Playwright names the browser as the host of a suite; others name the machine, which is ignored.
// Suites of one name in one place are distinguished by their number.
func (j *junitReader) suite(e xml.StartElement) junitSuite {
	s := junitSuite{name: attr(e, "name"), at: junitTime(attr(e, "timestamp"))}
	if s.root = len(j.suites) == 0 && e.Name.Local == "testsuites"; s.root {
		for _, a := range e.Attr {
			j.projects = j.projects || a.Name.Local == "id" // only Playwright writes it
		}
		return s
	}
	path := []string{s.name}
	for _, outer := range j.suites {
		path = append(path, outer.name)
		s.at, s.project = later(s.at, outer.at), cmp.Or(s.project, outer.project)
		s.product = cmp.Or(outer.product, s.product)
	}
	if j.projects {
		s.project = attr(e, "hostname")
	}
	j.begun++
	s.number, s.path = j.begun, strings.Join(cleanNames(append(path[1:], path[0])), between)
	key := strings.Join(append(path, s.project), "\x00")
	if j.named[key]++; j.named[key] > 1 {
		s.project = fmt.Sprintf("%s#%d", s.project, j.named[key])
	}
	return s
}

// properties reads the properties of the open suite, of which only the product is used.
func (j *junitReader) properties() error {
	for {
		t, err := j.x.Token()
		if err != nil {
			return j.broken(err)
		}
		switch t := t.(type) {
		case xml.EndElement:
			return nil
		case xml.StartElement:
			if attr(t, "name") == "product" {
				j.suites[len(j.suites)-1].product = attr(t, "value")
			}
			if err := j.x.Skip(); err != nil {
				return j.broken(err)
			}
		}
	}
}

// later returns the time of a suite, or of the one around it.
func later(own, around time.Time) time.Time {
	if own.IsZero() {
		return around
	}
	return own
}

// test adds a test.
func (j *junitReader) test(line int, c *junitCase) error {
	t := &test{line: line, title: spelled(c.name), verdict: passed, at: junitTime(c.at)}
	if c.placed() {
		t.place = []string{c.class}
	} else {
		for _, s := range j.suites {
			if !s.root {
				t.place = append(t.place, s.name)
			}
		}
	}
	if n := len(j.suites); n > 0 {
		s := j.suites[n-1]
		t.project, t.at = s.project, later(t.at, s.at)
		if first := later(j.suites[0].at, s.at); !first.IsZero() {
			t.run = first.Format(time.RFC3339Nano)
		}
	}
	if c.placed() {
		j.apart(t)
	}
	if c.before > 0 {
		t.attempt = c.before + 1
	}
	t.observation, t.prompt, t.route = strings.Join(append(c.why, c.flaky...), "\n"), c.prompt, c.route
	t.product = c.product
	if n := len(j.suites); n > 0 {
		t.product = cmp.Or(t.product, j.suites[n-1].product)
	}
	for _, file := range c.pictures {
		j.attach(&t.shots, baseName(file), anyPicture, file, "")
	}
	for _, file := range c.files {
		j.attach(&t.shots, baseName(file), "", file, "")
	}
	for _, l := range c.links {
		addLink(&t.links, l[0], l[1])
	}
	switch {
	case c.failed:
		t.verdict = failed
	case c.skipped:
		t.verdict = skipped
	}
	if c.status == "notrun" || c.status == "skipped" || c.status == "disabled" {
		t.verdict = skipped
	}
	for _, n := range c.notes {
		t.marked(n[0], n[1])
	}
	t.passedAfter(c.before)
	return j.add(t)
}

func baseName(file string) string { return path.Base(strings.ReplaceAll(file, `\`, "/")) }

// apart distinguishes a test from one of the same class and name in another suite, which is another test or another
// browser's: the suite is its project. Attempts at one test are in one suite.
func (j *junitReader) apart(t *test) {
	n := len(j.suites)
	if n == 0 || j.suites[n-1].root {
		return
	}
	s := &j.suites[n-1]
	sum := sha256.Sum256([]byte(t.key()))
	key := binary.BigEndian.Uint64(sum[:])
	if first := j.first[key]; first == 0 {
		j.first[key] = s.number
	} else if first != s.number {
		t.project = strings.Join(present(t.project, cmp.Or(s.path, "#"+strconv.Itoa(s.number))), between)
	}
}

var escaped = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\\u[0-9a-f]{4}`)
})

// spelled returns a title with the letters that pytest writes as \u6ee1.
func spelled(title string) string {
	return escaped().ReplaceAllStringFunc(title, func(s string) string {
		n, err := strconv.ParseUint(s[2:], 16, 32)
		if err != nil || n < ' ' {
			return s
		}
		return string(rune(n))
	})
}

// junitTime reads a time, which mostly has no zone.
func junitTime(s string) time.Time {
	for _, form := range []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02T15:04:05-0700"} {
		if t, err := time.Parse(form, s); err == nil {
			return t.UTC()
		}
	}
	return time.Time{}
}
