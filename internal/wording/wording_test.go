package wording_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/appmap"
	"github.com/memtree/memtree/curation"
	"github.com/memtree/memtree/internal/po"
	"github.com/memtree/memtree/internal/wording"
	"github.com/memtree/memtree/knowledge"
	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/run"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

func in(t *testing.T, lang string) wording.Names {
	texts, err := po.Read(po.Library)
	require.NoError(t, err)
	return wording.Names{Lang: lang, Say: func(english string, args ...any) string {
		if lang == "zh" {
			require.Contains(t, texts, english)
			english = texts[english]
		}
		if len(args) == 0 {
			return english
		}
		return fmt.Sprintf(english, args...)
	}}
}

// names returns the name of each value of each enumeration.
func names(n wording.Names) (out []string) {
	for _, t := range []tree.Type{tree.Case, tree.Experience, tree.Strategy} {
		out = append(out, n.Level(t))
	}
	for _, s := range []tree.Status{
		tree.Active, tree.Probation, tree.Quarantined, tree.Retired, tree.Archived, tree.BuriedFor,
	} {
		out = append(out, n.Standing(s))
	}
	for _, d := range []tree.DecisionKind{
		tree.DecisionForget, tree.DecisionPin, tree.DecisionBan, tree.DecisionEdit, tree.DecisionTeach,
		tree.DecisionRelabel, tree.DecisionAbout, tree.DecisionReject, tree.DecisionAccept, tree.DecisionUndo,
		curation.DecisionState, curation.DecisionConfirm, curation.DecisionContradict, curation.DecisionSettle,
	} {
		out = append(out, n.Decision(d))
	}
	for _, k := range ledger.FactKinds() {
		out = append(out, n.FactKind(k))
	}
	for _, s := range []knowledge.FactState{
		knowledge.Proposed, knowledge.Active, knowledge.Disputed, knowledge.Superseded, knowledge.Archived,
	} {
		out = append(out, n.FactState(&knowledge.Fact{State: s}), n.FactState(&knowledge.Fact{State: s, Trust: 1}))
	}
	for _, s := range []run.State{run.Open, run.Ended, run.Success, run.Partial, run.Failure} {
		out = append(out, n.RunState(s))
	}
	for _, k := range []appmap.GapKind{
		appmap.UntestedElement, appmap.UntestedPage, appmap.OrphanPage, appmap.UntestedCall, appmap.UntestedFlow,
		appmap.UntestedRequirement,
	} {
		out = append(out, n.Gap(&appmap.Gap{Kind: k}))
	}
	return append(out, n.Who(""), n.Who(tree.ByPerson))
}

// Every value has a name in both languages, which in Chinese is no English.
func TestEveryValueHasAName(t *testing.T) {
	english, chinese := names(in(t, "en")), names(in(t, "zh"))
	require.Len(t, chinese, len(english))
	for i := range english {
		require.NotContains(t, english[i], "_")
		require.True(t, strings.ContainsFunc(chinese[i], func(r rune) bool { return unicode.Is(unicode.Han, r) }),
			"%s: %s", english[i], chinese[i])
	}
}

// What a newer version writes has its own text as its name.
func TestUnknownValues(t *testing.T) {
	n := in(t, "en")
	require.Equal(t, []string{"new", "new", "new", "new", "new", "new", "new", "ann"}, []string{
		n.Level("new"), n.Standing("new"), n.Decision("new"), n.FactKind("new"),
		n.FactState(&knowledge.Fact{State: "new"}), n.RunState("new"), n.Gap(&appmap.Gap{Kind: "new"}), n.Who("ann"),
	})
}

func TestStatusIsTheMarkOfAPerson(t *testing.T) {
	n := in(t, "en")
	require.Equal(t, "pinned", n.Status(&tree.Node{Status: tree.Active, Mark: tree.Pinned}))
	require.Equal(t, "banned", n.Status(&tree.Node{Status: tree.Active, Mark: tree.Banned}))
	require.Equal(t, "in use", n.Status(&tree.Node{Status: tree.Active}))
}

func TestVerdict(t *testing.T) {
	n := in(t, "en")
	for want, v := range map[string]ledger.Verdict{
		"right":                 {Labelled: true, Correct: true},
		"wrong":                 {Labelled: true, Direction: taxonomy.Other},
		"wrong (defect missed)": {Labelled: true, Direction: taxonomy.FalsePass},
		"of no known truth":     {},
	} {
		require.Equal(t, want, n.Verdict(&v))
	}
}

// A refusal names the check as the taxonomy does, or by its id if the taxonomy does not know it.
func TestRefusal(t *testing.T) {
	n, tax := in(t, "en"), taxonomy.Default()
	require.Equal(t, "banned by ann · new_check",
		n.Refusal(tax, &tree.Refusal{Said: tree.DecisionBan, By: "ann", Check: "new_check"}))
	require.Equal(t, "rejected by a person", n.Refusal(tax, &tree.Refusal{Said: tree.DecisionReject}))
	require.Equal(t, "forgotten by a person", n.Refusal(tax, &tree.Refusal{Said: tree.DecisionForget}))
}
