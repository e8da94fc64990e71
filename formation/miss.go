package formation

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/memtree/memtree/internal/cue"
	"github.com/memtree/memtree/internal/guard"
	"github.com/memtree/memtree/internal/judgment"
	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// misses reads what was missed, the weightiest first. The note of a person comes before the defects of the ground
// truth, and these before the differences of judgment and truth. Each cause that a note names is a miss, and so is
// each entry of a defect list. A run without any of these has one miss without a check: no cause is invented.
func (f *Former) misses(x *facts, t guard.Truths) []tree.Miss {
	r := &missReader{facts: x, f: f, truths: t, defects: defectsOf(x.truth)}
	r.note()
	r.listed()
	r.different()
	if len(r.list) == 0 {
		r.add(tree.Miss{From: tree.FromRules})
	}
	r.claims()
	return r.list
}

// missReader collects the misses of one wrong verdict.
type missReader struct {
	*facts
	f       *Former
	truths  guard.Truths
	defects []defect
	list    []tree.Miss
}

// add adds a miss, or joins it with the one of the same check. Misses beyond tree.MaxMisses are dropped.
func (r *missReader) add(m tree.Miss) {
	if m.ErrorType == "" {
		m.ErrorType = taxonomy.OtherError
		if c, ok := r.f.taxonomy.Check(m.Check); ok {
			m.ErrorType = c.ErrorType()
		}
	}
	i := slices.IndexFunc(r.list, func(o tree.Miss) bool { return o.Check == m.Check && m.Check != "" })
	if i < 0 {
		if len(r.list) < tree.MaxMisses {
			r.list = append(r.list, m)
		}
		return
	}
	o := &r.list[i]
	o.How = joined(o.How, m.How)
	o.Truth = lined(o.Truth, m.Truth)
	o.What = things(append(o.What, m.What...))
	o.At = first(append(o.At, m.At...), tree.MaxThings)
	o.Sure = max(o.Sure, m.Sure)
	o.Expect = first(append(o.Expect, m.Expect...), tree.MaxExpectations)
}

// note reads the evaluator's note. The whole note, with the task and the agent's reason, gives the weightiest miss. A
// sentence that plainly names another check is a miss of its own.
func (r *missReader) note() {
	sentences := points(r.e.Reason)
	if len(sentences) == 0 {
		return
	}
	if !saysCause(strings.Join(sentences, " ")) && !slices.ContainsFunc(sentences, r.namesCheck) {
		return // “wrong again” names no cause
	}
	lead, ok := r.plainly(sentences...)
	if len(r.defects) == 1 && (!ok || lead.Sure < plainNote) { // the note and the defect are read as one
		lead, ok = r.plainly(append(slices.Clone(sentences), r.defects[0].text)...)
	}
	expected := r.expected(firstBytes(r.e.Reason, maxNote))
	var ofLead []string // sentences about the weightiest miss
	var others []tree.Miss
	for _, s := range sentences {
		m, known := r.ownMiss(s)
		if !ok || !known || m.Check == lead.Check {
			ofLead = append(ofLead, s)
			continue
		}
		var own []tree.Expectation
		own, expected = saidBy(s, expected)
		others = append(others, tree.Miss{
			Check: m.Check, How: r.how(s), What: r.things(s),
			From: tree.FromPerson, Sure: m.Sure, At: []string{"reason"}, Expect: own,
		})
	}
	if len(ofLead) == 0 {
		ofLead = sentences
	}
	r.add(tree.Miss{
		Check: lead.Check, How: r.how(ofLead...), What: r.things(ofLead...),
		From: tree.FromPerson, Sure: lead.Sure, At: []string{"reason"}, Expect: expected,
	})
	for _, m := range others {
		r.add(m) // joins misses of the same check
	}
}

// ownMiss reads one sentence of a note without the task and the agent's reason. It returns true when the sentence
// alone names a check plainly enough to be a miss of its own.
func (r *missReader) ownMiss(s string) (cue.Topic, bool) {
	m, ok := r.f.catalogue().Missed(cue.MissTexts{Said: []string{s}, Direction: r.judged.Direction})
	return m, ok && m.Sure >= plainSentence && r.namesCheck(s)
}

