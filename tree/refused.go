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
	cases map[matter]map[string]*Refusal
	said  map[string]*Refusal // by what names a sentence, see words
	ours  map[matter]ownWords // in a person's words
	jobs  map[string]bool     // whose drafts a person rejected

	examples bool // a lesson in use was taught for tests by their names
}

// Refusal is what a person decided against a sentence or a check.
type Refusal struct {
	Said  DecisionKind `json:"said"` // ban, forget, reject or about
	By    string       `json:"by,omitempty"`
	Check string       `json:"check,omitempty"` // that is given no more; "" where none is known

	at time.Time
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
	at      time.Time
	when    bool     // given by that person's conditions, see Provenance.When
	notWhen []string // not before tests of these
}

// NewRefused reads what people said no to from experiences and strategies, those out of use too. Cases
// among the nodes are passed over.
func NewRefused(nodes []Node, rules RefusalRules) *Refused {
	r := &Refused{rules: rules, cases: map[matter]map[string]*Refusal{}, said: map[string]*Refusal{},
		ours: map[matter]ownWords{}, jobs: map[string]bool{}}
	for i := range nodes {
		n := &nodes[i]
		r.examples = r.examples || n.Live() && n.Taught != nil && len(n.Taught.For) > 0
		switch {
		case n.Type == Case:
		case n.Entombed():
			r.refuse(n)
		case n.Live() && n.Provenance.By == ByPerson && n.Type == Experience && len(n.Children) > 0:
			for j := range n.Content.Lessons {
				l := &n.Content.Lessons[j]
				m := matter{l.Kind, n.Direction}
				if l.From == FromPerson && l.Kind != "" && !r.ours[m].at.After(n.Provenance.At) {
					r.ours[m] = ownWords{l, n.Provenance.At, n.Provenance.When, n.Content.NotWhen}
				}
			}
		}
	}
	return r
}

// refuse takes in a lesson or strategy that a person said no to.
func (r *Refused) refuse(n *Node) {
	everywhere := n.Decision.Is(DecisionBan)
	no := RefusalOf(n)
	if n.Rejected() && n.Provenance.Job != "" {
		r.jobs[n.Provenance.Job] = true
	}
	for _, l := range lessonsIn(n) {
		if everywhere && (n.Type == Experience || l.From == FromPerson) {
			for _, s := range r.words(n, &l) {
				r.said[s] = no
			}
		}
		if n.Type != Experience {
			continue
		}
		m := matter{l.Kind, n.Direction}
		if r.cases[m] == nil {
			r.cases[m] = map[string]*Refusal{}
		}
		of := *no
		of.Check = l.Kind
		for _, id := range restsOn(n, &l) {
			r.cases[m][id] = &of
		}
	}
}

