package prompts

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/memtree/memtree/internal/text"
)

// SurveyInput is causes of wrong verdicts, which a model groups by root cause. All texts come from outside; Survey
// cleans, cuts and fences them. An answer refers to checks and lines by number, from 1.
type SurveyInput struct {
	Lang      string   // language of the instructions: Chinese for "zh" or "zh-…", else English
	Direction string   // false_pass, false_fail, or anything else; the same for all lines
	Checks    []string // titles of the existing checks, at most MaxSurveyChecks
	Lines     []string // one cause each, 1 to MaxSurveyLines
}

// SurveyGroup is a group of lines with one root cause: that of an existing check, or a new one.
type SurveyGroup struct {
	Check int    `json:"check"` // number of the existing check; 0 for a new one
	Cause string `json:"cause"` // root cause in a few English words if Check is 0; else of no meaning
	Lines []int  `json:"lines"` // numbers of the lines, sorted
}

// Limits of a prompt of Survey.
const (
	MaxSurveyLines  = 100 // most causes in one prompt of Survey
	MaxSurveyChecks = 40  // most existing checks in one prompt of Survey

	maxCause      = 76 // characters of a line, 19 tokens
	maxCauseZH    = 28 // the same of one in Chinese
	maxCauseWords = 8
)

const surveySchema = `{"type":"object","properties":{"groups":{"type":"array","items":{"type":"object","properties":{` +
	`"check":{"type":"integer"},"cause":{"type":"string"},"lines":{"type":"array","items":{"type":"integer"}}},` +
	`"required":["check","cause","lines"],"additionalProperties":false}}},` +
	`"required":["groups"],"additionalProperties":false}`

// Survey returns the prompt that asks a model to group the lines by root cause. The part that is the same for all
// inputs comes first, then the checks, then the lines. in.Read decodes the answer.
func (s *Set) Survey(in SurveyInput) (Prompt, error) {
	if n := len(in.Lines); n == 0 || n > MaxSurveyLines {
		return Prompt{}, fmt.Errorf("prompt survey: there are %d lines, 1 to %d can be shown", n, MaxSurveyLines)
	}
	if n := len(in.Checks); n > MaxSurveyChecks {
		return Prompt{}, fmt.Errorf("prompt survey: there are %d checks, %d can be shown", n, MaxSurveyChecks)
	}
	return s.render("survey", in.Lang, map[string]any{
		"Direction": in.Direction,
		"Checks":    fence("checks", numbered("k", in.Checks), 2*maxCause*MaxSurveyChecks),
		"Lines":     fenceOrDash("causes", numbered("", in.Lines), 2*maxCause*MaxSurveyLines),
	}, json.RawMessage(surveySchema))
}

// numbered lists texts, a line each after its number.
func numbered(before string, list []string) string {
	var b strings.Builder
	for i, s := range list {
		limit := maxCause
		if text.Lang(s) == "zh" {
			limit = maxCauseZH
		}
		fmt.Fprintf(&b, "%s%d %s\n", before, i+1, listLine(s, limit))
	}
	return b.String()
}

// Read decodes an answer to the prompt made from in: the valid groups, in the order of the answer. A line is in at
// most one group. A new group has a cause of a few English words, and every group at least one line. err joins the
// problems of the other groups, written for the model.
func (in SurveyInput) Read(raw json.RawMessage) (groups []SurveyGroup, err error) {
	var a struct {
		Groups []SurveyGroup `json:"groups"`
	}
	if err := json.Unmarshal(raw, &a); err != nil {
		return nil, fmt.Errorf("answer: %w", err)
	}
	if len(a.Groups) > len(in.Lines) {
		return nil, fmt.Errorf("groups: there are %d of them and %d lines", len(a.Groups), len(in.Lines))
	}
	var bad []error
	taken := map[int]bool{} // lines that are in a group
	for i := range a.Groups {
		g := &a.Groups[i]
		slices.Sort(g.Lines)
		if err := in.wrong(g, taken); err != nil {
			bad = append(bad, fmt.Errorf("groups[%d].%w", i, err))
			continue
		}
		for _, n := range g.Lines {
			taken[n] = true
		}
		groups = append(groups, *g)
	}
	return groups, errors.Join(bad...)
}

// english matches a cause in a few words. A cause with quotation marks or a number is about one test.
var english = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[A-Za-z][A-Za-z ,'’/()-]*$`)
})

// wrong returns the problem of a group, nil for none. taken are the lines of other groups.
func (in SurveyInput) wrong(g *SurveyGroup, taken map[int]bool) error {
	g.Cause = strings.TrimRight(text.Line(text.Clip(g.Cause, 4*maxCause)), ". ")
	switch {
	case g.Check < 0 || g.Check > len(in.Checks):
		return fmt.Errorf("check: there is no check %d", g.Check)
	case g.Check == 0 && (!english().MatchString(g.Cause) || len(strings.Fields(g.Cause)) > maxCauseWords):
		return fmt.Errorf("cause: say the cause in at most %d English words without numbers", maxCauseWords)
	case len(g.Lines) == 0:
		return errors.New("lines: there are none")
	}
	for i, n := range g.Lines {
		switch {
		case n < 1 || n > len(in.Lines):
			return fmt.Errorf("lines: there is no line %d", n)
		case taken[n] || i > 0 && g.Lines[i-1] == n:
			return fmt.Errorf("lines: line %d is in a group already", n)
		}
	}
	return nil
}
