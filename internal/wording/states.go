package wording

import (
	"cmp"

	"github.com/memtree/memtree/appmap"
	"github.com/memtree/memtree/knowledge"
	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/run"
	"github.com/memtree/memtree/taxonomy"
)

// Verdict describes whether a verdict was right or wrong, with the direction of a wrong one, or why that is not known.
func (n Names) Verdict(v *ledger.Verdict) string {
	switch {
	case v.Apart():
		return n.Direction(v.Direction)
	case !v.Labelled:
		return n.Say("of no known truth")
	case v.Correct:
		return n.Say("right")
	case v.Direction == taxonomy.Other || v.Direction == taxonomy.None:
		return n.Say("wrong")
	}
	return n.Say("wrong (%s)", n.Direction(v.Direction))
}

// FactKind names a kind of fact; one without a kind is a behaviour.
func (n Names) FactKind(k ledger.FactKind) string {
	switch k {
	case ledger.Behaviour, "":
		return n.Say("behaviour")
	case ledger.Rule:
		return n.Say("rule")
	case ledger.Format:
		return n.Say("format")
	case ledger.Intended:
		return n.Say("intended")
	case ledger.KnownBug:
		return n.Say("known bug")
	case ledger.Pattern:
		return n.Say("pattern")
	case ledger.Preference:
		return n.Say("preference")
	}
	return string(k)
}

// FactState names the state of a fact.
func (n Names) FactState(f *knowledge.Fact) string {
	switch f.State {
	case knowledge.Proposed:
		return n.Say("proposed")
	case knowledge.Disputed:
		return n.Say("disputed")
	case knowledge.Superseded:
		return n.Say("replaced")
	case knowledge.Archived:
		return n.Say("out of use")
	case knowledge.Active:
		if f.Trust < knowledge.Floor {
			return n.Say("doubted, not given")
		}
		return n.Say("in use")
	}
	return string(f.State)
}

// RunState names the state of a run of an agent.
func (n Names) RunState(s run.State) string {
	switch s {
	case run.Open:
		return n.Say("under way")
	case run.Ended:
		return n.Say("ended")
	case run.Success:
		return n.Say("success")
	case run.Partial:
		return n.Say("partly done")
	case run.Failure:
		return n.Say("failure")
	}
	return string(s)
}

// Gap names the kind of a thing that no test touches, such as "page". An element is named by its role.
func (n Names) Gap(g *appmap.Gap) string {
	switch g.Kind {
	case appmap.UntestedElement:
		return cmp.Or(g.Role, n.Say("element"))
	case appmap.UntestedPage:
		return n.Say("page")
	case appmap.OrphanPage:
		return n.Say("page that nothing leads to")
	case appmap.UntestedCall:
		return n.Say("interface")
	case appmap.UntestedFlow:
		return n.Say("flow")
	case appmap.UntestedRequirement:
		return n.Say("requirement")
	}
	return string(g.Kind)
}
