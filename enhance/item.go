package enhance

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/memtree/memtree/guard"
	"github.com/memtree/memtree/prompts"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/text"
	"github.com/memtree/memtree/tree"
)

// wordedMemory is one memory, worded.
type wordedMemory struct {
	id    string
	level tree.Type
	hints []prompts.Hint // its points, each a line; the first has what is said besides
	found bool           // with what was found then
}

// Shares of a worded memory in tokens. One without its rarer parts leaves their
// room to the other items, not to its check.
const (
	maxCheck     = 90
	maxCondition = 40
	maxMistake   = 30
	maxLesson    = 80 // a lesson is to be no longer than a case it stands for,
	lessonCheck  = 60 // so what is right is said where there is room beside what to check
)

// newItem words a node, or says why it may not be shown.
func newItem(n *tree.Node, o Options) (wordedMemory, why) {
	budget, lang, words := o.Budget, o.Lang, o.Words
	it := wordedMemory{id: n.ID, level: n.Type}
	finding := o.finding(n)
	for _, raw := range words.foreign(n) {
		if reason, unsafe := guard.Unsafe(raw); unsafe {
			return it, why{sentence: itsText + reason}
		}
	}
	worded := words.In(n, lang)
	n = &worded
	room := maxCheck
	if n.Type != tree.Case {
		room = lessonCheck
	}
	points := points(n, min(room, budget))
	if len(points) == 0 && finding == "" {
		return it, why{sentence: noCheck}
	}
	it.hints = make([]prompts.Hint, max(1, len(points)))
	for i, p := range points {
		it.hints[i].Check = p
	}
	first := &it.hints[0]
	first.NotWhen = conditions(n.Content.NotWhen, lang)
	if when := conditions(n.Content.AppliesWhen, lang); !known(n) && newSaying(when).share(newSaying(first.Check)) < whenShare {
		first.When = when
	}
	truths := truthsOf(n)
	if value, leaks := truths.Find(it.text()); leaks {
		return it, why{sentence: hidden(value)}
	}
	if finding != "" {
		it.find(finding, n.Direction)
		return it, why{}
	}
	m := mistake(n, first.Check)
	if m == "" || known(n) {
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

// find adds what was found: after a missed defect behind what to check, after a false alarm
// before it, because what was right there is what the agent did not believe.
func (it *wordedMemory) find(finding string, d taxonomy.Direction) {
	it.found = true
	if d == taxonomy.FalseFail {
		it.hints[0].Check = text.Append(finding, it.hints[0].Check)
		return
	}
	it.hints[len(it.hints)-1].Found = finding
}

// supposed returns a case of this very page or test that says nothing, for nobody knows how it
// went wrong, with the check that the prompt calls for most surely as its miss.
func (o Options) supposed(n *tree.Node) *tree.Node {
	if n.CaseData == nil || len(n.Says()) > 0 || !slices.Contains(o.Here, n.ID) {
		return n
	}
	for _, id := range o.Asked {
		if c, ok := o.Words.tax.Check(id); ok && c.Speaks(n.Direction) {
			with := n.Clone()
			with.CaseData.Misses = []tree.Miss{{Check: id, ErrorType: c.ErrorType(), From: tree.FromRules}}
			return &with
		}
	}
	return n
}

// known reports whether a memory is about a check of the taxonomy. Then the action
// is enough: a judge does not weigh what it is told besides, every further word
// only presses it. Of other memories the cause is all there is.
func known(n *tree.Node) bool {
	return slices.ContainsFunc(n.Says(), func(l tree.Lesson) bool { return l.Kind != "" })
}

// fits reports whether a lesson is no longer than it may be.
func (it wordedMemory) fits() bool { return it.level == tree.Case || it.cost() <= maxLesson }

func (it wordedMemory) text() string {
	var b strings.Builder
	for _, h := range it.hints {
		for _, part := range []string{h.When, h.Check, h.NotWhen, h.Mistake, h.Found} {
			if part != "" {
				b.WriteString(part + "\n")
			}
		}
	}
	return b.String()
}

func (it wordedMemory) cost() int { return Tokens(it.text()) }

// points are what to check and what is right, one for each of the node's lessons as far as
// there is room, the first at least in part; or else its guidance.
func points(n *tree.Node, room int) []string {
	list := n.Content.Lessons
	if len(list) == 0 {
		list = []tree.Lesson{{Check: n.Content.Guidance}}
	}
	var out []string
	for _, l := range list {
		one := text.Append(stop(inert(l.Check)), stop(inert(l.Instead)))
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

// conditions lists when something holds.
func conditions(list []string, lang string) string {
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
	return stop(all)
}

// mistake is the typical mistake, unless the check says it already. What the
// rules say of a case is its direction, which its guidance names.
func mistake(n *tree.Node, check string) string {
	m := ""
	switch {
	case len(n.Content.Lessons) > 0:
		m = n.Content.Lessons[0].Mistake
	case n.CaseData != nil && n.Provenance.Analyst != "rules":
		if all := text.Sentences(text.Clean(n.CaseData.ActualError)); len(all) > 0 {
			m = all[0]
		}
	}
	if m = sentence(m, maxMistake); m == "" || said(m, check) {
		return ""
	}
	return m
}

// saidShare is the share of a sentence's words from which it says nothing new,
// whenShare that of a condition's: what it turns on stands among words that any
// condition has.
const (
	saidShare = 0.6
	whenShare = 0.5
)

func said(s, before string) bool { return newSaying(s).share(newSaying(before)) >= saidShare }

// repeatShare is the share of a check's words from which it only repeats another.
const repeatShare = 0.8

// saying is a text as others are compared with it.
type saying struct {
	id    string // of the memory, where that matters
	text  string
	words []string // sorted
}

func newSaying(s string) saying {
	words := text.Tokens(s)
	slices.Sort(words)
	return saying{text: s, words: words}
}

// news takes out of a memory the points that others say already, and returns what those
// that are left say. Where none is left, by is whose point says as much.
func (it *wordedMemory) news(said []saying) (left []saying, by string) {
	var hints []prompts.Hint
	for _, h := range it.hints {
		s := newSaying(evidence().ReplaceAllString(h.Check, "")) // quoted at length is evidence of the one case
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

// share returns the share of its words that stand in another.
func (s saying) share(before saying) float64 {
	n := 0
	for _, w := range s.words {
		if _, ok := slices.BinarySearch(before.words, w); ok {
			n++
		}
	}
	return float64(n) / float64(max(1, len(s.words)))
}

// repeats reports whether a point says nothing that another does not: it has
// nearly all its words from it, and every name. Checks of one kind are worded
// alike, so names may be all that tells them apart.
func (s saying) repeats(before saying) bool {
	return s.share(before) >= repeatShare && !slices.ContainsFunc(named().FindAllString(s.text, -1), func(name string) bool {
		return !strings.Contains(before.text, name)
	})
}

// named is what is quoted, and words with a digit or an underscore in them;
// evidence is what is quoted at length.
var (
	named    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`“[^”]*”|\pL*[_\d][\w.:/-]*`) })
	evidence = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`“[^”]{21,}”`) })
)

