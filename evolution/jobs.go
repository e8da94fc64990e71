package evolution

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/memtree/memtree/evolution/gate"
	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/tree"
)

// jobRecord is the result of a job in the cache: a draft that passed every gate, or why
// none did.
type jobRecord struct {
	Job     string          `json:"job"`
	Draft   *gate.Draft     `json:"draft,omitempty"`
	By      tree.Provenance `json:"by"`
	Refused []Rejection     `json:"refused,omitempty"` // may have the model's draft when that of the rules passed
	Word    string          `json:"word,omitempty"`    // a person's word on the draft: accepted, or ""
}

// recall reads a record from the cache. One that cannot be read counts as missing.
func (e *Evolver) recall(key string) (jobRecord, bool) {
	b, ok := e.o.Cache.Get(key)
	if !ok {
		return jobRecord{}, false
	}
	var r jobRecord
	if json.Unmarshal(b, &r) != nil || r.Job != key {
		return jobRecord{}, false
	}
	for i := range r.Refused {
		r.Refused[i].Known = true
	}
	return r, true
}

func (e *Evolver) remember(ctx context.Context, r jobRecord) error {
	b, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("keep the answer of a job: %w", err)
	}
	if err := e.o.Cache.Put(ctx, r.Job, b); err != nil {
		return fmt.Errorf("keep the answer of a job: %w", err)
	}
	return nil
}

// rejections returns the refused drafts of a value that a JobCache keeps. It returns nil
// for a value that cannot be read.
func rejections(value []byte) []Rejection {
	var r jobRecord
	if json.Unmarshal(value, &r) != nil {
		return nil
	}
	return r.Refused
}

// write settles a job and returns the node to put into the tree. It returns false when
// no draft passed, or when the job has to wait for a person or for a later plan.
func (w *work) write(j *job) (tree.Node, bool, error) {
	var said *tree.Word // of a lesson that comes back: that a word was taken back holds in other trees
	if j.present == nil {
		id := w.e.node(j, &gate.Draft{}, tree.Provenance{}).ID
		if old := w.s.nodes[id]; old != nil {
			if !mayReturn(old) {
				return tree.Node{}, false, nil // a lesson of exactly these cases was taken out of use
			}
			said = old.Word
		}
	}
	r, ok, err := w.settle(j)
	if err != nil || !ok {
		return tree.Node{}, false, err
	}
	w.left.step.Jobs++
	w.left.tell()
	w.Rejections = append(w.Rejections, r.Refused...)
	if r.Draft == nil {
		j.refused = true
		return tree.Node{}, false, nil
	}
	r.Draft.Lessons = slices.Clone(r.Draft.Lessons)
	n := w.e.node(j, r.Draft, r.By)
	for i := range n.Content.Lessons { // a draft that was kept was counted when it was written
		if l := &n.Content.Lessons[i]; j.Type == tree.Experience && l.Times > 0 {
			l.Tests, l.Times = tests(j.Members), times(j.Members)
		}
	}
	if said != nil {
		n.Word = said
	}
	if w.left.review && r.Word != acceptedWord {
		p := Proposal{Key: r.Job, Node: n, Tests: tests(j.Members), Replaces: j.present}
		w.Proposals = append(w.Proposals, p)
		return tree.Node{}, false, nil
	}
	return n, true, nil
}

// mayReturn reports whether a memory with the id of a new one may be written again. It
// may when it is in use, or when it went because its cases were gone. It may not when
// a person marked it, or when it came from another tree without its cases.
func mayReturn(n *tree.Node) bool {
	gone := n.Status == tree.Retired ||
		strings.HasPrefix(n.ArchivedFor, string(Superseded)+": ") ||
		strings.HasPrefix(n.ArchivedFor, string(Thin)+": ")
	return n.Mark == tree.Unmarked && n.Elsewhere == nil && (gone || n.Live())
}

