package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/tree"
)

// playwrightTest is a test of a spec in one project, with its attempts.
type playwrightTest struct {
	line     int
	expected string
	project  string
	status   string // of all attempts: expected, unexpected, flaky or skipped
	notes    []playwrightNote
	results  []playwrightResult
}

type playwrightNote struct {
	Type        string `json:"type"`
	Description string `json:"description"`
}

// playwrightResult is one attempt.
type playwrightResult struct {
	status, failure string
	retry           int
	at              time.Time
	steps           []tree.TestStep
	shots           []shot
}

// playwright reads the report of Playwright's JSON reporter.
func (d *fileDecoder) playwright(j *jsonReader) error {
	d.night = ""
	return j.object(func(key string) error {
		switch key {
		case "suites":
			return j.array(func() error { return d.playwrightSuite(j, nil) })
		case "errors":
			return j.array(func() error { return d.playwrightBroke(j) })
		}
		return j.skip()
	})
}

// playwrightBroke reports an error outside of tests, such as that of a global setup.
func (d *fileDecoder) playwrightBroke(j *jsonReader) error {
	line := j.line
	said, err := messageOf(j)
	if err != nil {
		return err
	}
	return d.bad(line, "errors", "says that the run broke off: "+cut(firstLine(text.Clean(said)), 300))
}

// playwrightSuite reads a suite: a file, or a describe block in it.
func (d *fileDecoder) playwrightSuite(j *jsonReader, place []string) error {
	title := ""
	return j.object(func(key string) error {
		within := place
		if title != "" {
			within = append(slices.Clip(place), title)
		}
		switch key {
		case "title":
			var err error
			title, err = j.text(longestPrompt)
			return err
		case "specs":
			return j.array(func() error { return d.playwrightSpec(j, within) })
		case "suites":
			if len(place) > deepest/4 {
				return j.broken("has suites nested too deeply")
			}
			return j.array(func() error { return d.playwrightSuite(j, within) })
		}
		return j.skip()
	})
}

// playwrightSpec reads a spec: one title, and a test for each project, or several with --repeat-each.
func (d *fileDecoder) playwrightSpec(j *jsonReader, place []string) error {
	title, id := "", ""
	var tests []playwrightTest
	err := j.object(func(key string) (err error) {
		switch key {
		case "title":
			title, err = j.text(longestPrompt)
			return err
		case "id":
			id, err = j.text(longestName)
			return err
		case "tests":
			so := 0
			return j.array(func() error {
				so++
				if skip, err := d.tooMany(j, so-1, "tests"); skip {
					return err
				}
				t := playwrightTest{line: j.line}
				err := d.playwrightTest(j, &t)
				tests = append(tests, t)
				return err
			})
		}
		return j.skip()
	})
	of := map[string]int{}
	for i := range tests {
		if err == nil {
			project := tests[i].project
			if of[project]++; of[project] > 1 { // --repeat-each: another run of the test, and no attempt at the first
				tests[i].project = fmt.Sprintf("%s#%d", project, of[project])
			}
			t := tests[i].test(place, title, id)
			if d.night == "" && len(tests[i].results) > 0 && !tests[i].results[0].at.IsZero() {
				d.night = tests[i].results[0].at.Format(time.RFC3339Nano)
			}
			t.night = d.night
			err = d.add(t)
		}
	}
	return err
}

func (d *fileDecoder) playwrightTest(j *jsonReader, t *playwrightTest) error {
	return j.object(func(key string) (err error) {
		switch key {
		case "expectedStatus":
			t.expected, err = j.text(longestName)
		case "projectName":
			t.project, err = j.text(longestName)
		case "status":
			t.status, err = j.text(longestName)
		case "annotations":
			err = d.value(j, "annotations", &t.notes)
		case "results":
			so := 0
			err = j.array(func() error {
				so++
				if skip, err := d.tooMany(j, so-1, "results"); skip {
					return err
				}
				r := playwrightResult{}
				err := d.playwrightResult(j, &r)
				t.results = append(t.results, r)
				return err
			})
		default:
			err = j.skip()
		}
		return err
	})
}

