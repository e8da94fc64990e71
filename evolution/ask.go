package evolution

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"

	"github.com/memtree/memtree/evolution/gate"
	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/prompts"
	"github.com/memtree/memtree/tree"
)

// askedAtOnce is the maximum number of concurrent calls about lessons.
const askedAtOnce = 4

// Limits on one call. The answer is the longer part, so it bounds the groups.
const (
	groupsPerCall = 8
	columnsOfCall = 16_000 // of the cases of all groups, about 4,000 tokens
)

// answerTokens bounds the answer about a number of groups: a lesson each, in two languages, of some two.
func answerTokens(groups int) int { return 200 + 500*groups }

// asking is a job that is sent to a model.
type asking struct {
	*partitionWork
	job *job
	key string

	draft *gate.Draft // the last one, nil for none
	model string
	left  []string // ids of the cases that it left out
	why   []string // reasons against the last answer
	other []string // reasons against the draft in the other language alone
}

// askAhead sends all jobs of the partitions to the model before any of them is planned, many in a call, and puts the
// results into the cache. A refused answer is requested once more with the reasons. Jobs for which the bounds allow no
// call, or that the model does not answer, are skipped; settle handles them.
func (p *planner) askAhead(ctx context.Context, list []Partition) error {
	if p.e.o.Generator == nil {
		return nil
	}
	var todo, again []*asking
	for _, part := range list {
		w := p.begin(context.WithoutCancel(ctx), part) // an answer is stored, even if ctx ends after it has come
		for _, j := range w.due() {
			if !p.mayRead(j.bucket.cases) {
				continue
			}
			a := &asking{partitionWork: w, job: j, key: w.modelKey(j)}
			if _, kept := p.e.recall(a.key); kept || p.o.Attempts.has(a.key) {
				continue
			}
			if first, refused := p.e.recall(a.againKey()); refused {
				a.job.objections = first.Objections
				again = append(again, a)
				continue
			}
			todo = append(todo, a)
		}
	}
	todo, err := p.askAll(ctx, todo, (*asking).object)
	if err != nil {
		return err
	}
	if again, err = p.askAll(ctx, slices.Concat(again, todo), func(*asking) error { return nil }); err != nil {
		return err
	}
	for _, a := range again {
		if err := a.giveUp(); err != nil {
			return err
		}
	}
	return nil
}

// object stores why the first answer about a job was refused, with the other results of its call: a plan that goes on
// after this one then sends the other jobs in the same calls.
func (a *asking) object() error {
	a.job.objections = slices.Concat(a.why, a.other)
	a.job.leave(nil)
	return a.e.remember(a.ctx, jobRecord{Job: a.againKey(), Objections: a.job.objections})
}

// mayRead reports whether there is a model that may read the cases.
func (p *planner) mayRead(cases []*tree.Node) bool {
	return p.e.o.Generator != nil && !slices.ContainsFunc(cases, func(n *tree.Node) bool {
		return p.e.o.Taxonomy.WithoutModel(n.Scope.Product)
	})
}

// sending is a call about jobs.
type sending struct {
	batch   []*asking
	in      prompts.EvolveInput
	request llm.Request
	answer  batchAnswer
	err     error
}

