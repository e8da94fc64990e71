package enhance

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/memtree/memtree/internal/guard"
	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/prompts"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// wordedMemory is the wording of one memory.
type wordedMemory struct {
	id    string
	level tree.Type

	direction taxonomy.Direction

	hints  []prompts.Hint // one for each point; the first also has the conditions and the mistake
	found  bool           // a hint has a finding
	taught bool           // taught by a person, not learned from a run
	bare   bool           // it is of this very test and has neither check nor note
	open   bool           // it is the part that the facts of its page leave open
}

// The maximum number of tokens of each part of a memory. If a part is missing, its room is for other memories. The
// check does not get longer.
const (
	maxCheck     = 90
	maxCondition = 40
	maxMistake   = 30
	maxLesson    = 80 // of a whole lesson, so that it is no longer than the case it covers
	lessonCheck  = 60 // of a lesson's check, and of what is right if that has room beside it
)

// newItem writes the item of a node, or returns the reason why it may not be shown.
func newItem(n *tree.Node, o Options) (wordedMemory, why) {
	budget, lang, words := o.Budget, o.Lang, o.Words
	it := wordedMemory{id: n.ID, level: n.Type, direction: n.Direction, taught: n.Taught != nil}
	finding := o.finding(n)
	n = n.In(lang)
	lessons := n.Says()
	for _, raw := range words.foreignTexts(n, lessons) {
		if reason, unsafe := guard.Unsafe(raw); unsafe {
			return it, why{sentence: itsText + reason}
		}
	}
	if said := o.Say[n.ID]; !o.Refused.Sentence(said) && it.sayAs(said, n) {
		return it, why{}
	}
	if here := o.nameWhatIsHere(n); here != n {
		n, lessons = here, here.Says()
	}
	worded := words.pointsIn(n, lessons, lang)
	o.keepAsked(&worded)
	n = &worded
	known := aboutKnownCheck(n)
	room := maxCheck
	if n.Type != tree.Case {
		room = lessonCheck
	}
	points := pointsOf(n, min(room, budget))
	if len(points) == 0 && finding == "" {
		return o.noted(n, it)
	}
	it.hints = make([]prompts.Hint, max(1, len(points)))
	for i, p := range points {
		it.hints[i].Check = p
	}
	first := &it.hints[0]
	first.NotWhen = conditionList(n.Content.NotWhen, lang)
	if !known {
		when := conditionList(words.conditions(n, lessons, lang), lang)
		if newSaying(when).shareIn(newSaying(first.Check)) < whenShare {
			first.When = when
		}
	}
	truths := truthsOf(n)
	first.Found = o.ownWords(n, truths) // the note was read for the first check
	if value, leaks := truths.Find(it.text()); leaks {
		if slices.Contains(o.Own, n.ID) {
			it.hints, it.bare = []prompts.Hint{{Check: before(n.Direction).In(lang), Plain: true}}, true
			return it, why{}
		}
		return it, why{sentence: leakReason(value)}
	}
	if finding != "" {
		it.addFinding(finding, n.Direction)
		return it, why{}
	}
	if known && !n.Disregarded() || first.Found != "" {
		return it, why{}
	}
	m := mistakeOf(n, first.Check)
	if m == "" {
		return it, why{}
	}
	_, unsafe := guard.Unsafe(m)
	if unsafe || truths.In(m) {
		return it, why{}
	}
	if first.Mistake = m; !it.fits() {
		first.Mistake = ""
	}
	return it, why{}
}

// sayAs writes the memory with a reader's sentence and nothing else. It returns false if there is no such sentence, or
// one that may not be shown.
func (it *wordedMemory) sayAs(said string, n *tree.Node) bool {
	said = sentence(said, maxCheck)
	if said == "" {
		return false
	}
	if _, unsafe := guard.Unsafe(said); unsafe || truthsOf(n).In(said) {
		return false
	}
	it.hints = []prompts.Hint{{Check: said}}
	return true
}

// keepAsked keeps only the checks of a memory that the prompt calls for, the surest first, if it calls for any: the
// memory was found by these, and the others are of other tasks. A case of this very page or test keeps all, since all
// of them were missed here.
func (o Options) keepAsked(n *tree.Node) {
	if n.CaseData != nil && slices.Contains(o.Here, n.ID) {
		return
	}
	var kept []tree.Lesson
	for _, id := range o.Asked {
		for _, l := range n.Content.Lessons {
			if l.Kind == id {
				kept = append(kept, l)
			}
		}
	}
	if len(kept) > 0 {
		n.Content.Lessons = kept
	}
}