func (d *fileDecoder) playwrightResult(j *jsonReader, r *playwrightResult) error {
	first := ""
	err := j.object(func(key string) (err error) {
		switch key {
		case "status":
			r.status, err = j.text(longestName)
		case "retry":
			err = d.value(j, "results.retry", &r.retry)
		case "startTime":
			var s string
			s, err = j.text(longestName)
			r.at = junitTime(s)
		case "error":
			first, err = messageOf(j)
		case "errors":
			var all []string
			err = j.array(func() error {
				if len(all) == mostWhys {
					return j.skip()
				}
				said, err := messageOf(j)
				all = append(all, said)
				return err
			})
			r.failure = strings.Join(all, "\n")
		case "steps":
			err = j.array(func() error { return playwrightStep(j, &r.steps) })
		case "attachments":
			err = j.array(func() error { return d.playwrightAttachment(j, &r.shots) })
		default:
			err = j.skip()
		}
		return err
	})
	r.failure = cmp.Or(r.failure, first)
	return err
}

// playwrightStep reads a step and those within it.
func playwrightStep(j *jsonReader, steps *[]tree.TestStep) error {
	title, failed, at := "", false, len(*steps)
	var within []tree.TestStep
	err := j.object(func(key string) (err error) {
		switch key {
		case "title":
			title, err = j.text(longestName)
		case "error":
			failed = true
			err = j.skip()
		case "steps":
			err = j.array(func() error { return playwrightStep(j, &within) })
		default:
			err = j.skip()
		}
		return err
	})
	if addStep(steps, title, failed); len(*steps) > at {
		*steps = append(*steps, within[:min(len(within), tree.MaxSteps-len(*steps))]...)
	}
	return err
}

// playwrightAttachment reads an attachment of a test: a file, or its bytes as base64.
func (d *fileDecoder) playwrightAttachment(j *jsonReader, shots *[]shot) error {
	var name, kind, file, body string
	err := j.object(func(key string) (err error) {
		switch key {
		case "name":
			name, err = j.text(longestName)
		case "contentType":
			kind, err = j.text(longestName)
		case "path":
			file, err = j.text(longestPrompt)
		case "body":
			body, err = j.text(longestEncoded + 8)
		default:
			err = j.skip()
		}
		return err
	})
	if err == nil {
		d.attach(shots, name, kind, file, body)
	}
	return err
}

// messageOf returns the message of an error, which is an object.
func messageOf(j *jsonReader) (said string, err error) {
	err = j.object(func(key string) (err error) {
		if key == "message" || key == "value" && said == "" {
			said, err = j.text(longestSeen)
			return err
		}
		return j.skip()
	})
	return said, err
}

// test returns the result of the attempts.
func (t *playwrightTest) test(place []string, title, id string) *test {
	out := &test{line: t.line, place: place, title: title, project: t.project, off: t.off()}
	for _, n := range t.notes {
		switch n.Type {
		case "prompt":
			out.prompt = n.Description
		case "route":
			out.route = n.Description
		case "product":
			out.product = n.Description
		}
		addLink(&out.links, n.Type, n.Description)
		out.marked(strings.ToLower(n.Type), strings.ToLower(n.Description))
	}
	if len(t.results) == 0 {
		return out
	}
	last := t.results[len(t.results)-1]
	for i := range t.results {
		if r := &t.results[i]; r.failure != "" && (i == len(t.results)-1 || out.observation == "") {
			out.observation = r.failure
		}
		if r := &t.results[i]; len(r.shots) > 0 {
			out.shots = r.shots
		}
		if r := &t.results[i]; len(r.steps) > 0 {
			out.steps = r.steps
		}
	}
	out.at, out.attempt = last.at, max(last.retry+1, len(t.results))
	if id != "" && !last.at.IsZero() {
		out.id = strings.Join(present(id, t.project, last.at.Format(time.RFC3339Nano)), "|")
	}
	switch {
	case t.status == "expected", t.status == "flaky":
		out.verdict = passed
	case t.status == "unexpected":
		out.verdict = failed
	case t.status != "":
	case last.status == "skipped", last.status == "interrupted":
	case last.status == t.expected || last.status == "passed" && t.expected == "":
		out.verdict = passed
	default:
		out.verdict = failed
	}
	out.passedAfter(len(t.results) - 1)
	return out
}

// off reports whether the test is marked as not to be run (test.skip, test.fixme).
func (t *playwrightTest) off() bool { return t.expected == "skipped" }

func firstLine(s string) string {
	s, _, _ = strings.Cut(strings.TrimSpace(s), "\n")
	return s
}
