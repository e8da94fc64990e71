package tree

import (
	"slices"
	"strings"
	"time"

	"github.com/memtree/memtree/taxonomy"
)

// Refused is what people said no to. It is made of the memories that hold their words, and whoever
// gives a memory or learns one asks it:
//
//   - A lesson that was banned, forgotten or rejected takes its check from the cases it rested on.
//   - The sentence of one that was banned or rejected is in no memory, whatever its cases are. A
//     sentence of the catalogue is its check: in every language, with every thing put in.
//   - A lesson in a person's words stands for what the catalogue says of its check.
//   - A lesson that lost cases is not given while too few are left.
//
// A strategy counts lessons, and a no to it is about the strategy alone, but for the sentences that a
// person wrote in it. A nil Refused refuses nothing. It is immutable.
type Refused struct {
	rules RefusalRules
	cases map[matter]map[string]bool
	said  map[string]time.Time // when, by words of saidBy
	ours  map[matter]ownWords  // in a person's words
	jobs  map[string]bool      // whose drafts a person rejected
}

// RefusalRules say what a tree alone does not know. A nil function knows nothing.
type RefusalRules struct {
	Wider func(check string) string  // the check that a check is a kind of, "" for none
	Least func(errorType string) int // how many cases a lesson needs
}

// matter is a check in one direction; the check is "" where none is known.
type matter struct {
	check     string
	direction taxonomy.Direction
}

// ownWords are the words of a person about a matter.
type ownWords struct {
	*Lesson
	at time.Time
}

// NewRefused reads what people said no to from experiences and strategies, those out of use too. Cases
// among the nodes are passed over.
func NewRefused(nodes []Node, rules RefusalRules) *Refused {
	r := &Refused{rules: rules, cases: map[matter]map[string]bool{}, said: map[string]time.Time{},
		ours: map[matter]ownWords{}, jobs: map[string]bool{}}
	for i := range nodes {
		n := &nodes[i]
		switch {
		case n.Type == Case:
		case n.Entombed():
			r.refuse(n)
		case n.Live() && n.Provenance.By == ByPerson && n.Type == Experience && len(n.Children) > 0:
			for j := range n.Content.Lessons {
				l := &n.Content.Lessons[j]
				m := matter{l.Kind, n.Direction}
				if l.From == FromPerson && l.Kind != "" && !r.ours[m].at.After(n.Provenance.At) {
					r.ours[m] = ownWords{l, n.Provenance.At}
				}
			}
		}
	}
	return r
}

// refuse takes in a lesson or strategy that a person said no to.
func (r *Refused) refuse(n *Node) {
	everywhere := n.Word.Says(SaidBan)
	if n.Rejected() && n.Provenance.Job != "" {
		r.jobs[n.Provenance.Job] = true
	}
	for _, l := range lessonsIn(n) {
		if everywhere && (n.Type == Experience || l.From == FromPerson) {
			for _, s := range r.words(n, &l) {
				r.said[s] = n.Word.At
			}
		}
		if n.Type != Experience {
			continue
		}
		m := matter{l.Kind, n.Direction}
		if r.cases[m] == nil {
			r.cases[m] = map[string]bool{}
		}
		for _, id := range restsOn(n, &l) {
			r.cases[m][id] = true
		}
	}
}

// lessonsIn returns the lessons of a memory; one of an older format has its guidance alone.
func lessonsIn(n *Node) []Lesson {
	if len(n.Content.Lessons) > 0 || n.Content.Guidance == "" {
		return n.Content.Lessons
	}
	return []Lesson{{Check: n.Content.Guidance}}
}

// restsOn returns the ids of the cases that a lesson of n rests on, or did when it was written.
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

// words returns what names the sentences of a lesson: the check where the catalogue words it, and
// every text that somebody wrote.
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

// catalogued names the sentence of the catalogue about a check.
func catalogued(check string, d taxonomy.Direction) string {
	return "\x00" + check + "\x00" + string(d)
}

// fold makes sentences equal that differ in case, space and the mark at their end.
func fold(s string) string {
	s = strings.ToLower(strings.Join(strings.Fields(s), " "))
	return strings.TrimRight(s, " .!。！")
}

// Sentence reports whether a person refused a sentence.
func (r *Refused) Sentence(s string) bool {
	if r == nil {
		return false
	}
	_, no := r.said[fold(s)]
	return no && fold(s) != ""
}

// Job reports whether a person rejected the draft of a job.
func (r *Refused) Job(key string) bool { return r != nil && r.jobs[key] }

// Check reports whether people refused a check in a case: as it rests on that case, or with the sentence
// of the catalogue. A kind of a check that was refused there is refused too.
func (r *Refused) Check(n *Node, check string) bool {
	if r == nil {
		return false
	}
	if _, no := r.said[catalogued(check, n.Direction)]; no && check != "" {
		return true
	}
	return r.of(n.ID, n.Direction, check)
}

// of reports whether a check was refused as it rests on a case.
func (r *Refused) of(id string, d taxonomy.Direction, check string) bool {
	for range 16 { // a check is a kind of a few others at most
		if r.cases[matter{check, d}][id] {
			return true
		}
		if check == "" || r.rules.Wider == nil {
			return false
		}
		if check = r.rules.Wider(check); check == "" {
			return false
		}
	}
	return false
}

