package transfer

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// guesser returns the direction in which a judgment was wrong, from the agent's judgment and the ground truth, since
// foreign forms do not name it. With a nil guesser the direction is other.
type guesser func(judgment string, truth tree.Raw) taxonomy.Direction

// foreignOrigin is the label of nodes that come without an origin.
const foreignOrigin = "seed"

// adopt makes nodes of foreign nodes and assigns them ids of this tree: cases first, since the ids of abstractions
// follow from those of their children. An abstraction loses children that are missing or of another error type or
// direction. Foreign cases with the same evidence are merged.
func adopt(all []foreignNode, guess guesser) []tree.Node {
	ids := map[string]string{} // foreign to ours
	nodes := map[string]tree.Node{}
	for _, level := range []tree.Type{tree.Case, tree.Experience, tree.Strategy} {
		for i := range all {
			f := &all[i]
			if f.Type != level {
				continue
			}
			n := f.node()
			if level == tree.Case {
				f.evidence(&n, guess)
			} else {
				linkChildren(&n, slices.Concat(f.Children, f.ChildrenIDs, f.RelatedCaseIDs), ids, nodes)
			}
			ids[f.ID] = n.ID
			if twin, ok := nodes[n.ID]; ok {
				n = merge(twin, n)
			}
			nodes[n.ID] = n
		}
	}
	for _, id := range slices.Sorted(maps.Keys(nodes)) {
		for _, c := range nodes[id].Children {
			child := nodes[c]
			child.Parent = max(child.Parent, id)
			nodes[c] = child
		}
	}
	out := slices.Collect(maps.Values(nodes))
	slices.SortFunc(out, func(a, b tree.Node) int {
		return cmp.Or(cmp.Compare(a.ErrorType, b.ErrorType), cmp.Compare(a.ID, b.ID))
	})
	return out
}

// node returns a node with the fields common to the nodes of all levels. Numbers are clamped to their ranges, and an
// error type that cannot be the name of a file becomes other_error.
func (f *foreignNode) node() tree.Node {
	n := tree.Node{Type: f.Type, Level: f.Type.Level(), ErrorType: f.ErrorType, Direction: taxonomy.Other,
		Children: []string{}, Status: tree.Active, Revision: 1}
	use := f.Metadata
	if f.Context != nil {
		use = f.foreignUse
		n.ErrorType = cmp.Or(n.ErrorType, f.Context.ErrorType)
		n.Scene = tree.Scene{ID: name(f.Context.SceneID), Route: name(tree.Route(f.Context.RoutePath))}
	}
	if n.ErrorType = strings.ToLower(n.ErrorType); !typeName().MatchString(n.ErrorType) {
		n.ErrorType = taxonomy.OtherError
	}
	if use.SuccessCount > 0 && use.UsageCount > 0 && use.SuccessRate == 0 {
		use.SuccessRate = float64(use.SuccessCount) / float64(use.UsageCount)
	}
	n.Content = tree.Content{
		Title: line(f.Content.Title), Description: line(f.Content.Description), Guidance: line(f.Content.Guidance),
		Confidence: clampShare(cmp.Or(f.Content.Confidence, f.Confidence)),
	}
	for _, t := range firstN(f.Content.Triggers, tree.MaxConditions) {
		n.Content.AppliesWhen = append(n.Content.AppliesWhen, line(t))
	}
	n.Metadata = tree.Metadata{
		CreatedAt: foreignTime(use.CreatedAt), UpdatedAt: foreignTime(use.UpdatedAt),
		UsageCount: max(0, use.UsageCount), SuccessRate: clampShare(use.SuccessRate),
	}
	n.Lang = lang(n.Content.Guidance + n.Content.Description)
	n.Origin.Label = foreignOrigin
	n.Provenance.By = byImport
	n.Occurrences = []tree.Occurrence{}
	return n
}

