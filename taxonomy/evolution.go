package taxonomy

import (
	"slices"
	"strconv"

	"github.com/goccy/go-yaml/ast"
)

// EvolutionRule sets when cases of an error type are enough to learn from. In an overlay:
//
//	evolution:
//	  - errorType: async_timing_error   # left out: of every type
//	    caseThreshold: 5
//	    timeWindow: 90                  # days
//
// A field that is zero is not set. Then that field of the rule for all types applies, or else the default of package
// evolution.
type EvolutionRule struct {
	ErrorType           string  // error type of the rule; "": the rule for all types
	CaseThreshold       int     // least number of cases for a lesson, 2 to 1000
	ExperienceThreshold int     // least number of lessons for a strategy, 2 to 1000
	MinConfidence       float64 // least confidence of a lesson, 0 to 1
	TimeWindow          float64 // days within which CaseThreshold cases have to lie, up to 36500
}

// EvolutionRules returns the rules that the overlay sets. The built-in taxonomy has none.
func (t *Taxonomy) EvolutionRules() []EvolutionRule { return slices.Clone(t.rules) }

func (d *decoder) evolution(f string, n ast.Node, r *EvolutionRule) {
	var cases, experiences float64
	d.fields(n, f, map[string]func(string, ast.Node){
		"errorType":           d.name(&r.ErrorType),
		"caseThreshold":       d.number(&cases, 2, 1000, true),
		"experienceThreshold": d.number(&experiences, 2, 1000, true),
		"minConfidence":       d.number(&r.MinConfidence, 0, 1, false),
		"timeWindow":          d.number(&r.TimeWindow, 0.01, 36500, false),
	})
	r.CaseThreshold, r.ExperienceThreshold = int(cases), int(experiences)
}

// number reads a number from least to most, and only a whole one if whole is set.
func (d *decoder) number(out *float64, least, most float64, whole bool) func(string, ast.Node) {
	return func(f string, n ast.Node) {
		v, err := strconv.ParseFloat(n.GetToken().Value, 64)
		switch n.(type) {
		case *ast.IntegerNode, *ast.FloatNode:
		default:
			err = strconv.ErrSyntax
		}
		if err != nil || !(v >= least && v <= most) || whole && v != float64(int(v)) {
			what := "number"
			if whole {
				what = "whole number"
			}
			d.bad(line(n), f, "is %s; write a %s from %v to %v", quote(n.GetToken().Value), what, least, most)
			return
		}
		*out = v
	}
}

// evolution appends the rules of a document to those of t. Each error type may have
// one rule in a document.
func (m *merger) evolution(t *Taxonomy, list []at[EvolutionRule]) {
	for _, r := range list {
		id := r.value.ErrorType
		if _, known := t.ErrorType(id); id != "" && !known {
			m.bad(r.line, r.field+".errorType", "is %s, which is no error type; declare it under errorTypes", quote(id))
			continue
		}
		if first := firstLine(list, func(o EvolutionRule) bool { return o.ErrorType == id }); first != r.line {
			m.bad(r.line, r.field+".errorType", "is %s again, as in line %d; put both into one entry", quote(id), first)
			continue
		}
		t.rules = append(slices.Clone(t.rules), r.value)
	}
}
