package taxonomy

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestEvolutionRules(t *testing.T) {
	x, err := Parse("memtree.yaml", []byte("evolution:\n  - caseThreshold: 4\n  - errorType: async_timing_error\n"+
		"    timeWindow: 7.5\n    minConfidence: 0.6\n    experienceThreshold: 3\n"))
	require.NoError(t, err)
	require.Equal(t, []EvolutionRule{
		{CaseThreshold: 4},
		{ErrorType: "async_timing_error", ExperienceThreshold: 3, MinConfidence: 0.6, TimeWindow: 7.5},
	}, x.EvolutionRules())
	require.Empty(t, Default().EvolutionRules())
}

func TestEvolutionRulesRefuse(t *testing.T) {
	for overlay, want := range map[string]string{
		"evolution:\n  - caseThreshold: 1\n": `evolution[0].caseThreshold is "1"; ` +
			`write a whole number from 2 to 1000`,
		"evolution:\n  - caseThreshold: 2.5\n":                          "whole number",
		"evolution:\n  - minConfidence: high\n":                         `is "high"; write a number from 0 to 1`,
		"evolution:\n  - errorType: nonsense\n":                         "is no error type",
		"evolution:\n  - caseThreshold: 2\n  - caseThreshold: 3\n":      "again, as in line 2",
		"evolution:\n  - window: 3\n":                                   "is no field here",
		"evolution:\n  - timeWindow: [1]\n":                             "write a number",
		"evolution: 3\n":                                                "write a list",
		"evolution:\n  - {minConfidence: .nan}\n":                       "write a number",
		"evolution:\n  - errorType: edge_case_error\n    timeWindow: 0": "from 0.01",
	} {
		_, err := Parse("memtree.yaml", []byte(overlay))
		require.ErrorContains(t, err, want, overlay)
	}
}
