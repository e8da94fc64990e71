package formation

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/memtree/memtree/cue"
	"github.com/memtree/memtree/guard"
	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/prompts"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/text"
	"github.com/memtree/memtree/tree"
)

// analyse makes the analysis of a wrong verdict. It always applies the rules; if
// ask is set it also asks the model, and takes its answer when that passes the
// checks. Retryable model errors are returned; after any other, the rules' analysis
// is used.
func (f *Former) analyse(ctx context.Context, x *facts, ask bool, out *Formed) (analysis, error) {
	t := guard.TruthsOf(x.truth, x.e.Prompt)
	rules := f.byRules(x, t)
	if !ask {
		rules.provenance.Again = f.generator != nil
		return rules, nil
	}
	a, err := f.byModel(ctx, x, t, rules, out)
	if err == nil {
		return a, nil
	}
	if err := toRetry(ctx, err); err != nil {
		return analysis{}, fmt.Errorf("analyse: %w", err)
	}
	out.ModelErr = err
	// A model whose answer was refused would give the same answer again. A model that
	// could not be reached has not answered, so the case is marked to be analysed again.
	e, isModel := errors.AsType[*llm.Error](err)
	answered := isModel && (e.Kind == llm.KindMalformed || e.Kind == llm.KindRefused || e.Kind == llm.KindTruncated)
	rules.provenance.Again = !answered
	return rules, nil
}

// toRetry returns the error of a model call that the caller has to try again: ctx
// ended, or the model may answer later. For any other error it returns nil, and the
// rules' answer is used.
func toRetry(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if e, ok := errors.AsType[*llm.Error](err); ok && e.Retryable() {
		return err
	}
	return nil
}

// maxTokens bounds the model's answer: five short fields at most.
const maxTokens = 800

// ask puts a prompt to the model. If check refuses the answer, the model gets one
// try to repair it. The usage of all tries is added to out.
func (f *Former) ask(
	ctx context.Context, p prompts.Prompt, lang string, check func(json.RawMessage) error, out *Formed,
) (llm.Answer, error) {
	answer, err := llm.Ask(ctx, f.generator, llm.Request{
		Name: p.Name(), System: p.System, Prompt: p.Text, Schema: p.Schema, MaxTokens: maxTokens,
		Repair: func(answer string, violations []string) (string, error) {
			r, err := f.prompts.Repair(prompts.RepairInput{Lang: lang, Task: p.Text, Answer: answer, Problems: violations})
			return r.Text, err
		},
	}, check)
	spent := answer.Usage
	if e, ok := errors.AsType[*llm.Error](err); ok {
		spent = e.Usage
	}
	out.Usage = out.Usage.Add(spent)
	return answer, err
}

// byModel asks the model why the verdict was wrong, and joins its checked answer
// with the analysis by rules.
func (f *Former) byModel(
	ctx context.Context, x *facts, t guard.Truths, rules analysis, out *Formed,
) (analysis, error) {
	in := f.question(x)
	p, err := f.prompts.Analyse(in)
	if err != nil {
		return analysis{}, fmt.Errorf("analyse: %w", err)
	}
	g := grounding{facts: x, truths: t}
	answer, err := f.ask(ctx, p, x.lang, func(raw json.RawMessage) error {
		a, err := in.Read(raw)
		if err != nil {
			return err
		}
		return g.check(a)
	}, out)
	if err != nil {
		return analysis{}, err
	}
	read, err := in.Read(answer.JSON)
	if err != nil {
		return analysis{}, err // cannot happen: Ask has read it
	}
	by := tree.Provenance{By: "formation", Analyst: "model", Model: answer.Model, Template: p.Name()}
	return f.combine(x, read, rules, t, by), nil
}

// question is what the model gets to see.
func (f *Former) question(x *facts) prompts.AnalyseInput {
	in := prompts.AnalyseInput{
		Lang: x.lang, Prompt: x.e.Prompt, Observation: x.e.Observation,
		Judgment: x.e.Judgment.Text(), GroundTruth: x.e.GroundTruth.Text(),
		Direction: string(x.judged.Direction), Reason: x.e.Reason,
	}
	scene := []string{x.e.Scene.ID, x.e.Scene.Type, tree.Route(x.e.Scene.Route)}
	in.Scene = strings.Join(slices.DeleteFunc(scene, func(s string) bool { return s == "" }), ", ")
	for _, d := range x.differences {
		field := d.Field
		switch d.Kind {
		case actionMissing, actionSuperfluous, actionChanged, actionMoved:
			field = words([]difference{d}, x.lang)
		}
		in.Differences = append(in.Differences, prompts.AnalyseDifference{Field: field, Judged: d.Judged, True: d.True})
	}
	for _, t := range f.taxonomy.ErrorTypes() {
		one := prompts.AnalyseType{ID: t.ID, Name: t.Name.In(x.lang), Line: t.Description.In(x.lang)}
		in.ErrorTypes = append(in.ErrorTypes, one)
	}
	return in
}

