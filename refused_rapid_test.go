package memtree_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/brief"
	"github.com/memtree/memtree/curation"
	"github.com/memtree/memtree/enhance"
	"github.com/memtree/memtree/evolution"
	"github.com/memtree/memtree/knowledge"
	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/llm/meter"
	"github.com/memtree/memtree/retrieval"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/tree"
)

// no is one thing that a person refused, as a model of it: which memories, which sentences, which checks of which
// cases. It does not depend on how the tree stores that.
type no struct {
	what      string
	memories  []string            // given nowhere
	sentences []string            // in no text
	checks    map[string][]string // by case: it must not show these
	since     string              // the text of a person that replaces the sentences
	yes       map[string][]string // by case: checks that it is about after all, by a person's decision
	lesson    string              // a taught lesson that is not for the test with this prompt
	notFor    string
}

// silences returns the checks that a case must not show: those that an act refused, and no later one restored.
func (s *refusing) silences(at int, id string) []string {
	return slices.DeleteFunc(slices.Clone(s.stands[at].checks[id]), func(check string) bool {
		return slices.ContainsFunc(s.stands[at+1:], func(y no) bool { return slices.Contains(y.yes[id], check) })
	})
}

// refusing is a sequence of a person's decisions, and what they refused so far.
type refusing struct {
	t      *rapid.T
	m      *memtree.Memory
	words  *enhance.Wording
	runs   []tree.Evaluation
	stands []no // of the acts that stand, in their order
	serial int
}

// valueRun is a run that missed a heading, in the form that becomes a fact.
func valueRun(id, subject string, day int) tree.Evaluation {
	e := sumRun(id, subject, day)
	e.CaseID, e.Prompt = subject+"-head", `Does the heading of the `+subject+` page read "`+subject+` one"?`
	e.GroundTruth = tree.Raw(`{"verdict":"fail","defect_details":["The heading reads \"` + subject +
		` two\" instead of \"` + subject + ` one\"."]}`)
	e.Reason = ""
	return e
}

// eager picks the first memories for every test, with the text of each one's line.
type eager struct{}

func (eager) Generate(_ context.Context, q llm.Request) (llm.Answer, error) {
	told, tests, memories := []map[string]string{}, [][]string{}, [][]string{}
	for _, l := range numberedLine.FindAllStringSubmatch(q.Prompt, -1) {
		if l[1][0] == 't' {
			tests = append(tests, l)
		} else {
			memories = append(memories, l)
		}
	}
	for _, t := range tests {
		for _, m := range memories[:min(3, len(memories))] {
			say := m[2][strings.LastIndex(m[2], "|")+1:]
			told = append(told, map[string]string{"t": t[1], "m": m[1], "because": t[2], "say": strings.TrimSpace(say)})
		}
	}
	b, err := json.Marshal(map[string]any{"told": told})
	return llm.Answer{JSON: b, Model: "eager"}, err
}

func (s *refusing) record() {
	subject := rapid.SampledFrom([]string{"cart", "invoice", "refund", "voucher"}).Draw(s.t, "subject")
	s.serial++
	kinds := []func(string, string, int) tree.Evaluation{sumRun, sumRun, waitRun, valueRun}
	make := rapid.SampledFrom(kinds).Draw(s.t, "kind")
	e := make(fmt.Sprintf("r%d", s.serial), subject, s.serial%20+1)
	e.Reason += fmt.Sprintf(" This was run %d.", s.serial)
	require.NoError(s.t, s.m.Record(s.t.Context(), e))
	require.NoError(s.t, s.m.Wait(s.t.Context()))
	s.runs = append(s.runs, e)
}

// some returns a memory of a level on which a person can still decide something.
func (s *refusing) some(level int) (tree.Node, bool) {
	var all []tree.Node
	for n, err := range s.m.Tree().Scan(s.t.Context(), store.Filter{Level: level}) {
		require.NoError(s.t, err)
		if n.Live() {
			all = append(all, n)
		}
	}
	if len(all) == 0 {
		return tree.Node{}, false
	}
	return all[rapid.IntRange(0, len(all)-1).Draw(s.t, "memory")], true
}

// said returns the sentences of the lessons of a memory, in both languages.
func (s *refusing) said(n *tree.Node) (out []string) {
	for _, lang := range []string{"en", "zh"} {
		in := s.words.In(n, lang)
		for _, l := range in.Content.Lessons {
			out = append(out, strings.TrimSpace(l.Check))
		}
	}
	return slices.DeleteFunc(out, func(x string) bool { return x == "" })
}

