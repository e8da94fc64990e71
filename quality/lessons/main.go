// Command lessons measures what memory learns from a labelled suite: go run ./quality/lessons DIR.
//
// DIR/runs.jsonl has judged runs, whose labels.cause is the check that was not made; DIR/queries.jsonl has coming
// tests, whose expect lists the causes to warn of. The rules create one tree. If DIR/cassettes/ has recordings of a
// model (MEMTREE_LLM_RECORD), these create another. It prints the figures of each tree as JSON.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/ingest"
	"github.com/memtree/memtree/internal/tape"
	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/tree"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: go run ./quality/lessons DIR")
		os.Exit(2)
	}
	if err := measure(context.Background(), os.Args[1], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "lessons:", err)
		os.Exit(1)
	}
}

// row holds the figures of one tree.
type row struct {
	By string `json:"by"` // rules or recordings
	learnedFigures
	Alone       warnedFigures `json:"alone"`       // before evolve: cases only
	Evolved     warnedFigures `json:"evolved"`     // after evolve
	NotRecorded int           `json:"notRecorded"` // requests to the model without a recording
}

// measure creates a tree with the rules, and one with the recordings if there are any, and prints their figures.
func measure(ctx context.Context, dir string, out io.Writer) error {
	s, err := readSuite(dir)
	if err != nil {
		return err
	}
	rules, err := s.grow(ctx, "rules", nil)
	if err != nil {
		return err
	}
	rows := []row{rules}
	cassettes := filepath.Join(dir, "cassettes")
	if _, err := os.Stat(cassettes); !errors.Is(err, fs.ErrNotExist) {
		player, err := tape.Open(cassettes)
		if err != nil {
			return err
		}
		played, err := s.grow(ctx, "recordings", player)
		if err != nil {
			return err
		}
		played.NotRecorded, _, _ = player.Missing()
		rows = append(rows, played)
	}
	e := json.NewEncoder(out)
	e.SetIndent("", "  ")
	return e.Encode(rows)
}

// suite is a folder of labelled runs.
type suite struct {
	runs    []tree.Evaluation
	causes  labelledCauses
	queries []query
	last    time.Time // of the last run
}

// query is a coming test, and the causes that a colleague would warn of.
type query struct {
	Prompt string
	Scene  tree.Scene
	Scope  tree.Scope
	Expect []string
}

// readSuite reads a suite. It fails on the first invalid line, because figures of the rest would be of another suite.
func readSuite(dir string) (*suite, error) {
	s := &suite{causes: labelledCauses{}}
	name := filepath.Join(dir, "runs.jsonl")
	b, err := os.ReadFile(name) //nolint:gosec // the user names the folder
	if err != nil {
		return nil, err
	}
	for e, err := range ingest.Read(name, bytes.NewReader(b)) {
		if err != nil {
			return nil, err
		}
		s.runs = append(s.runs, e)
		if e.At.After(s.last) {
			s.last = e.At
		}
	}
	type label struct {
		CaseID  string `json:"case_id"`
		Correct bool   `json:"correct"`
		Labels  struct {
			Cause string `json:"cause"`
		} `json:"labels"`
	}
	if err := eachLine(bytes.NewReader(b), func(l label) {
		if !l.Correct && l.Labels.Cause != "" {
			s.causes.add(l.CaseID, l.Labels.Cause)
		}
	}); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(s.causes) == 0 {
		return nil, fmt.Errorf("%s: no wrong run has a text in labels.cause", name)
	}
	name = filepath.Join(dir, "queries.jsonl")
	if b, err = os.ReadFile(name); err != nil && !errors.Is(err, fs.ErrNotExist) { //nolint:gosec // as above
		return nil, err
	}
	if err := eachLine(bytes.NewReader(b), func(q query) { s.queries = append(s.queries, q) }); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return s, nil
}

// eachLine decodes JSON objects one after the other.
func eachLine[T any](r io.Reader, take func(T)) error {
	for d := json.NewDecoder(r); ; {
		var v T
		switch err := d.Decode(&v); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		take(v)
	}
}

// grow creates a tree of the suite in memory, at the time of its last run, because trust in a case decays with time.
func (s *suite) grow(ctx context.Context, by string, model llm.Generator) (r row, err error) {
	o := memtree.Options{InMemory: true, Deadline: time.Minute, Generator: model}
	if !s.last.IsZero() {
		o.Now = func() time.Time { return s.last }
	}
	m, err := memtree.Open(ctx, "", &o)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, m.Close()) }() //nolint:contextcheck // nothing of it is kept
	if _, err := m.RecordAll(ctx, s.runs); err != nil {
		return r, err
	}
	if err := m.Wait(ctx); err != nil {
		return r, err
	}
	r.By = by
	if r.Alone, _, err = s.ask(ctx, m); err != nil {
		return r, err
	}
	if _, err := m.Evolve(ctx, nil); err != nil {
		return r, err
	}
	var nodes []tree.Node
	r.Evolved, nodes, err = s.ask(ctx, m)
	r.learnedFigures = s.causes.learned(nodes)
	return r, err
}

// ask measures the guidance of a tree for the coming tests, and returns its nodes.
func (s *suite) ask(ctx context.Context, m *memtree.Memory) (warnedFigures, []tree.Node, error) {
	var nodes []tree.Node
	for n, err := range m.Tree().Scan(ctx, store.Filter{}) {
		if err != nil {
			return warnedFigures{}, nil, err
		}
		nodes = append(nodes, n)
	}
	answers := make([]suiteGuidance, len(s.queries))
	for i, q := range s.queries {
		x, err := m.Explain(ctx, memtree.Query{Prompt: q.Prompt, Scene: q.Scene, Scope: tree.Scope{Product: q.Scope.Product}})
		if err != nil {
			return warnedFigures{}, nil, err
		}
		answers[i] = suiteGuidance{Expect: q.Expect, Text: x.Text}
		for _, it := range x.Items {
			answers[i].Items = append(answers[i].Items, it.ID)
		}
	}
	return s.causes.warned(answers, nodes), nodes, nil
}
