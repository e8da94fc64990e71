package tree

import (
	"maps"
	"slices"
)

// Clone returns a deep copy of n.
func (n *Node) Clone() Node {
	c := *n
	c.Content.AppliesWhen = slices.Clone(n.Content.AppliesWhen)
	c.Content.NotWhen = slices.Clone(n.Content.NotWhen)
	c.Content.Lessons = slices.Clone(n.Content.Lessons)
	for i := range c.Content.Lessons {
		c.Content.Lessons[i].Cites = slices.Clone(c.Content.Lessons[i].Cites)
		c.Content.Lessons[i].What = slices.Clone(c.Content.Lessons[i].What)
		c.Content.Lessons[i].Scenes = slices.Clone(c.Content.Lessons[i].Scenes)
	}
	c.Content.Scenes = slices.Clone(n.Content.Scenes)
	if n.Content.Other != nil {
		o := *n.Content.Other
		o.AppliesWhen = slices.Clone(o.AppliesWhen)
		c.Content.Other = &o
	}
	c.Children = slices.Clone(n.Children)
	if n.CaseData != nil {
		d := *n.CaseData
		d.TestCase.GroundTruth = slices.Clone(d.TestCase.GroundTruth)
		d.Misses = slices.Clone(d.Misses)
		for i := range d.Misses {
			d.Misses[i].What, d.Misses[i].At = slices.Clone(d.Misses[i].What), slices.Clone(d.Misses[i].At)
			d.Misses[i].Expect = slices.Clone(d.Misses[i].Expect)
		}
		d.Evidence = d.Evidence.Clone()
		d.About = d.About.clone()
		c.CaseData = &d
	}
	if n.Elsewhere != nil {
		e := *n.Elsewhere
		e.IDs = slices.Clone(e.IDs)
		c.Elsewhere = &e
	}
	c.Taught = n.Taught.clone()
	if n.Decision != nil {
		w := *n.Decision
		c.Decision = &w
	}
	c.Scope.SuiteTests = slices.Clone(n.Scope.SuiteTests)
	c.Provenance.Cites, c.Provenance.Left = slices.Clone(n.Provenance.Cites), slices.Clone(n.Provenance.Left)
	c.Provenance.Lost = slices.Clone(n.Provenance.Lost)
	c.Occurrences = slices.Clone(n.Occurrences)
	c.Counters = maps.Clone(n.Counters)
	c.Credit = n.Credit.clone()
	return c
}
