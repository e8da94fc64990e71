// Package ingest reads files of other tools: judged runs, walks of an application, and statements on
// a product.
//
// # Judged runs
//
// A file is UTF-8 JSON in any of these shapes: one object a line (JSON Lines), one array of objects, or objects
// printed over several lines, one after another. A byte order mark, CRLF and blank lines are allowed. Besides the
// names of tree.Evaluation it reads spellings of other tools (scene_id, ui_scene_id, routePath, agentJudgment,
// testCase, result, evaluation, …; see spelling.go), and pairs that mean judgment and ground truth only together:
// verdict and expected, actual and expected, prediction and label, agent_verdict and human_verdict, 判定 and 期望 (see
// pairs.go). first_judgment, which triage writes beside a verdict that it corrected, is read instead of that verdict.
// note is an alias of the evaluator's reason; see unread.go. Every other key is ignored, and reported to the caller of
// ReadRun; labels are never read.
//
// A bad object does not affect the rest: it is returned as a *LineError with its position, the problem and what to do,
// and reading continues. Memory is bounded by MaxRecord for a file of any length, plus 100 bytes for each record that
// names no run.
//
// # Walks
//
// [ReadWalks] reads what test tools saw of an application, for its map. It knows the format of a file by its content:
//
//	playwright   a trace (zip) of Playwright: actions with their selectors, pages, calls
//	har          an HTTP archive: pages and calls
//	aria         an ARIA snapshot (YAML) of one page
//	openapi      a description of interfaces (JSON or YAML)
//	sitemap      sitemap.xml: pages
//	midscene     a cache of Midscene (YAML): selectors of elements that its prompts name
//	requirements a table of requirements (CSV)
//	memtree      JSON lines with walks of memtree's own form
//
// Values that were typed, bodies, cookies and all headers but Referer and Sec-Fetch-Dest are not read.
//
// # Statements
//
// [ReadStatements] reads what is known of products under test, for package knowledge, which decides what may be given
// to agents:
//
//	memtree   JSON lines of memtree's own form
//	agent-qa  observations of agent-qa: Markdown with front matter, in products/NAME, suites/ID and tests/ID
//	issues    a list of known bugs: CSV with a head, a JSON array, or JSON lines, with the columns of a tracker's export
//
// Files are untrusted: each has limits, and an error names file, line or part, and what to do.
//
// Where to look:
//   - split.go, json.go, objects.go: bytes to objects; evaluation.go: an object to an evaluation
//   - run_id.go: names for runs without one
//   - walk.go and a file a format; facts.go and a file a format
package ingest

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"

	"github.com/memtree/memtree/tree"
)

// MaxRecord is the most bytes of an object that is read. A longer one is skipped without being held in memory, and
// reported.
const MaxRecord = 8 << 20

// LineError means that one object, or another part, of a file of runs cannot be used.
type LineError struct {
	File string
	Line int // line of the file, from 1; 0 if the file has no lines
	// name of the field as the file spells it, such as testCase.route_path; "" if it is not about one field
	Field   string
	Problem string // continues the sentence after the field, and includes what to do
}

func (e *LineError) Error() string {
	s := e.Problem
	if e.Field != "" {
		s = e.Field + " " + s
	}
	if e.Line == 0 {
		return e.File + " " + s
	}
	return fmt.Sprintf("%s:%d: %s", e.File, e.Line, s)
}

// FileError is why a file cannot be read as runs at all.
type FileError struct {
	File    string
	Problem string // continues the sentence after the file's name
	Empty   bool   // the file, or its array, has no content
}

func (e *FileError) Error() string { return e.File + " " + e.Problem }

// Read returns the runs in r in order, each checked by tree.Evaluation.Check and judgment.Denied. name is the file's
// name for messages.
//
// An error that is a *LineError concerns one object only and iteration continues; its evaluation is the zero value. Any
// other error ends the iteration: a *FileError if the file is a folder, compressed, binary or empty, or the error of
// the reader. The sequence can be ranged over only once, because it consumes r; it is not safe for concurrent use.
//
// A run without id and run id gets a run id from other data that distinguishes it from others: its trial, its time, or
// how many equal ones came before it in the file; with none of these it stays empty. A file that is read twice gives
// the same keys. Files of the same tests that were run on different days give different keys if they have times;
// without times, equal records of two files have one key.
func Read(name string, r io.Reader) iter.Seq2[tree.Evaluation, error] {
	return ReadRun(name, r, "", nil)
}

