package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/memtree/memtree/formation"
	"github.com/memtree/memtree/internal/stat"
	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/score"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// analysts is the result of quality analyse, as --json prints it.
type analysts struct {
	File       string         `json:"file"`
	Field      string         `json:"field"`
	Cases      int            `json:"cases"`      // wrong runs with a label
	Unlabelled int            `json:"unlabelled"` // wrong runs without
	Others     int            `json:"others"`     // runs that were judged rightly, or of which that is not known
	Classes    int            `json:"classes"`
	Unknown    []strangeLabel `json:"unknown"` // labels that are no error type
	Seed       uint64         `json:"seed"`
	Rows       []analyst      `json:"rows"`
	Model      spent          `json:"model"`
}

// strangeLabel is a label that is no error type, and so a class of its own.
type strangeLabel struct {
	Label string `json:"label"`
	Cases int    `json:"cases"`
}

// analyst is a row: how one reader did.
type analyst struct {
	By         string        `json:"by"` // rules, model or recordings
	Name       string        `json:"model"`
	Agreed     int           `json:"agreed"`
	Agreement  float64       `json:"agreement"`
	Interval   stat.Interval `json:"interval"` // of the agreement, Wilson's
	MacroF1    float64       `json:"macroF1"`
	F1Interval stat.Interval `json:"macroF1Interval"` // by a bootstrap
	Invalid    int           `json:"invalid"`         // cases of which the model's answer could not be used
	Unanswered int           `json:"unanswered"`      // cases of which there was no answer
	Seconds    any           `json:"seconds"`         // a case; null where answers were played
	Cost       any           `json:"cost"`            // a case; a number, or "unknown"

	name string
}

// labelledCase is a wrong run, and the class that its label names.
type labelledCase struct {
	run   *labelledRun
	class string
}

func (a *app) qualityAnalyse(ctx context.Context, file, field string, seed uint64) error {
	tax, err := taxonomy.ReadFolder(a.store)
	if err != nil {
		return err
	}
	runs, err := a.labelledRuns(ctx, file)
	if err != nil {
		return err
	}
	out := analysts{File: file, Field: field, Unknown: []strangeLabel{}, Seed: seed}
	cases, err := a.labelledCases(tax, runs, &out)
	if err != nil {
		return err
	}
	readers, err := a.readers()
	if err != nil {
		return err
	}
	for i := range readers {
		row, err := a.analyst(ctx, tax, &readers[i], runs, cases, seed)
		if err != nil {
			return err
		}
		out.Rows = append(out.Rows, row)
	}
	a.unrecorded()
	out.Model = a.spentNow()
	if a.json {
		return a.printJSON(out)
	}
	return a.printAnalysts(&out)
}

// labelledCases returns the wrong runs that have a label, and counts the others.
func (a *app) labelledCases(tax *taxonomy.Taxonomy, runs []labelledRun, out *analysts) ([]labelledCase, error) {
	var cases []labelledCase
	strange, classes := map[string]int{}, map[string]bool{}
	for i := range runs {
		label, err := a.labelOf(out.File, &runs[i], out.Field)
		if err != nil {
			return nil, err
		}
		v := formation.Detect(&runs[i].Evaluation)
		switch {
		case !v.Labelled || v.Correct:
			out.Others++
			continue
		case label == "":
			out.Unlabelled++
			continue
		}
		class, known := classOf(tax, label)
		if !known {
			strange[label]++
		}
		classes[class] = true
		cases = append(cases, labelledCase{&runs[i], class})
	}
	if len(cases) == 0 {
		return nil, &usageError{a.noLabels(out, labelFields(runs))}
	}
	for _, label := range slices.Sorted(maps.Keys(strange)) {
		out.Unknown = append(out.Unknown, strangeLabel{label, strange[label]})
	}
	out.Cases, out.Classes = len(cases), len(classes)
	return cases, nil
}

