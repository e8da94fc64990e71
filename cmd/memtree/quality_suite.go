package main

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/memtree/memtree/formation"
	"github.com/memtree/memtree/score"
	"github.com/memtree/memtree/tree"
)

// suite is a folder of labelled runs.
type suite struct {
	dir       string
	runs      []tree.Evaluation
	causes    score.Causes
	questions []coming
	last      time.Time // of the last run
}

// coming is a task to come, and the causes that a colleague would warn of.
type coming struct {
	Prompt string     `json:"prompt"`
	Scene  tree.Scene `json:"scene"`
	Scope  tree.Scope `json:"scope"`
	Expect []string   `json:"expect"`
}

// readSuite reads the runs and questions of a folder.
func (a *app) readSuite(ctx context.Context, dir string) (*suite, error) {
	s := &suite{dir: dir, causes: score.Causes{}}
	name := filepath.Join(dir, "runs.jsonl")
	if _, err := os.Stat(name); errors.Is(err, fs.ErrNotExist) {
		return nil, &usageError{a.say("%s has no runs.jsonl; "+
			"name a folder with labelled runs, see memtree quality lessons --help", dir)}
	}
	runs, err := a.labelledRuns(ctx, name)
	if err != nil {
		return nil, err
	}
	labels := 0
	for i := range runs {
		e := &runs[i].Evaluation
		s.runs = append(s.runs, *e)
		if e.At.After(s.last) {
			s.last = e.At
		}
		cause, err := a.labelOf(name, &runs[i], "labels.cause")
		if err != nil {
			return nil, err
		}
		if v := formation.Detect(e); cause != "" && v.Labelled && !v.Correct {
			s.causes.Add(e.CaseID, cause)
			labels++
		}
	}
	if labels == 0 {
		return nil, &usageError{a.say("%s: no run that was judged wrongly has a text in labels.cause", name)}
	}
	return s, a.readQuestions(ctx, s)
}

func (a *app) readQuestions(ctx context.Context, s *suite) error {
	name := filepath.Join(s.dir, "queries.jsonl")
	if _, err := os.Stat(name); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return a.eachObject(ctx, name, func(line int, raw json.RawMessage) error {
		var q coming
		if err := json.Unmarshal(raw, &q); err != nil {
			problem, field := err.Error(), ""
			if bad, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
				field, problem = bad.Field, a.say("is a %s; see memtree quality lessons --help", bad.Value)
			}
			return &usageError{a.rejectLine(reject{File: name, Line: line, Field: field, Error: problem})}
		}
		if q.Prompt == "" {
			return &usageError{a.rejectLine(reject{File: name, Line: line, Field: "prompt", Error: a.say("is missing")})}
		}
		s.questions = append(s.questions, q)
		return nil
	})
}
