package formation

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/memtree/memtree/guard"
	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/prompts"
	"github.com/memtree/memtree/taxonomy"
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
	// A model whose answer was refused would give the same answer again. After any other
	// error there is no answer, so the case is marked to be analysed again.
	rules.provenance.Again = !llm.Answered(err)
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
	g := grounding{facts: x, truths: t, catalogue: f.catalogue()}
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

// combine makes an analysis of the model's checked answer and the one by rules. What people said
// of the misses stays, and so do the check and the error type that are read from it. The model's
// words are used where people said nothing. What it advises is used where no check is known: the
// sentence of a check is better than that of a small model. The model's own confidence does not
// count; the analysis is more certain when both find the same error type.
func (f *Former) combine(
	x *facts, m prompts.AnalyseOutput, rules analysis, t guard.Truths, p tree.Provenance,
) analysis {
	r := &missReader{facts: x, f: f, truths: t}
	a := analysis{
		errorType:   m.ErrorType,
		actualError: guard.Keep(joined(r.notCopied(m.SpecificError)...), t),
		errorReason: guard.Keep(joined(r.notCopied(m.ErrorReason)...), t),
		misses:      rules.misses, confidence: 0.5, provenance: p,
	}
	lead := &a.misses[0]
	told := lead.Check != "" && lead.From == tree.FromPerson
	if lead.Check == "" {
		missed, _ := f.catalogue().Missed(r.evidence(m.ErrorReason, m.SpecificError, m.AvoidanceStrategy))
		if lead.Check, lead.Sure = missed.Check, missed.Sure; lead.Check != "" {
			lead.ErrorType = r.typeOf(lead.Check)
			a.errorType = lead.ErrorType
		}
	}
	switch {
	case told && m.ErrorType != rules.errorType:
		a.errorType, a.confidence = rules.errorType, rules.confidence
	case a.errorType == rules.errorType && a.errorType != taxonomy.OtherError:
		a.confidence = max(0.65, rules.confidence)
	case a.errorType == taxonomy.OtherError && rules.confidence >= 0.6:
		a.errorType, a.confidence = rules.errorType, minConfidence
	case a.errorType == taxonomy.OtherError:
		a.confidence = min(rules.confidence, minConfidence)
	}
	if lead.Check == "" {
		lead.ErrorType = a.errorType
	}
	if lead.Check == "" && lead.Instead == "" {
		lead.Instead = r.how(r.advice(m.AvoidanceStrategy)...)
	}
	if lead.How == "" {
		lead.How, lead.From = r.how(r.mistake(lead.Check, m.ErrorReason)...), tree.FromModel
	}
	return a
}
