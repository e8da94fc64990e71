package pages

import (
	"cmp"
	"errors"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/memtree/memtree/curation"
	"github.com/memtree/memtree/tree"
)

// Trouble is why a request for a page failed.
type Trouble struct {
	Status int    // HTTP status
	Kind   string // kind of the problem, as the API names it, such as "scope" or "busy"
	Detail string // in English, shown to English visitors if no own text is known for Cause and Kind
	Cause  error  // nil: the server refused the request before it reached a page
	Back   string // address of the page that sent the request; "" if unknown
}

// Problem writes the page that explains t, in lang.
func (s *Site) Problem(w http.ResponseWriter, lang string, t *Trouble) error {
	said := s.speech(lang)
	return s.render(w, t.Status, &pageFrame{
		Visitor: Visitor{Lang: lang}, Page: "problem", Title: said.say("That did not work"), Problem: said.trouble(t),
		Data: t.Back,
	})
}

// trouble describes a problem: by its cause if known, else by its kind.
func (s *speech) trouble(t *Trouble) string {
	var field *tree.FieldError
	var refused *curation.RefusedError
	var unkept *curation.UnkeptError
	switch {
	case errors.As(t.Cause, &field):
		return s.wrongField(field)
	case errors.As(t.Cause, &refused):
		return s.refused(refused)
	case errors.As(t.Cause, &unkept):
		return s.say("Its texts were not saved. Record it again: under the same id, or a new one if it has a label.")
	}
	if kind := s.kind(t.Kind); kind != "" {
		return kind
	}
	if s.Lang != "en" {
		return s.say("The request cannot be used; nothing was changed.")
	}
	return t.Detail
}

// kind describes a problem by its kind, "" if its detail is more specific.
func (s *speech) kind(kind string) string {
	damaged := s.say("A part of this tree cannot be read; memtree fsck on the server says what is lost and how to go on.")
	killed := s.say("The service that ran it ended in the middle, or did not answer for too long; another one goes on.")
	busy, full := s.say("The service is busy, or the tree changed meanwhile; try again in a moment."),
		s.say("The disk of the service is full or failed; nothing is half-written.")
	return map[string]string{
		"not-found":         s.say("There is no such page, memory or run here; it may have gone."),
		"scope":             s.say("Your token may not do that; it takes one with the scope admin."),
		"no-token":          s.say("This token is not known here, was revoked or has expired; memtree token add makes one."),
		"read-only":         s.say("This service only reads this tree; make the change where it is written."),
		"locked":            busy,
		"busy":              busy,
		"rate":              busy,
		"changed-meanwhile": busy,
		"late":              busy,
		"disk-full":         full,
		"disk-failed":       full,
		"damaged":           damaged,
		"killed":            killed,
		"database-away":     s.say("The database cannot be reached; answers are from memory, and nothing was changed."),
		"budget":            s.say("What jobs may spend on models in a day is spent or reserved; it goes on tomorrow (UTC)."),
		"closing":           s.say("The service stops; ask again in a moment."),
		"too-large":         s.say("What was sent is too long; send less of it."),
		"foreign":           s.say("This form was sent from a page of another site, so nothing was changed."),
		"no-tree":           s.say("This token may see no tree."),
		"internal":          s.say("Something failed inside; the log of the service says what."),
	}[kind]
}

// refused returns why a decision was refused.
func (s *speech) refused(e *curation.RefusedError) string {
	switch e.Why {
	case curation.Already:
		return s.say("That was decided before; nothing was changed.")
	case curation.Uncontested:
		return s.say("Nothing contradicts it, so there is nothing to settle; confirm it.")
	case curation.Archived:
		return s.say("It is out of use; nothing was changed.")
	case curation.Waiting:
		return s.say("It waits in quarantine; accept it on the page Review first.")
	case curation.Purged:
		if e.Said == tree.DecisionTeach {
			return s.say("This lesson was purged here, and what was purged is not taken again; phrase it differently.")
		}
		return s.say("Its bytes were removed; that cannot be taken back.")
	case curation.Since:
		return s.say("%s decided since; take that back first.", s.Who(e.By))
	case curation.Theirs:
		return s.say("%s decided otherwise on %s; nothing was changed.", s.Who(e.By), day(e.At))
	case curation.Several:
		return s.say("It is one of %d verdicts that were labelled together; take the label back on the page Decisions.",
			len(e.Labels))
	case curation.Alike:
		return s.say("Another lesson says the same; word that one better.")
	case curation.Banned:
		if e.Said == tree.DecisionEdit {
			return s.say("%s banned or rejected a lesson of the same meaning; nothing was changed.", s.Who(e.By))
		}
		return s.say("%s banned or rejected a lesson of the same meaning; nothing was taught.", s.Who(e.By))
	case curation.Nothing:
	}
	return s.say("There is no decision to take back.")
}