// Lesson reports whether people refused a lesson of n: its sentence, or its check in all cases that it
// rests on. What a person wrote since stays.
func (r *Refused) Lesson(n *Node, l *Lesson) bool {
	if r == nil {
		return false
	}
	for _, s := range r.words(n, l) {
		at, no := r.said[s]
		if no && !(n.Provenance.By == ByPerson && n.Provenance.At.After(at)) {
			return true
		}
	}
	on := restsOn(n, l)
	if len(l.Cites) > 0 && n.Type == Strategy {
		on = l.Cites
	}
	if len(on) == 0 || n.Provenance.By == ByPerson {
		return false
	}
	return !slices.ContainsFunc(on, func(id string) bool { return !r.of(id, n.Direction, l.Kind) })
}

// Heed returns n as it may be given: without what people refused, and in their words. It is nil if
// nothing is left, and n itself if nothing was refused. It may share memory with n.
func (r *Refused) Heed(n *Node) *Node {
	switch {
	case n.Mark == Banned || n.Forgotten():
		return nil
	case r == nil:
		return n
	case n.CaseData != nil:
		return r.heedCase(n)
	}
	kept := slices.DeleteFunc(slices.Clone(n.Content.Lessons), func(l Lesson) bool {
		return r.Lesson(n, &l) || r.thin(n, &l)
	})
	none := len(n.Content.Lessons) == 0 && r.Sentence(n.Content.Guidance)
	if none || len(kept) == 0 && len(n.Content.Lessons) > 0 {
		return nil
	}
	c, changed := *n, len(kept) != len(n.Content.Lessons)
	for i := range kept {
		l := &kept[i]
		ours := r.ours[matter{l.Kind, n.Direction}]
		if n.Type == Strategy && n.Provenance.By != ByPerson && ours.Lesson != nil {
			l.Check, l.Instead, l.From, changed = ours.Check, ours.Instead, FromPerson, true
		}
	}
	if !changed {
		return n
	}
	c.Content.Lessons = kept
	return &c
}

// thin reports whether a lesson lost so many cases since it was written that too few are left.
func (r *Refused) thin(n *Node, l *Lesson) bool {
	lost := n.Provenance.Lost
	if len(lost) == 0 || n.Mark == Pinned || n.Elsewhere != nil {
		return false
	}
	on := n.Children
	if n.Type == Strategy {
		on = l.Cites
	}
	left, had := 0, 0
	for _, id := range slices.Compact(slices.Sorted(slices.Values(slices.Concat(on, lost)))) {
		had++
		if !slices.Contains(lost, id) {
			left++
		}
	}
	least := 1
	if r.rules.Least != nil && n.Type == Experience && n.Provenance.By != ByPerson {
		least = r.rules.Least(n.ErrorType)
	}
	return left < had && left < least
}

// heedCase is Heed of a case.
func (r *Refused) heedCase(n *Node) *Node {
	var kept []Miss
	changed := false
	for _, m := range n.CaseData.Misses {
		ours := r.ours[matter{m.Check, n.Direction}]
		switch {
		case r.refusesMiss(n, &m):
			changed = true
			continue
		case ours.Lesson != nil:
			m.Instead, m.From, changed = strings.TrimSpace(ours.Check+" "+ours.Instead), FromPerson, true
		}
		kept = append(kept, m)
	}
	none := len(n.CaseData.Misses) == 0 && r.Sentence(n.Content.Guidance)
	switch {
	case none || changed && len(kept) == 0:
		return nil
	case !changed:
		return n
	}
	c, d := *n, *n.CaseData
	d.Misses = kept
	c.CaseData = &d
	return &c
}

// Ours returns when a person last worded a lesson about what a case missed, the zero time where none is.
func (r *Refused) Ours(n *Node) (at time.Time) {
	if r == nil || n.CaseData == nil {
		return at
	}
	for _, m := range n.CaseData.Misses {
		if ours := r.ours[matter{m.Check, n.Direction}]; ours.at.After(at) {
			at = ours.at
		}
	}
	return at
}

// Beyond returns a case as it may be given before other tests than its own: without what a person worded,
// since that person's conditions say when it is for others. It is nil if nothing is left.
func (r *Refused) Beyond(n *Node) *Node {
	if r.Ours(n).IsZero() {
		return n
	}
	c, d := *n, *n.CaseData
	d.Misses = slices.DeleteFunc(slices.Clone(d.Misses), func(m Miss) bool {
		return r.ours[matter{m.Check, n.Direction}].Lesson != nil
	})
	if c.CaseData = &d; len(d.Misses) == 0 {
		return nil
	}
	return &c
}

// refusesMiss reports whether people refused what a case would say of a miss.
func (r *Refused) refusesMiss(n *Node, m *Miss) bool {
	if m.Instead != "" {
		return r.Sentence(m.Instead) || r.of(n.ID, n.Direction, m.Check)
	}
	return r.Check(n, m.Check)
}