// decided notes what an act refused.
func (s *refusing) decided(err error, x no) {
	if err == nil {
		s.stands = append(s.stands, x)
		return
	}
	require.ErrorAs(s.t, err, new(*curation.RefusedError))
}

func (s *refusing) lesson(said tree.DecisionKind) {
	n, ok := s.some(rapid.SampledFrom([]int{2, 2, 2, 3}).Draw(s.t, "level"))
	if !ok {
		return
	}
	c, x := s.m.Curation(), no{what: string(said) + " " + n.ID}
	if said != tree.DecisionPin {
		x.memories = []string{n.ID}
	}
	if n.Type == tree.Experience && said != tree.DecisionPin {
		x.checks = map[string][]string{}
		for _, id := range n.Children {
			x.checks[id] = []string{n.Content.Lessons[0].Kind}
		}
		if said == tree.DecisionBan {
			x.sentences = s.said(&n)
		}
	}
	say := map[tree.DecisionKind]func(*curation.Curation, context.Context, string, curation.Options,
	) (curation.DecisionResult, error){
		tree.DecisionForget: (*curation.Curation).Forget, tree.DecisionPin: (*curation.Curation).Pin,
		tree.DecisionBan: (*curation.Curation).Ban,
	}[said]
	_, err := say(c, s.t.Context(), n.ID, curation.Options{})
	s.decided(err, x)
}

func (s *refusing) edit() {
	n, ok := s.some(2)
	if !ok {
		return
	}
	s.serial++
	was, d := s.said(&n), curation.DraftOf(&n)
	mine := fmt.Sprintf("Open the printed page number %d and read its last line aloud.", s.serial)
	d.AppliesWhen = []string{"A printed page is looked at"}
	d.Lessons = []tree.Lesson{{ID: d.Lessons[0].ID, Kind: d.Lessons[0].Kind, Check: mine}}
	_, err := s.m.Curation().Edit(s.t.Context(), n.ID, d, curation.Options{})
	if _, gates := errors.AsType[*curation.GateError](err); gates {
		return
	}
	s.decided(err, no{what: "edit " + n.ID, sentences: was, since: mine})
}

func (s *refusing) ofCase(said tree.DecisionKind) {
	n, ok := s.some(1)
	if !ok {
		return
	}
	c := s.m.Curation()
	switch said {
	case tree.DecisionForget:
		_, err := c.Forget(s.t.Context(), n.ID, curation.Options{})
		s.decided(err, no{what: "forget " + n.ID, memories: []string{n.ID}})
	case tree.DecisionBan:
		_, err := c.Ban(s.t.Context(), n.ID, curation.Options{})
		s.decided(err, no{what: "ban " + n.ID, memories: []string{n.ID}})
	default:
		checks := brief.Checks(&n)
		if len(checks) == 0 {
			return
		}
		o := curation.AboutOptions{Not: checks[:1]}
		if rapid.Bool().Draw(s.t, "is") {
			o.Is = []string{rapid.SampledFrom([]string{"recompute", "settle", "reload"}).Draw(s.t, "check")}
			if o.Is[0] == o.Not[0] {
				o.Is = nil
			}
		}
		_, err := c.About(s.t.Context(), n.ID, o)
		if _, dumb := errors.AsType[*tree.FieldError](err); dumb {
			return // a check that does not apply to a false alarm
		}
		s.decided(err, no{what: "about " + n.ID, checks: map[string][]string{n.ID: checks[:1]},
			yes: map[string][]string{n.ID: o.Is}})
	}
}

// reject has lessons written for review, and one of them rejected.
func (s *refusing) reject() {
	_, err := s.m.Evolve(s.t.Context(), &memtree.EvolveOptions{Review: true})
	require.NoError(s.t, err)
	all, err := s.m.Review().Proposals(s.t.Context())
	require.NoError(s.t, err)
	if len(all) == 0 {
		return
	}
	p := all[rapid.IntRange(0, len(all)-1).Draw(s.t, "proposal")]
	x := no{what: "reject " + p.Key, memories: []string{p.Node.ID}}
	if p.Replaces != nil {
		x.memories = nil
	} else if p.Node.Type == tree.Experience {
		x.sentences, x.checks = s.said(&p.Node), map[string][]string{}
		for _, id := range p.Node.Children {
			x.checks[id] = []string{p.Node.Content.Lessons[0].Kind}
		}
	}
	_, err = s.m.Review().Decide(s.t.Context(), evolution.ReviewDecision{Reject: []string{p.Key}, Why: "no"})
	s.decided(err, x)
}

