package tree

import (
	"slices"
	"strings"

	"github.com/memtree/memtree/taxonomy"
)

// lessonsIn returns the lessons of a memory. A memory of an older format has only its guidance.
func lessonsIn(n *Node) []Lesson {
	if len(n.Content.Lessons) > 0 || n.Content.Guidance == "" {
		return n.Content.Lessons
	}
	return []Lesson{{Check: n.Content.Guidance}}
}

// restsOn returns the ids of the cases that a lesson of n rests on, including those lost since it was written.
func restsOn(n *Node, l *Lesson) []string {
	out := slices.Concat(l.Cites, n.Provenance.Lost)
	if n.Type == Experience {
		out = slices.Concat(out, n.Children, n.Provenance.Cites)
		if n.Elsewhere != nil {
			out = append(out, n.Elsewhere.IDs...)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// words returns the keys of a lesson's sentences: its check if the sentence is the catalogue's, else each text, folded,
// and the check's text of the translation.
func (r *Refused) words(n *Node, l *Lesson) (out []string) {
	if l.Kind != "" && (l.From == FromCatalogue || l.Check+l.Instead == "") {
		out = append(out, catalogued(l.Kind, n.Direction))
	} else {
		out = append(out, fold(l.Check), fold(l.Instead), fold(l.Check+" "+l.Instead))
	}
	if t := n.Content.Other; t != nil {
		out = append(out, fold(t.Check))
	}
	return slices.DeleteFunc(out, func(s string) bool { return s == "" })
}

// catalogue returns the keys of the catalogue's sentences for a lesson that has one of them. They are refused as texts
// too, because a person may have taught one.
func (r *Refused) catalogue(n *Node, l *Lesson) (out []string) {
	if l.Kind == "" || l.From != FromCatalogue || r.rules.Says == nil {
		return nil
	}
	for _, s := range append(r.rules.Says(l.Kind, n.Direction), l.Check) {
		if s = fold(s); s != "" {
			out = append(out, s)
		}
	}
	return out
}

// catalogued returns the key of the catalogue's sentence for a check.
func catalogued(check string, d taxonomy.Direction) string {
	return "\x00" + check + "\x00" + string(d)
}

// fold returns a key that is equal for sentences that differ in case, white space and final punctuation.
func fold(s string) string {
	s = strings.ToLower(strings.Join(strings.Fields(s), " "))
	return strings.TrimRight(s, " .!。！")
}
