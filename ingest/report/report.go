// Package report reads the reports of test tools, each in its own format, into evaluations: JUnit's XML, the JSON of
// Playwright, promptfoo, Allure, pytest, Inspect and DeepEval, Midscene's reports, the results of the public GUI
// benchmark, tables, and any JSON by a mapping.
//
// The result of a test is the test's judgment; it does not show whether the test was right. So a run of a report has a
// judgment and no truth, unless the file contains the expected verdict of the judge: then the actual and the expected
// output are both verdicts. Skipped tests have no verdict and are no runs; they are counted.
//
// Attempts at one test collapse: the last one is the verdict, with its number. A file that is read twice gives the
// same keys. Reports of two tools about one run give the same keys if the run is named the same (Options.Run) and the
// tools name the tests alike.
//
// Every decoder streams: for a file of any length its memory is bounded, by the longest stored part and by the
// attempts that may still be followed by another.
//
// Where to look:
//   - a file for each format, such as junit.go and playwright.go; recognise.go: which one a file has
//   - test.go, fold.go: a test as a run, and attempts at it; excuse.go: marks of tests that were healed or retried
//   - json.go, xml.go, html.go, spool.go: bounded readers of long files and archives
//   - table.go, xlsx.go, row.go: tables; labels.go: tables of truths; mapping.go, path.go, mapped.go: any JSON
//   - evidence.go, attachments.go: evidence of a failure, and the files that a report names
package report

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"

	"github.com/memtree/memtree/ingest"
	"github.com/memtree/memtree/internal/judgment"
	"github.com/memtree/memtree/tree"
)

// Format is the name of a report's format, as users write it.
type Format string

// The formats of reports.
const (
	JUnit      Format = "junit"      // JUnit's XML, which many tools write
	Playwright Format = "playwright" // output of the JSON reporter of Playwright
	Midscene   Format = "midscene"   // reports and summaries of Midscene
	Promptfoo  Format = "promptfoo"  // JSON results of promptfoo
	Allure     Format = "allure"     // result files of Allure
	Pytest     Format = "pytest"     // the JSON of pytest-json-report
	Inspect    Format = "inspect"    // logs of Inspect
	DeepEval   Format = "deepeval"   // JSON results of DeepEval
	UIBench    Format = "uibench"    // results of the public GUI benchmark
	CSV        Format = "csv"        // tables: CSV, TSV and XLSX
	Map        Format = "map"        // any JSON, by a mapping
)

// Formats returns all formats, in the order in which users see them.
func Formats() []Format {
	return []Format{JUnit, Playwright, Midscene, Promptfoo, Allure, Pytest, Inspect, DeepEval, UIBench, CSV, Map}
}

// Options configures a FileReader. The zero value works, except for Map.
type Options struct {
	Run     string   // name of the run, for reports that share it; "": the name in the report
	Mapping *Mapping // for Map, where fields are; for tables, in which columns
	Tests   bool     // read tests and not runs: include tests without a verdict, and drop the verdicts of the others
	Link    string   // address of a page about the run, such as the job of CI, for the evidence of test tools

	// Keep stores a picture and returns the reference for an evaluation. Its error is why the picture is skipped. If Keep
	// is nil, all pictures are skipped.
	Keep func(Shot) (tree.Picture, error)
}

// FileReader reads the report files of one run as evaluations. It is not safe for concurrent use.
type FileReader struct {
	format Format
	o      Options
	fold   *fold
	cases  map[string]benchCase // of the GUI benchmark, by id
	open   []benchOpen          // results of it whose case was not read yet

	caseBytes int // approximate size of both
	shots     byteSpool
	Skipped   int           // number of tests without a verdict so far
	Pictures  int           // number of pictures stored so far
	Left      int           // number of pictures skipped so far
	Why       []LeftPicture // why pictures were skipped, for the first 20 of Left
}

// NewReader returns a FileReader for files in the format f. It fails for an unknown format, and for Map without a
// mapping.
func NewReader(f Format, o Options) (*FileReader, error) {
	if !slices.Contains(Formats(), f) {
		return nil, fmt.Errorf("there is no format %q", f)
	}
	if f == Map && o.Mapping == nil {
		return nil, errors.New("the format map needs a mapping")
	}
	return &FileReader{format: f, o: o, fold: newFold(), cases: map[string]benchCase{}}, nil
}