// RefusalOf returns what a person decided against a memory that is out of use for it, nil for others.
func RefusalOf(n *Node) *Refusal {
	switch {
	case !n.Entombed():
		return nil
	case n.Rejected():
		return &Refusal{Said: DecisionReject, By: n.Decision.By, at: n.Decision.At}
	}
	return &Refusal{Said: n.Decision.Kind, By: n.Decision.By, at: n.Decision.At}
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

// Examples reports whether a lesson in use was taught for tests by their names.
func (r *Refused) Examples() bool { return r != nil && r.examples }

// Job reports whether a person rejected the draft of a job.
func (r *Refused) Job(key string) bool { return r != nil && r.jobs[key] }

// Check reports whether people refused a check in a case: as it rests on that case, or with the sentence
// of the catalogue. A kind of a check that was refused there is refused too.
func (r *Refused) Check(n *Node, check string) bool { return r.check(n, check) != nil }

func (r *Refused) check(n *Node, check string) *Refusal {
	if r == nil {
		return nil
	}
	if no := r.said[catalogued(check, n.Direction)]; no != nil && check != "" {
		return no
	}
	return r.of(n.ID, n.Direction, check)
}

// of returns why a check was refused as it rests on a case, nil if it was not.
func (r *Refused) of(id string, d taxonomy.Direction, check string) *Refusal {
	for range 16 { // a check is a kind of a few others at most
		if no := r.cases[matter{check, d}][id]; no != nil {
			return no
		}
		if check == "" || r.rules.Wider == nil {
			return nil
		}
		if check = r.rules.Wider(check); check == "" {
			return nil
		}
	}
	return nil
}

// Lesson reports whether people refused a lesson of n: its sentence, or its check in all cases that it
// rests on. What a person wrote since stays.
func (r *Refused) Lesson(n *Node, l *Lesson) bool { return r.lesson(n, l) != nil }

func (r *Refused) lesson(n *Node, l *Lesson) *Refusal {
	if r == nil {
		return nil
	}
	for _, s := range r.words(n, l) {
		if no := r.said[s]; no != nil && !(n.Provenance.By == ByPerson && n.Provenance.At.After(no.at)) {
			return no
		}
	}
	on := restsOn(n, l)
	if len(l.Cites) > 0 && n.Type == Strategy {
		on = l.Cites
	}
	if n.Provenance.By == ByPerson {
		return nil
	}
	var no *Refusal
	for _, id := range on {
		if no = r.of(id, n.Direction, l.Kind); no == nil {
			return nil
		}
	}
	return no
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
		return r.heedCase(n, false)
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

// heedCase is Heed of a case; notes says that notes stay.
func (r *Refused) heedCase(n *Node, notes bool) *Node {
	return r.withMisses(n, func(m Miss) (Miss, bool) {
		if r.refusesMiss(n, &m) != nil {
			return Miss{ErrorType: m.ErrorType, How: m.How, From: m.From, At: m.At},
				notes && m.From == FromPerson && m.How != ""
		}
		if ours := r.ours[matter{m.Check, n.Direction}]; ours.Lesson != nil {
			m.Instead, m.From = strings.TrimSpace(ours.Check+" "+ours.Instead), FromPerson
		}
		return m, true
	})
}

// withMisses returns a case with its misses as each makes them, false leaving one out. It returns n itself if
// nothing changed, and nil if nothing is left to say.
func (r *Refused) withMisses(n *Node, each func(Miss) (Miss, bool)) *Node {
	var kept []Miss
	changed := false
	for _, m := range n.CaseData.Misses {
		is, stays := each(m)
		changed = changed || !stays || is.Instead != m.Instead || is.From != m.From || is.Check != m.Check
		if stays {
			kept = append(kept, is)
		}
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

// HeedOwn is Heed for the very test of a case: what a person noted of the run stays, without the check that was
// refused.
func (r *Refused) HeedOwn(n *Node) *Node {
	if r == nil || n.CaseData == nil || n.Mark == Banned || n.Forgotten() {
		return r.Heed(n)
	}
	return r.heedCase(n, true)
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

// Beyond returns a case as it may be given before other tests than its own: without what a person worded with
// conditions, which say when it is for others. It is nil if nothing is left.
func (r *Refused) Beyond(n *Node) *Node {
	return r.unless(n, func(ours *ownWords) bool { return ours.when })
}

// Before returns a case as it may be given before a test: without what a person worded for other tests. mentions
// reports whether the test may be one that a condition names. It is nil if nothing is left.
func (r *Refused) Before(n *Node, mentions func(condition string) bool) *Node {
	return r.unless(n, func(ours *ownWords) bool { return slices.ContainsFunc(ours.notWhen, mentions) })
}

// unless returns a case without what a person worded, where left says so.
func (r *Refused) unless(n *Node, left func(*ownWords) bool) *Node {
	if r == nil || n == nil || n.CaseData == nil {
		return n
	}
	return r.withMisses(n, func(m Miss) (Miss, bool) {
		ours := r.ours[matter{m.Check, n.Direction}]
		return m, ours.Lesson == nil || !left(&ours)
	})
}

// refusesMiss returns why people refused what a case would say of a miss, nil if they did not.
func (r *Refused) refusesMiss(n *Node, m *Miss) *Refusal {
	if r == nil {
		return nil
	}
	if m.Instead != "" {
		if no := r.said[fold(m.Instead)]; no != nil {
			return no
		}
		return r.of(n.ID, n.Direction, m.Check)
	}
	return r.check(n, m.Check)
}

// Left returns what people refused of a memory, each once: it is given without, or not at all.
func (r *Refused) Left(n *Node) (out []Refusal) {
	add := func(no *Refusal, check string) {
		if no == nil {
			return
		}
		x := *no
		x.Check, x.at = check, time.Time{}
		if !slices.Contains(out, x) {
			out = append(out, x)
		}
	}
	if no := RefusalOf(n); no != nil {
		add(no, "")
		return out
	}
	if n.CaseData == nil {
		for i := range n.Content.Lessons {
			add(r.lesson(n, &n.Content.Lessons[i]), n.Content.Lessons[i].Kind)
		}
		return out
	}
	for i := range n.CaseData.Misses {
		add(r.refusesMiss(n, &n.CaseData.Misses[i]), n.CaseData.Misses[i].Check)
	}
	return out
}