// wrongField returns which field is invalid, and why, if that is known in the language of the visitor.
func (s *speech) wrongField(e *tree.FieldError) string {
	name, why := s.fieldName(e.Field), s.message(e.Problem)
	why = cmp.Or(why, s.say("cannot be used"))
	return strings.TrimSpace(s.say("%s: %s. Nothing was changed.", name, why))
}

// fieldName returns the name of a field on a page.
func (s *speech) fieldName(field string) string {
	return cmp.Or(map[string]string{
		"truth":         s.say("Label"),
		"evaluation":    s.say("Label"),
		"evaluations":   s.say("Label"),
		"reason":        s.say("Your note"),
		"why":           s.say("Why"),
		"since":         s.say("First day"),
		"until":         s.say("Last day"),
		"direction":     s.say("Direction"),
		"above":         s.say("Risk"),
		"product":       s.say("Product"),
		"scope.product": s.say("Product"),
		"suite":         s.say("Suite"),
		"scope.suite":   s.say("Suite"),
		"run":           s.say("Run"),
		"words":         s.say("Keywords"),
		"type":          s.say("Error type"),
		"lesson":        s.say("What to do"),
		"when":          s.say("When it applies"),
		"for":           s.say("Tests that get it in any case"),
		"notFor":        s.say("Tests that never get it"),
		"not":           s.say("Check"),
		"is":            s.say("Check"),
		"prompt":        s.say("The task"),
		"statement":     s.say("What holds"),
		"kind":          s.say("Kind"),
		"pages":         s.say("Pages"),
		"address":       s.say("The address"),
	}[field], s.say("The form"))
}

// variable matches the parts in which two messages of one kind differ: a number, or a text in quotation marks.
var variable = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`"(?:[^"\\]|\\.)*"|\d+`)
})

// unsafeText matches why a text for agents is refused, see knowledge.Clean.
var unsafeText = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^is refused, because (its text [a-z ]+) \("(.*)"\); state what holds`)
})

// message returns why a field is invalid, in the language of the visitor; "" without a translation. Texts in quotation
// marks are %q in zh.po, numbers %d.
func (s *speech) message(english string) string {
	if s.Lang == "en" {
		return english
	}
	switch english {
	case "is not valid UTF-8":
		return s.say("is not valid UTF-8")
	case "has a NUL character in it; remove it":
		return s.say("has a NUL character in it; remove it")
	}
	if other, ok := s.words[english]; ok {
		return other
	}
	if m := unsafeText().FindStringSubmatch(english); m != nil {
		return s.say("is refused, because %s (%q); state what holds, not what to answer", s.say(m[1]), m[2])
	}
	var args []any
	sentence := variable().ReplaceAllStringFunc(english, func(found string) string {
		if n, err := strconv.Atoi(found); err == nil {
			args = append(args, n)
			return "%d"
		}
		quoted, err := strconv.Unquote(found)
		if err != nil {
			quoted = found
		}
		args = append(args, quoted)
		return "%q"
	})
	if _, ok := s.words[sentence]; ok {
		return s.say(sentence, args...)
	}
	return ""
}

// plainReasons returns why the gates refuse a text, without the names of the gates.
func plainReasons(of []string) []string {
	out := make([]string, len(of))
	for i, reason := range of {
		out[i] = gateName().ReplaceAllString(reason, "")
	}
	return out
}

var gateName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[a-z][a-z -]*: `)
})
