package enhance

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/memtree/memtree/internal/guard"
	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/prompts"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// maxOwn is the maximum length of a person's note, in tokens.
const maxOwn = 60

// ownWords returns the notes of people on how a case of this very test went wrong, marked as possibly outdated; "" for
// other cases: they need not apply to another test of the page. It is included beside the check, however sure that is:
// the check was guessed from this note, which is the only evidence of this test.
func (o Options) ownWords(n *tree.Node, truths guard.Truths) string {
	if n.CaseData == nil || !slices.Contains(o.Own, n.ID) {
		return ""
	}
	all := o.noteOf(n, truths)
	if all == "" {
		return ""
	}
	return fmt.Sprintf(taxonomy.Text{
		EN: "Noted on an earlier run: %s Go by what is there now.",
		ZH: "之前一次运行后有人注明：%s现在是否如此，以所见为准。",
	}.In(o.Lang), all)
}

// givenNotes are the sentences of people's notes that are given, so that none is given twice. Sentences are compared
// by their letters: three people who note one thing punctuate it in three ways.
type givenNotes struct {
	by  map[string]string // the memory that gives a sentence, by the letters of the sentence
	now []string          // the letters of the sentences of the present memory
	old string            // a memory that gives a sentence of the present one; "" for none
}

// begin starts the next memory.
func (g *givenNotes) begin() { g.now, g.old = nil, "" }

// isNew reports whether no memory before, nor this one, gives a sentence.
func (g *givenNotes) isNew(s string) bool {
	if g == nil {
		return true
	}
	key := text.Letters(s)
	if id := g.by[key]; id != "" {
		g.old = id
		return false
	}
	if slices.Contains(g.now, key) {
		return false
	}
	g.now = append(g.now, key)
	return true
}

// give keeps the sentences of the present memory, of which all is its text.
func (g *givenNotes) give(id, all string) {
	all = text.Letters(all)
	for _, key := range g.now {
		if strings.Contains(all, key) { // else it had no room
			g.by[key] = id
		}
	}
}

// noteOf returns the note of a person on how a case went wrong, "" if it may not be shown or is given already.
//
// A part of a note can mean the contrary of the whole, so a note is left out if one of its sentences is unsafe, has a
// value of the ground truth or was refused by a person. The note of a false alarm ends before a sentence that states
// that all is right, which is a verdict and no cause, and a long note ends where its room ends. A sentence that is not
// about the run may be planted, and is left out alone, so that the rest of the note is not lost.
func (o Options) noteOf(n *tree.Node, truths guard.Truths) string {
	all, fresh, ended, kept := "", false, false, false
	for _, s := range sentencesOf(n.CaseData) {
		if n.Direction == taxonomy.FalseFail && guard.StatesRight(s) {
			break
		}
		said := endSentence(inert(s))
		if unsafeClause(said) || truths.In(said) || o.Refused.Sentence(s) {
			return ""
		}
		about := isAbout(s, n.CaseData)
		part := !about && kept && len(text.Tokens(s)) < leastOrder
		full := all != "" && Tokens(text.Append(all, said)) > maxOwn
		if ended = ended || full; ended || !about && !part {
			kept = false
			continue
		}
		kept = true
		all = text.Append(all, said)
		fresh = about && o.notes.isNew(s) || fresh
	}
	if !fresh {
		return ""
	}
	cut := sentence(all, maxOwn)
	if _, unsafe := guard.Unsafe(cut); unsafe || truths.In(cut) {
		return ""
	}
	return cut
}

// unsafeClause reports whether a sentence or one of its clauses between semicolons is unsafe: “Skip the total; it is
// fine.” orders nothing as a whole that the guard knows.
func unsafeClause(s string) bool {
	_, unsafe := guard.Unsafe(s)
	for _, clause := range strings.FieldsFunc(s, func(r rune) bool { return r == ';' || r == '；' }) {
		if unsafe {
			break
		}
		_, unsafe = guard.Unsafe(strings.TrimSpace(clause))
	}
	return unsafe
}

// leastOrder is the number of tokens below which a sentence that is not about the run is a part of the one before it
// (“To a 404.”): the guard knows orders that short.
const leastOrder = 2

// maxNote is how many bytes of a note are read.
const maxNote = 2 << 10

// sentencesOf returns the sentences of the note of a person, none if it names no cause. A sentence may begin with a
// small letter, and keeps its clauses.
func sentencesOf(d *tree.CaseData) []string {
	note := ""
	for _, m := range d.Misses {
		if m.From == tree.FromPerson && m.How != "" {
			note = cmp.Or(d.EvaluatorReason, text.Append(note, m.How))
		}
	}
	var out []string
	for _, s := range text.WholeSentences(text.Clean(text.ClipBytes(note, maxNote))) {
		for one := range strings.Lines(smallStart().ReplaceAllString(s, "$1\n$2")) {
			if one = strings.TrimSpace(one); one != "" {
				out = append(out, one)
			}
		}
	}
	return out
}

