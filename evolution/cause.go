package evolution

import (
	"strings"

	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/text"
	"github.com/memtree/memtree/tree"
)

// maxCause bounds, in characters, what of a text is compared.
const maxCause = 1200

// boiler knows the sentences that stand in a case only because of its type.
type boiler map[string]bool

func newBoiler(tax *taxonomy.Taxonomy) boiler {
	b := boiler{}
	add := func(t taxonomy.Text) {
		for _, s := range []string{t.EN, t.ZH} {
			for _, one := range text.Sentences(s) {
				b[one] = true
			}
		}
	}
	for _, e := range tax.ErrorTypes() {
		add(e.Description)
		add(e.Checklist)
		add(e.Brief)
	}
	for _, s := range tax.SceneTypes() {
		add(s.Checklist)
	}
	add(taxonomy.Text{EN: "The record does not show the cause.", ZH: "现有记录看不出原因。"}) // what the rules analyst says of other_error
	return b
}

// strip leaves out the sentences that are known.
func (b boiler) strip(s string) string {
	var kept []string
	for _, one := range text.Sentences(s) {
		if !b[one] {
			kept = append(kept, one)
		}
	}
	return strings.Join(kept, " ")
}

// cause returns the words about why the judgement was wrong. Retrieval goes by
// the prompt because the cause is unknown then; grouping goes by the cause
// because it is known. What the rules analyst fills in around it (the direction,
// the checklist, the task again) is left out: it is alike in every case. Of what
// the evaluator said it keeps two or three sentences for people to read; here all count.
func (b boiler) cause(n *tree.Node) string {
	d := n.CaseData
	reason := b.strip(d.ErrorReason)
	specific, hint := d.ActualError, d.AvoidanceHint
	if n.Provenance.Analyst == "rules" {
		specific, hint = found(specific), ""
		if said := text.Line(d.EvaluatorReason); said != "" {
			reason = text.Once(said)
		}
	}
	all := strings.TrimSpace(reason + "\n" + b.strip(specific) + "\n" + b.strip(hint))
	if all == "" {
		all = d.AgentJudgment
	}
	return text.Clip(all, maxCause)
}

// found returns of a specific error as the rules analyst words it what belongs
// to the case: after the sentence about the direction.
func found(s string) string {
	sentences := text.Sentences(s)
	if len(sentences) < 2 {
		return ""
	}
	rest := strings.Join(sentences[1:], " ")
	for _, lead := range []string{"It rested on: ", "依据是：", "Difference: ", "差异："} {
		rest = strings.TrimPrefix(rest, lead)
	}
	return rest
}
