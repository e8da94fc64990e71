// Package wording names values for people: levels and states of memories, facts and runs, verdicts, decisions. The
// commands and the pages use the same names. The English is in the code, the Chinese in internal/po.
package wording

import (
	"cmp"

	"github.com/memtree/memtree/curation"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// Names names values in the language of a reader. A value that it does not know, such as one of a newer version, is
// its own name; an unknown direction has the name "". It is safe for concurrent use if Say is.
type Names struct {
	Lang string                                   // "en" or "zh"
	Say  func(english string, args ...any) string // formats a sentence in that language
}

// Level returns the term for a level of memories, such as "case".
func (n Names) Level(t tree.Type) string {
	switch t {
	case tree.Case:
		return n.Say("case")
	case tree.Experience:
		return n.Say("experience")
	case tree.Strategy:
		return n.Say("strategy")
	}
	return string(t)
}

// Direction names a direction.
func (n Names) Direction(d taxonomy.Direction) string { return d.Name().In(n.Lang) }

// Status names the status of a memory: pinned if a person pinned it, else its standing.
func (n Names) Status(of *tree.Node) string {
	if of.Mark == tree.Pinned {
		return n.Say("pinned")
	}
	return n.Standing(of.Standing())
}

// Standing names a standing, as tree.Node.Standing returns it.
func (n Names) Standing(s tree.Status) string {
	switch s {
	case tree.Active:
		return n.Say("in use")
	case tree.Probation:
		return n.Say("in use, on probation")
	case tree.Quarantined:
		return n.Say("waits for a person")
	case tree.Retired, tree.Archived:
		return n.Say("out of use")
	case tree.BuriedFor:
		return n.Say("banned")
	}
	return string(s)
}

// Who names by, the author of a decision. An author without a name is "a person".
func (n Names) Who(by string) string {
	if by == "" || by == tree.ByPerson {
		return n.Say("a person")
	}
	return by
}

// Decision names a kind of decision.
func (n Names) Decision(kind tree.DecisionKind) string {
	switch kind {
	case tree.DecisionForget:
		return n.Say("Forgotten")
	case tree.DecisionPin:
		return n.Say("Pinned")
	case tree.DecisionBan:
		return n.Say("Banned")
	case tree.DecisionEdit:
		return n.Say("Edited")
	case tree.DecisionTeach:
		return n.Say("Taught")
	case tree.DecisionRelabel:
		return n.Say("Verdict labelled")
	case tree.DecisionAbout:
		return n.Say("What it is about was corrected")
	case tree.DecisionReject:
		return n.Say("Rejected")
	case tree.DecisionAccept:
		return n.Say("Accepted")
	case tree.DecisionUndo:
		return n.Say("Taken back")
	}
	return n.factDecision(kind)
}

func (n Names) factDecision(kind tree.DecisionKind) string {
	switch kind {
	case curation.DecisionState:
		return n.Say("Fact stated")
	case curation.DecisionConfirm:
		return n.Say("Fact confirmed")
	case curation.DecisionContradict:
		return n.Say("Fact contradicted")
	case curation.DecisionSettle:
		return n.Say("Fact confirmed against others")
	}
	return string(kind)
}

// Refusal describes a decision that advice is no longer given: what was decided, who decided it, and the name in tax of
// the check that the advice is about.
func (n Names) Refusal(tax *taxonomy.Taxonomy, no *tree.Refusal) string {
	by, check := n.Who(no.By), no.Check
	if c, known := tax.Check(no.Check); known {
		check = cmp.Or(c.Name.In(n.Lang), check)
	}
	said := n.Say("forgotten by %s", by)
	switch no.Said {
	case tree.DecisionBan:
		said = n.Say("banned by %s", by)
	case tree.DecisionReject:
		said = n.Say("rejected by %s", by)
	}
	if check == "" {
		return said
	}
	return said + " · " + check
}
