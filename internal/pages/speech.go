package pages

import (
	"fmt"
	"html/template"
	"slices"
	"strings"
	"time"

	"github.com/memtree/memtree/curation"
	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/knowledge"
	"github.com/memtree/memtree/ledger"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// speech is the language of a visitor. The English is in the code, the Chinese in zh.po.
type speech struct {
	lang  string
	words map[string]string // nil for English
}

func (s *Site) speech(lang string) *speech {
	if lang == "zh" {
		return &speech{lang, s.chinese}
	}
	return &speech{lang: "en"}
}

// say returns a sentence in the language of the visitor.
func (s *speech) say(english string, args ...any) string {
	if other, ok := s.words[english]; ok {
		english = other
	}
	if len(args) == 0 {
		return english
	}
	return fmt.Sprintf(english, args...)
}

// functions are the functions of templates.
func functions(s *speech) template.FuncMap {
	return template.FuncMap{
		"say":      s.say,
		"lang":     func() string { return s.lang },
		"in":       func(t taxonomy.Text) string { return t.In(s.lang) },
		"way":      func(d taxonomy.Direction) string { return d.Name().In(s.lang) },
		"level":    s.level,
		"page":     pageOf,
		"decided":  s.decidedOf,
		"refusal":  s.refusal,
		"who":      s.who,
		"status":   s.status,
		"gap":      s.gapKind,
		"whole":    func(x float64) int { return int(x) },
		"reason":   func(why string) string { return s.say(why) },
		"verdict":  s.verdict,
		"percent":  percent,
		"factKind": s.factKind,
		"runState": s.runState,
		"noteKind": s.noteKind,
		"factState": func(f any) string {
			if of, ok := f.(*knowledge.Fact); ok {
				return s.factState(of)
			}
			of, _ := f.(knowledge.Fact)
			return s.factState(&of)
		},
		"risks": risks,
		"day":   day,
		"clock": func(t time.Time) string { return t.Format("2006-01-02 15:04 MST") }, // in the zone of the service
		"clip":  func(n int, t string) string { return text.Clip(strings.TrimSpace(text.Clean(t)), n) },
		"short": func(id string) string { return id[:min(10, len(id))] },
		"join":  strings.Join,
	}
}

func percent(x float64) string { return fmt.Sprintf("%.0f %%", 100*x) }

// risks returns the thresholds for a list; now is the chosen one.
func risks(now float64) []float64 {
	out := []float64{0.2, 0.3, 0.5, 0.8}
	if now > 0 && !slices.Contains(out, now) {
		out = slices.Sorted(slices.Values(append(out, now)))
	}
	return out
}

func day(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02 15:04")
}

// who names the author of a decision; an anonymous one is translated.
func (s *speech) who(name string) string {
	if name == "" || name == tree.ByPerson {
		return s.say("a person")
	}
	return name
}

// level names a level of the tree.
func (s *speech) level(t tree.Type) string {
	switch t {
	case tree.Case:
		return s.say("case")
	case tree.Experience:
		return s.say("experience")
	case tree.Strategy:
		return s.say("strategy")
	}
	return string(t)
}

// status names the status of a memory.
func (s *speech) status(n *tree.Node) string {
	switch {
	case n.Mark == tree.Pinned:
		return s.say("pinned")
	case n.Mark == tree.Banned:
		return s.say("banned")
	case n.Status == tree.Active, n.Status == tree.Probation:
		return s.say("in use")
	case n.Status == tree.Quarantined:
		return s.say("waits")
	case n.Status == tree.Retired, n.Status == tree.Archived:
		return s.say("out of use")
	}
	return string(n.Status)
}

// verdict returns the label of a verdict as a sentence.
func (s *speech) verdict(v ledger.Verdict) string {
	switch {
	case v.Apart():
		return s.say("it shows nothing about its judge")
	case v.Correct:
		return s.say("it was right")
	}
	return s.say("it was wrong, %s", v.Direction.Name().In(s.lang))
}

// said names a decision on a memory.
func (s *speech) said(t tree.DecisionKind) string {
	switch t {
	case tree.DecisionForget:
		return s.say("Forgotten")
	case tree.DecisionPin:
		return s.say("Pinned")
	case tree.DecisionBan:
		return s.say("Banned")
	case tree.DecisionEdit:
		return s.say("Worded better")
	case tree.DecisionTeach:
		return s.say("Taught")
	case tree.DecisionRelabel:
		return s.say("Verdict labelled")
	case tree.DecisionAbout:
		return s.say("What it is about was corrected")
	case tree.DecisionReject:
		return s.say("Rejected")
	case tree.DecisionAccept:
		return s.say("Accepted")
	case curation.DecisionState:
		return s.say("Fact stated")
	case curation.DecisionConfirm:
		return s.say("Fact confirmed")
	case curation.DecisionContradict:
		return s.say("Fact contradicted")
	case curation.DecisionSettle:
		return s.say("Fact confirmed against others")
	case tree.DecisionUndo:
		return s.say("Taken back")
	}
	return string(t)
}

// refusal returns which advice is no longer given, and whose decision that is.
func (s *speech) refusal(no tree.Refusal) string {
	said := s.say("Left out: forgotten by %s", s.who(no.By))
	switch no.Said {
	case tree.DecisionBan:
		said = s.say("Left out: banned by %s", s.who(no.By))
	case tree.DecisionReject:
		said = s.say("Left out: rejected by %s", s.who(no.By))
	}
	if no.Check != "" {
		said += " · " + no.Check
	}
	return said
}
