package main

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/evolution"
	"github.com/memtree/memtree/internal/tape"
	"github.com/memtree/memtree/score"
	"github.com/memtree/memtree/tree"
)

// trees is the result of quality lessons, as --json prints it.
type trees struct {
	Suite     string    `json:"suite"`
	Runs      int       `json:"runs"`
	Questions int       `json:"questions"`
	Trees     []treeRow `json:"trees"`
	Model     spent     `json:"model"`
}

// treeRow is what one reader made of the suite.
type treeRow struct {
	By   string `json:"by"` // rules, model or recordings
	Name string `json:"model"`
	score.Learned
	Alone       score.Warned   `json:"alone"`   // before the tree evolved: cases
	Evolved     score.Warned   `json:"evolved"` // after
	NotRecorded int            `json:"notRecorded"`
	Lessons     []taughtLesson `json:"lessons"`

	name string
}

// taughtLesson is a lesson or strategy of a tree, with the labelled causes of its cases.
type taughtLesson struct {
	ID        string   `json:"id"`
	Type      string   `json:"type"`
	ErrorType string   `json:"errorType"`
	Direction string   `json:"direction"`
	Causes    []string `json:"causes"` // the most frequent first
	Cases     int      `json:"cases"`
	By        string   `json:"by"` // rules or model: who wrote it
	Title     string   `json:"title"`
	When      []string `json:"appliesWhen"`
	NotWhen   []string `json:"notWhen"`
	Guidance  string   `json:"guidance"`
}

func (a *app) qualityLessons(ctx context.Context, dir string) error {
	s, err := a.readSuite(ctx, dir)
	if err != nil {
		return err
	}
	readers, err := a.suiteReaders(dir)
	if err != nil {
		return err
	}
	out := trees{Suite: dir, Runs: len(s.runs), Questions: len(s.questions)}
	for i := range readers {
		row, err := a.grow(ctx, s, &readers[i])
		if err != nil {
			return err
		}
		out.Trees = append(out.Trees, row)
	}
	a.unrecorded()
	out.Model = a.spentNow()
	if a.json {
		return a.printJSON(out)
	}
	return a.printTrees(&out)
}

// suiteReaders returns the readers, and what was recorded beside the suite, unless it is being recorded now.
func (a *app) suiteReaders(dir string) ([]reader, error) {
	all, err := a.readers()
	if err != nil {
		return nil, err
	}
	kept := filepath.Join(dir, "cassettes")
	if _, err := os.Stat(kept); errors.Is(err, fs.ErrNotExist) || a.spending.recorder != nil || a.playing() {
		return all, nil
	}
	p, err := tape.Open(kept)
	if e, ok := errors.AsType[*tape.FolderError](err); ok {
		return nil, &failure{a.folderSentence(e), err}
	}
	if len(all) > 1 {
		return slices.Insert(all, 1, played(p, p)), nil // beside a model, which alone is counted
	}
	a.spending.player = p
	return append(all, played(p, a.metered(p, playedModel))), nil
}

// grow makes a tree of a suite in memory and measures it.
func (a *app) grow(ctx context.Context, s *suite, r *reader) (row treeRow, err error) {
	row = treeRow{By: r.by, Name: r.model, name: a.readerName(r), Lessons: []taughtLesson{}}
	o := memtree.Options{InMemory: true, Deadline: patient, Generator: r.of}
	if !s.last.IsZero() { // trust fades with time, and a measure must not
		o.Now = func() time.Time { return s.last }
	}
	m, err := memtree.Open(ctx, a.store, &o)
	if err != nil {
		return row, err
	}
	defer func() { err = errors.Join(err, m.Close()) }() //nolint:contextcheck // it is thrown away
	if err := a.recordSuite(ctx, m, s, row.name); err != nil {
		return row, err
	}
	nodes, err := allNodes(ctx, m)
	if err != nil {
		return row, err
	}
	if row.Alone, err = a.askSuite(ctx, m, s, nodes, row.name); err != nil {
		return row, err
	}
	if err := a.evolveSuite(ctx, m, r, row.name); err != nil {
		return row, err
	}
	if nodes, err = allNodes(ctx, m); err != nil {
		return row, err
	}
	row.Learned = s.causes.Tree(nodes)
	if row.Evolved, err = a.askSuite(ctx, m, s, nodes, row.name); err != nil {
		return row, err
	}
	if r.tape != nil {
		row.NotRecorded, _ = r.tape.Missing()
	}
	row.Lessons = taught(s.causes, nodes)
	return row, nil
}