// teach teaches a lesson that is for the test of one run, and not for that of another.
func (s *refusing) teach() {
	s.serial++
	pick := func(label string) tree.Evaluation {
		return s.runs[rapid.IntRange(0, len(s.runs)-1).Draw(s.t, label)]
	}
	is, not := pick("for"), pick("not for")
	d, err := s.m.Curation().Teach(s.t.Context(), curation.TaughtLesson{
		Lesson: fmt.Sprintf("Open the archived ledger number %d and read its last entry.", s.serial),
		When:   []string{"the sum of the prices of the lines"}, For: []string{is.Prompt}, NotFor: []string{not.CaseID},
	}, curation.Options{})
	if _, both := errors.AsType[*tree.FieldError](err); both {
		return // one test cannot be in both lists
	}
	x := no{what: "teach", notFor: not.Prompt}
	if err == nil {
		x.lesson = d.Action.Node
	}
	s.decided(err, x)
}

// know states a fact of the page of a run, or contradicts one that is in use.
func (s *refusing) know() {
	all, err := s.m.Knowledge().List(s.t.Context(), knowledge.Filter{State: knowledge.Active})
	require.NoError(s.t, err)
	s.serial++
	if len(all) == 0 || rapid.Bool().Draw(s.t, "state") {
		text := fmt.Sprintf("The sum of the prices is rounded by rule %c%c.", 'a'+rune(s.serial%26), 'a'+rune(s.serial/26%26))
		_, err := s.m.Curation().KnowFact(s.t.Context(), ledger.Statement{Text: text}, curation.Options{})
		s.decided(err, no{what: "know"})
		return
	}
	f := all[rapid.IntRange(0, len(all)-1).Draw(s.t, "fact")]
	_, err = s.m.Curation().ContradictFact(s.t.Context(), f.ID, curation.Options{})
	s.decided(err, no{what: "contradict " + f.ID, memories: []string{f.ID}, sentences: []string{f.Text}})
}

func (s *refusing) undo() {
	_, err := s.m.Curation().Undo(s.t.Context(), "", curation.Options{})
	if len(s.stands) == 0 {
		require.ErrorAs(s.t, err, new(*curation.RefusedError))
		return
	}
	require.NoError(s.t, err, "%s", s.stands[len(s.stands)-1].what)
	s.stands = s.stands[:len(s.stands)-1]
}

func (s *refusing) read() {
	var tests []brief.UpcomingTest
	for _, e := range s.runs {
		tests = append(tests, brief.TestOf(e.Prompt, e.Scene, tree.Scope{Test: e.CaseID}))
	}
	_, err := s.m.Briefs().Read(s.t.Context(), tests, &brief.ReadOptions{Reading: meter.Reading{Reader: eager{}}})
	require.NoError(s.t, err)
}

// obeyed queries every channel before every test, and for tests that were never run, and compares the answers with the
// refusals.
func (s *refusing) obeyed() {
	queries := []memtree.Query{{Prompt: "Check the sum of the prices of the lines against the basket total"},
		{Prompt: "Check that the error message of the profile shows at once"}}
	for _, e := range s.runs[max(0, len(s.runs)-4):] {
		queries = append(queries,
			memtree.Query{Prompt: e.Prompt, Scene: e.Scene, Scope: tree.Scope{Test: e.CaseID},
				Observation: "- heading \"x two\""},
			memtree.Query{Prompt: e.Prompt, Scene: e.Scene, Lang: "zh",
				Limits: retrieval.Limits{Total: 8, Strategies: 3, Experiences: 4, Cases: 6}})
	}
	for _, q := range queries {
		g, err := s.m.Guide(s.t.Context(), q)
		require.NoError(s.t, err)
		s.holds(&q, &g)
		code, err := s.m.Checks(s.t.Context(), q)
		require.NoError(s.t, err)
		for i, x := range s.stands {
			for _, a := range code {
				if len(a.Cases) == 1 { // if several have it, it rests on the others
					require.NotContains(s.t, s.silences(i, a.Cases[0]), a.Check, "%s: an assertion", x.what)
				}
				for _, id := range a.Cases {
					require.NotContains(s.t, x.memories, id, "%s: an assertion", x.what)
				}
			}
		}
	}
}

