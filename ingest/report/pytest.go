package report

import (
	"cmp"
	"strings"
	"time"
)

// pytestTest is a test in the JSON that pytest-json-report writes.
type pytestTest struct {
	Node     string         `json:"nodeid"` // tests/test_cart.py::TestCart::test_total[3]
	Outcome  string         `json:"outcome"`
	Setup    pytestStage    `json:"setup"`
	Call     pytestStage    `json:"call"`
	Teardown pytestStage    `json:"teardown"`
	Metadata map[string]any `json:"metadata"` // data of a test in json_metadata
}

// pytestStage is one part of a test.
type pytestStage struct {
	Outcome string `json:"outcome"`
	Crash   struct {
		Message string `json:"message"`
	} `json:"crash"`
	Long string `json:"longrepr"`
}

// pytest reads a report of pytest-json-report.
func (d *fileDecoder) pytest(j *jsonReader) error {
	var created float64
	return j.object(func(key string) error {
		switch key {
		case "created":
			return d.value(j, key, &created)
		case "tests":
			return j.array(func() error {
				line := j.line
				var t pytestTest
				if err := j.value(&t); err != nil {
					return d.unusable(err, "tests")
				}
				if t.Node == "" {
					return d.bad(line, "tests.nodeid", "is missing; is this a report of pytest-json-report?")
				}
				out := t.test(line, created)
				for _, x := range [][2]string{{"screenshot", anyPicture}, {"attachment", ""}} {
					if file, ok := t.Metadata[x[0]].(string); ok {
						d.attach(&out.shots, baseName(file), x[1], file, "")
					}
				}
				return d.add(out)
			})
		}
		return j.skip()
	})
}

// test returns the result of a test. Its names are those of pytest's JUnit.
func (t *pytestTest) test(line int, created float64) *test {
	file, rest, _ := strings.Cut(t.Node, "::")
	place := strings.ReplaceAll(strings.TrimSuffix(file, ".py"), "/", ".")
	at := strings.LastIndex(strings.SplitN(rest, "[", 2)[0], "::")
	if at >= 0 {
		place += "." + strings.ReplaceAll(rest[:at], "::", ".")
		rest = rest[at+2:]
	}
	out := &test{line: line, place: []string{place}, title: spelled(cmp.Or(rest, t.Node)), verdict: passed}
	if created > 0 && created < 1e11 {
		out.at = time.UnixMilli(int64(created * 1000))
		out.run = out.at.UTC().Format(time.RFC3339Nano)
	}
	switch t.Outcome {
	case "failed", "error":
		out.verdict = failed
	case "skipped", "xfailed", "":
		out.verdict = skipped
	}
	var why []string
	for _, s := range []*pytestStage{&t.Setup, &t.Call, &t.Teardown} {
		if s.Outcome == "failed" || s.Outcome == "error" {
			why = append(why, cmp.Or(s.Crash.Message, s.Long))
		}
	}
	out.observation = strings.Join(why, "\n")
	for _, name := range []string{"mark", "tag"} {
		value, _ := t.Metadata[name].(string)
		out.marked(name, value)
	}
	if t.Outcome == "rerun" { // by pytest-rerunfailures, of a test that passed in the end
		out.passedAfter(1)
	}
	out.prompt, _ = t.Metadata["prompt"].(string)
	out.route, _ = t.Metadata["route"].(string)
	for _, name := range []string{"link", "url", "issue"} {
		address, _ := t.Metadata[name].(string)
		addLink(&out.links, name, address)
	}
	return out
}
