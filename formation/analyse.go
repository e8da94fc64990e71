package formation

import "context"

func (f *Former) analyse(ctx context.Context, x *facts, ask bool, out *Formed) (analysis, error) {
	t := truthsOf(x.truth, x.e.Prompt)
	x.claim.key = t.hide(x.claim.key)
	if forces(x.claim.key) {
		x.claim.key = ""
	}
	rules := f.byRules(x)
	rules.finish(t)
	return rules, nil
}
