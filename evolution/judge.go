package evolution

import (
	"fmt"
	"slices"

	"github.com/memtree/memtree/evolution/gate"
	"github.com/memtree/memtree/tree"
)

// The trial in retrieval.
const (
	foundWithin = 3  // the worst rank at which a draft is found
	foundTests  = 2  // the number of tests for which a draft must be found
	triedOut    = 12 // the number of cases on which a draft is tried
)

// judge returns every reason to refuse a draft. Each begins with the name of its gate. Retrieval is expensive, so it
// is tried last and only if no gate refuses the draft.
func (w *partitionWork) judge(j *job, d *gate.Draft) ([]string, error) {
	n := w.e.node(j, d, tree.Provenance{By: "evolution"})
	c := &n.Content
	title := c.Title
	if d.Title == "" { // the title of a strategy lists those of its experiences and may be cut; judge one of these
		if i := slices.IndexFunc(j.Parts, func(p *tree.Node) bool { return p.Lang == j.Lang }); i >= 0 {
			title = j.Parts[i].Content.Title
		}
	}
	worded := &gate.Draft{
		Title: title, Description: d.Description,
		AppliesWhen: c.AppliesWhen, NotWhen: c.NotWhen, Lessons: c.Lessons,
	}
	if why := w.e.judge.Refuses(&j.Subject, worded); len(why) > 0 {
		return why, nil
	}
	s, err := w.retrievable(j, &n)
	if err != nil {
		return nil, fmt.Errorf("try out a draft: %w", err)
	}
	if s != "" {
		return []string{"retrieval: " + s}, nil
	}
	return nil, nil
}

// retrievable returns why a draft would not be found, or "". A lesson about a check is found when a prompt calls for
// the check, so it is not tried. A lesson without a check is found only by its text. It is tried on its own cases,
// with each case's test removed from the tree as if the test were new: an experience that is never found is useless.
func (w *partitionWork) retrievable(j *job, n *tree.Node) (string, error) {
	if w.e.o.Finder == nil || j.Type != tree.Experience || j.Check != "" {
		return "", nil
	}
	points := evenly(j.Members, triedOut)
	found := map[string]bool{}
	for _, held := range points {
		rank, err := w.e.o.Finder.Rank(w.ctx, n, held)
		if err != nil {
			return "", err
		}
		if rank > 0 && rank <= foundWithin {
			found[testOf(held)] = true
		}
	}
	if len(found) < foundTests {
		return j.because("it would be found for %d of %d of its tests were they new; "+
			"say in appliesWhen what their tasks have in common",
			"假如其测试是新的，只有 %d 个（共 %d 个）会找到它；请在 appliesWhen 中写出这些任务的共同点", len(found), tests(points)), nil
	}
	return "", nil
}

// because formats a reason in the language of the cases, which is also the model's.
func (j *job) because(en, zh string, args ...any) string {
	if j.Lang == "zh" {
		return fmt.Sprintf(zh, args...)
	}
	return fmt.Sprintf(en, args...)
}
