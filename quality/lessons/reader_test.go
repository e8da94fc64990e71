package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/brief"
	"github.com/memtree/memtree/effect"
	"github.com/memtree/memtree/enhance"
	"github.com/memtree/memtree/internal/byhand"
	"github.com/memtree/memtree/internal/golden"
	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/tree"
)

// readerVariable names a folder for a new reading of a suite: the unanswered questions are written to
// SUITE.questions.jsonl there, and the answers in SUITE.answers.jsonl there are added to testdata.
const readerVariable = "MEMTREE_READER"

// tallied counts the requests to a reader, by prompt.
type tallied struct {
	of llm.Generator

	mu     sync.Mutex
	calls  map[string]int
	tokens map[string]int
}

func (r *tallied) Generate(ctx context.Context, q llm.Request) (llm.Answer, error) {
	stage, _, _ := strings.Cut(q.Name, ".")
	r.mu.Lock()
	r.calls[stage]++
	r.tokens[stage] += tokensOf(q.System + q.Prompt)
	r.mu.Unlock()
	return r.of.Generate(ctx, q)
}

// TestReader replays a capable reader's answers on labelled suites and measures what a tree learns then, and which
// coming tests it warns. Each suite has another author.
func TestReader(t *testing.T) {
	shared(t) // without the suites there is nothing to replay
	var out strings.Builder
	fmt.Fprintln(&out, "suite  cases  lessons  cover  purity  causes  warned  for nothing  precision  "+
		"tokens in (analyse, survey, evolve, brief)  calls  open")
	for _, name := range []string{"a", "b", "g", "i"} {
		t.Run(name, func(t *testing.T) { out.WriteString(replaySuite(t, name)) })
	}
	golden.Equal(t, "testdata/reader.golden", out.String())
}

// shared returns the folder of the data, or skips the test.
func shared(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("MEMTREE_SHARED")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "shared")
	}
	if _, err := os.Stat(filepath.Join(dir, "data", "lessons")); err != nil {
		t.Skip("the labelled suites are not here: set MEMTREE_SHARED to the folder that has data/ in it")
	}
	return dir
}

// played is a suite whose questions were answered by hand.
type played struct {
	*memtree.Memory
	name    string
	reader  *tallied
	hand    *byhand.PreparedReader
	answers []byhand.Reply
	causes  labelledCauses
	queries []query
}

// openPlayed records a suite. The reader has the answers of a file, and more; learns sets it as the memory's model.
func openPlayed(t *testing.T, name, suite string, learns bool, more ...byhand.Reply) *played {
	t.Helper()
	p := &played{name: name, answers: append(answersOf(t, answersFile(name)), more...)}
	if folder := os.Getenv(readerVariable); folder != "" {
		p.answers = append(p.answers, answersOf(t, filepath.Join(folder, name+".answers.jsonl"))...)
	}
	p.hand = byhand.New("reader", p.answers...)
	p.reader = &tallied{of: p.hand, calls: map[string]int{}, tokens: map[string]int{}}
	o := &memtree.Options{InMemory: true, Deadline: time.Minute, Holdout: new(effect.Fixed(0)),
		Now: func() time.Time { return time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC) }}
	if learns {
		o.Generator = p.reader
	}
	var err error
	p.Memory, err = memtree.Open(t.Context(), "", o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, p.Close()) })
	s, err := readSuite(filepath.Join(shared(t), "data", "lessons", "suite-"+suite))
	require.NoError(t, err)
	_, err = p.RecordAll(t.Context(), s.runs)
	require.NoError(t, err)
	require.NoError(t, p.Wait(t.Context()))
	p.causes, p.queries = s.causes, s.queries
	return p
}

// play records a suite, learns from it and reads its coming tests, with the available answers, more among them.
func play(t *testing.T, name string, more ...byhand.Reply) *played {
	t.Helper()
	p := openPlayed(t, name, name, true, more...)
	var err error
	for range 4 {
		_, err = p.Evolve(t.Context(), nil)
		require.NoError(t, err)
	}
	refused, err := p.Review().Rejected(t.Context())
	require.NoError(t, err)
	for _, r := range refused {
		require.NotContains(t, strings.Join(r.Reasons, "\n"), "language: ", "own checks are counted in one language")
	}
	for range 2 { // refused answers are requested once more
		_, err = p.Briefs().Read(t.Context(), coming(p.queries), nil)
		require.NoError(t, err)
	}
	return p
}

func answersFile(name string) string { return filepath.Join("testdata", name+".answers.jsonl") }

func replaySuite(t *testing.T, name string) string {
	t.Helper()
	p := play(t, name)
	keepAnswers(t, p)
	return figures(t, p)
}

