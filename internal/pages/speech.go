package pages

import (
	"fmt"
	"html/template"
	"slices"
	"strings"
	"time"

	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/internal/wording"
	"github.com/memtree/memtree/taxonomy"
)

// speech is the language of a visitor. The English is in the code, the Chinese in zh.po.
type speech struct {
	wording.Names
	words map[string]string // nil for English
}

func (s *Site) speech(lang string) *speech {
	out := &speech{Names: wording.Names{Lang: "en"}}
	if lang == "zh" {
		out.Lang, out.words = lang, s.chinese
	}
	out.Say = out.say
	return out
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
		"say":       s.say,
		"lang":      func() string { return s.Lang },
		"in":        func(t taxonomy.Text) string { return t.In(s.Lang) },
		"way":       s.Direction,
		"level":     s.Level,
		"page":      pageOf,
		"decided":   s.decidedOf,
		"who":       s.Who,
		"status":    s.Status,
		"gap":       s.Gap,
		"whole":     func(x float64) int { return int(x) },
		"reason":    func(why string) string { return s.say(why) },
		"verdict":   s.Verdict,
		"percent":   percent,
		"factKind":  s.FactKind,
		"runState":  s.RunState,
		"noteKind":  s.noteKind,
		"factState": s.FactState,
		"risks":     risks,
		"day":       day,
		"clock":     func(t time.Time) string { return t.Format("2006-01-02 15:04 MST") }, // in the zone of the service
		"clip":      func(n int, t string) string { return text.Clip(strings.TrimSpace(text.Clean(t)), n) },
		"short":     func(id string) string { return id[:min(10, len(id))] },
		"join":      strings.Join,
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