// evidence fills n with the evidence of the foreign case f, cut to the limits of a node. The id of n follows from it.
func (f *foreignNode) evidence(n *tree.Node, guess guesser) {
	d := &tree.CaseData{}
	if c := f.CaseData; c != nil {
		d.TestCase = c.TestCase
		d.AgentJudgment = clip(c.AgentJudgment, tree.MaxNodeText)
		d.ActualError, d.ErrorReason, d.AvoidanceHint = line(c.ActualError), line(c.ErrorReason), line(c.AvoidanceHint)
	}
	if c := f.Context; c != nil {
		d.TestCase.CaseID = cmp.Or(d.TestCase.CaseID, c.CaseID)
		d.TestCase.SceneID = cmp.Or(d.TestCase.SceneID, c.SceneID)
		d.TestCase.Prompt = cmp.Or(d.TestCase.Prompt, c.Prompt)
	}
	t := &d.TestCase
	t.CaseID, t.SceneID, t.Prompt = name(t.CaseID), name(t.SceneID), clip(t.Prompt, tree.MaxNodeText)
	if len(t.GroundTruth) > tree.MaxNodeText {
		t.GroundTruth = nil
	}
	t.GroundTruth = t.GroundTruth.Canonical()
	d.ActualError = cmp.Or(d.ActualError, n.Content.Description)
	d.AvoidanceHint = cmp.Or(d.AvoidanceHint, n.Content.Guidance)
	n.Content.Guidance = cmp.Or(n.Content.Guidance, d.AvoidanceHint)
	n.Scene.ID = cmp.Or(n.Scene.ID, t.SceneID)
	n.CaseData = d
	if guess != nil && d.AgentJudgment != "" && !t.GroundTruth.Null() {
		if dir := guess(d.AgentJudgment, t.GroundTruth); dir.Valid() {
			n.Direction = dir
		}
	}
	n.ID = tree.EvidenceID(n)
}

// linkChildren sets the direction of an abstraction, that of most of the named children, and links those of the
// children that have it. ids has our id of each foreign id, nodes our nodes.
func linkChildren(n *tree.Node, named []string, ids map[string]string, nodes map[string]tree.Node) {
	var fit []string
	directions := map[taxonomy.Direction]int{}
	for _, foreign := range named {
		c, ok := nodes[ids[foreign]]
		if !ok || c.Level != n.Level-1 || c.ErrorType != n.ErrorType {
			continue
		}
		fit = append(fit, c.ID)
		directions[c.Direction]++
	}
	for _, d := range []taxonomy.Direction{taxonomy.Other, taxonomy.FalseFail, taxonomy.FalsePass} {
		if directions[d] > 0 && directions[d] >= directions[n.Direction] {
			n.Direction = d
		}
	}
	for _, id := range fit {
		if nodes[id].Direction == n.Direction {
			n.Children = append(n.Children, id)
		}
	}
	n.Children = firstN(sorted(n.Children), tree.MaxChildren)
	founding := n.Children
	if len(founding) == 0 {
		founding = []string{n.Content.Title, n.Content.Description, n.Content.Guidance}
	}
	n.ID = tree.GroupID(n.Type, n.ErrorType, n.Direction, founding)
}

func line(s string) string { return clip(s, tree.MaxNodeLine) }
func name(s string) string { return clip(s, tree.MaxName) }

// clip makes a foreign text lawful: valid UTF-8 without NUL, and at most limit bytes.
func clip(s string, limit int) string {
	s = strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "")
	if len(s) <= limit {
		return s
	}
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit]
}

// clampShare returns f clamped to 0 to 1.
func clampShare(f float64) float64 {
	if f != f { //nolint:gocritic // not a number
		return 0
	}
	return min(1, max(0, f))
}

// lang guesses the language of a text: zh if it has a Chinese character.
func lang(s string) string {
	if strings.ContainsFunc(s, func(r rune) bool { return unicode.Is(unicode.Han, r) }) {
		return "zh"
	}
	return "en"
}