// ReadRun does as Read does, but run is the run id of records with neither id nor run id; if run is empty, Read's rule
// applies. If unread is not nil, ReadRun calls it for each ignored field of the top level, once for each name and at
// most 20 times.
func ReadRun(name string, r io.Reader, run string, unread func(Unread)) iter.Seq2[tree.Evaluation, error] {
	return readObjects(name, r, run, unread, rawObject.evaluation)
}

// ReadTests does as Read does for tests that have not run: an object needs a prompt and no judgment. A judgment or
// truth in the object is left out of the evaluation.
func ReadTests(name string, r io.Reader) iter.Seq2[tree.Evaluation, error] {
	return readObjects(name, r, "", nil, rawObject.test)
}

// readObjects reads the objects of a file, each with one.
func readObjects(
	name string, r io.Reader, run string, unread func(Unread), one func(rawObject, *parser) (tree.Evaluation, *fault),
) iter.Seq2[tree.Evaluation, error] {
	return func(yield func(tree.Evaluation, error) bool) {
		if problem := unreadable(r); problem != "" {
			yield(tree.Evaluation{}, &FileError{File: name, Problem: problem})
			return
		}
		s := &objectSplitter{r: r, line: 1, mark: -1}
		if problem := s.begin(); problem != "" {
			yield(tree.Evaluation{}, &FileError{File: name, Problem: problem})
			return
		}
		p, of := parser{unread: &unreadFields{tell: unread}}, newRuns(run)
		for met := 0; ; met++ {
			f, err := s.next()
			switch {
			case err != nil && errors.Is(err, io.EOF) && met == 0:
				yield(tree.Evaluation{}, &FileError{File: name,
					Problem: "is empty; write one JSON object a line, with prompt and judgment", Empty: true})
				return
			case errors.Is(err, io.EOF):
				return
			case err != nil:
				yield(tree.Evaluation{}, fmt.Errorf("read %s: %w", name, err))
				return
			}
			e, bad := one(f, &p)
			if bad != nil {
				if !yield(tree.Evaluation{}, &LineError{File: name, Line: bad.line, Field: bad.field, Problem: bad.problem}) {
					return
				}
				continue
			}
			of.identify(&e)
			if !yield(e, nil) {
				return
			}
		}
	}
}

// unreadable returns a problem if r is a folder, "" otherwise.
func unreadable(r io.Reader) string {
	f, ok := r.(interface{ Stat() (fs.FileInfo, error) })
	if !ok {
		return ""
	}
	info, err := f.Stat()
	if err == nil && info.IsDir() {
		return "is a folder; name a file in it"
	}
	return ""
}

// test parses one piece of the file into a test that has not run.
func (f rawObject) test(p *parser) (tree.Evaluation, *fault) {
	p.tests = true
	e, bad := f.evaluation(p)
	e.Judgment, e.GroundTruth, e.Correct, e.Direction, e.Reason = nil, nil, nil, "", ""
	return e, bad
}

// evaluation parses one piece of the file into a checked evaluation. It reuses p.
func (f rawObject) evaluation(p *parser) (tree.Evaluation, *fault) {
	if f.problem != "" {
		return tree.Evaluation{}, &fault{line: f.line, problem: f.problem}
	}
	*p = parser{b: f.data, keys: p.keys[:0], tests: p.tests, unread: p.unread}
	var rec slotValues
	bad := p.object(top, "", &rec)
	if bad == nil {
		var e tree.Evaluation
		if p.tests && rec[slotJudgment].raw == nil {
			rec[slotJudgment].raw = []byte("0") // a placeholder, removed again afterwards
		}
		if e, bad = rec.evaluation(p.unread); bad == nil {
			return e, nil
		}
	}
	bad.line = f.line + countLines(f.data, bad.at)
	return tree.Evaluation{}, bad
}
