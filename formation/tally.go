package formation

import (
	"cmp"
	"maps"
	"slices"

	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/tree"
)

// CaseTally counts new cases, by analyst and by what is known of their causes.
type CaseTally struct {
	Cases   int `json:"cases"`   // new cases
	Checked int `json:"checked"` // cases with a check that was missed
	Worded  int `json:"worded"`  // cases with a described cause that no check fits
	Silent  int `json:"silent"`  // cases with nothing about the cause

	Misses   int `json:"misses"`   // misses of the cases; each defect that a ground truth lists is one
	Expected int `json:"expected"` // those of the misses with expectations about the page

	Models map[string]int `json:"models"` // cases that a model read, by its name; rules read the others
	// Cases that a called model did not read, by the kind of its error ("other" for an error without one). Unusable
	// counts unusable answers, Unanswered those calls that gave no answer.
	Unusable   map[llm.ErrorKind]int `json:"unusable"`
	Unanswered map[llm.ErrorKind]int `json:"unanswered"`
	// Verdicts left without a label, because a model that was called to compare judgment and ground truth failed.
	Uncompared map[llm.ErrorKind]int `json:"uncompared"`
	ModelError string                `json:"modelError,omitempty"` // the last failure of a model, as text

	// Again is the number of cases of any time that waited for a model and were read by it.
	Again int `json:"again,omitempty"`
}

// Clone returns a copy that shares nothing.
func (t CaseTally) Clone() CaseTally {
	t.Models = maps.Clone(t.Models)
	t.Unusable, t.Unanswered, t.Uncompared = maps.Clone(t.Unusable), maps.Clone(t.Unanswered), maps.Clone(t.Uncompared)
	return t
}

// Add adds formed evaluations to the counts.
func (t *CaseTally) Add(formed []Formed) {
	if t.Models == nil {
		t.Models, t.Unusable = map[string]int{}, map[llm.ErrorKind]int{}
		t.Unanswered, t.Uncompared = map[llm.ErrorKind]int{}, map[llm.ErrorKind]int{}
	}
	for i := range formed {
		x := &formed[i]
		if x.ModelErr != nil && !x.Verdict.Labelled {
			t.Uncompared[kindOf(x.ModelErr)]++
			t.ModelError = x.ModelErr.Error()
		}
		for k := range x.Changes {
			if c := &x.Changes[k]; c.Op == tree.OpAdd && c.Node.Type == tree.Case {
				t.add(&c.Node, x.ModelErr)
			}
		}
	}
}

// add adds a new case, and why the model did not read it, if it was called.
func (t *CaseTally) add(n *tree.Node, failed error) {
	t.Cases++
	t.Misses += len(n.CaseData.Misses)
	for i := range n.CaseData.Misses {
		t.Expected += min(1, len(n.CaseData.Misses[i].Expect))
	}
	switch {
	case slices.ContainsFunc(n.CaseData.Misses, func(m tree.Miss) bool { return m.Check != "" }):
		t.Checked++
	case len(n.Says()) > 0:
		t.Worded++
	default:
		t.Silent++
	}
	switch {
	case n.Provenance.Analyst == "model":
		t.Models[n.Provenance.Model]++
		return
	case failed == nil:
		return
	case llm.Answered(failed):
		t.Unusable[kindOf(failed)]++
	default:
		t.Unanswered[kindOf(failed)]++
	}
	t.ModelError = failed.Error()
}

func kindOf(err error) llm.ErrorKind { return cmp.Or(llm.KindOf(err), "other") }