func (a *app) recordSuite(ctx context.Context, m *memtree.Memory, s *suite, who string) error {
	for part := range slices.Chunk(s.runs, batchRuns) {
		receipts, err := m.RecordAll(ctx, part)
		if err != nil {
			return err
		}
		for _, r := range receipts {
			if r.Status == tree.Contradiction {
				return &usageError{a.say("%s: two different runs have the id %s",
					filepath.Join(s.dir, "runs.jsonl"), oneLine(r.Key))}
			}
		}
	}
	bar := a.progress(a.say("forming cases by %s", who), plainCount)
	defer bar.end()
	return a.formed(ctx, m, bar)
}

func (a *app) askSuite(
	ctx context.Context, m *memtree.Memory, s *suite, nodes []tree.Node, who string,
) (score.Warned, error) {
	bar := a.progress(a.say("asking the tree of %s", who), plainCount)
	defer bar.end()
	answers := make([]score.Answer, len(s.questions))
	for i, q := range s.questions {
		x, err := m.Explain(ctx, memtree.Query{Prompt: q.Prompt, Scene: q.Scene, Scope: tree.Scope{Product: q.Scope.Product}})
		if err != nil {
			return score.Warned{}, err
		}
		answers[i] = score.Answer{Expect: q.Expect, Text: x.Text}
		for _, it := range x.Items {
			answers[i].Items = append(answers[i].Items, it.ID)
		}
		bar.step(int64(i+1), int64(len(s.questions)))
	}
	return s.causes.Answers(answers, nodes), nil
}

func (a *app) evolveSuite(ctx context.Context, m *memtree.Memory, r *reader, who string) error {
	var o memtree.EvolveOptions
	if r.by == byModel {
		if err := a.boundEvolve(ctx, m, &o); err != nil {
			return err
		}
	}
	bar := a.progress(a.say("evolving the tree of %s", who), plainCount)
	defer bar.end()
	o.Progress = func(s evolution.Progress) { bar.step(int64(s.Done), int64(s.Of)) }
	_, err := m.Evolve(ctx, &o)
	bar.end()
	a.halted(m, 0)
	return err
}

// allNodes returns all memories, sorted by id.
func allNodes(ctx context.Context, m *memtree.Memory) ([]tree.Node, error) {
	var out []tree.Node
	for n, err := range m.Tree().Scan(ctx, tree.Filter{}) {
		if err != nil {
			return nil, err
		}
		out = append(out, n)
	}
	return out, nil
}

// taught returns the lessons and strategies in use, those of the same cause beside each other.
func taught(causes score.Causes, nodes []tree.Node) []taughtLesson {
	by := map[string]tree.Node{}
	for i := range nodes {
		by[nodes[i].ID] = nodes[i]
	}
	out := []taughtLesson{}
	for i := range nodes {
		n := &nodes[i]
		if n.Type == tree.Case || !n.Live() {
			continue
		}
		l := taughtLesson{
			ID: n.ID, Type: string(n.Type), ErrorType: n.ErrorType, Direction: string(n.Direction),
			Causes: listed(causes.Of(n, by)), Cases: len(n.Children), By: byRules, Title: n.Content.Title,
			When: listed(n.Content.AppliesWhen), NotWhen: listed(n.Content.NotWhen),
			Guidance: n.Content.Guidance,
		}
		if n.Provenance.Analyst == byModel {
			l.By = byModel
		}
		out = append(out, l)
	}
	slices.SortStableFunc(out, func(x, y taughtLesson) int { return cmp.Compare(x.about(), y.about()) })
	return out
}

// listed returns a list that JSON shows as one, also if there is none.
func listed(s []string) []string { return append([]string{}, s...) }

// about is what lessons are put beside each other by: the cause of an experience, the error type and direction
// of a strategy.
func (l *taughtLesson) about() string {
	if l.Type == string(tree.Experience) && len(l.Causes) > 0 {
		return l.Causes[0]
	}
	return l.ErrorType + " · " + l.Direction
}
