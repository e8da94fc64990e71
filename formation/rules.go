package formation

import (
	"slices"
	"strings"

	"github.com/memtree/memtree/internal/guard"
	"github.com/memtree/memtree/internal/judgment"
	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// facts are the contents of an evaluation, decoded once. read fills in all except the three fields of a wrong verdict,
// which readWrong adds, and judge.
type facts struct {
	e           *tree.Evaluation
	judgment    any // decoded, as judgment.Decode returns it
	truth       any // likewise
	judged      Detection
	differences []difference
	claim       claim // the agent's grounds for its verdict
	lang        string
	scene       taxonomy.SceneType // zero when the taxonomy does not have it
	judge       tree.Provenance    // the model and prompt that judged, zero when none did
}

// secrets returns the values of the ground truth that are neither in the prompt nor in the agent's judgment.
func (x *facts) secrets() guard.Truths {
	return guard.TruthsOf(x.truth, x.e.Prompt+"\n"+x.e.Judgment.Text())
}

// analysis is the result of an analyst for a wrong verdict.
type analysis struct {
	errorType   string
	misses      []tree.Miss // at least one
	actualError string      // the specific error, of a model's analysis; "" by rules
	errorReason string      // the root cause likewise
	instead     string      // what to do likewise
	confidence  float64
	provenance  tree.Provenance
}

// claim is the agent's own reasoning in two parts.
type claim struct {
	key  string // the sentence that the wrong verdict rests on most, "" for none
	rest string // the other sentences
}

const (
	maxReasoning = 3000 // bytes of a text that are classified
)

// Words that carry a verdict: a wrong "fail" denies, a wrong "pass" asserts. Spaces enclose whole English words.
const (
	denials = " not | no | failed | fails | failure | without | lack | lacks | missing | however | but | unclear | " +
		"incorrect | wrong | never | only | instead |n't |没有|未|不|缺|但|然而|失败|错误|无法|异常"
	assertions = " successfully | success | confirm | confirms | confirmed | completed | complete | correctly | " +
		"correct | all | shows | displayed | indicat|成功|正确|正常|已|完成|显示|符合|一致|通过"
)

// conclusions mark a sentence that draws the verdict without a reason.
var conclusions = []string{
	" therefore", " thus", " this violates", " as a result", " be considered ", " in conclusion", " overall", " hence ",
	"因此", "所以", "综上", "总之",
}

// findClaim returns the sentence that a wrong verdict rests on. For a wrong "fail" it is the one with most denials,
// for a wrong "pass" the one with most assertions. Of several it is the last, because reasoning comes to its point
// late.
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
			continue
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

// byRules is the analyst that needs no model.
//
// The error type is that of the first miss if a person named it, or if the
// cues of the taxonomy and the differences of judgment and ground truth give no type. Otherwise they decide.
func (f *Former) byRules(x *facts, t guard.Truths) analysis {
	class := f.classify(x)
	a := analysis{
		errorType: class.Type, misses: f.misses(x, t), confidence: class.Confidence,
		provenance: tree.Provenance{By: "formation", Analyst: "rules"},
	}
	if class.Type == taxonomy.OtherError {
		a.confidence = minConfidence
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

// classify reads the error type from the differences of judgment and ground truth, and from a team's own phrases in
// the note. Without either it abstains: words of notes, the agent's own reason and the kind of task name the right type
// for every second run.
func (f *Former) classify(x *facts) classification {
	class := f.compiled().team.classify(x.e.Reason, signals(x))
	if x.e.Reason == "" && !hasActions(x.differences) {
		class.Confidence = min(class.Confidence, maxUntold)
	}
	return class
}

// maxUntold is the highest confidence without a note of a person. On real verdicts about half of such types are right.
const maxUntold = 0.5

// signals returns the evidence of an evaluation's structure for the error type: a weight for each type id, on the
// scale of the weights of cues.
func signals(x *facts) map[string]float64 {
	s := map[string]float64{}
	raise := func(kind string, to float64) { s[kind] = max(s[kind], to) }
	for _, d := range x.details() {
		switch d.Kind {
		case actionMissing, actionMoved:
			raise("interaction_sequence_error", 3)
		case actionSuperfluous:
			raise("interaction_sequence_error", 2)
			raise("business_rule_error", 1)
		case actionChanged:
			argumentSignals(d.Args, raise)
		case valueMissing, valueSuperfluous, valueChanged:
			raise("content_validation_error", 1.5)
		}
	}
	for t := x.scene; t.ID != ""; t.ID = "" {
		if t.ID == "form" || t.Parent == "form" {
			raise("form_validation_error", 0.5)
		}
	}
	return s
}

// argumentSignals reads the error type from the names of arguments that were wrong: the agent took the wrong object,
// applied a rule wrongly, or entered a wrong value.
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

// details returns the differences other than that of the verdict. If the verdicts differ, it omits fields that only
// one side has, because an agent that saw no defect cannot have described it.
func (x *facts) details() []difference {
	isVerdict := func(d difference) bool { return d.Kind == valueChanged && isVerdictField(d.Field) }
	verdict := slices.ContainsFunc(x.differences, isVerdict)
	return slices.DeleteFunc(slices.Clone(x.differences), func(d difference) bool {
		return isVerdict(d) || verdict && (d.Kind == valueMissing || d.Kind == valueSuperfluous)
	})
}

func isVerdictField(path string) bool {
	return path == "" || judgment.IsVerdictField(path[strings.LastIndexByte(path, '.')+1:])
}

func hasActions(list []difference) bool {
	return slices.ContainsFunc(list, func(d difference) bool { return strings.HasPrefix(string(d.Kind), "action") })
}
