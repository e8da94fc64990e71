package evolution

import (
	"cmp"
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
	Apart   string          `json:"apart,omitempty"`   // why the cases share no cause: then there is no draft
	Left    []string        `json:"left,omitempty"`    // ids of cases that a model left out, as of another cause
	Parts   [][]string      `json:"parts,omitempty"`   // where a model found several causes, ids of the cases of each
	Refused []Rejection     `json:"refused,omitempty"` // may have the model's draft when that of the rules passed
	Word    string          `json:"word,omitempty"`    // a person's decision on the draft: accepted, or ""

	Objections []string `json:"objections,omitempty"` // against a model's first answer, which is requested once more
}

// recall reads a record from the cache. An unreadable one is treated as missing.
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

func (e *Evolver) remember(ctx context.Context, r jobRecord) error { return e.keep(ctx, r.Job, r) }

// keep puts a value into the cache.
func (e *Evolver) keep(ctx context.Context, key string, v any) error {
	b, err := json.Marshal(v)
	if err == nil {
		err = e.o.Cache.Put(ctx, key, b)
	}
	if err != nil {
		return fmt.Errorf("keep the answer of a job: %w", err)
	}
	return nil
}

// write settles a job and returns the node to put into the tree. It returns false when
// no draft passed, or when the job has to wait for a person or for a later plan.
func (w *partitionWork) write(j *job) (tree.Node, bool, error) {
	if !w.mayWrite(j) {
		return tree.Node{}, false, nil
	}
	r, ok, err := w.settle(j)
	if err != nil || !ok {
		return tree.Node{}, false, err
	}
	w.step.Jobs++
	w.tell()
	w.Rejections = append(w.Rejections, r.Refused...)
	if r.Draft == nil {
		j.refused, j.apart = true, r.Apart
		return tree.Node{}, false, nil
	}
	r.Draft.Lessons = slices.Clone(r.Draft.Lessons)
	n := w.e.node(j, r.Draft, r.By)
	for i := range n.Content.Lessons { // a stored draft has the counts of the time when it was written
		if l := &n.Content.Lessons[i]; j.Type == tree.Experience && l.Times > 0 {
			l.Tests, l.Times = tests(j.Members), times(j.Members)
		}
	}
	if j.present == nil && w.s.nodes[n.ID] != nil {
		n.Decision = w.s.nodes[n.ID].Decision // it returns; the decision that took back another holds in other trees
	}
	if w.refusedDraft(r.Job, &n) {
		j.refused = true
		return tree.Node{}, false, nil
	}
	if w.o.Review && r.Word != acceptedWord {
		p := Proposal{Key: r.Job, Node: n, Tests: tests(j.Members), Replaces: j.present}
		w.Proposals = append(w.Proposals, p)
		return tree.Node{}, false, nil
	}
	return n, true, nil
}

// mayWrite reports whether a job may become a memory: no lesson of exactly these cases was taken out of use for good.
func (w *partitionWork) mayWrite(j *job) bool {
	if j.present != nil {
		return true
	}
	old := w.s.nodes[w.e.node(j, &gate.Draft{}, tree.Provenance{}).ID]
	return old == nil || mayReturn(old)
}

// mayReturn reports whether a memory with the id of a new one may be written again. It may when it is in use, or when
// it was retired or archived because its cases were gone. It may not when a person marked it, or when it came from
// another tree without its cases.
func mayReturn(n *tree.Node) bool {
	gone := n.Status == tree.Retired ||
		strings.HasPrefix(n.ArchivedFor, string(Superseded)+": ") ||
		strings.HasPrefix(n.ArchivedFor, string(Thin)+": ")
	return n.Mark == tree.Unmarked && !n.StandsAlone() && (gone || n.Live())
}

// settle returns the result of a job: that of the call made ahead, or the text of the rules if there is no model or it
// did not answer. It returns false when the bounds did not allow a call; then the job waits.
func (w *partitionWork) settle(j *job) (jobRecord, bool, error) {
	if j.Type == tree.Strategy || !w.mayRead(j.bucket.cases) {
		return w.settleByRules(j, jobRecord{Job: j.key(rulesVersion, "")})
	}
	key := w.modelKey(j)
	if r, ok := w.e.recall(key); ok {
		j.leave(r.Left)
		return r, true, nil
	}
	if w.o.Attempts.has(key) {
		return w.withoutModel(j)
	}
	w.Waiting++
	return jobRecord{}, false, nil
}

// withoutModel settles a job by rules and marks the result, so that a later plan calls the model.
func (w *partitionWork) withoutModel(j *job) (jobRecord, bool, error) {
	r, ok, err := w.settleByRules(j, jobRecord{Job: j.key(rulesVersion, "")})
	r.By.Again = true
	if ok && r.Draft == nil {
		w.Waiting++
	}
	return r, ok && r.Draft != nil, err
}

func (w *partitionWork) settleByRules(j *job, r jobRecord) (jobRecord, bool, error) {
	if r.Refused == nil { // no model was just called
		if known, ok := w.e.recall(j.bucket.apartKey()); ok && j.Type == tree.Experience {
			r.Apart, r.Left = known.Apart, known.Left
		} else if j.present != nil {
			r.Left = j.present.Provenance.Left
		}
		if r.Apart != "" {
			return r, true, nil
		}
		j.leave(r.Left)
	}
	if kept, ok := w.e.recall(r.Job); ok {
		j.leave(kept.Left)
		return kept, true, nil
	}
	if j.bucket.others != nil {
		r.Refused = append(r.Refused, j.rejection(r.Job, "rules", &gate.Draft{}, []string{"wording: " +
			j.because("a model found several causes under one check, which the catalogue cannot tell apart",
				"模型在同一检查项下发现了几种原因，目录无法区分")}))
		return r, true, w.e.remember(w.ctx, r)
	}
	r.By.Analyst, r.By.Template = "rules", rulesVersion // with the model whose draft was refused, if any
	drafts := w.e.byRules(j)
	var refused []Rejection // stored only if no draft passes
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
		no := j.rejection(r.Job, "rules", d, why)
		no.Title = cmp.Or(no.Title, w.e.node(j, d, tree.Provenance{}).Content.Title) // rules leave it to the catalogue
		if !slices.ContainsFunc(refused, no.readsLike) {
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

// short returns the kind of a model's error, or the text of any other.
func short(err error) string {
	if e, ok := errors.AsType[*llm.Error](err); ok {
		return string(e.Kind)
	}
	return err.Error()
}
