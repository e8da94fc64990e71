package prompts

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/memtree/memtree/internal/text"
)

// EvolveInput is groups of runs with a wrong verdict. Each group may become one lesson, several or none. All texts
// come from outside; Evolve cleans, cuts and fences them.
type EvolveInput struct {
	Lang   string        // language of the instructions: Chinese for "zh" or "zh-…", else English
	Groups []EvolveGroup // the groups, 1 to MaxEvolveGroups; an answer refers to a group by its number, from 1
}

// EvolveGroup is the cases of wrong verdicts that may have one cause.
type EvolveGroup struct {
	Direction string       // false_pass, false_fail, or anything else
	Check     string       // title of the check that these cases missed, "" for none
	Cases     []EvolveCase // the cases, 1 to MaxEvolveCases; an answer refers to a case by its number, from 1
	Told      string       // the present lesson, if runs made the mistake although they received it; else ""
	Refused   []string     // why earlier lessons about these cases were refused
}

// EvolveCase is one run with a wrong verdict: its task, people's notes on it, the agent's verdict and what was true.
type EvolveCase struct{ Task, Notes, Claimed, Truth string }

// EvolveOutput is the model's answer about one group: its lessons, or why it has none. The checks of package
// evolution/gate must accept a lesson before anything of it is used.
type EvolveOutput struct {
	Apart   string         // why no action would have prevented enough of the cases; "" with a lesson
	Lessons []EvolveLesson // one for each cause of the group; no case is in two
}

// EvolveLesson is a lesson from the cases of a group that one action would have prevented, in English and in Chinese.
type EvolveLesson struct {
	Cases  []int // numbers of the lesson's cases in the group, from 1, sorted; at least one
	EN, ZH EvolveText
}

// EvolveText is a lesson in one language.
type EvolveText struct {
	Title   string `json:"title"`   // a few words
	Do      string `json:"do"`      // what to do
	Mistake string `json:"mistake"` // what went wrong
	When    string `json:"when"`    // condition under which the lesson applies
}

// Limits of a prompt of Evolve.
const (
	MaxEvolveGroups = 16 // most groups in one prompt of Evolve
	MaxEvolveCases  = 16 // most cases in one group of EvolveInput

	maxEvolveText = 120  // one text of a case, in characters of English; half of that in Chinese
	shortNote     = 24   // a note of fewer columns is not enough without the agent's claim
	maxReasons    = 3000 // characters of reasons for a refusal, which may quote what was refused
)

// Evolve returns the prompt that asks a model what the cases of each group have in common and how to avoid it. The
// instructions come first and are the same for all groups, so that a provider can cache them. in.Read decodes the
// answer.
func (s *Set) Evolve(in EvolveInput) (Prompt, error) {
	if len(in.Groups) == 0 || len(in.Groups) > MaxEvolveGroups {
		return Prompt{}, fmt.Errorf("prompt evolve: there are %d groups, 1 to %d can be shown", len(in.Groups),
			MaxEvolveGroups)
	}
	for i := range in.Groups {
		if n := len(in.Groups[i].Cases); n == 0 || n > MaxEvolveCases {
			return Prompt{}, fmt.Errorf("prompt evolve: group %d has %d cases, 1 to %d can be shown", i+1, n, MaxEvolveCases)
		}
	}
	return s.render("evolve", in.Lang, in.fields(), json.RawMessage(evolveSchema))
}

// EvolveName returns Prompt.Name of the prompts that Evolve makes in lang. It changes with the wording of the
// template.
func (s *Set) EvolveName(lang string) string {
	id := "evolve." + langOf(lang)
	t, _ := s.load(id) // a broken one has no version, and an error where it is used
	return Prompt{ID: id, Version: t.version}.Name()
}

const evolveText = `{"type":"object","properties":{"title":{"type":"string"},"do":{"type":"string"},` +
	`"mistake":{"type":"string"},"when":{"type":"string"}},` +
	`"required":["title","do","mistake","when"],"additionalProperties":false}`

const evolveSchema = `{"type":"object","properties":{"lessons":{"type":"array","items":{"type":"object",` +
	`"properties":{` +
	`"group":{"type":"integer"},"cases":{"type":"array","items":{"type":"integer"}},"apart":{"type":"string"},` +
	`"en":` + evolveText + `,"zh":` + evolveText + `},` +
	`"required":["group","cases","apart","en","zh"],"additionalProperties":false}}},` +
	`"required":["lessons"],"additionalProperties":false}`

// fields returns the input of the template.
func (in EvolveInput) fields() any {
	type group struct {
		Number           int
		Direction, Check string
		Data             string
		Told, Refused    string
	}
	var out struct{ Groups []group }
	for i := range in.Groups {
		g := &in.Groups[i]
		lines := make([]string, len(g.Cases))
		for k := range g.Cases {
			lines[k] = fmt.Sprintf("%d. %s", k+1, g.Cases[k].line(in.Lang))
		}
		name := fmt.Sprintf("group %d", i+1)
		out.Groups = append(out.Groups, group{
			Number: i + 1, Direction: g.Direction, Check: listLine(g.Check, maxField),
			Data: fenceOrDash(name, strings.Join(lines, "\n"), MaxEvolveCases*5*maxEvolveText),
			Told: fence("told", listLine(g.Told, maxLine), maxLine), Refused: fence("reasons", bullets(g.Refused), maxReasons),
		})
	}
	return out
}

