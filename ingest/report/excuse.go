package report

import (
	_ "embed"
	"regexp"
	"strings"
	"sync"

	"github.com/memtree/memtree/ingest"
	"github.com/memtree/memtree/tree"
)

// A report marks a run that shows nothing about its judge: by an annotation, a property, a tag or a label; by attempts
// that failed before the one that passed; or by an error of the machine instead of the test.

// marked adds the mark of an annotation, a property or a label, given its name and value. The first one counts.
func (t *test) marked(name, value string) {
	if t.excuse != "" {
		return
	}
	switch strings.ReplaceAll(name, " ", "-") {
	case "tag", "mark", "failure-type", "defect-type", "缺陷类型":
		t.excuse = ingest.ExcuseOf(value)
	default:
		if value != "false" {
			t.excuse = ingest.ExcuseOf(name)
		}
	}
}

// passedAfter notes that a test passed after attempts that failed.
func (t *test) passedAfter(failures int) {
	if failures > 0 && t.verdict == passed && t.excuse == "" {
		t.excuse = tree.Retried
	}
}

// excused returns the excuse of a test. A mark of the environment on a test that passed is its label for where it
// runs, and no reason.
func (t *test) excused() tree.Excuse {
	switch {
	case t.excuse == tree.Environment && t.verdict == passed:
		return ""
	case t.excuse != "":
		return t.excuse
	case t.verdict == failed && ofMachine(t.observation):
		return tree.Environment
	}
	return ""
}

// longestError is how much of a failure is read for an error of the machine, in bytes.
const longestError = 1 << 10

// asserted begins the failure of an assertion. What follows are texts of the product, which may be of any error.
var asserted = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^\s*(error:\s?)?(expect\(|assert|expected\b|\S*assertion\w*|期望|断言)`)
})

//go:embed machine.txt
var machineLines string

// machine matches the errors of machine.txt.
var machine = sync.OnceValue(func() *regexp.Regexp {
	_, lines, _ := strings.Cut(strings.TrimSpace(machineLines), "\n") // after the head
	return regexp.MustCompile("(?i)" + strings.ReplaceAll(lines, "\n", "|"))
})

// ofMachine reports whether a failure is an error of the machine and of no assertion.
func ofMachine(failure string) bool {
	s := cut(failure, longestError)
	return !asserted().MatchString(s) && machine().MatchString(s)
}
