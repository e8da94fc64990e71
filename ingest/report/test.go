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

// Bounds of the texts of a test, in bytes.
const (
	longestName   = 300     // a name of a suite or a test
	longestSeen   = 8 << 10 // an error message
	longestPrompt = 32 << 10
)

// test is one attempt at a test, or one verdict of a grader, in a report.
type test struct {
	line    int      // in the file, if the report has lines
	id      string   // the tool's own id of this run of the test; ""
	same    string   // the common id of attempts at one test, if not their names
	run     string   // of all tests that ran together; "" if the report has none
	night   string   // likewise, if the tool's own name distinguishes the run from those of other reports
	project string   // of several in which the same tests run, such as a browser
	place   []string // the file and its suites, from outside in
	title   string
	grader  string // which of several verdicts on one test this is; ""

	prompt      string // the task; "": its title within its suites
	verdict     verdict
	judgment    any    // the judgment if it is more than the verdict
	truth       any    // the expected verdict, if the report has it
	correct     *bool  // likewise
	reason      string // likewise, the reason
	observation string // the observation: mostly the error
	steps       []tree.TestStep
	shots       []shot
	links       []tree.Link
	route       string
	scene       string
	product     string
	build       string
	agent       tree.Agent
	at          time.Time
	excuse      tree.Excuse // why the run shows nothing about its judge
	attempt     int         // from 1; 0: not in the report
	off         bool        // excluded from runs on purpose
}

// verdict is the result of a test.
type verdict string

const (
	passed  verdict = "pass"
	failed  verdict = "fail"
	skipped verdict = "" // not run, or interrupted: no verdict
)

// between separates the names of suites and a test.
const between = " › "

// caseID names the test, independent of its run.
func (t *test) caseID() string {
	return fitName(strings.Join(append(cleanNames(t.place), text.Line(t.title)), between))
}

// key distinguishes the test from the others of its run.
func (t *test) key() string {
	if t.same != "" {
		return t.same
	}
	return strings.Join([]string{t.run, t.project, t.caseID(), t.grader}, "\x00")
}

// evaluation returns the test as a run of a judge. It is deterministic, so that a report that is read twice gives the
// same keys.
func (t *test) evaluation(o *Options) tree.Evaluation {
	e := tree.Evaluation{
		CaseID: t.caseID(), RunID: fitName(cmp.Or(o.Run, t.run, t.night)), Attempt: max(0, t.attempt), At: t.at.UTC(),
		Scene:       tree.Scene{ID: fitName(t.scene), Route: fitName(t.route)},
		Scope:       tree.Scope{Product: fitName(t.product), Test: fitName(t.title), Build: fitName(t.build)},
		Prompt:      t.asked(),
		Observation: cut(text.Clean(t.observation), longestSeen),
		Correct:     t.correct, Reason: cut(text.Clean(t.reason), longestSeen),
		Agent: t.agent, Excuse: t.excused(),
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

// asked returns the task. The name of a file is no part of it; the names of suites are.
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

// fitName shortens a name. Two long names that differ stay different.
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