// smallStart matches the end of a sentence and the small letter that begins the next one. After one or two letters the
// mark belongs to an abbreviation.
var smallStart = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(\pL{3,}[.!?]) +(\p{Ll})`) })

// asWritten restores the semicolons of a note between the clauses that a miss has of it.
func asWritten(how, note string) string {
	clauses := strings.FieldsFunc(text.Line(note), func(r rune) bool { return r == ';' || r == '；' })
	mark := taxonomy.Text{EN: "; ", ZH: "；"}.In(text.Lang(note))
	for i := range max(0, len(clauses)-1) {
		a, b := strings.TrimSpace(clauses[i]), strings.TrimSpace(clauses[i+1])
		how = strings.Replace(how, a+" "+b, a+mark+b, 1)
	}
	return how
}

// dropBare drops a memory of this very test that has neither check nor note, if another of the same direction has one.
// It returns the id of that other one by the id of each dropped memory.
func (o Options) dropBare(items []wordedMemory) (left []wordedMemory, by map[string]string) {
	by = map[string]string{}
	for _, it := range items {
		if i := slices.IndexFunc(items, func(other wordedMemory) bool {
			return !other.bare && other.direction == it.direction && slices.Contains(o.Own, other.id)
		}); it.bare && i >= 0 {
			by[it.id] = items[i].id
			continue
		}
		left = append(left, it)
	}
	return left, by
}

// isAbout reports whether a sentence shares a token with its run. A text planted as an order for agents seldom does,
// and is not about the run.
func isAbout(s string, d *tree.CaseData) bool {
	run := newSaying(d.TestCase.Prompt + "\n" + d.AgentJudgment + "\n" + d.TestCase.GroundTruth.Text())
	if _, orders := guard.Instructs(s); orders {
		return false
	}
	return newSaying(s).shareIn(run) > 0
}

// noted writes a memory without a check: for its very test the notes of people on the run, or that no cause was noted;
// for others a person's note, if it may be shown.
func (o Options) noted(n *tree.Node, it wordedMemory) (wordedMemory, why) {
	truths := truthsOf(n)
	if slices.Contains(o.Own, n.ID) {
		said := o.ownWords(n, truths)
		if said == "" && o.notes != nil && o.notes.old != "" {
			return it, why{saysSame, []any{o.notes.old}}
		}
		if said == "" {
			said, it.bare = before(n.Direction).In(o.Lang), true
		}
		if n.CaseData != nil && n.CaseData.EvaluatorReason == "" {
			said = text.Append(said, noCause.In(o.Lang))
		}
		it.hints = []prompts.Hint{{Check: said, Plain: true}}
		return it, why{}
	}
	if n.CaseData == nil || slices.Contains(o.Here, n.ID) {
		return it, why{sentence: noCheck}
	}
	said := o.noteOf(n, truths)
	if said == "" {
		return it, why{sentence: noCheck}
	}
	said = taxonomy.Text{EN: "Noted at %s: ", ZH: "%s当时有人注明："}.In(o.Lang) + said
	said = strings.Replace(said, "%s", "“"+taskOf(n, truths)+"”", 1)
	said = text.Append(said, watchOut.In(o.Lang))
	it.hints = []prompts.Hint{{Check: said, Plain: true}}
	return it, why{}
}

// watchOut is what to do with a note on another test: a remark alone does not ask for anything.
var watchOut = taxonomy.Text{EN: "Watch out for the same here.", ZH: "这里也要留意同样的情况。"}

// mostTask is the maximum length of the task that a note is about, in characters.
const mostTask = 60

// taskOf returns the start of a case's task, for the reader of a note on it: without the task a remark on one run is
// read as one on the run to come.
func taskOf(n *tree.Node, truths guard.Truths) string {
	first, _, _ := strings.Cut(strings.TrimSpace(n.CaseData.TestCase.Prompt), "\n")
	task := strings.NewReplacer("“", "", "”", "", `"`, "").Replace(inert(guard.Keep(first, truths)))
	return cmp.Or(text.Clip(task, mostTask), "…")
}

// noCause follows before if no cause was noted.
var noCause = taxonomy.Text{EN: "The cause was not noted.", ZH: "原因没有记录。"}

// before returns the sentence that a test was misjudged, without more.
func before(d taxonomy.Direction) taxonomy.Text {
	switch d {
	case taxonomy.FalsePass:
		return taxonomy.Text{EN: "In this test a defect was missed before.", ZH: "这个用例以前漏查过缺陷。"}
	case taxonomy.FalseFail:
		return taxonomy.Text{EN: "In this test a defect was reported before that was none.", ZH: "这个用例以前误报过缺陷。"}
	}
	return taxonomy.Text{EN: "This test was judged wrongly before.", ZH: "这个用例以前判错过。"}
}