// addFinding adds the finding. After a missed defect it follows the check. After a false alarm it precedes it, since
// the agent did not believe then that this was right.
func (it *wordedMemory) addFinding(finding string, d taxonomy.Direction) {
	it.found = true
	if d == taxonomy.FalseFail {
		it.hints[0].Check = text.Append(finding, it.hints[0].Check)
		return
	}
	it.hints[len(it.hints)-1].Found = finding
}

// aboutKnownCheck reports whether a memory is about a check with an action: of the taxonomy, or, for a lesson, one of
// the tree's own. Then the text has the action only, since further text influences a judge without being weighed.
// Other memories have only the cause as content. For a memory whose action was disregarded the mistake is included
// too.
func aboutKnownCheck(n *tree.Node) bool {
	if n.CaseData != nil && len(n.CaseData.Misses) > 0 {
		return slices.ContainsFunc(n.CaseData.Misses, func(m tree.Miss) bool {
			return m.Check != "" && !taxonomy.IsOwn(m.Check)
		})
	}
	return slices.ContainsFunc(n.Content.Lessons, func(l tree.Lesson) bool { return l.Kind != "" })
}

// fits reports whether a lesson is within maxLesson; a case always is.
func (it wordedMemory) fits() bool { return it.level == tree.Case || it.cost() <= maxLesson }

// text returns the whole text of the memory, a part a line.
func (it wordedMemory) text() string {
	var b strings.Builder
	it.parts(func(part string) {
		b.WriteString(part)
		b.WriteByte('\n')
	})
	return b.String()
}

// parts calls f with each part of the memory's text.
func (it wordedMemory) parts(f func(part string)) {
	for _, h := range it.hints {
		for _, part := range [...]string{h.When, h.Check, h.NotWhen, h.Mistake, h.Found} {
			if part != "" {
				f(part)
			}
		}
	}
}

// cost returns the tokens of the memory's text.
func (it wordedMemory) cost() int {
	sum := 0
	it.parts(func(part string) { sum += text.Twelfths(part) + text.Twelfths("\n") })
	return (sum + 11) / 12
}

// pointsOf returns the points of a node: what to check and what is right, one for each of its lessons, or its guidance
// if it has none. The first is cut to room tokens; the others are whole and are omitted without room.
func pointsOf(n *tree.Node, room int) []string {
	list := n.Content.Lessons
	if len(list) == 0 {
		list = []tree.Lesson{{Check: n.Content.Guidance}}
	}
	var out []string
	for _, l := range list {
		one := text.Append(endSentence(inert(l.Check)), endSentence(inert(l.Instead)))
		if len(out) == 0 {
			one = sentence(one, room)
		}
		cost := Tokens(one)
		if one == "" || slices.Contains(out, one) || len(out) > 0 && cost >= room {
			continue
		}
		out, room = append(out, one), room-cost
	}
	return out
}

// conditionList joins conditions to one sentence, as many as have room.
func conditionList(list []string, lang string) string {
	between := "; "
	if lang == "zh" {
		between = "；"
	}
	all := ""
	for _, c := range list {
		c = strings.TrimRight(inert(c), ".。;；")
		switch {
		case c == "":
		case all == "":
			all = strings.TrimRight(clip(c, maxCondition), ".。;；")
		case Tokens(all)+Tokens(c) < maxCondition:
			all += between + c
		}
	}
	if all == "" {
		return ""
	}
	return endSentence(all)
}

// mistakeOf returns the typical mistake, "" if the check implies it. It is "" for a case that the rules analysed: they
// know only its direction, which its guidance names.
func mistakeOf(n *tree.Node, check string) string {
	m := ""
	switch {
	case len(n.Content.Lessons) > 0:
		m = n.Content.Lessons[0].Mistake
	case n.CaseData != nil && n.Provenance.Analyst != "rules":
		if all := text.Sentences(text.Clean(n.CaseData.ActualError)); len(all) > 0 {
			m = all[0]
		}
	}
	if m = sentence(m, maxMistake); m == "" || isSaid(m, check) {
		return ""
	}
	return m
}

