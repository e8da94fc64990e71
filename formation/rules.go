package formation

import (
	"slices"
	"strings"

	"github.com/memtree/memtree/cue"
	"github.com/memtree/memtree/guard"
	"github.com/memtree/memtree/judgment"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/text"
	"github.com/memtree/memtree/tree"
)

// facts are what is known of a wrong verdict, read once.
type facts struct {
	e           *tree.Evaluation
	judgment    any
	truth       any
	judged      Judged
	differences []Difference
	claim       claim // what the agent said for its verdict
	lang        string
	scene       taxonomy.SceneType // zero when the taxonomy does not know it
	judge       tree.Provenance    // the model and prompt that judged, zero when none did
}

// analysis is what an analyst made of them.
type analysis struct {
	errorType   string
	misses      []tree.Miss
	actualError string // the specific error in a model's words, "" for the rules'
	errorReason string // its root cause, likewise
	confidence  float64
	provenance  tree.Provenance
}

// claim is the agent's own reasoning, split by what it rested on.
type claim struct {
	key  string // the sentence its wrong verdict rested on most, "" for none
	rest string // the other sentences
}

const (
	maxReasoning = 3000 // bytes of a text that are read for its words
)

// Words that carry a verdict: what denies for a wrong "fail", what asserts for a
// wrong "pass", spaces around them in English.
const (
	denials    = " not | no | failed | fails | failure | without | lack | lacks | missing | however | but | unclear | incorrect | wrong | never | only | instead |n't |没有|未|不|缺|但|然而|失败|错误|无法|异常"
	assertions = " successfully | success | confirm | confirms | confirmed | completed | complete | correctly | correct | all | shows | displayed | indicat|成功|正确|正常|已|完成|显示|符合|一致|通过"
)

var conclusions = []string{" therefore", " thus", " this violates", " as a result", " be considered ", " in conclusion", " overall", " hence ", "因此", "所以", "综上", "总之"}

// findClaim picks the sentence a wrong verdict rested on: for a wrong "fail" the
// one that denies most, for a wrong "pass" the one that asserts most, the later
// of several, since conclusions stand last.
func findClaim(s string, d taxonomy.Direction) claim {
	list := assertions + "|" + denials
	switch d {
	case taxonomy.FalseFail:
		list = denials
	case taxonomy.FalsePass:
		list = assertions
	}
	sentences := text.Sentences(text.Clean(s))
	marks := strings.Split(list, "|")
	best, most := -1, 0
	for i, x := range sentences {
		n, low := 0, " "+strings.ToLower(x)+" "
		if containsAny(low, conclusions...) {
			continue // says that, not why
		}
		for _, m := range marks {
			if strings.Contains(low, m) {
				n++
			}
		}
		if n > 0 && n >= most && len(x) >= 12 {
			best, most = i, n
		}
	}
	if best < 0 {
		return claim{rest: strings.Join(sentences, " ")}
	}
	c := claim{key: sentences[best]}
	c.rest = strings.Join(append(slices.Clone(sentences[:best]), sentences[best+1:]...), " ")
	return c
}

// byRules is the analyst that needs no model: it reads what was missed, and
// types the error by that, or else by the cues of the taxonomy and by how
// judgment and ground truth differ.
func (f *Former) byRules(x *facts, t guard.Truths) analysis {
	class := f.classify(x)
	a := analysis{
		errorType: class.Type, misses: f.misses(x, t), confidence: class.Confidence,
		provenance: tree.Provenance{By: "formation", Analyst: "rules"},
	}
	if class.Type == taxonomy.OtherError {
		a.confidence = min(a.confidence, minConfidence)
	}
	if lead := &a.misses[0]; lead.Check != "" && (lead.From == tree.FromPerson || class.Type == taxonomy.OtherError) {
		a.errorType, a.confidence = lead.ErrorType, lead.Sure
	}
	for i := range a.misses {
		if a.misses[i].Check == "" {
			a.misses[i].ErrorType = a.errorType
		}
	}
	return a
}

// classify weighs what was said: the evaluator's words most, then what the agent
// wrongly claimed, and the task a little.
func (f *Former) classify(x *facts) Class {
	cues := f.compiled()
	ev := evidence{scores: make([]float64, len(cues.said.types))}
	cues.said.scan(cue.Read(x.e.Reason), 1.5, &ev)
	if !hasActions(x.differences) { // what it did tells more than what it said of it
		key, rest := cue.Read(x.claim.key), cue.Read(x.claim.rest)
		cues.said.scan(key, 0.4, &ev)
		cues.said.scan(rest, 0.15, &ev)
		cues.said.scan(cue.Read(x.e.Prompt), 0.1, &ev)
		if c := cues.claims(x.judged.Direction); c != nil && x.e.Reason == "" {
			more := evidence{scores: make([]float64, len(cues.said.types))}
			c.scan(key, 1, &more)
			c.scan(rest, 0.4, &more)
			ev.cues = append(ev.cues, more.cues...)
		}
	}
	ev.sum()
	class := cues.said.decide(ev, signals(x))
	if x.e.Reason == "" && !hasActions(x.differences) {
		class.Confidence = min(class.Confidence, maxUntold)
	}
	return class
}

