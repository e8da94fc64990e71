package enhance

import (
	"fmt"
	"slices"
	"strings"

	"github.com/memtree/memtree/internal/guard"
	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// maxOwn is the most tokens of a person's own words.
const maxOwn = 60

// ownWords returns what people wrote of how a case of this very test went wrong, with reserve; "" for
// other cases: of another test of this page it is not so. It is told beside the check, however sure
// that is: the check was guessed from these words, and of this test they are all that is known.
func (o Options) ownWords(n *tree.Node, truths guard.Truths) string {
	if n.CaseData == nil || !slices.Contains(o.Own, n.ID) {
		return ""
	}
	all := ""
	for _, m := range n.CaseData.Misses {
		if m.From != tree.FromPerson {
			continue
		}
		for _, s := range text.Sentences(guard.Keep(asWritten(m.How, n.CaseData.EvaluatorReason), truths)) {
			if isAbout(s, n.CaseData) && !o.Refused.Sentence(s) {
				all = text.Append(all, endSentence(inert(s)))
			}
		}
	}
	if all = sentence(all, maxOwn); all == "" {
		return ""
	}
	return fmt.Sprintf(taxonomy.Text{
		EN: "Noted on an earlier run: %s Go by what is there now.",
		ZH: "之前一次运行后有人注明：%s现在是否如此，以所见为准。",
	}.In(o.Lang), all)
}

// asWritten puts the semicolons of a note back between the clauses that a miss keeps of it.
func asWritten(how, note string) string {
	clauses := strings.FieldsFunc(text.Line(note), func(r rune) bool { return r == ';' || r == '；' })
	mark := taxonomy.Text{EN: "; ", ZH: "；"}.In(text.Lang(note))
	for i := range max(0, len(clauses)-1) {
		a, b := strings.TrimSpace(clauses[i]), strings.TrimSpace(clauses[i+1])
		how = strings.Replace(how, a+" "+b, a+mark+b, 1)
	}
	return how
}

// isAbout reports whether a sentence has a word of the run it was written of. A text that somebody put
// there for agents to obey seldom has one, and says nothing of the run.
func isAbout(s string, d *tree.CaseData) bool {
	run := newSaying(d.TestCase.Prompt + "\n" + d.AgentJudgment + "\n" + d.TestCase.GroundTruth.Text())
	if _, orders := guard.Instructs(s); orders {
		return false
	}
	return newSaying(s).shareIn(run) > 0
}

// reminder returns what is told before a test that was misjudged when nobody said how: the task
// itself. A missed defect needs everything to be looked at, a false alarm a second look.
func reminder(d taxonomy.Direction) taxonomy.Text {
	switch d {
	case taxonomy.FalsePass:
		return taxonomy.Text{
			EN: "Take the task point by point, do each thing it asks for, and note for each what you see on the page.",
			ZH: "把任务拆成一条一条，逐条做完，并记下每一条在页面上看到的内容。"}
	case taxonomy.FalseFail:
		return taxonomy.Text{
			EN: "Before you report a defect, repeat the step on a page at rest, and compare it word for word with the task.",
			ZH: "报告缺陷之前，把这一步再做一次，等页面稳定，再与任务原文逐字对照。"}
	}
	return taxonomy.Text{
		EN: "Read the task again point by point, and compare each point with your answer before you hand it in.",
		ZH: "交出答案之前，把任务逐条重读一遍，每一条都与答案对照。"}
}
