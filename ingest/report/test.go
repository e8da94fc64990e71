package report

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/tree"
)

// Bounds of what is kept of a test, in bytes.
const (
	longestName   = 300     // a name of a suite or a test
	longestSeen   = 8 << 10 // an error message
	longestPrompt = 32 << 10
)

// test is one attempt at a test, or one verdict of a grader, as a report has it.
type test struct {
	line    int      // of the file, where the report has it
	id      string   // the tool's own name of this very run of it; ""
	same    string   // what attempts at one test have in common, if not their names
	run     string   // of all tests that ran with it; "" if the report does not say
	night   string   // likewise, where the tool's own name of a run tells it from those of other reports
	project string   // of several in which the same tests run, such as a browser
	place   []string // the file and the suites that it is in, from outside in
	title   string
	grader  string // which of several verdicts on one test this is; ""

	prompt      string // what was to be tested; "": its title within its suites
	verdict     verdict
	judgment    any    // the judgment where it is more than the verdict
	truth       any    // what the judge should have said, where the report says so
	correct     *bool  // likewise
	reason      string // likewise, why
	observation string // what could be seen: mostly the error
	steps       []tree.TestStep
	shots       []shot
	links       []tree.Link
	route       string
	scene       string
	product     string
	build       string
	agent       tree.Agent
	at          time.Time
	attempt     int  // from 1; 0: the report does not count
	off         bool // somebody took it out of the runs
}

// verdict is what a test found.
type verdict string

const (
	passed  verdict = "pass"
	failed  verdict = "fail"
	skipped verdict = "" // not run, or broken off from outside: no verdict
)

// between stands between the names of suites and a test.
const between = " › "

// caseID names the test whatever run it is in.
func (t *test) caseID() string {
	return fitName(strings.Join(append(cleanNames(t.place), text.Line(t.title)), between))
}

// key tells the test from the others of its run.
func (t *test) key() string {
	if t.same != "" {
		return t.same
	}
	return strings.Join([]string{t.run, t.project, t.caseID(), t.grader}, "\x00")
}

// evaluation is the test as a run of a judge. It is deterministic, so that a report that is read twice is known again.
func (t *test) evaluation(o *Options) tree.Evaluation {
	e := tree.Evaluation{
		CaseID: t.caseID(), RunID: fitName(cmp.Or(o.Run, t.run, t.night)), Attempt: max(0, t.attempt), At: t.at.UTC(),
		Scene:       tree.Scene{ID: fitName(t.scene), Route: fitName(t.route)},
		Scope:       tree.Scope{Product: fitName(t.product), Test: fitName(t.title), Build: fitName(t.build)},
		Prompt:      t.asked(),
		Observation: cut(text.Clean(t.observation), longestSeen),
		Correct:     t.correct, Reason: cut(text.Clean(t.reason), longestSeen),
		Agent: t.agent,
	}
	if len(t.place) > 0 {
		e.Scope.Suite = fitName(t.place[0])
	}
	said := t.judgment
	if said == nil {
		said = string(t.verdict)
	}
	e.Judgment = raw(said)
	if t.truth != nil {
		e.GroundTruth = raw(t.truth)
	}
	switch {
	case cmp.Or(o.Run, t.run) != "":
		e.ID = fitName(strings.Join(present(e.RunID, t.project, e.CaseID, t.grader), "|"))
	case t.id != "":
		e.ID = fitName(t.id)
	}
	return e
}

// asked is what was to be tested. A file says nothing of it; the names of suites do.
func (t *test) asked() string {
	if p := strings.TrimSpace(text.Clean(t.prompt)); p != "" {
		return cut(p, longestPrompt)
	}
	suites := cleanNames(t.place)
	if len(suites) > 0 {
		suites = suites[1:]
	}
	return cut(strings.Join(append(suites, text.Line(t.title)), between), longestPrompt)
}

func cleanNames(names []string) []string {
	out := make([]string, 0, len(names)+1)
	for _, n := range names {
		if n = text.Line(n); n != "" {
			out = append(out, n)
		}
	}
	return out
}

func present(names ...string) []string {
	out := names[:0]
	for _, n := range names {
		if n = text.Line(n); n != "" {
			out = append(out, n)
		}
	}
	return out
}

// fitName makes a name short enough. Two long names that differ stay different.
func fitName(s string) string {
	s = text.Line(s)
	if len(s) <= longestName {
		return s
	}
	sum := sha256.Sum256([]byte(s))
	return cut(s, longestName-20) + " " + hex.EncodeToString(sum[:8])
}

// cut returns at most so many bytes of s, whole characters.
func cut(s string, most int) string {
	if len(s) <= most {
		return s
	}
	most -= len("…")
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return s[:most] + "…"
}
