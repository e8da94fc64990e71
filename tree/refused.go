package tree

import (
	"slices"
	"strings"
	"time"

	"github.com/memtree/memtree/taxonomy"
)

// Refused holds what people refused: the sentences and checks of memories that they banned, forgot or rejected. Callers
// query it before a run receives a memory and before a lesson is learned.
//
//   - A banned, forgotten or rejected lesson removes its check from the cases that the lesson rested on.
//   - The sentence of a banned or rejected lesson is removed from every memory, unless a person wrote that memory
//     later. A sentence of the catalogue is recognized by its check, in every language and with any things inserted.
//   - The text of a lesson that a person wrote replaces the sentence for the same check in cases, and in strategies
//     that no person wrote.
//   - A lesson that lost cases is not given to a run if too few cases remain.
//
// A banned, forgotten or rejected strategy removes no check from cases, because a strategy only summarizes lessons; of
// its sentences only those that a person wrote are refused.
//
// A nil Refused refuses nothing. A Refused is immutable.
type Refused struct {
	rules RefusalRules
	cases map[matter]map[string]*Refusal
	said  map[string]*Refusal // by the keys of a sentence, see words
	ours  map[matter]ownWords // lessons written by a person
	jobs  map[string]bool     // jobs whose drafts a person rejected

	examples bool // an active lesson was taught for tests by name
}

// Refusal is a person's decision against a memory, or against a sentence or check in it.
type Refusal struct {
	Said  DecisionKind `json:"said"`            // what the person decided: ban, forget or reject
	By    string       `json:"by,omitempty"`    // name of the person
	Check string       `json:"check,omitempty"` // the refused check; "": the whole memory, or a sentence without a check

	at time.Time
}

// RefusalRules are the rules of a team's taxonomy that a Refused needs. Each may be nil.
type RefusalRules struct {
	Wider func(check string) string  // returns the more general check, "" for none; nil: no check has one
	Least func(errorType string) int // returns how many cases a lesson of an error type needs; nil: one
	// Says returns the catalogue's sentences for a check after a mistake of direction d, in every language; nil: a
	// sentence of the catalogue is recognized by its check only, and not by its text.
	Says func(check string, d taxonomy.Direction) []string
}

// matter is a check in one direction; the check is "" if unknown.
type matter struct {
	check     string
	direction taxonomy.Direction
}

// ownWords is a lesson that a person wrote about a matter.
type ownWords struct {
	*Lesson
	at      time.Time
	when    bool     // that person's conditions decide when it is injected, see Provenance.When
	notWhen []string // not injected for tests that these conditions name
}

// NewRefused collects what people refused, and the lessons that people wrote, from the experiences and strategies among
// nodes. nodes must include those out of use. Cases are ignored.
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

