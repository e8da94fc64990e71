package evolution

import (
	"errors"
	"fmt"
	"slices"

	"github.com/memtree/memtree/evolution/gate"
	"github.com/memtree/memtree/tree"
)

// What the trial in retrieval asks for.
const (
	foundWithin = 3  // places
	foundTests  = 2  // tests a draft must be found for: it is for those nobody has seen
	triedOut    = 12 // cases a draft is tried out on
)

// judge returns every reason to refuse a draft, each beginning with the name of
// its gate. The retrieval is asked last and only where nothing else speaks
// against the draft.
func (w *work) judge(j *job, d *gate.Draft) ([]string, error) {
	n := w.e.node(j, d, tree.Provenance{By: "evolution"})
	c := &n.Content
	title := c.Title
	if d.Title == "" { // that of a strategy lists those of its experiences, cut where there is no room
		if i := slices.IndexFunc(j.Parts, func(p *tree.Node) bool { return p.Lang == j.Lang }); i >= 0 {
			title = j.Parts[i].Content.Title
		}
	}
	worded := &gate.Draft{Title: title, Description: d.Description, AppliesWhen: c.AppliesWhen, NotWhen: c.NotWhen, Lessons: c.Lessons}
	if why := w.e.judge.Refuses(&j.About, worded); len(why) > 0 {
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

// retrievable: a lesson about a check is found by what calls for the check. One
// that has nothing but its words is tried out: were one of its tests new, the draft would be found for it, on a
// page that may be known. An experience nobody finds replaces nothing.
func (w *work) retrievable(j *job, n *tree.Node) (string, error) {
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
		return j.because("it would be found for %d of %d of its tests were they new; say in appliesWhen what their tasks have in common",
			"假如其测试是新的，只有 %d 个（共 %d 个）会找到它；请在 appliesWhen 中写出这些任务的共同点", len(found), tests(points)), nil
	}
	return "", nil
}

// because words a reason in the language of the cases, which is the model's too.
func (j *job) because(en, zh string, args ...any) string {
	if j.Lang == "zh" {
		return fmt.Sprintf(zh, args...)
	}
	return fmt.Sprintf(en, args...)
}

// refused joins reasons as llm.Ask wants them.
func refused(why []string) error {
	var all []error
	for _, s := range why {
		all = append(all, errors.New(s))
	}
	return errors.Join(all...)
}
