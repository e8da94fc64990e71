package report

import (
	"cmp"
	"encoding/xml"
	"regexp"
	"strings"
	"sync"
)

// Bounds of the texts of one test of JUnit's XML.
const (
	mostWhys    = 20
	longestWhys = 2 * longestSeen // bytes of each
)

// junitCase is a test of JUnit's XML. Surefire puts the attempts at a test into it; others write another one.
type junitCase struct {
	name, class, at, status string
	failed, skipped         bool
	before                  int      // attempts before the last one
	why, flaky              []string // why it failed, and why attempts before failed
	prompt, route, product  string
	notes                   [][2]string // properties
	pictures, files         []string    // named as pictures, and as attached
	links                   [][2]string // name and address
}

// placed reports whether the class is the place of the test. Jest and Mocha have the title there, and Node one
// constant; then the suites are the place.
func (c *junitCase) placed() bool {
	title := c.class == c.name && strings.Contains(c.name, " ") || strings.HasSuffix(c.name, " "+c.class)
	return c.class != "" && c.class != "test" && !title
}

// readCase reads a test to its end. It is read piece by piece: a file may have any number of failures in one test.
func (j *junitReader) readCase(e xml.StartElement) (*junitCase, error) {
	c := &junitCase{name: attr(e, "name"), class: attr(e, "classname"), at: attr(e, "timestamp"),
		status: attr(e, "status")}
	for inProperties := false; ; {
		t, err := j.x.Token()
		if err != nil {
			return nil, err //nolint:wrapcheck // the caller says where
		}
		switch t := t.(type) {
		case xml.EndElement:
			if !inProperties {
				return c, nil
			}
			inProperties = false
		case xml.StartElement:
			if t.Name.Local == "properties" && !inProperties {
				inProperties = true
				continue
			}
			if err := c.take(j.x, t); err != nil {
				return nil, err
			}
		}
	}
}

// take reads an element of a test.
func (c *junitCase) take(x *xmlReader, e xml.StartElement) (err error) {
	switch e.Name.Local {
	case "failure", "error":
		c.failed = true
		c.why, err = because(x, e, c.why)
	case "flakyFailure", "flakyError":
		c.before++
		c.flaky, err = because(x, e, c.flaky)
	case "rerunFailure", "rerunError":
		c.before++
		err = x.Skip()
	case "skipped":
		c.skipped = true
		err = x.Skip()
	case "property":
		name, value := attr(e, "name"), attr(e, "value")
		var body string
		body, err = x.text(longestPrompt)
		switch name {
		case "prompt":
			c.prompt = cmp.Or(value, strings.TrimSpace(body))
		case "route":
			c.route = cmp.Or(value, strings.TrimSpace(body))
		case "product":
			c.product = cmp.Or(value, strings.TrimSpace(body))
		case "screenshot":
			c.pictures = append(c.pictures, cmp.Or(value, strings.TrimSpace(body)))
		case "attachment":
			c.files = append(c.files, cmp.Or(value, strings.TrimSpace(body)))
		case "link", "url", "issue":
			c.links = append(c.links, [2]string{name, cmp.Or(value, strings.TrimSpace(body))})
		default:
			if len(c.notes) < mostWhys && len(name)+len(value) <= longestName {
				c.notes = append(c.notes, [2]string{strings.ToLower(name), strings.ToLower(value)})
			}
		}
	case "system-out", "system-err":
		var out string
		out, err = x.text(longestWhys)
		for _, m := range attachment().FindAllStringSubmatch(out, mostShots) {
			c.files = append(c.files, m[1])
		}
	default:
		err = x.Skip()
	}
	return err //nolint:wrapcheck // the caller says where
}

// attachment is how Playwright, and the runners that Jenkins supports, name a file in the output of a test.
var attachment = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\[\[ATTACHMENT\|([^\]\n]+)\]\]`)
})

// because reads why a test failed, and appends it to the known reasons.
func because(x *xmlReader, e xml.StartElement, known []string) ([]string, error) {
	body, err := x.text(longestWhys)
	message, body := strings.TrimSpace(attr(e, "message")), strings.TrimSpace(body)
	if len(known) == mostWhys || err != nil {
		return known, err
	}
	why := message + "\n" + body
	switch {
	case message == "", strings.Contains(body, message):
		why = body
	case body == "":
		why = message
	}
	if why == "" {
		return known, nil
	}
	return append(known, cut(why, longestWhys)), nil
}