// sentence makes one harmless line of s: as many of its sentences as a number
// of tokens has room for, or what fits of the first.
func sentence(s string, tokens int) string {
	s = stop(inert(s))
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
	if !strings.ContainsFunc(all, wordy) {
		return s // nothing but …: it costs what it costs, and is left out for that
	}
	return stop(all)
}

func wordy(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// clip cuts s to at most a number of tokens, at a sentence's end where it can.
func clip(s string, tokens int) string {
	limit := tokens * 4
	if text.Lang(s) == "zh" {
		limit = tokens * 3 / 2
	}
	for c := text.Clip(s, limit); ; c = text.Clip(s, limit) {
		if over := Tokens(c) - tokens; over <= 0 || limit <= 1 {
			return c
		}
		limit -= max(1, limit/8) // a mixture of scripts: a little shorter
	}
}

// stop ends s as a sentence.
func stop(s string) string {
	if s == "" || strings.ContainsRune(".!?…。！？；", lastRune(strings.TrimRight(s, "\"'”’」』)）›"))) {
		return s
	}
	if text.Lang(s) == "zh" {
		return s + "。"
	}
	return s + "."
}

func lastRune(s string) rune {
	r := []rune(s[max(0, len(s)-4):])
	if len(r) == 0 {
		return '.'
	}
	return r[len(r)-1]
}
