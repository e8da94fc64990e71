package enhance

import (
	"slices"

	"github.com/memtree/memtree/internal/guard"
	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// OfFact is the Item.Type of a fact about the product, which is not a memory.
const OfFact tree.Type = "fact"

// KnownFact is a fact about the product that the text states, and the cases that it explains.
type KnownFact struct {
	ID    string
	Text  string          // the fact, one sentence
	Kind  ledger.FactKind // kind of the fact; the line of a known bug is marked
	Cases []string        // ids of false alarms; a memory of false alarms is omitted if all its cases are among them
}

// maxKnown is the most tokens of one fact. Facts do not count against Options.Budget.
const maxKnown = 90

// explained is the format of why a memory is left out beside a fact.
const explained = "a fact about the product is given in its place, %s"

// known returns the facts that may be given and their lines.
func (o *Options) known() (told []KnownFact, lines []string) {
	for _, k := range o.Known {
		line := sentence(k.Text, maxKnown)
		if _, unsafe := guard.Unsafe(k.Text); unsafe || line == "" || Tokens(line) > maxKnown ||
			slices.Contains(lines, line) {
			continue
		}
		if k.Kind == ledger.KnownBug {
			line = taxonomy.Text{EN: "Known bug: ", ZH: "已知缺陷："}.In(o.Lang) + line
		}
		told, lines = append(told, k), append(lines, line)
	}
	return told, lines
}

// explainedBy returns the fact that explains the false alarms of a memory, "" for none.
func explainedBy(n *tree.Node, told []KnownFact) string {
	if n.Direction != taxonomy.FalseFail {
		return ""
	}
	cases := n.Children
	if n.Type == tree.Case {
		cases = []string{n.ID}
	}
	for _, k := range told {
		if len(cases) > 0 && !slices.ContainsFunc(cases, func(id string) bool { return !slices.Contains(k.Cases, id) }) {
			return k.ID
		}
	}
	return ""
}