// namesCheck reports whether s contains a phrase of a check.
func (r *missReader) namesCheck(s string) bool {
	_, ok := r.f.catalogue().Outright(s, r.judged.Direction)
	return ok
}

// plainly is missed, for a reading that is sure enough to be the check of a case. A phrase of a check that a team added
// or changed is always enough. In direction Other any reading is: there it always rests on a phrase.
func (r *missReader) plainly(said ...string) (cue.Topic, bool) {
	m, ok := r.missed(said...)
	if ok && (m.Sure >= plainNote || r.judged.Direction == taxonomy.Other) {
		return m, true
	}
	if m, ok = r.f.catalogue().Outright(strings.Join(said, "\n"), r.judged.Direction); !ok ||
		!slices.Contains(r.f.compiled().ofTeam, m.Check) {
		return cue.Topic{}, false
	}
	return m, true
}

// missed reads texts together with the agent's reason and the task.
func (r *missReader) missed(said ...string) (cue.Topic, bool) {
	e := r.evidence(said...)
	e.Claimed = judgment.Reasoning(r.judgment)
	return r.f.catalogue().Missed(e)
}

// listed reads the defects of the ground truth. Each is a miss of its own. A single defect is the subject of the note,
// if there is one, and is joined with the first miss. Of several defects, one is joined with a miss of the note of the
// same check. When they are more than a case may have misses, the last miss holds the rest.
func (r *missReader) listed() {
	noted := len(r.list)
	for _, d := range r.defects {
		if noted > 0 && len(r.defects) == 1 {
			r.join(&r.list[0], d)
			continue
		}
		var m cue.Topic
		if len(r.defects) == 1 {
			m, _ = r.missed(d.text)
		} else {
			m, _ = r.f.catalogue().Missed(cue.MissTexts{Said: []string{d.text}, Direction: r.judged.Direction})
		}
		same := func(o tree.Miss) bool { return o.Check == m.Check && m.Check != "" && o.Truth == "" }
		if i := slices.IndexFunc(r.list[:noted], same); i >= 0 {
			r.join(&r.list[i], d)
			continue
		}
		if len(r.list) >= tree.MaxMisses {
			last := &r.list[len(r.list)-1]
			r.join(last, d)
			if !strings.Contains(last.Truth, text.Line(d.text)) { // no room for another miss, so the last one lists it
				last.Truth = strings.TrimSuffix(last.Truth, "\n…") + "\n…"
			}
			continue
		}
		r.list = append(r.list, tree.Miss{
			Check: m.Check, ErrorType: r.typeOf(m.Check), What: r.things(d.text), Truth: whole(text.Line(d.text)),
			From: tree.FromPerson, Sure: m.Sure, At: []string{d.at}, Expect: r.expectedOf(d),
		})
	}
}

// join adds a defect to the miss that it belongs to. The things that the defect names are not those of the miss: a
// check that was read from a note is often on another thing than the one where the defect was seen.
func (r *missReader) join(m *tree.Miss, d defect) {
	m.Truth = lined(m.Truth, text.Line(d.text))
	m.At = first(append(m.At, d.at), tree.MaxThings)
	m.Expect = first(append(m.Expect, r.expectedOf(d)...), tree.MaxExpectations)
}

func (r *missReader) typeOf(check string) string {
	if c, ok := r.f.taxonomy.Check(check); ok {
		return c.ErrorType()
	}
	return taxonomy.OtherError
}

// different reads the differences of judgment and ground truth that a check names in its Shows, such as an action that
// was left out. It does nothing when a note or a defect gave a miss.
func (r *missReader) different() {
	if len(r.list) > 0 {
		return
	}
	for _, d := range r.differences {
		check := r.f.shown(string(d.Kind))
		if check == "" {
			continue
		}
		r.add(tree.Miss{
			Check: check, What: things([]string{inline(d.Field)}),
			From: tree.FromRules, Sure: ofDifference, At: []string{"judgment"},
		})
	}
}