func (a *app) noLabels(out *analysts, has []string) string {
	s := a.say("%s has no run that was judged wrongly and has a label in the field %s", out.File, out.Field)
	if len(has) > 0 {
		s += a.say("; there are labels in: %s", oneLine(strings.Join(has, ", ")))
	}
	return s
}

// found is what a reader made of a case.
type found struct {
	class string
	err   error // why the model's answer was not used
	took  time.Duration
}

// analyst has a reader read the runs, as a record of all of them would, and compares the cases.
func (a *app) analyst(
	ctx context.Context, tax *taxonomy.Taxonomy, r *reader, runs []labelledRun, cases []labelledCase, seed uint64,
) (analyst, error) {
	row := analyst{By: r.by, Name: r.model, Cost: 0.0, name: a.readerName(r)}
	former, err := formation.New(formation.Options{Taxonomy: tax, Generator: r.of})
	if err != nil {
		return row, err
	}
	read, err := a.readRuns(ctx, former, r, runs)
	if err != nil {
		return row, err
	}
	pairs := make([]score.Pair, len(cases))
	total := time.Duration(0)
	for i := range cases {
		x := read[cases[i].run]
		pairs[i] = score.Pair{Want: cases[i].class, Got: x.class}
		total += x.took
		switch {
		case llm.Answered(x.err):
			row.Invalid++
		case x.err != nil:
			row.Unanswered++
		}
	}
	n := len(cases)
	row.Agreed, row.Agreement, row.Interval = score.Agreement(pairs)
	row.MacroF1, row.F1Interval = score.MacroF1(pairs), score.Bootstrap(pairs, seed, score.MacroF1)
	if r.by != byRecordings {
		row.Seconds = total.Seconds() / float64(n)
	}
	if r.by == byModel {
		row.Cost = unknown
		if cost, known := a.spentNow().Cost.(float64); known {
			row.Cost = cost / float64(n)
		}
	}
	return row, nil
}

// readRuns forms a case of each wrong run, as if there were no other. A model is asked what a record of all
// runs would ask it, so that its recordings are found.
func (a *app) readRuns(
	ctx context.Context, former *formation.Former, r *reader, runs []labelledRun,
) (map[*labelledRun]found, error) {
	bar := a.progress(a.say("reading by %s", a.readerName(r)), plainCount)
	defer bar.end()
	all := map[*labelledRun]found{}
	for some := range slices.Chunk(runs, batchRuns) {
		if err := readSome(ctx, former, some, all); err != nil {
			return nil, err
		}
		bar.step(int64(len(all)), int64(len(runs)))
	}
	return all, nil
}

// readSome reads runs together, and adds what was found of each.
func readSome(ctx context.Context, former *formation.Former, some []labelledRun, all map[*labelledRun]found) error {
	began := time.Now()
	runs := make([]*formation.Run, len(some))
	for i := range some {
		run, err := former.Detect(ctx, some[i].Evaluation)
		if err != nil {
			return fmt.Errorf("%s: %w", some[i].Key(), err)
		}
		runs[i] = run
	}
	if err := former.Read(ctx, nothing{}, runs); err != nil {
		return err
	}
	took := time.Since(began) / time.Duration(len(some))
	for i, run := range runs {
		formed, err := former.Insert(ctx, nothing{}, run)
		if err != nil {
			return fmt.Errorf("%s: %w", some[i].Key(), err)
		}
		x := found{err: formed.ModelErr, took: took}
		for _, c := range formed.Changes {
			x.class = c.Node.ErrorType
		}
		all[&some[i]] = x
	}
	return nil
}

// nothing is the view of an empty tree.
type nothing struct{}

func (nothing) Get(_ context.Context, id string) (tree.Node, error) {
	return tree.Node{}, fmt.Errorf("%s: %w", id, tree.ErrNotFound)
}

func (nothing) Similar(context.Context, *tree.Node, int) ([]tree.Node, error) { return nil, nil }