// settle returns the result of a job: from the cache, else from the model, and from
// the rules if the model's draft does not pass. It puts the result into the cache
// before it returns it. It returns false when the bounds do not allow a call; then the
// job waits.
func (w *work) settle(j *job) (jobRecord, bool, error) {
	if w.e.o.Generator == nil {
		return w.settleByRules(j, jobRecord{Job: j.key(rulesVersion, "")})
	}
	p, err := w.prompt(j)
	if err != nil {
		return jobRecord{}, false, err
	}
	key := j.key(p.Name(), w.e.o.Model)
	if r, ok := w.e.recall(key); ok {
		return r, true, nil
	}
	if w.left.vain.has(key) {
		return w.withoutModel(j)
	}
	if w.left.mightExceed(size(p.System, p.Text)) {
		w.Waiting++
		return jobRecord{}, false, nil
	}
	r := jobRecord{Job: key, By: tree.Provenance{Analyst: "model", Template: p.Name()}}
	d, model, why, err := w.ask(j, p)
	switch {
	case err != nil && w.ctx.Err() != nil:
		return jobRecord{}, false, w.ctx.Err()
	case err != nil && llm.Answered(err):
		why = append(why, "answer: "+j.because("it was no JSON of the form that was asked for", "不是所要求格式的 JSON"))
	case err != nil: // there is no answer, which says nothing about the job
		w.failed(key, err)
		return w.withoutModel(j)
	}
	w.left.vain.inRow = 0
	if len(why) == 0 {
		r.Draft, r.By.Model = &d, model
		return r, true, w.e.remember(w.ctx, r)
	}
	r.Refused = append(r.Refused, j.rejection(key, "model", &d, why))
	return w.settleByRules(j, r)
}

// withoutModel settles a job by rules and marks the result, so that a later plan asks
// the model.
func (w *work) withoutModel(j *job) (jobRecord, bool, error) {
	r, ok, err := w.settleByRules(j, jobRecord{Job: j.key(rulesVersion, "")})
	r.By.Again = true
	if ok && r.Draft == nil {
		w.Waiting++
	}
	return r, ok && r.Draft != nil, err
}

func (w *work) settleByRules(j *job, r jobRecord) (jobRecord, bool, error) {
	if kept, ok := w.e.recall(r.Job); ok {
		return kept, true, nil
	}
	r.By = tree.Provenance{Analyst: "rules", Template: rulesVersion}
	drafts := w.e.byRules(j)
	var refused []Rejection // kept only if no draft passes
	for i := range drafts {
		d := &drafts[i]
		d.Clean()
		why, err := w.judge(j, d)
		if err != nil {
			return jobRecord{}, false, err
		}
		if len(why) == 0 {
			r.Draft = d
			return r, true, w.e.remember(w.ctx, r)
		}
		if no := j.rejection(r.Job, "rules", d, why); !slices.ContainsFunc(refused, no.readsLike) {
			refused = append(refused, no)
		}
	}
	if len(drafts) == 0 {
		refused = append(refused, j.rejection(r.Job, "rules", &gate.Draft{}, []string{
			"wording: " + j.because("no check of the catalogue is known for these cases, "+
				"and nobody gave a hint for most of them; a model could write a lesson",
				"这些案例不属于目录中的任何检查，也没有多数案例共有的建议；配置模型后可由模型撰写"),
		}))
	}
	r.Refused = append(r.Refused, refused...)
	return r, true, w.e.remember(w.ctx, r)
}

func (j *job) rejection(key, by string, d *gate.Draft, why []string) Rejection {
	r := Rejection{
		Key: key, Type: j.Type, Partition: Partition{j.ErrorType, j.Direction},
		By: by, Reasons: why, Title: d.Title,
	}
	for _, n := range j.Members {
		r.Members = append(r.Members, n.ID)
	}
	return r
}

// readsLike reports whether two rejections of one job have the same title and reasons.
func (r Rejection) readsLike(other Rejection) bool {
	return r.Title == other.Title && slices.Equal(r.Reasons, other.Reasons)
}

// short returns the kind of a model's error, or the text of any other.
func short(err error) string {
	if e, ok := errors.AsType[*llm.Error](err); ok {
		return string(e.Kind)
	}
	return err.Error()
}
