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

// OtherError is the type every analysis may choose when none fits.
const OtherError = "other_error"

// AnalyseInput is a wrong verdict to be analysed. All texts are data from outside;
// they are cleaned, capped and fenced here. JSON values come as their text.
type AnalyseInput struct {
	Lang        string // "zh", or anything else for English
	Prompt      string // what the agent was told to do
	Scene       string // where: id, type, route, in one line; optional
	Observation string // what the agent could see; optional
	Judgment    string // what it said: wrong
	GroundTruth string // what is true
	Direction   string // false_pass, false_fail, or anything else
	Reason      string // what the evaluator said about it; optional
	Differences []Difference
	ErrorTypes  []ErrorType
}

// A Difference is a field in which judgment and ground truth differ.
type Difference struct{ Field, Judged, True string }

// An ErrorType is one choice of the analyst.
type ErrorType struct{ ID, Name, Line string }

// An Analysis is what the model made of it. Nothing in it is to be believed
// before formation's own checks; least of all Confidence.
type Analysis struct {
	SpecificError     string  `json:"specificError"`
	ErrorReason       string  `json:"errorReason"`
	ErrorType         string  `json:"errorType"`
	AvoidanceStrategy string  `json:"avoidanceStrategy"`
	Confidence        float64 `json:"confidence"` // 0 to 1
}

// Analyse asks why the agent was wrong and how to be right the next time.
// Read takes the answer in.
func (s *Set) Analyse(in AnalyseInput) (Prompt, error) {
	schema, err := in.schema()
	if err != nil {
		return Prompt{}, err
	}
	return s.render("analyse", in.Lang, in.fields(), schema)
}

func (in AnalyseInput) fields() any {
	return struct {
		Task, Scene, Observation, Judgment, GroundTruth, Reason, Differences string
		Direction                                                            string
		Types                                                                []string
	}{
		Task:        data("task", in.Prompt, maxTask),
		Scene:       data("scene", in.Scene, maxScene),
		Observation: data("observation", in.Observation, maxObservation),
		Judgment:    dataOrDash("judgment", in.Judgment, maxVerdict),
		GroundTruth: dataOrDash("ground_truth", in.GroundTruth, maxVerdict),
		Reason:      data("evaluator", in.Reason, maxReason),
		Differences: data("differences", in.differences(), maxLines*maxLine),
		Direction:   in.Direction,
		Types:       in.types(),
	}
}

func (in AnalyseInput) differences() string {
	judged, truth := "agent", "truth"
	if language(in.Lang) == "zh" {
		judged, truth = "智能体", "实际"
	}
	var b strings.Builder
	for i, d := range in.Differences {
		if i == maxLines {
			fmt.Fprintf(&b, "[… %d]\n", len(in.Differences)-maxLines)
			break
		}
		fmt.Fprintf(&b, "%s — %s: %s; %s: %s\n", line(d.Field, maxField), judged, value(d.Judged), truth, value(d.True))
	}
	return b.String()
}

func value(s string) string {
	if s = line(s, maxValue); s == "" {
		return dash
	}
	return s
}

func (in AnalyseInput) types() []string {
	lines := make([]string, 0, len(in.ErrorTypes))
	for _, t := range in.ErrorTypes {
		if t.ID == OtherError {
			continue // the template words it, last
		}
		l := t.ID
		if name := line(t.Name, maxField); name != "" {
			l += " (" + name + ")"
		}
		if does := line(t.Line, maxLine); does != "" {
			l += ": " + does
		}
		lines = append(lines, l)
	}
	return lines
}

var typeID = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z][a-z0-9_]{0,63}$`) })

// schema lists the fields in the order in which they are best thought of: what
// happened and why before its name, since a model that is held to a schema writes
// them in this order. Lengths are not in it: a grammar cuts a sentence in two,
// words in the prompt do not.
func (in AnalyseInput) schema() (json.RawMessage, error) {
	if len(in.ErrorTypes) == 0 {
		return nil, errors.New("prompt analyse: there are no error types to choose from")
	}
	var ids []string
	for _, t := range in.ErrorTypes {
		if !typeID().MatchString(t.ID) {
			return nil, fmt.Errorf("prompt analyse: %q is no error type id: use lower-case letters, digits and _", t.ID)
		}
		if t.ID != OtherError {
			ids = append(ids, t.ID)
		}
	}
	enum, err := json.Marshal(append(ids, OtherError))
	if err != nil {
		return nil, fmt.Errorf("prompt analyse: %w", err)
	}
	return json.RawMessage(`{"type":"object","properties":{` +
		`"specificError":{"type":"string"},` +
		`"errorReason":{"type":"string"},` +
		`"errorType":{"type":"string","enum":` + string(enum) + `},` +
		`"avoidanceStrategy":{"type":"string"},` +
		`"confidence":{"type":"number","minimum":0,"maximum":1}},` +
		`"required":["specificError","errorReason","errorType","avoidanceStrategy","confidence"],"additionalProperties":false}`), nil
}

// Read takes in an answer to the prompt made from in. The texts come back
// cleaned, on one line each. What is wrong is returned as one error per field,
// joined, worded for a model; the Analysis is then what could be read.
func (in AnalyseInput) Read(raw json.RawMessage) (Analysis, error) {
	var a Analysis
	if err := json.Unmarshal(raw, &a); err != nil {
		return Analysis{}, fmt.Errorf("answer: %w", err)
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
	return id == OtherError
}

// maxAnswerText is where a text stops being an answer and becomes an essay. The
// prompt asks for far less.
const maxAnswerText = 600

func badText(s, lang string) string {
	n := utf8.RuneCountInString(s)
	switch {
	case n < 4:
		return "is empty"
	case n > maxAnswerText:
		return fmt.Sprintf("has %d characters; say it in one or two short sentences", n)
	case language(lang) == "zh" && text.Lang(s) != "zh":
		return "请用中文回答"
	case language(lang) == "en" && text.Lang(s) == "zh":
		return "write it in English"
	default:
		return ""
	}
}

// sampleAnalyse fills every field.
var sampleAnalyse = AnalyseInput{
	Prompt: "the task", Scene: "the scene", Observation: "the observation", Judgment: "the judgment", GroundTruth: "the ground truth",
	Direction: "false_pass", Reason: "the reason", Differences: []Difference{{"field", "one", "two"}},
	ErrorTypes: []ErrorType{{"sample_error", "sample", "a sample"}},
}
