package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/memtree/memtree/formation"
	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// analysed is a summary of the new cases: who analysed them and what is known of their causes. --json prints it.
type analysed struct {
	formation.CaseTally
	ByModel int `json:"byModel"` // new cases that the model analysed
	ByRules int `json:"byRules"`
}

// since returns the difference of two tallies.
func since(now, before formation.CaseTally) analysed {
	a := analysed{CaseTally: now}
	a.Cases -= before.Cases
	a.Checked -= before.Checked
	a.Worded -= before.Worded
	a.Silent -= before.Silent
	a.Misses -= before.Misses
	a.Expected -= before.Expected
	a.Models = less(now.Models, before.Models)
	a.Unusable = less(now.Unusable, before.Unusable)
	a.Unanswered = less(now.Unanswered, before.Unanswered)
	a.Uncompared = less(now.Uncompared, before.Uncompared)
	if len(a.Unusable)+len(a.Unanswered)+len(a.Uncompared) == 0 {
		a.ModelError = ""
	}
	a.ByModel = sum(a.Models)
	a.ByRules = a.Cases - a.ByModel
	return a
}

// account adds the model's totals to the result.
func (r *recorder) account() {
	o, f := &r.out, &r.out.Analysis
	o.ByModel, o.ByRules, o.Model = f.ByModel, f.ByRules, r.model.Now()
	o.Calls = o.Model.Calls
	for _, failures := range []map[llm.ErrorKind]int{f.Unusable, f.Unanswered, f.Uncompared} {
		o.ModelFailures += sum(failures) - failures[llm.KindBound]
	}
}

// less subtracts the values of before. It omits keys with nothing left.
func less[K comparable](now, before map[K]int) map[K]int {
	out := map[K]int{}
	for k, n := range now {
		if n -= before[k]; n > 0 {
			out[k] = n
		}
	}
	return out
}

func sum[K comparable](counts map[K]int) (n int) {
	for _, k := range counts {
		n += k
	}
	return n
}

// analysis reports who analysed the new cases, how often the model failed and why, and in how many cases the missed
// check is known.
func (r *recorder) analysis() []string {
	f := &r.out.Analysis
	p := r.Page()
	if f.ByModel+len(f.Unusable)+len(f.Unanswered) > 0 {
		p.Raw(r.Say("Of the new cases: %s.", r.list(r.readers(f))))
	}
	if len(f.Uncompared) > 0 {
		p.Raw(r.Say("Without a label because the model did not tell whether the "+
			"judgment is right: %d (%s).", sum(f.Uncompared), r.kinds(f.Uncompared)))
	}
	if f.ModelError != "" && r.mem.Health().Model == nil { // otherwise halted prints it
		const most = 200 // characters
		p.Raw(r.Say("The model's last failure: %s", text.Clip(text.Line(f.ModelError), most)))
	}
	if f.Again > 0 {
		p.Raw(r.Say("Of the cases that waited for the model it has now read %d.", f.Again))
	}
	if f.Cases == 0 {
		return p.Lines
	}
	causes := []string{}
	for _, part := range []struct {
		n    int
		says string
	}{
		{f.Checked, r.Say("%d with a known check", f.Checked)},
		{f.Worded, r.Say("%d with a cause that no check fits", f.Worded)},
		{f.Silent, r.Say("%d without a stated cause", f.Silent)},
	} {
		if part.n > 0 {
			causes = append(causes, part.says)
		}
	}
	line := r.Say("Of the new cases: %s.", r.list(causes))
	if f.Silent > 0 && !r.Quiet {
		line = text.Append(line, r.Say(`An evaluator's note (reason) would state it.`))
	}
	return append(p.Lines, line)
}

// readers reports how many cases the model analysed, and why it did not analyse the others.
func (r *recorder) readers(f *analysed) []string {
	var parts []string
	for _, name := range frequent(f.Models) {
		parts = append(parts, r.Say("%d read by the model %s", f.Models[name], text.Line(name)))
	}
	if len(f.Models) == 0 {
		parts = append(parts, r.Say("none read by the model"))
	}
	if n := sum(f.Unusable); n > 0 {
		parts = append(parts, r.Say("%d by the rules because its answer could not be used (%s)", n, r.kinds(f.Unusable)))
	}
	if n := sum(f.Unanswered); n > 0 {
		parts = append(parts, r.Say("%d by the rules because it gave no answer (%s)", n, r.kinds(f.Unanswered)))
	}
	return parts
}

func (r *recorder) list(parts []string) string { return strings.Join(parts, r.Say(", ")) }

// kinds lists failures, the most frequent first.
func (r *recorder) kinds(counts map[llm.ErrorKind]int) string {
	var parts []string
	for _, k := range frequent(counts) {
		parts = append(parts, r.Say("%s %d", kindName(r.Voice, k), counts[k]))
	}
	return r.list(parts)
}

// tally determines the results of the accepted runs from the ledger entries after before.
func (r *recorder) tally(ctx context.Context, before store.Info) error {
	after, err := r.mem.Tree().Info(ctx)
	if err != nil {
		return err
	}
	r.out.left = after.Outbox
	r.out.dead = after.Dead - before.Dead
	inCases, found := 0, verdictCounts{}
	formed := map[string]bool{} // cases that only our runs created
	for entry, err := range r.mem.Tree().Ledger(ctx, before.Entries) {
		if err != nil {
			return fmt.Errorf("read the ledger: %w", err)
		}
		v := entry.Verdict
		if v != nil && r.mine != nil && !r.mine[v.Evaluation] {
			continue
		}
		if v != nil {
			found.add(v)
		}
		if v == nil || v.Node == "" {
			continue
		}
		inCases++
		n, err := r.mem.Tree().Get(ctx, v.Node)
		if err != nil {
			return err
		}
		others := func(o tree.Occurrence) bool { return !r.mine[o.Evaluation] }
		if r.mine != nil && !slices.ContainsFunc(n.Occurrences, others) {
			formed[n.ID] = true
		}
		if r.out.types[n.ErrorType] == nil {
			r.out.types[n.ErrorType] = map[taxonomy.Direction]int{}
		}
		r.out.types[n.ErrorType][v.Direction]++
	}
	if r.out.Formed = after.Nodes - before.Nodes; r.mine != nil {
		r.out.Formed = len(formed)
	}
	r.out.Occurrences = inCases - r.out.Formed
	r.relabel(found)
	return nil
}

// verdictCounts is the number of verdicts by label. It does not store them: a report may have half a million.
type verdictCounts struct{ right, wrong, unlabelled, apart int }

func (c *verdictCounts) add(v *ledger.Verdict) {
	switch {
	case v.Apart():
		c.apart++
	case !v.Labelled:
		c.unlabelled++
	case v.Correct:
		c.right++
	default:
		c.wrong++
	}
}

// relabel replaces the numbers of right and wrong verdicts once all runs are formed: a model may have decided some
// that could not be decided when they were read.
func (r *recorder) relabel(found verdictCounts) {
	if found.right+found.wrong+found.unlabelled+found.apart == r.out.Accepted {
		r.out.Correct, r.out.Wrong, r.out.Unlabelled = found.right, found.wrong, found.unlabelled
		r.out.Apart = found.apart
	}
}

// sortedTypes returns the error types, the most frequent first.
func sortedTypes(types map[string]map[taxonomy.Direction]int) []string {
	total := func(t string) (n int) {
		for _, k := range types[t] {
			n += k
		}
		return n
	}
	return slices.SortedFunc(maps.Keys(types), func(x, y string) int {
		return cmp.Or(total(y)-total(x), cmp.Compare(x, y))
	})
}