// coming returns the tests in an order that is independent of their labels.
func coming(queries []query) []brief.UpcomingTest {
	var out []brief.UpcomingTest
	for i := range queries {
		out = append(out, brief.TestOf(queries[i].Prompt, queries[i].Scene, queries[i].Scope))
	}
	slices.SortFunc(out, func(a, b brief.UpcomingTest) int { return cmp.Compare(a.Key(), b.Key()) })
	return out
}

func answersOf(t *testing.T, file string) []byhand.Reply {
	t.Helper()
	b, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	require.NoError(t, err)
	answers, err := byhand.Read(bytes.NewReader(b))
	require.NoError(t, err)
	return answers
}

// keepAnswers writes the answers that match a question into testdata, and the unanswered questions into the folder of
// readerVariable.
func keepAnswers(t *testing.T, p *played) {
	t.Helper()
	file, folder := answersFile(p.name), os.Getenv(readerVariable)
	unused := p.hand.Unused()
	if folder == "" {
		require.Empty(t, unused, "these answers belong to no question; %s takes them out", readerVariable)
		return
	}
	var questions, kept bytes.Buffer
	require.NoError(t, byhand.Write(&questions, p.hand.Open()))
	require.NoError(t, os.WriteFile(filepath.Join(folder, p.name+".questions.jsonl"), questions.Bytes(), 0o600))
	slices.SortFunc(p.answers, func(a, b byhand.Reply) int { return cmp.Compare(a.ID, b.ID) })
	last := ""
	for _, a := range p.answers {
		if slices.Contains(unused, a.ID) || a.ID == last {
			continue
		}
		last = a.ID
		b, err := json.Marshal(a)
		require.NoError(t, err)
		kept.Write(append(b, '\n'))
	}
	require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o750))
	require.NoError(t, os.WriteFile(file, kept.Bytes(), 0o600))
}

// writeTold writes the lessons and the guidance of each coming test, for people to read: a JSON object a line.
func writeTold(t *testing.T, file string, nodes []tree.Node, queries []query, answers []suiteGuidance) {
	t.Helper()
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	for i := range nodes {
		if n := &nodes[i]; n.Type == tree.Experience && n.Live() {
			lesson := map[string]any{"lesson": n.Content, "direction": n.Direction, "cases": len(n.Children)}
			require.NoError(t, enc.Encode(lesson))
		}
	}
	for i := range queries {
		require.NoError(t, enc.Encode(map[string]string{"test": queries[i].Prompt, "told": answers[i].Text}))
	}
	require.NoError(t, os.WriteFile(file, out.Bytes(), 0o600))
}

// ask asks for guidance before every coming test, and returns the nodes of the tree and the answers.
func ask(t *testing.T, p *played) (nodes []tree.Node, answers []suiteGuidance) {
	t.Helper()
	for n, err := range p.Tree().Scan(t.Context(), store.Filter{}) {
		require.NoError(t, err)
		nodes = append(nodes, n)
	}
	for _, q := range p.queries {
		ask := memtree.Query{Prompt: q.Prompt, Scene: q.Scene, Scope: tree.Scope{Product: q.Scope.Product}}
		g, err := p.Guide(t.Context(), ask)
		require.NoError(t, err)
		a := suiteGuidance{Expect: q.Expect, Text: g.Text}
		for _, it := range g.Items {
			if it.Type != enhance.OfFact {
				a.Items = append(a.Items, it.ID)
			}
		}
		answers = append(answers, a)
	}
	return nodes, answers
}

// warnings measures which coming tests are warned. Facts are left out: they have no cause.
func warnings(t *testing.T, p *played) warnedFigures {
	t.Helper()
	nodes, answers := ask(t, p)
	return p.causes.warned(answers, nodes)
}

func figures(t *testing.T, p *played) string {
	t.Helper()
	nodes, answers := ask(t, p)
	if folder := os.Getenv(readerVariable); folder != "" {
		writeTold(t, filepath.Join(folder, p.name+".told.jsonl"), nodes, p.queries, answers)
	}
	l, w := p.causes.learned(nodes), p.causes.warned(answers, nodes)
	tokens, calls, by := 0, 0, p.reader.tokens
	for stage := range p.reader.calls {
		tokens, calls = tokens+by[stage], calls+p.reader.calls[stage]
	}
	return fmt.Sprintf("%-5s  %5d  %7d  %5.3f  %6.3f  %2d/%-3d  %6.3f  %11.3f  %9.3f  %6d (%d, %d, %d, %d)  %5d  %4d\n",
		p.name, l.Cases, l.Experiences, l.Cover, l.Purity, l.Found, l.Causes, w.Warned, w.ForNothing, w.Precision,
		tokens, by["analyse"], by["survey"], by["evolve"], by["brief"], calls, len(p.hand.Open()))
}
