package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/memtree/memtree/formation"
	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/score"
	"github.com/memtree/memtree/stat"
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
		row, err := a.analyst(ctx, tax, &readers[i], cases, seed)
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

// analyst has a reader read the cases, each as if there were no other.
func (a *app) analyst(
	ctx context.Context, tax *taxonomy.Taxonomy, r *reader, cases []labelledCase, seed uint64,
) (analyst, error) {
	row := analyst{By: r.by, Name: r.model, Cost: 0.0, name: a.readerName(r)}
	former, err := formation.New(formation.Options{Taxonomy: tax, Generator: r.of})
	if err != nil {
		return row, err
	}
	all, err := a.readCases(ctx, former, r, cases)
	if err != nil {
		return row, err
	}
	pairs := make([]score.Pair, len(cases))
	total := time.Duration(0)
	for i := range all {
		pairs[i] = score.Pair{Want: cases[i].class, Got: all[i].class}
		total += all[i].took
		switch {
		case llm.Answered(all[i].err):
			row.Invalid++
		case all[i].err != nil:
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

// readCases forms a case of each run, as record does, and each as if there were no other.
func (a *app) readCases(
	ctx context.Context, former *formation.Former, r *reader, cases []labelledCase,
) ([]found, error) {
	bar := a.progress(a.say("reading by %s", a.readerName(r)), plainCount)
	defer bar.end()
	all := make([]found, 0, len(cases))
	for some := range slices.Chunk(cases, formation.MaxReads) {
		read, err := readSome(ctx, former, some)
		if err != nil {
			return nil, err
		}
		all = append(all, read...)
		bar.step(int64(len(all)), int64(len(cases)))
	}
	return all, nil
}

// readSome reads a few cases together: where the model fails, by rules.
func readSome(ctx context.Context, former *formation.Former, cases []labelledCase) ([]found, error) {
	began := time.Now()
	runs := make([]*formation.Run, len(cases))
	for i := range cases {
		run, err := former.Detect(ctx, cases[i].run.Evaluation)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", cases[i].run.Key(), err)
		}
		runs[i] = run
	}
	if err := former.Read(ctx, nothing{}, runs); err != nil {
		return nil, err
	}
	all := make([]found, len(cases))
	for i, run := range runs {
		formed, err := former.Insert(ctx, nothing{}, run)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", cases[i].run.Key(), err)
		}
		all[i].err = formed.ModelErr
		for _, c := range formed.Changes {
			all[i].class = c.Node.ErrorType
		}
	}
	for i := range all {
		all[i].took = time.Since(began) / time.Duration(len(all))
	}
	return all, nil
}

// nothing is the view of an empty tree.
type nothing struct{}

func (nothing) Get(_ context.Context, id string) (tree.Node, error) {
	return tree.Node{}, fmt.Errorf("%s: %w", id, tree.ErrNotFound)
}

func (nothing) Similar(context.Context, *tree.Node, int) ([]tree.Node, error) { return nil, nil }