// askAll sends jobs, as many in a call as have room, and several calls at once. It processes the answers in the order
// of the jobs, so that the results do not depend on which comes first. It returns those whose answer was refused, for
// each of which it calls object, including those for which a bound allowed no second call.
func (p *planner) askAll(
	ctx context.Context, list []*asking, object func(*asking) error,
) (refused []*asking, err error) {
	for _, lang := range []string{"en", "zh"} {
		batches := p.batches(lang, list)
		for len(batches) > 0 {
			n, err := p.askSome(ctx, lang, batches, func(more []*asking) error {
				refused = append(refused, more...)
				for _, a := range more {
					if err := object(a); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				return nil, err
			}
			batches = batches[n:]
		}
	}
	return refused, nil
}

// batches returns the jobs of a language, as many together as have room in a call.
func (p *planner) batches(lang string, list []*asking) (out [][]*asking) {
	var batch []*asking
	room := columnsOfCall
	for _, a := range list {
		if a.job.Lang != lang {
			continue
		}
		size := 0
		for _, c := range a.input(a.job).Cases {
			size += text.Width(text.Clip(c.Task+c.Notes+c.Claimed+c.Truth, 400))
		}
		if len(batch) > 0 && (len(batch) == groupsPerCall || size > room) {
			out, batch, room = append(out, batch), nil, columnsOfCall
		}
		batch, room = append(batch, a), room-size
	}
	if len(batch) > 0 {
		out = append(out, batch)
	}
	return out
}

// askSome sends the first batches, each in a call, and returns how many. What becomes of a batch is stored together.
func (p *planner) askSome(
	ctx context.Context, lang string, batches [][]*asking, refuse func([]*asking) error,
) (n int, err error) {
	some := make([]*sending, 0, askedAtOnce)
	var requests []llm.Request
	for _, batch := range batches[:min(len(batches), askedAtOnce)] {
		s := &sending{batch: batch, in: prompts.EvolveInput{Lang: lang}}
		for _, a := range batch {
			s.in.Groups = append(s.in.Groups, a.input(a.job))
		}
		prompt, err := prompts.Load().Evolve(s.in)
		if err != nil {
			return 0, err
		}
		s.request = prompts.Load().Request(prompt, lang, answerTokens(len(batch)))
		if requests = append(requests, s.request); len(some) > 0 && !p.model.Room(requests...) {
			break // so that which call a bound refuses does not depend on which comes first
		}
		some = append(some, s)
	}
	if p.o.Attempts.gaveUp() {
		return len(some), nil
	}
	var sent sync.WaitGroup
	for _, s := range some {
		sent.Go(func() { s.answer, s.err = p.generate(ctx, s.in, s.request) })
	}
	sent.Wait()
	p.tell()
	for _, s := range some {
		stored := p.e.o.Cache.Together(ctx, func() error {
			more, err := p.received(ctx, lang, s)
			return errors.Join(err, refuse(more))
		})
		if err == nil {
			err = stored // the other answers are stored too
		}
	}
	return len(some), err
}

// askBatch sends jobs in one call. It returns those whose answer was refused.
func (p *planner) askBatch(ctx context.Context, lang string, batch []*asking) (refused []*asking, err error) {
	_, err = p.askSome(ctx, lang, [][]*asking{batch}, func(more []*asking) error {
		refused = more
		return nil
	})
	return refused, err
}

// received processes the answer of a call. It returns the jobs whose answer was refused.
func (p *planner) received(ctx context.Context, lang string, s *sending) (refused []*asking, err error) {
	if s.err != nil {
		return p.unanswered(ctx, lang, s.batch, s.err)
	}
	p.o.Attempts.inRow = 0
	for i, a := range s.batch {
		a.model = s.answer.model
		more, err := a.take(s.answer.of[i], s.answer.wrong[i])
		if err != nil {
			return nil, err
		}
		refused = append(refused, more...)
	}
	return refused, nil
}

// answered returns the jobs that were sent before: a second try that a bound does not allow is treated as a failed
// one.
func answered(batch []*asking) []*asking {
	return slices.DeleteFunc(batch, func(a *asking) bool { return len(a.why)+len(a.other) == 0 })
}

// unanswered handles a failed call. If its answer could not be read, it sends each half separately, so that the texts
// of one group do not affect the others.
func (p *planner) unanswered(
	ctx context.Context, lang string, batch []*asking, failed error,
) (refused []*asking, err error) {
	kind := llm.KindOf(failed)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case kind == llm.KindBound:
		return answered(batch), nil
	case len(batch) > 1 && (llm.Answered(failed) || kind == llm.KindTooLarge || kind == llm.KindTruncated):
		for _, half := range [][]*asking{batch[:len(batch)/2], batch[len(batch)/2:]} {
			more, err := p.askBatch(ctx, lang, half)
			if err != nil {
				return nil, err
			}
			refused = append(refused, more...)
		}
		return refused, nil
	case llm.Answered(failed):
		a := batch[0]
		a.why = append(a.why, "answer: "+a.job.because("it was no JSON of the form that was asked for", "不是所要求格式的 JSON"))
		return nil, a.giveUp()
	}
	keys := make([]string, 0, len(batch))
	for _, a := range batch {
		keys = append(keys, a.key)
	}
	p.failed(keys, failed) // no answer is no result for the jobs
	return nil, nil
}

// batchAnswer is a model's answer about the groups of a call, in their order.
type batchAnswer struct {
	of    []*prompts.EvolveOutput
	wrong []error
	model string
}

// generate sends groups to the model, with one try to repair an answer that cannot be read.
func (p *planner) generate(ctx context.Context, in prompts.EvolveInput, r llm.Request) (out batchAnswer, err error) {
	a, err := llm.Ask(ctx, p.model, r, func(raw json.RawMessage) (bad error) {
		out.of, out.wrong, bad = in.Read(raw)
		return bad
	})
	out.model = a.Model
	return out, err
}

// take processes the answer about a job: it settles the job, or each of the parts that the answer splits it into. It
// returns those that are refused, with the reasons in why and other.
func (a *asking) take(o *prompts.EvolveOutput, wrong error) (refused []*asking, err error) {
	a.draft, a.left, a.why, a.other = nil, nil, nil, nil
	switch {
	case wrong != nil:
		a.why = []string{objection(wrong)}
		return []*asking{a}, nil
	case o == nil:
		a.why = []string{"answer: " + a.job.because("there was none about this group", "没有关于这一组的内容")}
		return []*asking{a}, nil
	case o.Apart != "":
		a.job.leave(nil)
		return nil, a.remember(jobRecord{Apart: o.Apart})
	}
	lessons, parts, most := a.causesOf(a.job, o.Lessons)
	switch len(lessons) {
	case 0:
		a.job.leave(nil)
		return nil, a.remember(jobRecord{Apart: a.job.because("only %d of %d cases have one cause",
			"%d 个案例（共 %d 个）才有同一个原因", most, len(a.job.bucket.cases))})
	case 1:
		a.job.leave(a.job.bucket.except(parts...))
		return a.hold(&lessons[0])
	}
	return a.split(lessons, parts)
}

// hold asks the gates about a lesson of the job. If they refuse it, it returns the job.
func (a *asking) hold(l *prompts.EvolveLesson) (refused []*asking, err error) {
	d := draftOf(a.job, l)
	a.left = a.job.left
	if a.why, err = a.judge(a.job, &d); err != nil {
		return nil, err
	}
	a.draft = &d
	for _, s := range a.e.judge.RefusesTranslation(&a.job.Subject, &d) {
		a.other = append(a.other, a.job.because("in Chinese, ", "英文：")+s)
	}
	if len(a.why)+len(a.other) > 0 {
		return []*asking{a}, nil
	}
	return nil, a.remember(jobRecord{Draft: &d})
}

// split keeps that a bucket has several causes, and goes on with a job for each. A part that is not due, because
// the lesson it has is good or may not be written, needs none.
func (a *asking) split(lessons []prompts.EvolveLesson, parts [][]string) (refused []*asking, err error) {
	r := jobRecord{Job: a.job.bucket.apartKey(), Parts: parts, Left: a.job.bucket.except(parts...)}
	if err := a.e.remember(a.ctx, r); err != nil {
		return nil, err
	}
	a.parts = nil // they are others now
	for _, j := range a.due() {
		at := slices.IndexFunc(parts, func(ids []string) bool { return common(ids, j.bucket.cases) == len(ids) })
		if at < 0 {
			continue
		}
		part := &asking{partitionWork: a.partitionWork, job: j, key: a.modelKey(j), model: a.model}
		j.leave(r.Left)
		more, err := part.hold(&lessons[at])
		if err != nil {
			return nil, err
		}
		refused = append(refused, more...)
	}
	return refused, nil
}

// giveUp settles a job without an accepted answer: with the last draft in its own language, if only the translation
// was refused, and else by rules.
func (a *asking) giveUp() error {
	a.job.leave(a.left)
	if a.draft != nil && len(a.why) == 0 {
		a.draft.Other = nil
		return a.remember(jobRecord{Draft: a.draft})
	}
	d := cmp.Or(a.draft, &gate.Draft{})
	r := jobRecord{
		Job:     a.key,
		By:      tree.Provenance{Model: cmp.Or(a.model, "unnamed")},
		Left:    a.job.left,
		Refused: []Rejection{a.job.rejection(a.key, "model", d, a.why)},
	}
	_, _, err := a.settleByRules(a.job, r)
	return err
}

// remember puts a model's answer into the cache. Whether the cases belong together is stored for the rules too, which
// cannot decide that.
func (a *asking) remember(r jobRecord) error {
	r.Job, r.Left = a.key, a.job.left
	r.By = tree.Provenance{Analyst: "model", Template: prompts.Load().EvolveName(a.job.Lang), Model: a.model}
	if err := a.e.remember(a.ctx, r); err != nil {
		return err
	}
	key := a.job.bucket.apartKey()
	if _, known := a.e.recall(key); !known && r.Apart == "" && len(r.Left) == 0 {
		return nil
	}
	return a.e.remember(a.ctx, jobRecord{Job: key, Apart: r.Apart, Left: r.Left})
}

// againKey is the key of the first answer about a job, if it was refused. The second call includes the reasons, and a
// later plan may make it.
func (a *asking) againKey() string { return a.key + "_again" }

func (w *partitionWork) modelKey(j *job) string {
	return j.key(prompts.Load().EvolveName(j.Lang), w.e.o.Model)
}
