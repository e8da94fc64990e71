package prompts

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/memtree/memtree/text"
)

// OtherError is the error type that an analysis may always choose, if no other fits.
const otherError = "other_error"

// AnalyseInput is a wrong verdict to be analysed. All texts come from outside; Analyse
// cleans, cuts and fences them. JSON values are given as their text.
type AnalyseInput struct {
	Lang        string // "zh", or anything else for English
	Prompt      string // what the agent was told to do
	Scene       string // where: id, type, route, in one line; optional
	Observation string // what the agent could see; optional
	Judgment    string // what the agent said, which was wrong
	GroundTruth string // what was true
	Direction   string // false_pass, false_fail, or anything else
	Reason      string // what the evaluator said about it; optional
	Differences []AnalyseDifference
	ErrorTypes  []AnalyseType
}

// An AnalyseDifference is a field in which judgment and ground truth differ.
type AnalyseDifference struct{ Field, Judged, True string }

// An AnalyseType is one of the types to choose from; Line describes it.
type AnalyseType struct{ ID, Name, Line string }

// An AnalyseOutput is the model's answer. Formation must check it before it believes any of
// it, and Confidence least of all.
type AnalyseOutput struct {
	SpecificError     string  `json:"specificError"`
	ErrorReason       string  `json:"errorReason"`
	ErrorType         string  `json:"errorType"`
	AvoidanceStrategy string  `json:"avoidanceStrategy"`
	Confidence        float64 `json:"confidence"` // 0 to 1
}

// Analyse returns the prompt that asks why the agent was wrong and how it can be right
// next time. in.Read decodes the answer.
func (s *Set) Analyse(in AnalyseInput) (Prompt, error) {
	schema, err := in.schema()
	if err != nil {
		return Prompt{}, err
	}
	return s.render("analyse", in.Lang, in.fields(), schema)
}

// fields returns what the template sees.
func (in AnalyseInput) fields() any {
	return struct {
		Task, Scene, Observation, Judgment, GroundTruth, Reason, Differences string
		Direction                                                            string
		Types                                                                []string
	}{
		Task:        fence("task", in.Prompt, maxTask),
		Scene:       fence("scene", in.Scene, maxScene),
		Observation: fence("observation", in.Observation, maxObservation),
		Judgment:    fenceOrDash("judgment", in.Judgment, maxVerdict),
		GroundTruth: fenceOrDash("ground_truth", in.GroundTruth, maxVerdict),
		Reason:      fence("evaluator", in.Reason, maxReason),
		Differences: fence("differences", in.differences(), maxLines*maxLine),
		Direction:   in.Direction,
		Types:       in.types(),
	}
}

// differences returns one line per difference, in the language of the prompt.
func (in AnalyseInput) differences() string {
	judged, truth := "agent", "truth"
	if langOf(in.Lang) == "zh" {
		judged, truth = "智能体", "实际"
	}
	var b strings.Builder
	for i, d := range in.Differences {
		if i == maxLines {
			fmt.Fprintf(&b, "[… %d]\n", len(in.Differences)-maxLines)
			break
		}
		fmt.Fprintf(&b, "%s — %s: %s; %s: %s\n", listLine(d.Field, maxField), judged, valueOrDash(d.Judged), truth,
			valueOrDash(d.True))
	}
	return b.String()
}

// valueOrDash returns s on one line, a dash if it is empty.
func valueOrDash(s string) string {
	if s = listLine(s, maxValue); s == "" {
		return dash
	}
	return s
}

// types returns one line per error type, without otherError.
func (in AnalyseInput) types() []string {
	lines := make([]string, 0, len(in.ErrorTypes))
	for _, t := range in.ErrorTypes {
		if t.ID == otherError {
			continue // the template itself describes it, as the last
		}
		l := t.ID
		if name := listLine(t.Name, maxField); name != "" {
			l += " (" + name + ")"
		}
		if does := listLine(t.Line, maxLine); does != "" {
			l += ": " + does
		}
		lines = append(lines, l)
	}
	return lines
}