// refuse records a lesson or strategy that a person refused.
func (r *Refused) refuse(n *Node) {
	everywhere := n.Decision.Is(DecisionBan)
	no := refusalOf(n)
	if n.Rejected() && n.Provenance.Job != "" {
		r.jobs[n.Provenance.Job] = true
	}
	for _, l := range lessonsIn(n) {
		if everywhere && (n.Type == Experience || l.From == FromPerson) {
			for _, s := range append(r.words(n, &l), r.catalogue(n, &l)...) {
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

// refusalOf returns the decision that took a memory out of use, nil for a memory without one.
func refusalOf(n *Node) *Refusal {
	switch {
	case !n.Entombed():
		return nil
	case n.Rejected():
		return &Refusal{Said: DecisionReject, By: n.Decision.By, at: n.Decision.At}
	}
	return &Refusal{Said: n.Decision.Kind, By: n.Decision.By, at: n.Decision.At}
}

// Sentence reports whether a person banned or rejected a lesson with the sentence s. It ignores case, spacing and final
// punctuation.
func (r *Refused) Sentence(s string) bool {
	if r == nil {
		return false
	}
	_, no := r.said[fold(s)]
	return no && fold(s) != ""
}

// Examples reports whether any lesson in use was taught for certain tests (Taught.For).
func (r *Refused) Examples() bool { return r != nil && r.examples }

// Job reports whether a person rejected the draft that the evolution job with this key wrote (see Provenance.Job).
func (r *Refused) Job(key string) bool { return r != nil && r.jobs[key] }

// Check reports whether people refused a check for case n. They refused either the catalogue's sentence for the check,
// or a lesson that rests on n and is about the check or a more general check.
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

// of returns why a check was refused for a case, nil if it was not.
func (r *Refused) of(id string, d taxonomy.Direction, check string) *Refusal {
	for range 16 { // bounds the chain of more general checks
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

// Lesson reports whether people refused lesson l of n: its sentence, or its check for each case that it rests on. If a
// person wrote the text of n, only its sentence counts, and only refusals since the person wrote it.
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

// Heed returns n as a run may receive it: without what people refused, and with the lessons that people wrote in place
// of others. It returns nil if nothing remains, and n itself if nothing changed. The result may share memory with n.
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

// thin reports whether a lesson lost cases since it was written and too few remain.
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

// heedCase implements Heed for a case; notes keeps a person's notes on a check, unless it was banned or forgotten: who
// rejects a draft refuses its sentence, and not what happened.
func (r *Refused) heedCase(n *Node, notes bool) *Node {
	return r.withMisses(n, func(m Miss) (Miss, bool) {
		if no := r.refusesMiss(n, &m); no != nil {
			gone := no.Said == DecisionBan || no.Said == DecisionForget
			return Miss{ErrorType: m.ErrorType, How: m.How, From: m.From, At: m.At},
				notes && !gone && m.From == FromPerson && m.How != ""
		}
		if ours := r.ours[matter{m.Check, n.Direction}]; ours.Lesson != nil {
			m.Instead, m.From = strings.TrimSpace(ours.Check+" "+ours.Instead), FromPerson
		}
		return m, true
	})
}

// withMisses returns a copy of the case with each of its misses mapped by each, which returns false to drop it. It
// returns n itself if nothing changed, and nil if nothing remains.
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

// HeedOwn is Heed for the test that case n came from. It differs for a miss whose lesson a person rejected: if a person
// noted what went wrong in the run (Miss.How), the miss remains with that note, without its check and advice.
func (r *Refused) HeedOwn(n *Node) *Node {
	if r == nil || n.CaseData == nil || n.Mark == Banned || n.Forgotten() {
		return r.Heed(n)
	}
	return r.heedCase(n, true)
}

// Ours returns when a person last wrote a lesson about one of the checks that case n missed; zero if nobody did.
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

// Beyond returns case n as tests other than its own may receive it. It removes each miss about whose check a person
// wrote a lesson with conditions, because the person chose where that advice applies. Beyond returns nil if nothing
// remains, and n itself if nothing changed or n is no case.
func (r *Refused) Beyond(n *Node) *Node {
	return r.unless(n, func(ours *ownWords) bool { return ours.when })
}

// Before returns case n as one test may receive it. It removes each miss about whose check a person wrote a lesson that
// excludes the test: mentions reports whether a condition of Content.NotWhen names the test. Before returns nil if
// nothing remains, and n itself if nothing changed or n is no case.
func (r *Refused) Before(n *Node, mentions func(condition string) bool) *Node {
	return r.unless(n, func(ours *ownWords) bool { return slices.ContainsFunc(ours.notWhen, mentions) })
}

// unless returns a case without the misses whose lesson, written by a person, matches left.
func (r *Refused) unless(n *Node, left func(*ownWords) bool) *Node {
	if r == nil || n == nil || n.CaseData == nil {
		return n
	}
	return r.withMisses(n, func(m Miss) (Miss, bool) {
		ours := r.ours[matter{m.Check, n.Direction}]
		return m, ours.Lesson == nil || !left(&ours)
	})
}

// refusesMiss returns why people refused the lesson that a case would give for a miss, nil if they did not.
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

// Left returns the refusals because of which runs do not receive n, or lessons or misses of n; each refusal once.
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
	if no := refusalOf(n); no != nil {
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
