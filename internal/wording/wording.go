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
	return cmp.Or(map[tree.Type]string{
		tree.Case:       n.Say("case"),
		tree.Experience: n.Say("experience"),
		tree.Strategy:   n.Say("strategy"),
	}[t], string(t))
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
	return cmp.Or(map[tree.Status]string{
		tree.Active:      n.Say("in use"),
		tree.Probation:   n.Say("in use, on probation"),
		tree.Quarantined: n.Say("waits for a person"),
		tree.Retired:     n.Say("out of use"),
		tree.Archived:    n.Say("out of use"),
		tree.BuriedFor:   n.Say("banned"),
	}[s], string(s))
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
	return cmp.Or(map[tree.DecisionKind]string{
		tree.DecisionForget:         n.Say("Forgotten"),
		tree.DecisionPin:            n.Say("Pinned"),
		tree.DecisionBan:            n.Say("Banned"),
		tree.DecisionEdit:           n.Say("Edited"),
		tree.DecisionTeach:          n.Say("Taught"),
		tree.DecisionRelabel:        n.Say("Verdict labelled"),
		tree.DecisionAbout:          n.Say("What it is about was corrected"),
		tree.DecisionReject:         n.Say("Rejected"),
		tree.DecisionAccept:         n.Say("Accepted"),
		tree.DecisionUndo:           n.Say("Taken back"),
		curation.DecisionState:      n.Say("Fact stated"),
		curation.DecisionConfirm:    n.Say("Fact confirmed"),
		curation.DecisionContradict: n.Say("Fact contradicted"),
		curation.DecisionSettle:     n.Say("Fact confirmed against others"),
	}[kind], string(kind))
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
