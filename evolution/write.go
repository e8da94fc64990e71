package evolution

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/memtree/memtree/effect"
	"github.com/memtree/memtree/evolution/gate"
	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/prompts"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/text"
	"github.com/memtree/memtree/tree"
)

// maxAnswerTokens bounds a model's answer. It is enough for four lessons and their
// conditions.
const maxAnswerTokens = 1500

// input returns what a model is shown: raw cases, the present lessons so that it can
// keep or drop them by number, and why the rules' drafts were refused.
func (w *work) input(j *job) prompts.EvolveInput {
	kind, _ := w.e.o.Taxonomy.ErrorType(j.ErrorType)
	in := prompts.EvolveInput{
		Lang: j.Lang, Strategy: j.Type == tree.Strategy, Direction: string(j.Direction),
		ErrorType: prompts.AnalyseType{ID: kind.ID, Name: kind.Name.In(j.Lang), Line: kind.Description.In(j.Lang)},
	}
	for _, n := range j.Shown {
		d := n.CaseData
		in.Cases = append(in.Cases, prompts.EvolveCase{
			Task: d.TestCase.Prompt, Scene: strings.TrimSpace(n.Scene.Type + " " + n.Scene.Route),
			Judgment: d.AgentJudgment, GroundTruth: d.TestCase.GroundTruth.Text(),
			Error: d.ActualError, Reason: d.EvaluatorReason, Misses: w.missesOf(n, j.Lang),
		})
	}
	if j.present != nil {
		for _, l := range j.present.Content.Lessons {
			in.Lessons = append(in.Lessons, prompts.EvolveLesson{
				Check: l.Check, Instead: l.Instead, Mistake: l.Mistake, Credit: creditOf(j.present, j.Lang),
			})
		}
	}
	if r, ok := w.e.recall(j.key(rulesVersion, "")); ok {
		for _, x := range r.Refused {
			in.Rejected = append(in.Rejected, x.Reasons...)
		}
	}
	return in
}

// creditOf says what runs showed of a memory, "" if there were none.
func creditOf(n *tree.Node, lang string) string {
	c := n.Credit
	if c == nil || c.Runs == 0 {
		return ""
	}
	e := effect.Effect{Runs: c.Runs, Effect: c.Effect, SD: c.SD}
	s := e.Size().In(lang)
	if n.Disregarded() {
		again := taxonomy.Text{
			EN: fmt.Sprintf("In spite of it %d runs made the mistake again: say it in other words.", c.Repeated),
			ZH: fmt.Sprintf("尽管有它，仍有 %d 次运行再犯：请换一种说法。", c.Repeated),
		}
		s = text.Append(s, again.In(lang))
	}
	return s
}

// missesOf returns a line for each miss of a case: the check, how it was missed, and
// what to do instead.
func (w *work) missesOf(n *tree.Node, lang string) []string {
	var out []string
	for _, m := range n.CaseData.Misses {
		check, _ := w.e.o.Taxonomy.Check(m.Check)
		parts := slices.DeleteFunc([]string{check.Name.In(lang), m.How, m.Instead}, func(s string) bool { return s == "" })
		if len(parts) > 0 {
			out = append(out, strings.Join(parts, " — "))
		}
	}
	return out
}

func (w *work) prompt(j *job) (prompts.Prompt, error) { return w.e.o.Prompts.Evolve(w.input(j)) }

// ask has the model write j, with one try to repair a refused draft. why lists the
// reasons against the last draft; if it is empty, d passed. The error is that of a
// model that gave no draft, or one of our own.
func (w *work) ask(j *job, p prompts.Prompt) (d gate.Draft, model string, why []string, err error) {
	in := w.input(j)
	var broken error // an error of our own, such as of the Finder
	check := func(raw json.RawMessage) error {
		answer, err := in.Read(raw)
		if err != nil {
			why = []string{"answer: " + strings.ReplaceAll(err.Error(), "\n", "; ")}
			return err
		}
		d = draftOf(j, answer)
		d.Clean()
		if why, broken = w.judge(j, &d); broken != nil {
			return broken
		}
		return refused(why)
	}
	request := llm.Request{
		Name: p.Name(), System: p.System, Prompt: p.Text, Schema: p.Schema, MaxTokens: maxAnswerTokens,
		Repair: func(answer string, violations []string) (string, error) {
			in := prompts.RepairInput{Lang: j.Lang, Task: p.Text, Answer: answer, Problems: violations}
			r, err := w.e.o.Prompts.Repair(in)
			return r.Text, err
		},
	}
	a, err := llm.Ask(w.ctx, metered{w}, request, check)
	w.Usage = w.Usage.Add(a.Usage)
	if e, ok := errors.AsType[*llm.Error](err); ok {
		w.Usage = w.Usage.Add(e.Usage)
	}
	switch {
	case broken != nil:
		return d, "", nil, broken
	case err != nil && (len(why) == 0 || !llm.Answered(err) && llm.KindOf(err) != llm.KindBound):
		return d, "", nil, err
	}
	return d, a.Model, why, nil
}

// metered is the Generator of a plan. It counts the calls and refuses those beyond the
// bounds. A repair that it refuses counts as one that failed.
type metered struct{ w *work }

func (c metered) Generate(ctx context.Context, r llm.Request) (llm.Answer, error) {
	if c.w.left.mightExceed(size(r.System, r.Prompt)) {
		return llm.Answer{}, &llm.Error{Kind: llm.KindBound, Err: errors.New("the bound on calls or cost is reached")}
	}
	c.w.Calls++
	a, err := c.w.e.o.Generator.Generate(ctx, r)
	used := a.Usage
	if e, ok := errors.AsType[*llm.Error](err); ok {
		used = used.Add(e.Usage)
	}
	c.w.left.made(r, used)
	return a, err
}

// draftOf makes a draft of a model's answer. The answer names cases and present
// lessons by their numbers, and says which lessons to keep. A present lesson that it
// does not name is dropped, because the model saw all of them.
func draftOf(j *job, a prompts.EvolveOutput) gate.Draft {
	d := gate.Draft{Title: a.Title, Description: a.Summary, AppliesWhen: a.AppliesWhen, NotWhen: a.NotWhen}
	for _, op := range a.Lessons {
		l := tree.Lesson{
			Kind: j.Check, From: tree.FromModel, Check: op.Check, Instead: op.Instead, Mistake: op.Mistake,
			Tests: tests(j.Members), Times: times(j.Members),
		}
		for _, c := range op.Cites {
			l.Cites = append(l.Cites, j.Shown[c-1].ID)
		}
		if op.Op == "RETIRE" {
			continue
		}
		if op.Op == "KEEP" {
			n, err := strconv.Atoi(strings.TrimPrefix(op.ID, "L"))
			if err != nil || n < 1 || j.present == nil || n > len(j.present.Content.Lessons) {
				continue // cannot happen: Read refuses such an answer
			}
			old := j.present.Content.Lessons[n-1]
			l.Kind, l.What, l.From = old.Kind, old.What, old.From
			l.Check, l.Instead, l.Mistake = old.Check, old.Instead, old.Mistake
			if len(l.Cites) == 0 {
				l.Cites = old.Cites
			}
		}
		d.Lessons = append(d.Lessons, l)
	}
	return d
}