// line returns a case on one line. It omits the agent's claim where the note is long enough.
func (c *EvolveCase) line(lang string) string {
	label := func(en, zh string) string {
		if langOf(lang) == "zh" {
			return zh
		}
		return en
	}
	parts := []string{evolveLine(c.Task)}
	add := func(name, s string) {
		if s = evolveLine(s); s != "" {
			parts = append(parts, name+s)
		}
	}
	if text.Width(c.Notes) < shortNote {
		add(label("agent: ", "智能体："), c.Claimed)
	}
	if !strings.Contains(c.Notes, c.Truth) {
		add(label("true: ", "实际："), c.Truth)
	}
	add(label("note: ", "说明："), c.Notes)
	return strings.Join(parts, " | ")
}

// evolveLine returns s as one line, cut to about 30 tokens.
func evolveLine(s string) string {
	if text.Lang(s) == "zh" {
		return listLine(s, maxEvolveText/2)
	}
	return listLine(s, maxEvolveText)
}

// Read decodes an answer to the prompt made from in. out and wrong have an element for each group, in the order of
// in.Groups. An element of out is nil if the answer omits the group. An element of wrong is the problem of the answer
// about that group, written for the model; such an answer must not be used. err is set if no part of the answer can be
// used. Read puts each text on one line and sorts the numbers of cases.
func (in EvolveInput) Read(raw json.RawMessage) (out []*EvolveOutput, wrong []error, err error) {
	var answer struct {
		Lessons []evolveItem `json:"lessons"`
	}
	if err := json.Unmarshal(raw, &answer); err != nil {
		return nil, nil, fmt.Errorf("answer: %w", err)
	}
	out, wrong = make([]*EvolveOutput, len(in.Groups)), make([]error, len(in.Groups))
	for i := range answer.Lessons {
		item := &answer.Lessons[i]
		at := item.Group - 1
		if at < 0 || at >= len(in.Groups) {
			return nil, nil, fmt.Errorf("lessons[%d].group: there is no group %d", i, item.Group)
		}
		if out[at] == nil {
			out[at] = &EvolveOutput{}
		}
		wrong[at] = errors.Join(wrong[at], out[at].add(item, len(in.Groups[at].Cases)))
	}
	return out, wrong, nil
}

// evolveItem is a lesson of an answer, or that a group has none.
type evolveItem struct {
	Group int        `json:"group"` // from 1
	Cases []int      `json:"cases"`
	Apart string     `json:"apart"`
	EN    EvolveText `json:"en"`
	ZH    EvolveText `json:"zh"`
}

// add adds an item to the answer about a group of that many cases, and returns its errors.
func (o *EvolveOutput) add(item *evolveItem, cases int) error {
	if apart := text.Clip(text.Line(item.Apart), maxLine); apart != "" || o.Apart != "" {
		if o.Apart != "" || len(o.Lessons) > 0 {
			return errors.New("apart: the group has another answer, and apart says that it has no lesson")
		}
		o.Apart = apart
		return nil
	}
	l := EvolveLesson{Cases: slices.Clone(item.Cases), EN: item.EN.tidy(), ZH: item.ZH.tidy()}
	slices.Sort(l.Cases)
	l.Cases = slices.Compact(l.Cases)
	bad := append(l.wrong(cases), o.twice(&l)...)
	o.Lessons = append(o.Lessons, l)
	return errors.Join(bad...)
}

// twice returns the errors of a lesson that repeats a case or an action of another lesson of the group.
func (o *EvolveOutput) twice(l *EvolveLesson) (bad []error) {
	for i := range o.Lessons {
		other := &o.Lessons[i]
		for _, n := range l.Cases {
			if slices.Contains(other.Cases, n) {
				bad = append(bad, fmt.Errorf("cases: case %d is in two lessons of the group; put it into the one whose action "+
					"would have prevented it", n))
			}
		}
		if l.EN.Do != "" && l.EN.Do == other.EN.Do || l.ZH.Do != "" && l.ZH.Do == other.ZH.Do {
			bad = append(bad, errors.New("do: two lessons of the group say the same; write one, with the cases of both"))
		}
	}
	return bad
}

// wrong returns the errors of a lesson of a group of that many cases.
func (l *EvolveLesson) wrong(cases int) (bad []error) {
	if len(l.Cases) == 0 {
		bad = append(bad, errors.New("cases: name the cases that the action would have prevented"))
	}
	for _, n := range l.Cases {
		if n < 1 || n > cases {
			bad = append(bad, fmt.Errorf("cases: there is no case %d", n))
		}
	}
	switch zh := l.ZH.Do; {
	case l.EN.Do == "" || text.Lang(l.EN.Do) == "zh":
		bad = append(bad, errors.New("en.do: say in English what to do"))
	case zh == "" || text.Lang(zh) != "zh":
		bad = append(bad, errors.New("zh.do: 请用中文写明要做什么"))
	}
	return bad
}

// tidy returns a text with each of its parts on one line, within its limits.
func (l EvolveText) tidy() EvolveText {
	for _, s := range []*string{&l.Title, &l.Do, &l.Mistake, &l.When} {
		*s = text.Line(squeeze(*s, maxLine*2))
	}
	return l
}
