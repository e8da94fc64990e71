package prompts

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/memtree/memtree/text"
)

// EvolveInput is a group of wrong verdicts with one cause, to be turned into lessons.
// All texts come from outside; Evolve cleans, cuts and fences them.
type EvolveInput struct {
	Lang      string // "zh", or anything else for English
	Strategy  bool   // lessons for a whole error type rather than for one cause
	ErrorType AnalyseType
	Direction string         // false_pass, false_fail, or anything else
	Cases     []EvolveCase   // 1 to maxCases; an answer cites them by number, from 1
	Lessons   []EvolveLesson // the present ones; an answer names them L1, L2 and so on
	Rejected  []string       // why earlier lessons about these cases were refused
}

// An EvolveCase is the evidence of one case. Misses are what should have been checked,
// one line each: the kind of check, how it was missed, and what to do instead.
type EvolveCase struct {
	Task, Scene, Judgment, GroundTruth, Error, Reason, Hint string
	Misses                                                  []string // the first maxMisses are shown
}

// An EvolveLesson is a present lesson. Credit says what is known of its effect.
type EvolveLesson struct{ Check, Instead, Mistake, Credit string }

// EvolveOutput is what the model proposes. Evolution's gates must check it before any of it
// is believed.
type EvolveOutput struct {
	Title       string     `json:"title"`
	Summary     string     `json:"summary"`
	AppliesWhen []string   `json:"appliesWhen"`
	NotWhen     []string   `json:"notWhen"`
	Lessons     []EvolveOp `json:"lessons"`
}

// EvolveOp is one operation on a lesson.
type EvolveOp struct {
	Op      string `json:"op"` // KEEP, ADD, REVISE or RETIRE
	ID      string `json:"id"` // of a present lesson, "" for ADD
	Check   string `json:"check"`
	Instead string `json:"instead"`
	Mistake string `json:"mistake"`
	Cites   []int  `json:"cites"` // numbers of cases, from 1
}

const (
	maxCases    = 12
	maxCaseText = 260 // one text of a case, in characters
	maxMisses   = 3   // of a case
	maxLessons  = 4
	maxReasons  = 3000 // characters of reasons for a refusal, which may quote what was refused
)

// Evolve returns the prompt that asks what the cases have in common and how to avoid
// it. in.Read decodes the answer.
func (s *Set) Evolve(in EvolveInput) (Prompt, error) {
	if len(in.Cases) == 0 || len(in.Cases) > maxCases {
		return Prompt{}, fmt.Errorf("prompt evolve: there are %d cases, 1 to %d can be shown", len(in.Cases), maxCases)
	}
	return s.render("evolve", in.Lang, in.fields(), json.RawMessage(evolveSchema))
}

const evolveSchema = `{"type":"object","properties":{` +
	`"title":{"type":"string"},` +
	`"summary":{"type":"string"},` +
	`"lessons":{"type":"array","minItems":1,"maxItems":8,"items":{"type":"object","properties":{` +
	`"op":{"type":"string","enum":["KEEP","ADD","REVISE","RETIRE"]},` +
	`"id":{"type":"string"},` +
	`"check":{"type":"string"},` +
	`"instead":{"type":"string"},` +
	`"mistake":{"type":"string"},` +
	`"cites":{"type":"array","maxItems":12,"items":{"type":"integer"}}},` +
	`"required":["op","id","check","instead","mistake","cites"],"additionalProperties":false}},` +
	`"appliesWhen":{"type":"array","maxItems":4,"items":{"type":"string"}},` +
	`"notWhen":{"type":"array","maxItems":4,"items":{"type":"string"}}},` +
	`"required":["title","summary","lessons","appliesWhen","notWhen"],"additionalProperties":false}`

// fields returns what the template sees.
func (in EvolveInput) fields() any {
	zh := langOf(in.Lang) == "zh"
	label := func(en, ch string) string {
		if zh {
			return ch
		}
		return en
	}
	cases := make([]string, len(in.Cases))
	for i := range in.Cases {
		cases[i] = fence("case "+strconv.Itoa(i+1), in.Cases[i].lines(label), 8*maxCaseText)
	}
	lessons := make([]string, 0, maxLessons)
	for i, l := range in.Lessons[:min(len(in.Lessons), maxLessons)] {
		s := "L" + strconv.Itoa(i+1) + ": " + listLine(l.Check, maxLine) + " " + listLine(l.Instead, maxLine)
		if m := listLine(l.Mistake, maxLine); m != "" {
			s += " (" + m + ")"
		}
		if c := listLine(l.Credit, maxField); c != "" {
			s += " [" + c + "]"
		}
		lessons = append(lessons, s)
	}
	return struct {
		Strategy                   bool
		Type, About, Direction     string
		Cases                      []string
		Count                      int
		Lessons                    string
		Rejected                   string
		MaxLessons, LeastCitations int
	}{
		in.Strategy, listLine(in.ErrorType.Name, maxField), listLine(in.ErrorType.Line, maxLine), in.Direction,
		cases, len(cases), fence("lessons", strings.Join(lessons, "\n"), maxLessons*3*maxLine),
		fence("reasons", bullets(in.Rejected), maxReasons), maxLessons, 2,
	}
}

