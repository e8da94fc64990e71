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
	return cmp.Or(map[ledger.FactKind]string{
		ledger.Behaviour:  n.Say("behaviour"),
		"":                n.Say("behaviour"),
		ledger.Rule:       n.Say("rule"),
		ledger.Format:     n.Say("format"),
		ledger.Intended:   n.Say("intended"),
		ledger.KnownBug:   n.Say("known bug"),
		ledger.Pattern:    n.Say("pattern"),
		ledger.Preference: n.Say("preference"),
	}[k], string(k))
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
	return cmp.Or(map[run.State]string{
		run.Open:    n.Say("under way"),
		run.Ended:   n.Say("ended"),
		run.Success: n.Say("success"),
		run.Partial: n.Say("partly done"),
		run.Failure: n.Say("failure"),
	}[s], string(s))
}

// Gap names the kind of a thing that no test touches, such as "page". An element is named by its role.
func (n Names) Gap(g *appmap.Gap) string {
	return cmp.Or(map[appmap.GapKind]string{
		appmap.UntestedElement:     cmp.Or(g.Role, n.Say("element")),
		appmap.UntestedPage:        n.Say("page"),
		appmap.OrphanPage:          n.Say("page that nothing leads to"),
		appmap.UntestedCall:        n.Say("interface"),
		appmap.UntestedFlow:        n.Say("flow"),
		appmap.UntestedRequirement: n.Say("requirement"),
	}[g.Kind], string(g.Kind))
}