// maxUntold caps the confidence where nobody but the agent itself has said
// anything: measured on real verdicts, about half of such types are right.
const maxUntold = 0.5

func (c compiled) claims(d taxonomy.Direction) *Classifier {
	switch d {
	case taxonomy.FalseFail:
		return c.denied
	case taxonomy.FalsePass:
		return c.asserted
	}
	return nil
}

// signals is what the structure of an evaluation says about the type, in the
// weights of cues.
func signals(x *facts) map[string]float64 {
	s := map[string]float64{}
	raise := func(kind string, to float64) { s[kind] = max(s[kind], to) }
	acts := false
	for _, d := range x.details() {
		switch d.Kind {
		case ActionMissing, ActionMoved:
			acts = true
			raise("interaction_sequence_error", 3)
		case ActionSuperfluous:
			acts = true
			raise("interaction_sequence_error", 2)
			raise("business_rule_error", 1)
		case ActionChanged:
			acts = true
			argumentSignals(d.Args, raise)
		case Missing, Superfluous, Changed:
			raise("content_validation_error", 1.5)
		}
	}
	if !acts && x.e.Reason == "" {
		taskSignals(x, raise)
	}
	for t := x.scene; t.ID != ""; t.ID = "" {
		if t.ID == "form" || t.Parent == "form" {
			raise("form_validation_error", 0.5)
		}
	}
	return s
}

// taskWeight is what the kind of task counts: more than one plain cue, since it
// does not depend on how the agent happened to put it.
const taskWeight = 6

// taskSignals: who wrongly passes a task that changes something took its state
// for reached; who wrongly passes a question took a wrong answer for right. The
// other way round, who wrongly fails a change did not see that it was made, and
// who wrongly fails an answer misread it or asked for steps nobody asked for.
func taskSignals(x *facts, raise func(string, float64)) {
	switch asks := taskKind(x.e.Prompt) == asksSomething; {
	case x.judged.Direction == taxonomy.FalsePass && asks:
		raise("content_validation_error", taskWeight)
	case x.judged.Direction == taxonomy.FalsePass, x.judged.Direction == taxonomy.FalseFail && !asks:
		raise("state_detection_error", taskWeight)
	case x.judged.Direction == taxonomy.FalseFail:
		raise("interaction_sequence_error", taskWeight)
		raise("content_validation_error", taskWeight/2)
	}
	if x.judged.Direction != taxonomy.FalsePass && nothingThere(x.e.Observation) {
		raise("edge_case_error", 2*taskWeight) // the particular beats the general
	}
}

// nothingThere reports whether what was seen last is that there is nothing to
// see: the unusual case that a wrong "fail" takes for a failure.
func nothingThere(observation string) bool {
	const last = 900
	if len(observation) > last {
		observation = observation[len(observation)-last:]
	}
	return containsAny(strings.ToLower(observation), "not available", "unavailable", "no results", "no records", "not found", "does not exist", "doesn't exist",
		"n/a", "no such", "infeasible", "impossible", "not listed", "not provided", "not exist", "could not find", "couldn't find", "not possible", "无结果", "没有结果", "不存在", "为空", "暂无", "无法")
}

// argumentSignals: what kind of argument was wrong tells whether the agent took
// the wrong thing, applied a rule wrongly, or entered a wrong value.
func argumentSignals(args []string, raise func(string, float64)) {
	raise("interaction_sequence_error", 1.2)
	for _, a := range args {
		switch f := strings.ToLower(a); {
		case containsAny(f, "price", "amount", "payment", "fee", "discount", "refund", "quota", "role", "permission"):
			raise("business_rule_error", 2.5)
		case f == "id" || containsAny(f, "_id", "item", "selector", "element", "locator", "index", "xpath", "target"):
			raise("element_locating_error", 2.5)
		case containsAny(f, "text", "content", "message", "title", "body", "summary"):
			raise("content_validation_error", 2.5)
		default:
			raise("interaction_sequence_error", 2.5)
		}
	}
}

func containsAny(s string, parts ...string) bool {
	return slices.ContainsFunc(parts, func(p string) bool { return strings.Contains(s, p) })
}

// details are the differences but for the verdict itself, and where that differs
// without what the ground truth has to say about it: an agent that saw no defect
// cannot have described it.
func (x *facts) details() []Difference {
	isVerdict := func(d Difference) bool { return d.Kind == Changed && isVerdictField(d.Field) }
	verdict := slices.ContainsFunc(x.differences, isVerdict)
	return slices.DeleteFunc(slices.Clone(x.differences), func(d Difference) bool {
		return isVerdict(d) || verdict && (d.Kind == Missing || d.Kind == Superfluous)
	})
}

func isVerdictField(path string) bool {
	return path == "" || judgment.IsVerdictField(path[strings.LastIndexByte(path, '.')+1:])
}

func hasActions(list []Difference) bool {
	return slices.ContainsFunc(list, func(d Difference) bool { return strings.HasPrefix(string(d.Kind), "action") })
}