// holds holds a guidance against what was refused.
func (s *refusing) holds(q *memtree.Query, g *memtree.Guidance) {
	var given []string
	says := map[string][]string{} // by sentence: the memories that have it
	for _, it := range g.Items {
		given = append(given, it.ID)
		if ledger.IsFact(it.ID) {
			continue
		}
		n, err := s.m.Tree().Get(s.t.Context(), it.ID)
		require.NoError(s.t, err)
		for _, x := range s.said(&n) {
			says[x] = append(says[x], it.ID)
		}
		s.rests(&n)
	}
	for i, x := range s.stands {
		if x.lesson != "" && x.notFor == q.Prompt {
			require.NotContains(s.t, given, x.lesson, "it is not for %q", q.Prompt)
		}
		for _, id := range x.memories {
			require.NotContains(s.t, given, id, "%s: given before %q", x.what, q.Prompt)
		}
		for _, f := range g.Facts {
			require.NotContains(s.t, x.memories, f.Memory, "%s: a fact before %q", x.what, q.Prompt)
			require.NotContains(s.t, s.silences(i, f.Memory), f.Check, "%s: a fact before %q", x.what, q.Prompt)
		}
		for _, said := range x.sentences {
			later := slices.ContainsFunc(s.stands[i+1:], func(y no) bool { return y.since == said })
			require.False(s.t, !later && strings.Contains(g.Text, said), "%s: before %q:\n%s", x.what, q.Prompt, g.Text)
		}
		for id := range x.checks {
			s.silent(g, x.what, id, s.silences(i, id), says)
		}
	}
}

// silent requires that a case that was given does not show checks, unless another memory shows the same.
func (s *refusing) silent(g *memtree.Guidance, what, id string, checks []string, says map[string][]string) {
	if !slices.ContainsFunc(g.Items, func(it enhance.Item) bool { return it.ID == id }) {
		return
	}
	n, err := s.m.Tree().Get(s.t.Context(), id)
	require.NoError(s.t, err)
	for _, m := range n.CaseData.Misses {
		if !slices.Contains(checks, m.Check) {
			continue
		}
		one := n.Clone()
		one.CaseData.Misses = []tree.Miss{m}
		for _, x := range s.said(&one) {
			alone := !slices.ContainsFunc(says[x], func(other string) bool { return other != id })
			require.False(s.t, alone && strings.Contains(g.Text, x), "%s: %s says it:\n%s", what, id, g.Text)
		}
	}
}

// rests holds that a lesson that was given rests on enough cases in use.
func (s *refusing) rests(n *tree.Node) {
	if n.Type != tree.Experience || n.Mark == tree.Pinned || n.Provenance.By == tree.ByPerson {
		return
	}
	left := 0
	for _, id := range n.Children {
		k, err := s.m.Tree().Get(s.t.Context(), id)
		require.NoError(s.t, err)
		if k.Live() && k.Has(n.Content.Lessons[0].Kind) {
			left++
		}
	}
	require.GreaterOrEqual(s.t, left, min(3, len(n.Provenance.Cites)), "%s rests on too little", n.ID)
}

// TestNoIsNo: after any sequence of runs, learning, reading and a person's decisions, no channel of guidance
// holds what that person refused, until it is taken back. It draws 40 sequences; `make words` draws 10,000.
func TestNoIsNo(t *testing.T) {
	sequences(t, "40")
	rapid.Check(t, func(t *rapid.T) {
		m, err := memtree.Open(t.Context(), "", &memtree.Options{InMemory: true, Deadline: 10 * time.Second,
			Now: func() time.Time { return time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC) }})
		require.NoError(t, err)
		defer func() { require.NoError(t, m.Close()) }()
		s := &refusing{t: t, m: m, words: enhance.NewWording(nil)}
		for range rapid.IntRange(4, 9).Draw(t, "runs") {
			s.record()
		}
		_, err = m.Evolve(t.Context(), nil)
		require.NoError(t, err)
		for range rapid.IntRange(2, 10).Draw(t, "steps") {
			s.step()
			s.obeyed()
		}
	})
}

func (s *refusing) step() {
	steps := []func(){
		s.record, s.record, s.read, s.edit, s.reject, s.teach, s.know, s.know, s.undo, s.undo,
		func() { s.lesson(tree.DecisionBan) }, func() { s.lesson(tree.DecisionForget) },
		func() { s.lesson(tree.DecisionPin) },
		func() { s.ofCase(tree.DecisionBan) }, func() { s.ofCase(tree.DecisionForget) },
		func() { s.ofCase(tree.DecisionAbout) },
		func() { s.ofCase(tree.DecisionAbout) },
		func() {
			_, err := s.m.Evolve(s.t.Context(), nil)
			require.NoError(s.t, err)
		},
	}
	steps[rapid.IntRange(0, len(steps)-1).Draw(s.t, "step")]()
}
