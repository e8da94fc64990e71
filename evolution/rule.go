package evolution

import (
	"cmp"
	"time"

	"github.com/memtree/memtree/taxonomy"
)

// rule is the thresholds of learning. A field that is zero means the default, which comes first in its comment.
type rule struct {
	// 3: distinct cases that make an experience.
	CaseThreshold int `json:"caseThreshold"`
	// 2: experiences that make a strategy.
	ExperienceThreshold int `json:"experienceThreshold"`
	// 0.5: the least confidence of an experience, see confidence.
	MinConfidence float64 `json:"minConfidence"`
	// 30 days: enough cases must lie within a period of this length, in JSON in nanoseconds.
	TimeWindow time.Duration `json:"timeWindow"`
}

// The defaults, those of the design the tree comes from.
const (
	defaultCases       = 3
	defaultExperiences = 2
	defaultConfidence  = 0.5
	defaultWindow      = 30 * 24 * time.Hour

	leastTests         = 2 // distinct tests of any lesson: one test alone may be flaky
	leastStrategyCases = 5
)

// ruleBook maps an error type to its rule. The rule under "" is for all others.
type ruleBook map[string]rule

// rulesOf reads the rules that a team's overlay sets.
func rulesOf(t *taxonomy.Taxonomy) ruleBook {
	out := ruleBook{}
	for _, r := range t.EvolutionRules() {
		out[r.ErrorType] = rule{
			CaseThreshold: r.CaseThreshold, ExperienceThreshold: r.ExperienceThreshold, MinConfidence: r.MinConfidence,
			TimeWindow: time.Duration(r.TimeWindow * 24 * float64(time.Hour)),
		}
	}
	return out
}

// Of returns the rule for an error type. A field comes from the type's own rule, else
// from the rule under "", else it is the default.
func (r ruleBook) Of(errorType string) rule {
	own, all := r[errorType], r[""]
	return rule{
		CaseThreshold:       cmp.Or(own.CaseThreshold, all.CaseThreshold, defaultCases),
		ExperienceThreshold: cmp.Or(own.ExperienceThreshold, all.ExperienceThreshold, defaultExperiences),
		MinConfidence:       cmp.Or(own.MinConfidence, all.MinConfidence, defaultConfidence),
		TimeWindow:          cmp.Or(own.TimeWindow, all.TimeWindow, defaultWindow),
	}
}