// typeID matches the id of an error type.
var typeID = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z][a-z0-9_]{0,63}$`) })

// schema returns the schema of the answer. A model that is held to a schema writes the
// fields in its order, so what happened and why come before the name of the type. The
// schema limits no lengths: a grammar would cut sentences in two, while words in the
// prompt do not.
func (in AnalyseInput) schema() (json.RawMessage, error) {
	if len(in.ErrorTypes) == 0 {
		return nil, errors.New("prompt analyse: there are no error types to choose from")
	}
	var ids []string
	for _, t := range in.ErrorTypes {
		if !typeID().MatchString(t.ID) {
			return nil, fmt.Errorf("prompt analyse: %q is no error type id: use lower-case letters, digits and _", t.ID)
		}
		if t.ID != otherError {
			ids = append(ids, t.ID)
		}
	}
	enum, err := json.Marshal(append(ids, otherError))
	if err != nil {
		return nil, fmt.Errorf("prompt analyse: %w", err)
	}
	return json.RawMessage(`{"type":"object","properties":{` +
		`"specificError":{"type":"string"},` +
		`"errorReason":{"type":"string"},` +
		`"errorType":{"type":"string","enum":` + string(enum) + `},` +
		`"avoidanceStrategy":{"type":"string"},` +
		`"confidence":{"type":"number","minimum":0,"maximum":1}},` +
		`"required":["specificError","errorReason","errorType","avoidanceStrategy","confidence"],` +
		`"additionalProperties":false}`), nil
}

// Read decodes an answer to the prompt made from in. It cleans the texts and puts each
// on one line. The error joins one error per wrong field, worded for a model; the
// AnalyseOutput then holds what could be read.
func (in AnalyseInput) Read(raw json.RawMessage) (AnalyseOutput, error) {
	var a AnalyseOutput
	if err := json.Unmarshal(raw, &a); err != nil {
		return AnalyseOutput{}, fmt.Errorf("answer: %w", err)
	}
	var bad []error
	for _, f := range []struct {
		name string
		text *string
	}{
		{"specificError", &a.SpecificError},
		{"errorReason", &a.ErrorReason},
		{"avoidanceStrategy", &a.AvoidanceStrategy},
	} {
		*f.text = text.Line(*f.text)
		if why := badText(*f.text, in.Lang); why != "" {
			bad = append(bad, fmt.Errorf("%s: %s", f.name, why))
		}
	}
	if !in.offers(a.ErrorType) {
		bad = append(bad, fmt.Errorf("errorType: %q is not in the list", a.ErrorType))
	}
	if !(a.Confidence >= 0 && a.Confidence <= 1) {
		bad = append(bad, errors.New("confidence: must be between 0 and 1"))
	}
	return a, errors.Join(bad...)
}

func (in AnalyseInput) offers(id string) bool {
	for _, t := range in.ErrorTypes {
		if t.ID == id {
			return true
		}
	}
	return id == otherError
}

// maxAnswerText is the length, in characters, from which a text is refused. The prompt
// asks for much less.
const maxAnswerText = 600

// badText returns why a text of an answer is refused, in words for a model; "" if it is
// not.
func badText(s, lang string) string {
	n := utf8.RuneCountInString(s)
	switch {
	case n < 4:
		return "is empty"
	case n > maxAnswerText:
		return fmt.Sprintf("has %d characters; say it in one or two short sentences", n)
	case langOf(lang) == "zh" && text.Lang(s) != "zh":
		return "请用中文回答"
	case langOf(lang) == "en" && text.Lang(s) == "zh":
		return "write it in English"
	default:
		return ""
	}
}

// sampleAnalyse has a value in every field; see samples.
var sampleAnalyse = AnalyseInput{
	Prompt: "the task", Scene: "the scene", Observation: "the observation", Judgment: "the judgment",
	GroundTruth: "the ground truth",
	Direction:   "false_pass", Reason: "the reason", Differences: []AnalyseDifference{{"field", "one", "two"}},
	ErrorTypes: []AnalyseType{{"sample_error", "sample", "a sample"}},
}