// errStop ends a decoder whose consumer stopped the iteration.
var errStop = errors.New("stop")

// File returns the runs in the file r in order. Errors are as in [ingest.Read]: a *ingest.LineError concerns one part
// and iteration continues, and any other error ends it. If a later file may have another attempt at a test, File holds
// the run back; a later File or End returns the last attempt.
func (rd *FileReader) File(name string, r io.Reader) iter.Seq2[tree.Evaluation, error] {
	return func(yield func(tree.Evaluation, error) bool) {
		d := &fileDecoder{rd: rd, name: name, yield: yield}
		err := d.read(r)
		if err == nil && rd.format != Allure {
			err = d.flush() // only Allure spreads the attempts at a test over files
		}
		if rd.format != Allure {
			rd.dropShots()
		}
		if !d.met && !errors.Is(err, errStop) {
			err = d.nothing(err)
		}
		var broken *brokenError
		switch {
		case err == nil, errors.Is(err, errStop):
		case errors.As(err, &broken):
			d.finish(broken)
		default:
			yield(tree.Evaluation{}, err)
		}
	}
}

// End returns the runs that File held back because another attempt might have followed. Call it after the last file.
func (rd *FileReader) End() iter.Seq2[tree.Evaluation, error] {
	return func(yield func(tree.Evaluation, error) bool) {
		d := &fileDecoder{rd: rd, yield: yield}
		err := d.benchLate()
		if err == nil {
			err = d.flush()
		}
		rd.dropShots()
		if err != nil && !errors.Is(err, errStop) {
			yield(tree.Evaluation{}, err)
		}
	}
}

// fileDecoder is the reading of one file.
type fileDecoder struct {
	rd     *FileReader
	name   string
	yield  func(tree.Evaluation, error) bool
	met    bool                              // a test, or a part of one, was found
	night  string                            // the start of the first test of a report, which names its run
	begin  []byte                            // of the file
	parts  map[string]func(name string) shot // pictures of an archive, by file name
	images map[string]shot                   // pictures in scripts of a page, by id
}

// read decodes the file, whatever its format.
func (d *fileDecoder) read(r io.Reader) error {
	b := bufio.NewReaderSize(r, Sniff)
	d.begin, _ = b.Peek(Sniff)
	d.begin = bytes.Clone(d.begin)
	switch d.rd.format {
	case JUnit:
		return d.junit(b)
	case Playwright:
		return d.documents(b, d.playwright)
	case Midscene:
		return d.midscene(b)
	case UIBench:
		return d.documents(b, d.uibench)
	case Allure:
		return d.allureFile(b)
	case Inspect:
		return d.inspect(b)
	case Pytest:
		return d.documents(b, d.pytest)
	case DeepEval:
		return d.documents(b, d.deepeval)
	case Promptfoo:
		return d.documents(b, d.promptfoo)
	case CSV:
		return d.table(b, d.newSheet())
	case Map:
		return d.mapped(newJSON(b))
	}
	return fmt.Errorf("there is no format %q", d.rd.format)
}

// dropShots deletes the pictures of files that were read.
func (rd *FileReader) dropShots() {
	rd.shots.close()
	rd.shots = byteSpool{}
}

// nothing returns the error for a file without a test: a report of another tool, or an empty one if err is nil.
func (d *fileDecoder) nothing(err error) error {
	if f := Recognise(d.begin); f != "" && f != d.rd.format {
		return &ingest.FileError{File: d.name, Problem: fmt.Sprintf("looks like a %s report: use ingest %s", f, f)}
	}
	if err != nil {
		return err
	}
	known := []Format{Playwright, Allure, Pytest, Inspect, DeepEval, Promptfoo} // by the names of their fields
	if len(bytes.TrimSpace(d.begin)) > 0 && slices.Contains(known, d.rd.format) && Recognise(d.begin) != d.rd.format {
		return &ingest.FileError{File: d.name, Problem: fmt.Sprintf("is no %s report", d.rd.format)}
	}
	return &ingest.FileError{File: d.name, Problem: "is empty: it has no test in it", Empty: true}
}