// A text is a repetition if at least this share of its tokens appears in the text before it. The share is lower for
// conditions, since many of their tokens occur in any condition.
const (
	saidShare = 0.6 // of a sentence
	whenShare = 0.5 // of a condition
)

// isSaid reports whether a sentence adds nothing to the text before it.
func isSaid(s, before string) bool { return newSaying(s).shareIn(newSaying(before)) >= saidShare }

// repeatShare is the share of a check's tokens from which it is a repetition of another check.
const repeatShare = 0.8

// saying is a text that can be compared with others by tokens.
type saying struct {
	id   string // of the memory, where that matters
	text string
	read []string // its tokens, sorted, once they were needed
}

func newSaying(s string) *saying { return &saying{text: s} }

// words returns the tokens, sorted. Most sayings are never compared, so they are tokenised lazily.
func (s *saying) words() []string {
	if s.read == nil {
		s.read = text.Tokens(s.text)
		slices.Sort(s.read)
	}
	return s.read
}

// takeNews removes the points of a memory that repeat others, and returns the remaining points. If none remains, by is
// the id of the memory that the last of them repeats.
func (it *wordedMemory) takeNews(said []*saying) (left []*saying, by string) {
	var hints []prompts.Hint
	for _, h := range it.hints {
		s := newSaying(evidence().ReplaceAllString(h.Check, "")) // a long quotation belongs to one case only
		s.id = it.id
		if i := slices.IndexFunc(said, s.repeats); i >= 0 && h.Found == "" {
			by = said[i].id
			continue
		}
		hints, left = append(hints, h), append(left, s)
	}
	it.hints = hints
	return left, by
}

// shareIn returns the share of the tokens of s that are in before, 0 to 1.
func (s *saying) shareIn(before *saying) float64 {
	n := 0
	for _, w := range s.words() {
		if _, ok := slices.BinarySearch(before.words(), w); ok {
			n++
		}
	}
	return float64(n) / float64(max(1, len(s.words())))
}

// repeats reports whether a point adds nothing to another. Then nearly all its tokens and every name are in the other.
// Names are compared separately, since checks of one kind have similar texts and may differ in a name only.
func (s *saying) repeats(before *saying) bool {
	return s.shareIn(before) >= repeatShare &&
		!slices.ContainsFunc(named().FindAllString(s.text, -1), func(name string) bool {
			return !strings.Contains(before.text, name)
		})
}

// named matches names: quotations, and words with a digit or an underscore. evidence matches quotations of more than
// twenty characters.
var (
	named    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`“[^”]*”|\pL*[_\d][\w.:/-]*`) })
	evidence = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`“[^”]{21,}”`) })
)

// sentence makes one safe line of s. It keeps as many whole sentences as fit into a number of tokens, or the part of
// the first that fits.
func sentence(s string, tokens int) string {
	s = endSentence(inert(s))
	if Tokens(s) <= tokens {
		return s
	}
	all := ""
	for _, one := range text.Sentences(s) {
		longer := text.Append(all, one)
		if Tokens(longer) > tokens {
			break
		}
		all = longer
	}
	if all == "" {
		all = clip(s, tokens)
	}
	if !strings.ContainsFunc(all, isLetterOrDigit) {
		return s // only “…” is left; s stays too long, and is omitted because of its cost
	}
	return endSentence(all)
}

func isLetterOrDigit(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// clip cuts s to at most a number of tokens, at the end of a sentence if possible.
func clip(s string, tokens int) string {
	limit := tokens * 4
	if text.Lang(s) == "zh" {
		limit = tokens * 3 / 2
	}
	for c := text.Clip(s, limit); ; c = text.Clip(s, limit) {
		if over := Tokens(c) - tokens; over <= 0 || limit <= 1 {
			return c
		}
		limit -= max(1, limit/8) // scripts are mixed, so the estimate was too high: try shorter
	}
}

// endSentence adds a full stop to s, in its language, unless s ends as a sentence already.
func endSentence(s string) string {
	if s == "" || strings.ContainsRune(".!?…。！？；", lastRune(strings.TrimRight(s, "\"'”’」』)）›"))) {
		return s
	}
	if text.Lang(s) == "zh" {
		return s + "。"
	}
	return s + "."
}

// lastRune returns the last character of s, and a full stop for "", which needs none.
func lastRune(s string) rune {
	r := []rune(s[max(0, len(s)-4):])
	if len(r) == 0 {
		return '.'
	}
	return r[len(r)-1]
}
