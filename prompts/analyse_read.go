package prompts

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/memtree/memtree/internal/text"
)

// An AnalyseOutput is the model's answer about one run. Package formation checks it before using any of it.
type AnalyseOutput struct {
	Misses []AnalyseMiss // most important first; none: the run does not show its cause
	// Err is why the answer about this run cannot be used; nil if it can.
	Err error
}

// An AnalyseMiss is a check that the agent missed, as the model describes it. All texts are on one line.
type AnalyseMiss struct {
	Check   string   // ID of one of the AnalyseInput.Checks, "" if none fits
	Cause   string   // the root cause in general terms; "" with a Check
	What    []string // the things to which the check applies
	How     string   // the mistake, in sentences; may be ""
	Instead string   // what to do instead; may be ""
}

// Limits on an answer. Anything beyond them is dropped.
const (
	maxRunMisses = 4
	maxRunThings = 4
	maxThing     = 60 // characters
)

// newCheck precedes the root cause where no check of the list fits.
const newCheck = "new"

var (
	errNoAnswer = errors.New("there is no answer about this run")
	errTwice    = errors.New("there are two answers about this run")
)

// Read decodes an answer to the prompt made from in. It returns one output for each run, in the order of in.Runs. It
// returns an error only if no output can be used; the error joins the reasons, written for the model. For an answer
// that is not JSON of this form the outputs are nil.
func (in AnalyseInput) Read(raw json.RawMessage) ([]AnalyseOutput, error) {
	var a struct {
		Runs []struct {
			Run    int         `json:"run"`
			Misses []givenMiss `json:"misses"`
		} `json:"runs"`
	}
	if err := json.Unmarshal(raw, &a); err != nil {
		return nil, fmt.Errorf("answer: %w", err)
	}
	out := make([]AnalyseOutput, len(in.Runs))
	for i := range out {
		out[i].Err = errNoAnswer
	}
	var bad []error
	for _, r := range a.Runs {
		if r.Run < 1 || r.Run > len(out) {
			bad = append(bad, fmt.Errorf("runs: there is no run %d", r.Run))
			continue
		}
		o := &out[r.Run-1]
		if o.Err != errNoAnswer { //nolint:errorlint // it is set above, and not wrapped
			*o = AnalyseOutput{Err: errTwice}
			continue
		}
		*o = in.run(&in.Runs[r.Run-1], r.Misses)
	}
	for i := range out {
		if out[i].Err == nil {
			return out, nil
		}
		bad = append(bad, fmt.Errorf("run %d: %w", i+1, out[i].Err))
	}
	return out, errors.Join(bad...)
}

// givenMiss is a miss as the model wrote it.
type givenMiss struct {
	Check   string   `json:"check"`
	What    []string `json:"what"`
	How     string   `json:"how"`
	Instead string   `json:"instead"`
}

// run reads the misses of one run. It drops unusable ones, unless all are.
func (in AnalyseInput) run(r *AnalyseRun, given []givenMiss) AnalyseOutput {
	var o AnalyseOutput
	var bad []error
	for _, g := range given[:min(len(given), maxRunMisses)] {
		if m, err := in.miss(r, g); err != nil {
			bad = append(bad, err)
		} else {
			o.Misses = append(o.Misses, m)
		}
	}
	if len(o.Misses) == 0 {
		o.Err = errors.Join(bad...)
	}
	return o
}

// miss reads one miss. It drops a text in another language than the task, or a too long one.
func (in AnalyseInput) miss(r *AnalyseRun, g givenMiss) (AnalyseMiss, error) {
	m := AnalyseMiss{How: usable(g.How, r.Lang), Instead: usable(g.Instead, r.Lang)}
	for _, w := range g.What[:min(len(g.What), maxRunThings)] {
		if w = text.Line(w); w != "" && utf8.RuneCountInString(w) <= maxThing {
			m.What = append(m.What, w)
		}
	}
	id, cause, _ := strings.Cut(strings.Replace(text.Line(g.Check), "：", ":", 1), ":")
	if id = strings.TrimSpace(id); id == newCheck {
		cause = strings.TrimSpace(cause)
		if why := badText(cause, r.Lang); why != "" {
			return m, fmt.Errorf(`check: the root cause after "new:" %s`, why)
		}
		m.Cause = cause
		return m, nil
	}
	if !slices.ContainsFunc(in.Checks, func(c AnalyseCheck) bool { return c.ID == id }) {
		return m, fmt.Errorf("check: %q is not in the list", text.Clip(id, maxField))
	}
	m.Check = id
	return m, nil
}

// usable returns a text on one line, "" if badText refuses it.
func usable(s, lang string) string {
	if s = text.Line(s); badText(s, lang) != "" {
		return ""
	}
	return s
}

// maxAnswerText is the maximum length of a text, in characters. The prompts request much less.
const maxAnswerText = 600

// badText returns why a text of an answer is refused, written for a model; "" if it is not.
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
