package prompts_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/internal/golden"
	"github.com/memtree/memtree/prompts"
	"github.com/memtree/memtree/taxonomy"
)

func TestGuidanceGolden(t *testing.T) {
	s := prompts.Load()
	hint := prompts.Hint{When: "The condition.", Check: "The check.", NotWhen: "The exception.", Mistake: "The mistake."}
	for _, lang := range []string{"en", "zh"} {
		p, err := s.Guidance(prompts.GuidanceInput{Lang: lang, Strategies: []prompts.Hint{hint, {Check: "Only a check."}},
			Experiences: []prompts.Hint{hint}, Cases: []prompts.Hint{hint}})
		require.NoError(t, err)
		golden.Equal(t, "testdata/guidance."+lang+".golden", show(p))
		groups, err := s.Guidance(prompts.GuidanceInput{Lang: lang, Cases: []prompts.Hint{
			{Check: "A.", Direction: taxonomy.FalsePass, Here: true}, {Check: "B.", Direction: taxonomy.FalseFail, Here: true},
			{Check: "C.", Direction: taxonomy.FalsePass}, {Check: "D.", Direction: taxonomy.FalsePass, Here: true},
			{Check: "E.", Direction: taxonomy.FalseFail}, {Check: "F.", Here: true}}})
		require.NoError(t, err)
		golden.Equal(t, "testdata/guidance.groups."+lang+".golden", show(groups))
		one, err := s.Guidance(prompts.GuidanceInput{Lang: lang, Cases: []prompts.Hint{{Check: "Only a check."}}})
		require.NoError(t, err)
		golden.Equal(t, "testdata/guidance.one."+lang+".golden", show(one))
	}
}