// finish returns the evaluations read before a file breaks off, and then the error.
func (d *fileDecoder) finish(broken *brokenError) {
	if err := d.flush(); err != nil {
		return
	}
	line := broken.line
	if broken.whole {
		line = 0
	}
	d.yield(tree.Evaluation{}, &ingest.LineError{File: d.name, Line: line, Problem: broken.problem})
}

// bad reports a part of the file as unusable.
func (d *fileDecoder) bad(line int, field, problem string) error {
	d.met = true
	return d.give(tree.Evaluation{}, &ingest.LineError{File: d.name, Line: line, Field: field, Problem: problem})
}

func (d *fileDecoder) give(e tree.Evaluation, err error) error {
	if !d.yield(e, err) {
		return errStop
	}
	return nil
}

// flush yields everything that waits for another attempt.
func (d *fileDecoder) flush() error {
	for _, a := range d.rd.fold.all() {
		if err := d.settle(a); err != nil {
			return err
		}
	}
	return nil
}

// settle yields an attempt that none follows.
func (d *fileDecoder) settle(a *attempt) error {
	e := a.test.evaluation(&d.rd.o)
	if d.rd.o.Tests {
		e.Judgment, e.GroundTruth, e.Correct, e.Reason = raw(passed), nil, nil, "" // a placeholder, removed below
	} else {
		d.evidence(a, &e)
	}
	err := e.Check()
	if err == nil {
		err = judgment.Denied(&e, "judgment", "ground_truth")
	}
	if err != nil {
		if f, ok := errors.AsType[*tree.FieldError](err); ok {
			return d.give(tree.Evaluation{}, &ingest.LineError{File: a.file, Line: a.test.line, Field: f.Field,
				Problem: f.Problem})
		}
		return err //nolint:wrapcheck // it is about the evaluation, not the file
	}
	if d.rd.o.Tests {
		e.Judgment = nil
	}
	return d.give(e, nil)
}

// add adds one attempt at a test. It only counts one without a verdict, unless Options.Tests is set.
func (d *fileDecoder) add(t *test) error {
	d.met = true
	if t.off || t.verdict == skipped && t.judgment == nil && !d.rd.o.Tests {
		d.rd.Skipped++
		return nil
	}
	for _, a := range d.rd.fold.add(d.name, t) {
		if err := d.settle(a); err != nil {
			return err
		}
	}
	return nil
}

// documents reads the JSON documents of a file one after another.
func (d *fileDecoder) documents(r *bufio.Reader, one func(*jsonReader) error) error {
	j := newJSON(r)
	j.begin()
	for {
		if _, err := j.peek(); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		err := one(j)
		if err == nil && d.rd.format != Allure {
			err = d.flush()
		}
		if err != nil {
			return err
		}
	}
}

// mostParts bounds how many tests, attempts or cases of one parent are held until it ends.
const mostParts = 10_000

// tooMany skips an element of an array that has too many, and reports the first one that it skips.
func (d *fileDecoder) tooMany(j *jsonReader, so int, field string) (bool, error) {
	if so < mostParts {
		return false, nil
	}
	if so == mostParts {
		if err := d.bad(j.line, field, "has more than 10,000 elements; the others are left out"); err != nil {
			return true, err
		}
	}
	return true, j.skip()
}

// value decodes a value. It reports an unusable one, and reading continues.
func (d *fileDecoder) value(j *jsonReader, field string, to any) error {
	return d.unusable(j.value(to), field)
}

// unusable reports a value that cannot be used. It returns any other error.
func (d *fileDecoder) unusable(err error, field string) error {
	if bad, ok := errors.AsType[*valueError](err); ok {
		if bad.field != "" {
			field += "." + bad.field
		}
		return d.bad(bad.line, field, bad.problem)
	}
	return err
}

// brokenError means that a file cannot be read on from a position.
type brokenError struct {
	line    int
	problem string
	whole   bool // the problem includes the position
}

func (e *brokenError) Error() string { return e.problem }