// combine makes an analysis of the model's checked answer and the one by rules. The
// model's own confidence does not count; the analysis is more certain when the
// rules find the same error type. What people said of the misses stays, and the
// model's sentences are used where people said nothing.
func (f *Former) combine(
	x *facts, m prompts.AnalyseOutput, rules analysis, t guard.Truths, p tree.Provenance,
) analysis {
	a := analysis{
		errorType:   m.ErrorType,
		actualError: guard.Keep(whole(text.Line(m.SpecificError)), t),
		errorReason: guard.Keep(whole(text.Line(m.ErrorReason)), t),
		misses:      rules.misses, confidence: 0.5, provenance: p,
	}
	switch {
	case a.errorType == rules.errorType && a.errorType != taxonomy.OtherError:
		a.confidence = max(0.65, rules.confidence)
	case a.errorType == taxonomy.OtherError && rules.confidence >= 0.6:
		a.errorType, a.confidence = rules.errorType, minConfidence
	case a.errorType == taxonomy.OtherError:
		a.confidence = min(rules.confidence, minConfidence)
	}
	r := &missReader{facts: x, f: f, truths: t}
	lead := &a.misses[0]
	if lead.Check == "" {
		missed, _ := f.catalogue().Missed(r.evidence(m.ErrorReason, m.SpecificError, m.AvoidanceStrategy))
		lead.Check, lead.Sure, lead.ErrorType = missed.Check, missed.Sure, cmp.Or(r.typeOf(missed.Check), a.errorType)
		if missed.Check == "" {
			lead.ErrorType = a.errorType
		}
	}
	lead.Instead = r.how(text.Sentences(text.Line(m.AvoidanceStrategy))...)
	if lead.How == "" {
		lead.How, lead.From = r.how(text.Sentences(text.Line(m.ErrorReason))...), tree.FromModel
	}
	return a
}

// grounding checks that a model's answer is about this evaluation and can be used as
// guidance. Its errors are sentences that tell the model what to mend.
type grounding struct {
	*facts
	truths guard.Truths
}

const (
	leastGrounded = 0.30 // the share of an answer's words that the evaluation must have
	mostRepeated  = 0.85 // the share of its reason that may be the agent's own words
)

func (g *grounding) check(a prompts.AnalyseOutput) error {
	zh := g.lang == "zh"
	var bad []error
	say := func(field, en, cn string) { bad = append(bad, errors.New(field+": "+pick(zh, en, cn))) }
	if g.truths.In(a.AvoidanceStrategy) {
		say("avoidanceStrategy", "gives the true result of the test away; say what to check, in general words",
			"泄露了测试的正确结果；请用概括的说法说明要检查什么")
	}
	if _, forces := guard.Forces(a.AvoidanceStrategy); forces {
		say("avoidanceStrategy", "decides the verdict in advance; say what to check instead",
			"预先规定了结论；请改为说明要检查什么")
	}
	record := wordSet(g.e.Prompt, g.e.Judgment.Text(), g.e.GroundTruth.Text(), g.e.Reason,
		firstBytes(g.e.Observation, cue.MaxRead), g.e.Scene.Type, words(g.differences, g.lang))
	if share(wordSet(a.SpecificError, a.ErrorReason), record) < leastGrounded {
		say("errorReason", "has little to do with this run; use what the material says", "与这次运行的材料关系不大；请依据材料说明")
	}
	own := wordSet(g.claim.key, g.claim.rest)
	if g.e.Reason == "" && len(own) > 8 && share(wordSet(a.ErrorReason), own) > mostRepeated {
		say("errorReason", "repeats what the agent said; it was wrong, say why", "只是重复了智能体的说法；它判断错了，请说明错在哪里")
	}
	return errors.Join(bad...)
}

func wordSet(texts ...string) map[string]bool {
	set := map[string]bool{}
	for _, s := range texts {
		for _, t := range text.Tokens(firstBytes(s, cue.MaxRead)) {
			set[strings.Clone(t)] = true
		}
	}
	return set
}

// share returns the part of a that is in b, 0 to 1; it is 1 for an empty a.
func share(a, b map[string]bool) float64 {
	if len(a) == 0 {
		return 1
	}
	n := 0
	for t := range a {
		if b[t] {
			n++
		}
	}
	return float64(n) / float64(len(a))
}