// lines returns the evidence of a case, one line for each field that is not empty.
func (c *EvolveCase) lines(label func(en, zh string) string) string {
	fields := []struct{ name, value string }{
		{label("task", "任务"), c.Task}, {label("where", "场景"), c.Scene},
		{label("the agent said (wrong)", "智能体的结论（错误）"), c.Judgment}, {label("true (right)", "实际情况（正确）"), c.GroundTruth},
	}
	for _, m := range c.Misses[:min(len(c.Misses), maxMisses)] {
		fields = append(fields, struct{ name, value string }{label("what was missed", "漏掉的检查"), m})
	}
	fields = append(fields, []struct{ name, value string }{
		{label("what went wrong", "具体错误"), c.Error}, {label("why", "根本原因"), c.Reason}, {label("hint", "建议"), c.Hint},
	}...)
	var b strings.Builder
	for _, f := range fields {
		if v := listLine(f.value, maxCaseText); v != "" {
			fmt.Fprintf(&b, "%s: %s\n", f.name, v)
		}
	}
	return b.String()
}

// Read decodes an answer to the prompt made from in. It cleans the texts, puts each on
// one line, and sorts the cited numbers. The error joins one error per problem, worded
// for a model.
func (in EvolveInput) Read(raw json.RawMessage) (EvolveOutput, error) {
	var e EvolveOutput
	if err := json.Unmarshal(raw, &e); err != nil {
		return EvolveOutput{}, fmt.Errorf("answer: %w", err)
	}
	one := func(s string) string { return text.Line(s) }
	e.Title, e.Summary = one(e.Title), one(e.Summary)
	for _, list := range [][]string{e.AppliesWhen, e.NotWhen} {
		for i := range list {
			list[i] = one(list[i])
		}
	}
	var bad []error
	for i := range e.Lessons {
		l := &e.Lessons[i]
		l.Check, l.Instead, l.Mistake = one(l.Check), one(l.Instead), one(l.Mistake)
		known := in.lesson(l.ID) != nil
		switch {
		case l.Op == "ADD" || l.Op == "REVISE" && known:
			if why := badText(l.Check, in.Lang); why != "" {
				bad = append(bad, fmt.Errorf("lessons[%d].check: %s", i, why))
			}
		case (l.Op == "KEEP" || l.Op == "RETIRE") && known:
		default:
			bad = append(bad, fmt.Errorf("lessons[%d].id: %q is no present lesson; use ADD with an empty id",
				i, text.Clip(l.ID, 20)))
		}
		for _, c := range l.Cites {
			if c < 1 || c > len(in.Cases) {
				bad = append(bad, fmt.Errorf("lessons[%d].cites: there is no case %d", i, c))
			}
		}
		slices.Sort(l.Cites)
		l.Cites = slices.Compact(l.Cites)
	}
	if e.Title == "" {
		bad = append(bad, errors.New("title: is empty"))
	}
	return e, errors.Join(bad...)
}

// lesson returns the present lesson with the id L1, L2 and so on; nil if there is none.
func (in EvolveInput) lesson(id string) *EvolveLesson {
	n, err := strconv.Atoi(strings.TrimPrefix(id, "L"))
	if err != nil || !strings.HasPrefix(id, "L") || n < 1 || n > min(len(in.Lessons), maxLessons) {
		return nil
	}
	return &in.Lessons[n-1]
}

// sampleEvolve has a value in every field; see samples.
var sampleEvolve = EvolveInput{
	ErrorType: AnalyseType{ID: "sample_error", Name: "sample", Line: "a sample"}, Direction: "false_pass",
	Cases: []EvolveCase{{"the task", "the scene", "the judgment", "the ground truth", "the error", "the reason",
		"the hint", []string{"the miss"}}},
	Lessons:  []EvolveLesson{{"the check", "the right thing", "the mistake", "the credit"}},
	Rejected: []string{"the objection"},
}
