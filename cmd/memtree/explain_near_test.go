package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestExplainShowsWhatIsNear(t *testing.T) {
	rows := func(rel ...float64) (out []considered) {
		for _, r := range rel {
			out = append(out, considered{Rel: r})
		}
		return out
	}
	for name, c := range map[string]struct {
		all   []considered
		limit int
		want  int
	}{
		"none":              {rows(), nearOnes, 0},
		"three at least":    {rows(.04, .03, .02, .01), nearOnes, 3},
		"all that are near": {rows(.9, .8, .7, .5, .05, .04), nearOnes, 5},
		"a limit":           {rows(.9, .8, .7), 2, 2},
		"a limit above":     {rows(.9), 5, 1},
		"no limit":          {rows(.9, .01, 0, 0), 0, 4},
	} {
		t.Run(name, func(t *testing.T) { require.Len(t, firstOf(c.all, c.limit), c.want) })
	}
	require.Len(t, firstOf(make([]considered, 60), nearOnes), 3)
	many := make([]considered, 60)
	for i := range many {
		many[i].Taken = true
	}
	require.Len(t, firstOf(many, nearOnes), 20)
}