const (
	// Sure of a miss without a note, read from a difference.
	ofDifference = 0.6

	// The minimum of Sure for a check that is read from a note, and for a second check that one sentence of it names.
	// Of the notes of four writers 45 of 100 readings below .80 were of the labelled cause, and 175 of 190 from .80 on.
	// So a note that is read less surely keeps its text and has no check.
	plainNote     = 0.80
	plainSentence = 0.75
)

func (r *missReader) evidence(said ...string) cue.MissTexts {
	return cue.MissTexts{Said: said, Task: r.e.Prompt, Direction: r.judged.Direction}
}

// how joins the sentences that may be shown to an agent. It drops a sentence that is unsafe or gives the truth away.
func (r *missReader) how(sentences ...string) string {
	var kept []string
	for _, s := range sentences {
		if guard.Keep(s, r.truths) != "" {
			kept = append(kept, s)
		}
	}
	return joined(kept...)
}

// joined joins as many whole sentences as maxHow allows, each once.
func joined(sentences ...string) string { return joinedBy(appendClause, sentences) }

// appendClause appends a sentence to others. After a clause, which ends with no mark, it restores the semicolon that
// points removed.
func appendClause(a, b string) string {
	if a == "" || b == "" || strings.ContainsRune(".!?…。！？；;:：", lastRune(strings.TrimRight(a, "\"'”’」』)）"))) {
		return text.Append(a, b)
	}
	return a + taxonomy.Text{EN: "; ", ZH: "；"}.In(text.Lang(a)) + b
}

func lastRune(s string) rune {
	r, _ := utf8.DecodeLastRuneInString(s)
	return r
}

// lined is joined with each defect on a line of its own, because few defects end with a full stop.
func lined(defects ...string) string {
	return joinedBy(func(a, b string) string { return strings.TrimPrefix(a+"\n"+b, "\n") }, defects)
}

func joinedBy(join func(a, b string) string, sentences []string) string {
	all := ""
	for _, s := range sentences {
		if s == "" || strings.Contains(all, s) {
			continue
		}
		longer := join(all, s)
		if len(longer) > maxHow {
			break
		}
		all = longer
	}
	return all
}

// maxHow bounds the text of a note in one miss, in bytes.
const maxHow = 1200

// whole returns the first sentences of s, as many as maxHow allows.
func whole(s string) string { return joined(text.Sentences(s)...) }

// points returns the sentences of a note, split at semicolons, at most maxPoints.
func points(note string) []string {
	var out []string
	for _, s := range text.Sentences(text.Clean(firstBytes(note, maxNote))) {
		for _, part := range clauses(text.Line(s)) {
			if len(out) < maxPoints && part != "" {
				out = append(out, part)
			}
		}
	}
	return out
}

const (
	maxNote   = 16 << 10 // bytes of a note that are read
	maxPoints = 60
)

// clauses splits a sentence at its semicolons.
func clauses(s string) []string {
	parts := strings.FieldsFunc(s, func(r rune) bool { return r == ';' || r == '；' })
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	return parts
}

// saysCause reports whether a note can name a cause. It must have a few words besides ids and those of a verdict;
// "wrong again" has none.
func saysCause(s string) bool {
	if guard.OnlyVerdict(s) {
		return false
	}
	const leastWords, leastHan = 3, 5
	words, han := 0, 0
	for w := range strings.FieldsSeq(s) {
		w = strings.ToLower(strings.Trim(w, ".,;:!?()"))
		if w != "" && !strings.ContainsAny(w, "0123456789") && !slices.Contains(emptyWords, w) {
			words++
		}
	}
	for _, r := range s {
		if isHan(r) {
			han++
		}
	}
	if han > 0 {
		return han >= leastHan
	}
	return words >= leastWords
}

// emptyWords are the words between a thing and the verdict on it: "the code is wrong".
var emptyWords = strings.Fields("the it is this was no not wrong incorrect error")

func first[T any](list []T, most int) []T { return list[:min(len(list), most)] }
