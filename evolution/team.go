package evolution

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// readForTeam reads the cases that rules have read again, for checks that a team has added to the catalogue, or
// changed, since. A case moves if one of these checks is read from it now and was not before. The completion is stored
// once a plan finds nothing to move, so that a plan that was not applied loses nothing.
func (p *planner) readForTeam(ctx context.Context) error {
	team := p.e.o.Taxonomy.TeamChecks()
	if p.e.o.Lift == nil || len(team) == 0 {
		return nil
	}
	key, err := teamKey(team)
	if err != nil {
		return err
	}
	if _, read := p.e.o.Cache.Get(key); read {
		return nil
	}
	moved := false
	for _, n := range slices.Clone(p.s.cases) {
		if n.Provenance.Analyst != "rules" || n.Decision != nil {
			continue // a model or a person is more reliable
		}
		c := n.Clone()
		c.CaseData.Misses = nil
		p.e.o.Lift(&c)
		is := slices.IndexFunc(team, func(t taxonomy.Check) bool { return c.Has(t.ID) && !n.Has(t.ID) })
		if is < 0 || staysUnder(p.experiences, &c) {
			continue
		}
		moved = true
		p.s.revise(n.ID, "read again for the check "+team[is].ID, func(n *tree.Node) { *n = c })
	}
	if moved {
		return nil
	}
	if err := p.e.o.Cache.Put(ctx, key, []byte(fmt.Sprintf(`{"job":%q}`, key))); err != nil {
		return fmt.Errorf("keep that the checks of the team were read: %w", err)
	}
	return nil
}

// staysUnder reports whether a lesson that stays rests on a case for an error type that the case would no longer have.
func staysUnder(lessons []*tree.Node, n *tree.Node) bool {
	return slices.ContainsFunc(lessons, func(x *tree.Node) bool {
		return (x.Kept() || x.Elsewhere != nil) && slices.Contains(x.Children, n.ID) && !n.Concerns(x.ErrorType)
	})
}

// teamKey returns the cache key of having read all cases for checks. It changes with their content.
func teamKey(team []taxonomy.Check) (string, error) {
	b, err := json.Marshal(team)
	if err != nil {
		return "", fmt.Errorf("name the checks of the team: %w", err)
	}
	return "team_" + tree.Hash(string(b)), nil
}
